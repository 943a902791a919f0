"""Numbers as Java prints them."""

from __future__ import annotations

from decimal import Decimal
from math import isinf, isnan


def java_int(value: int) -> str:
    """A whole number as 32 bits hold it: past the largest one they begin again with the smallest.

    >>> [java_int(x) for x in (2**31 - 1, 2**31, 4_000_000_000)]
    ['2147483647', '-2147483648', '-294967296']
    """
    return str((value + 2**31) % 2**32 - 2**31)


def java_double(value: float) -> str:
    """The shortest digits that mean this number, in Java's notation.

    >>> [java_double(x) for x in (1.0, 0.1, 0.0003, 12345678.0, 0.001, 5e-324)]
    ['1.0', '0.1', '3.0E-4', '1.2345678E7', '0.001', '4.9E-324']
    """
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    if abs(value) == 5e-324:  # Java wants two digits and takes those nearest to the number
        return f"{'-' if value < 0 else ''}4.9E-324"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *more = map(str, digits)
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{first}.{''.join(more) or '0'}E{power}"
