"""Names for the array types that pass between rooms."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.floating]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
StatusArray: TypeAlias = NDArray[np.int8]
FingerprintArray: TypeAlias = NDArray[np.uint64]
ObjectArray: TypeAlias = NDArray[np.object_]
