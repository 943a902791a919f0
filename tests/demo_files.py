"""The files that come with the package."""

from pathlib import Path

import spanwise

DATA = Path(spanwise.__file__).parent / "data"
QRELS = DATA / "demo" / "qrels.txt"
KEYWORD, DENSE, HYBRID = (DATA / "demo" / f"{name}.run" for name in ("keyword", "dense", "hybrid"))
HANDBOOK = DATA / "handbook"
