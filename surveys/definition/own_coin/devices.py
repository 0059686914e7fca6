"""Coins and dice: what can be tossed, and the assignment of outcomes in sets that are easy to follow.

An outcome is what the parts show, in order; all outcomes of a device are equally likely.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, product

Face = str | int
Outcome = tuple[Face, ...]
Share = frozenset[Outcome]

COIN: tuple[Face, ...] = ("heads", "tails")
DIE: tuple[Face, ...] = (1, 2, 3, 4, 5, 6)

MOST_KINDS = 4
"""Maximum kinds of outcomes in a rule: more are too many to remember."""


@dataclass(frozen=True)
class Device:
    """A device to toss. `kind` gives equal numbers to outcomes that look the same when order is ignored."""

    key: str
    parts: tuple[tuple[Face, ...], ...]
    kind: Callable[[Outcome], int] | None = None

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(product(*self.parts))

    def share_out(self, sizes: Sequence[int]) -> tuple[Share, ...] | None:
        """Disjoint sets of outcomes with these sizes, which sum to all outcomes; the last gets the rest.

        None where whole kinds of outcomes cannot make these sizes.
        """
        shares = _in_order(self, sizes[:-1]) if self.kind is None else _by_kind(self, self.kind, sizes[:-1])
        if shares is None:
            return None
        return (*shares, frozenset(self.outcomes).difference(*shares))


def heads(outcome: Outcome) -> int:
    return outcome.count("heads")


def total(outcome: Outcome) -> int:
    return sum(int(face) for face in outcome)


# By number of outcomes; where the order of the tosses need not be kept, that comes first.
DEVICES = (
    Device("coin", (COIN,), heads),
    Device("two_coins", (COIN, COIN), heads),
    Device("coin_twice", (COIN, COIN)),
    Device("die", (DIE,), total),
    Device("three_coins", (COIN, COIN, COIN), heads),
    Device("coin_thrice", (COIN, COIN, COIN)),
    Device("coin_and_die", (COIN, DIE)),
    Device("two_dice", (DIE, DIE), total),
    Device("die_twice", (DIE, DIE)),
)

MONTHS: tuple[Face, ...] = (4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3)
"""From April on: of a run of months that begins there, the share of all days comes nearest to that of the months."""

BIRTHDAYS = tuple(Device(f"birthday_of_{person}", (MONTHS,)) for person in ("mother", "father", "friend"))
"""Birthdays in place of tosses, each of another person: two questions with one birthday would tell on each other."""


def _by_kind(device: Device, kind: Callable[[Outcome], int], sizes: Sequence[int]) -> list[Share] | None:
    """Whole kinds for each size; few and neighbouring kinds come first."""
    kinds: dict[int, list[Outcome]] = {}
    for outcome in device.outcomes:
        kinds.setdefault(kind(outcome), []).append(outcome)
    dead: set[Hashable] = set()

    def fill(free: tuple[int, ...], left: Sequence[int]) -> list[tuple[int, ...]] | None:
        if not left:
            return []
        if (free, len(left)) in dead:
            return None
        for chosen in _few_first(free):
            if sum(len(kinds[name]) for name in chosen) != left[0]:
                continue
            rest = fill(tuple(name for name in free if name not in chosen), left[1:])
            if rest is not None:
                return [chosen, *rest]
        dead.add((free, len(left)))
        return None

    found = fill(tuple(kinds), sizes)
    return None if found is None else [frozenset(chain(*(kinds[name] for name in chosen))) for chosen in found]


def _few_first(names: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """Sets of at most MOST_KINDS names: the smaller before the larger, neighbours before others."""
    for size in range(1, min(MOST_KINDS, len(names)) + 1):
        yield from sorted(combinations(names, size), key=lambda chosen: max(chosen) - min(chosen))


def _in_order(device: Device, sizes: Sequence[int]) -> list[Share]:
    """Outcomes in their order; each size within one face of the first part, where it fits."""
    rows = [[outcome for outcome in device.outcomes if outcome[0] == face] for face in device.parts[0]]
    shares = []
    for size in sizes:
        row = next((row for row in rows if len(row) >= size), None)
        taken = (list(chain(*rows)) if row is None else row)[:size]
        rows = [[outcome for outcome in row if outcome not in taken] for row in rows]
        shares.append(frozenset(taken))
    return shares
