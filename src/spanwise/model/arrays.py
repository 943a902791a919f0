"""Names for the array types that pass between packages.

They exist for the type checker only: at run time they cost nothing, not even the import of NumPy.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.floating]
    IntArray: TypeAlias = NDArray[np.int64]
    BoolArray: TypeAlias = NDArray[np.bool_]
    StatusArray: TypeAlias = NDArray[np.int8]
    FingerprintArray: TypeAlias = NDArray[np.uint64]
    ObjectArray: TypeAlias = NDArray[np.object_]
else:
    FloatArray = IntArray = BoolArray = StatusArray = FingerprintArray = ObjectArray = Any
