"""Numbers as C reads them: what can be read is read, the rest is ignored, nothing is 0."""

from __future__ import annotations

import re

WHOLE = re.compile(r"[ \t\n\v\f\r]*([+-]?\d+)")
REAL = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?"
    r"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))",
    re.IGNORECASE,
)


def whole(text: str) -> int:
    """An integer as C reads it.

    >>> whole("5x"), whole(" 23.4"), whole("abc")
    (5, 23, 0)
    """
    match = WHOLE.match(text)
    return int(match[1]) if match else 0


def real(text: str) -> float:
    """A floating-point number as C reads it.

    >>> real(".5abc"), real("0x10"), real("x")
    (0.5, 16.0, 0.0)
    """
    match = REAL.match(text)
    if not match:
        return 0.0
    number = match[1]
    return float.fromhex(number) if "x" in number.lower() else float(number)
