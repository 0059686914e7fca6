"""Validation of arguments for every public function: errors name the argument, the bound and the value."""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response._labels import in_order
from randomized_response.errors import ParameterError

LARGEST_COUNT = 2**53
"""Every integer up to this one is exact as a double."""

_COMMON = re.compile(r"([-+]?[0-9]{1,40})\s?/\s?([0-9]{1,40})")
_DECIMAL = re.compile(r"([-+]?(?:[0-9]{1,40}(?:[.,][0-9]{0,40})?|[.,][0-9]{1,40}))(\s?%)?")
"""A fraction in common or decimal notation, or in per cent. No exponents: 1e-99999999 would fill the memory."""
_GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
"""1,000, which some read as a thousand."""

_FRACTION = "a fraction as text ('2/3', '0.4' or '40 %'), a Fraction, a Decimal or a pair of integers (2, 3)"
_LONGEST = 40
"""Digits of a Decimal before and after the point."""
_FINEST = 2**20
"""Largest denominator of a float that was meant exactly: 0.5 and 0.375 are, 0.1 is not a tenth."""

FractionLike = str | Fraction | Decimal | int | float | tuple[int, int]


def as_fraction(value: FractionLike, *, name: str) -> Fraction:
    """Read an exact fraction; a float that is none (0.1) is refused because the table of a channel is exact."""
    try:
        if isinstance(value, Fraction):
            return value
        if isinstance(value, Decimal | float) or is_integer(value):
            return _as_number(value, name)  # type: ignore[arg-type]
        if isinstance(value, str) and (read := _as_written(value.strip())) is not None:
            return read
        if isinstance(value, tuple) and len(value) == 2 and all(is_integer(part) for part in value):
            return Fraction(int(value[0]), int(value[1]))
    except ParameterError:
        raise
    except (ValueError, ZeroDivisionError):
        pass
    raise ParameterError(name, f"must be {_FRACTION}; got {value!r}")


def _as_number(value: Decimal | float | int, name: str) -> Fraction:
    if not isfinite(value) or (isinstance(value, Decimal) and not -_LONGEST <= value.adjusted() <= _LONGEST):
        raise ValueError
    if isinstance(value, Decimal) and int(value.as_tuple().exponent) < -_LONGEST:
        raise ValueError
    fraction = Fraction(value)
    if isinstance(value, float) and fraction.denominator > _FINEST:
        raise ParameterError(name, f"must be exact, which the float {value!r} is not; write it as text: '{value!r}'")
    return fraction


def _as_written(text: str) -> Fraction | None:
    """2/3, 0.4, 0,4 and 40 %; None if it is none of them. Raises ZeroDivisionError."""
    if common := _COMMON.fullmatch(text):
        return Fraction(int(common[1]), int(common[2]))
    decimal = _DECIMAL.fullmatch(text)
    if decimal is None or _GROUPED.fullmatch(text):
        return None
    return Fraction(decimal[1].replace(",", ".")) / (100 if decimal[2] else 1)


def as_probability(value: FractionLike, *, name: str, closed: bool = False) -> Fraction:
    """Read an exact probability: in (0, 1), or in [0, 1] where `closed`."""
    fraction = as_fraction(value, name=name)
    inside = 0 <= fraction <= 1 if closed else 0 < fraction < 1
    if not inside:
        bounds = "in [0, 1]" if closed else "greater than 0 and less than 1"
        raise ParameterError(name, f"must be {bounds}; got {fraction}")
    return fraction


def as_count(value: object, *, name: str, low: int = 0, high: int | None = None) -> int:
    """Read an integer of at least `low` and at most `high`; booleans and floats are refused."""
    if not is_integer(value):
        raise ParameterError(name, f"must be an integer; got {value!r}")
    count: int = int(value)  # type: ignore[call-overload]
    if count < low or (high is not None and count > high):
        bound = f"at least {low}" if high is None else f"from {low} to {high}"
        raise ParameterError(name, f"must be {bound}; got {count}")
    return count


def as_labels(labels: Sequence[str] | None, k: int) -> tuple[str, ...]:
    """Read what k answers are called: different words, "0", "1", ... by default."""
    words = tuple(map(str, range(k))) if labels is None else tuple(map(str, labels))
    if len(words) != k or len(set(words)) != k:
        raise ParameterError("labels", f"must be {k} different words, one for each answer; got {list(words)}")
    return words


def as_prior(scale: float | None) -> None:
    """Refuse the scale of normal priors where it is not positive and finite; None is no prior."""
    if scale is not None and not 0 < scale < float("inf"):
        raise ParameterError("prior", f"must be positive and finite; got {scale}")


def as_level(value: float, *, name: str = "confidence") -> float:
    """Read a confidence level, strictly between 0 and 1."""
    level = float(value)
    if not isfinite(level) or not 0 < level < 1:
        raise ParameterError(name, f"must be greater than 0 and less than 1; got {value!r}")
    return level


def as_counts(values: ArrayLike, *, name: str, size: int) -> NDArray[np.int64]:
    """Read `size` whole, non-negative counts; 400.0 is read as 400, 400.5 and NaN are refused, labels followed."""
    array = _as_numbers(in_order(values, name=name), name=name)
    if array.shape != (size,):
        raise ParameterError(name, f"must have one entry per report, shape ({size},); got shape {array.shape}")
    return _as_whole(array, name=name, high=LARGEST_COUNT)


def as_distribution(values: ArrayLike, *, name: str, size: int, per: str = "answer") -> NDArray[np.float64]:
    """Read `size` shares: non-negative, of sum 1 (to 1e-9)."""
    shares = np.asarray(values, dtype=np.float64)
    if size == 0 or shares.shape != (size,):
        raise ParameterError(name, f"must have one value per {per}, shape ({size},); got shape {shares.shape}")
    if not np.all(shares >= 0) or abs(shares.sum() - 1) > 1e-9:
        raise ParameterError(name, f"must be non-negative and sum to 1; got {shares.tolist()}")
    return shares


def as_codes(values: ArrayLike, *, name: str, size: int) -> NDArray[np.int64]:
    """Read integer codes from 0 to `size` - 1, any shape."""
    return _as_whole(_as_numbers(values, name=name), name=name, high=size - 1)


def _as_numbers(values: ArrayLike, *, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ParameterError(name, f"must be an array of integers with rows of one length; got {values!r}") from None
    if array.size and array.dtype.kind not in "iuf":
        raise ParameterError(name, f"must be integers up to 2**53; got values of type {array.dtype}")
    return array


def _as_whole(array: NDArray[Any], *, name: str, high: int) -> NDArray[np.int64]:
    wrong = ~((array >= 0) & (array <= high) & (array == np.floor(array)))
    if wrong.any():
        place = [int(index) for index in np.argwhere(wrong)[0]]
        raise ParameterError(f"{name}{place or ''}", f"must be an integer from 0 to {high}; got {array[wrong].flat[0]}")
    return array.astype(np.int64)


def is_integer(value: object) -> bool:
    # A table has 65,536 of them, and to ask for the abstract class takes ten times as long.
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))
