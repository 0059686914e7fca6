"""Exact arithmetic for the guarantees: the logarithm rounded up, and the rank of a table of integers."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np

_PRIME = 2**31 - 1


def log_up(ratio: Fraction) -> float:
    """The natural logarithm of `ratio` >= 1, rounded up: at most one unit in the last place above, never below."""
    if ratio == 1:
        return 0.0
    # Sixty digits leave forty of a logarithm above 1e-20; nearer to 1 they have to grow with the fraction.
    near = (ratio.numerator - ratio.denominator) * 10**20 < ratio.denominator
    digits = 40 + max(ratio.numerator.bit_length(), 64) // 3 if near else 60
    context = Context(prec=digits, rounding=ROUND_CEILING)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    exact = context.next_plus(context.ln(quotient))
    nearest = float(exact)
    return nearest if Decimal(nearest) >= exact else math.nextafter(nearest, math.inf)


def log_exceeds(ratio: Fraction, bound: Fraction) -> bool:
    """True if ln(`ratio`) exceeds `bound`, exactly, for `ratio` >= 1 and `bound` >= 0.

    e to the power of a fraction but 0 is never a fraction, so enough digits always decide.
    """
    if bound == 0:
        return ratio > 1
    digits = 50
    while True:
        context = Context(prec=digits)
        power = Fraction(context.exp(context.divide(Decimal(bound.numerator), Decimal(bound.denominator))))
        slack = power * (1 + bound) * Fraction(100, 10**digits)
        if abs(ratio - power) > slack:
            return ratio > power
        digits *= 2


def inverse(rows: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """The exact inverse of a square table of integers of full rank (Gauss-Jordan elimination)."""
    size = len(rows)
    table = [[*map(Fraction, row), *(Fraction(x == y) for y in range(size))] for x, row in enumerate(rows)]
    for column in range(size):
        pivot = next(i for i in range(column, size) if table[i][column])
        table[column], table[pivot] = table[pivot], table[column]
        head = table[column] = [entry / table[column][column] for entry in table[column]]
        for i in range(size):
            factor = table[i][column]
            if i != column and factor:
                table[i] = [own - factor * top for own, top in zip(table[i], head, strict=True)]
    return [row[size:] for row in table]


def rank(rows: Sequence[Sequence[int]]) -> int:
    """The exact rank of a table of integers.

    Elimination modulo a prime never gives a rank that is too large, so a full one is a proof; only a smaller one is
    settled by elimination over the integers.
    """
    modular = _rank_modulo_prime(rows)
    return modular if modular == min(len(rows), len(rows[0])) else _rank_of_integers(rows)


def _rank_modulo_prime(rows: Sequence[Sequence[int]]) -> int:
    table = np.array([[entry % _PRIME for entry in row] for row in rows], dtype=np.int64)
    found = 0
    for column in range(table.shape[1]):
        candidates = np.flatnonzero(table[found:, column])
        if candidates.size == 0:
            continue
        pivot = found + int(candidates[0])
        table[[found, pivot]] = table[[pivot, found]]
        table[found] = table[found] * pow(int(table[found, column]), -1, _PRIME) % _PRIME
        below = table[found + 1 :]
        below -= below[:, [column]] * table[found] % _PRIME
        below %= _PRIME
        found += 1
        if found == table.shape[0]:
            break
    return found


def _rank_of_integers(rows: Sequence[Sequence[int]]) -> int:
    """Compute the rank by fraction-free elimination (Bareiss 1968): all divisions are exact."""
    table = [list(row) for row in rows]
    found, divisor = 0, 1
    for column in range(len(table[0])):
        pivot = next((i for i in range(found, len(table)) if table[i][column]), None)
        if pivot is None:
            continue
        table[found], table[pivot] = table[pivot], table[found]
        head = table[found]
        for i in range(found + 1, len(table)):
            factor = table[i][column]
            table[i] = [(head[column] * own - factor * top) // divisor for own, top in zip(table[i], head, strict=True)]
        divisor = head[column]
        found += 1
        if found == len(table):
            break
    return found
