"""Instructions as sentences. They go through gettext, so they are made while the page's language is active."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from django.utils.dates import MONTHS as MONTH_NAMES
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from surveys.definition.own_coin.devices import COIN, DIE, Device, Outcome, Share, heads, total
from surveys.definition.own_coin.instructions import OPPOSITE, Instruction, Marks, own_instruction

TOSS = {
    "coin": gettext_lazy("Toss a coin where nobody sees it."),
    "two_coins": gettext_lazy("Toss two coins where nobody sees them."),
    "coin_twice": gettext_lazy("Toss a coin twice where nobody sees it, and remember what came first."),
    "die": gettext_lazy("Throw a die where nobody sees it."),
    "three_coins": gettext_lazy("Toss three coins where nobody sees them."),
    "coin_thrice": gettext_lazy("Toss a coin three times where nobody sees it, and remember the order."),
    "coin_and_die": gettext_lazy("Toss a coin and throw a die where nobody sees them."),
    "two_dice": gettext_lazy("Throw two dice where nobody sees them, and add them up."),
    "die_twice": gettext_lazy("Throw a die twice where nobody sees it, and remember what came first."),
}

BORN = {
    "birthday_of_mother": gettext_lazy("And was your mother born from April to %(month)s?"),
    "birthday_of_father": gettext_lazy("And was your father born from April to %(month)s?"),
    "birthday_of_friend": gettext_lazy("And was your best friend born from April to %(month)s?"),
}

COINS = {
    ("coin", (1,)): gettext_lazy("Heads"),
    ("coin", (0,)): gettext_lazy("Tails"),
    ("two_coins", (2,)): gettext_lazy("Two heads"),
    ("two_coins", (1,)): gettext_lazy("One head and one tail"),
    ("two_coins", (0,)): gettext_lazy("Two tails"),
    ("two_coins", (0, 2)): gettext_lazy("Both the same"),
    ("two_coins", (1, 2)): gettext_lazy("At least one head"),
    ("two_coins", (0, 1)): gettext_lazy("At least one tail"),
    ("three_coins", (3,)): gettext_lazy("Three heads"),
    ("three_coins", (2,)): gettext_lazy("Two heads and one tail"),
    ("three_coins", (1,)): gettext_lazy("One head and two tails"),
    ("three_coins", (0,)): gettext_lazy("Three tails"),
    ("three_coins", (0, 3)): gettext_lazy("All three the same"),
    ("three_coins", (2, 3)): gettext_lazy("At least two heads"),
    ("three_coins", (0, 1)): gettext_lazy("At least two tails"),
}
"""Sets of coin outcomes that have names, by their number of heads."""

LONGEST_RUN = 2


def needs(instructions: Iterable[Instruction]) -> str:
    """The coins and dice that are needed for the whole page."""
    things = [_things(instruction.device) for instruction in instructions]
    coins, dice = max(coins for coins, _dice in things), max(dice for _coins, dice in things)
    texts = (
        ngettext("one coin", "%(count)s coins", coins) % {"count": coins} if coins else "",
        ngettext("one die", "%(count)s dice", dice) % {"count": dice} if dice else "",
    )
    return all_of([text for text in texts if text])


def toss(instruction: Instruction) -> str:
    """What to toss, or the second question about a birthday."""
    device, months = instruction.device, len(instruction.rules[0].outcomes)
    if device.key in BORN:
        return BORN[device.key] % {"month": MONTH_NAMES[int(device.outcomes[months - 1][0])]}
    return str(TOSS[device.key])


def alike() -> list[str]:
    """What can be marked of two answers, of which one is about a birthday: that they differ, that they are the same."""
    return [_("Yes to one question, no to the other"), _("Yes to both questions, or no to both")]


def _things(device: Device) -> tuple[int, int]:
    """The number of coins and of dice; one that is tossed several times counts as one."""
    coins, dice = device.parts.count(COIN), device.parts.count(DIE)
    return (min(coins, 1), min(dice, 1)) if device.kind is None else (coins, dice)


def outcome_sentence(instruction: Instruction, place: int) -> str:
    """The outcomes at which rule `place` holds; the last rule may be for all other outcomes."""
    key, outcomes = instruction.device.key, instruction.rules[place].outcomes
    parts = _TOLD.get(key, _grid)(key, outcomes)
    if 0 < place == len(instruction.rules) - 1 and (len(parts) > 1 or key == "two_dice"):
        return _("Any other sum") if key == "two_dice" else _("Anything else")
    return any_of(parts) if key in _TOLD else _any_of_long(parts)


def device_sentence(marks: Marks, choices: Sequence[str]) -> str:
    """The sentence on what to mark."""
    if len(set(marks)) == 1:
        return _("mark “%(choice)s”, whatever your answer is.") % {"choice": choices[marks[0]]}
    if marks == own_instruction(len(marks)):
        return _("mark your true answer.")
    if marks == OPPOSITE:
        return _("mark the opposite of your true answer.")
    changed = [
        _("if your answer is “%(answer)s”, mark “%(choice)s”") % {"answer": choices[x], "choice": choices[y]}
        for x, y in enumerate(marks)
        if x != y
    ]
    rest = [] if len(changed) == len(marks) else [_("otherwise mark your true answer")]
    return _("; ").join(changed + rest) + "."


def any_of(parts: Sequence[str]) -> str:
    """The parts joined by "or"."""
    return _("%(list)s or %(last)s") % _listed(parts, _(", ")) if len(parts) > 1 else parts[0]


def _any_of_long(parts: Sequence[str]) -> str:
    """The parts joined by "or", where each has commas."""
    return _("%(list)s; or %(last)s") % _listed(parts, _("; ")) if len(parts) > 1 else parts[0]


def all_of(parts: Sequence[str]) -> str:
    """The parts joined by "and"."""
    return _("%(list)s and %(last)s") % _listed(parts, _(", ")) if len(parts) > 1 else parts[0]


def numbers(values: Iterable[int]) -> str:
    """Numbers in words: 1; 2 or 3; 1 to 4, 6."""
    return any_of([text for run in _runs(values) for text in _run(run)])


def _run(run: Sequence[int]) -> list[str]:
    if len(run) <= LONGEST_RUN:
        return [str(value) for value in run]
    return [_("%(low)s to %(high)s") % {"low": run[0], "high": run[-1]}]


def _runs(values: Iterable[int]) -> list[list[int]]:
    placed = enumerate(sorted(values))
    return [[value for _, value in run] for _, run in groupby(placed, lambda pair: pair[1] - pair[0])]


def _coins(key: str, outcomes: Share) -> list[str]:
    kinds = tuple(sorted({heads(outcome) for outcome in outcomes}))
    whole = COINS.get((key, kinds))
    return [str(whole)] if whole else [str(COINS[key, (kind,)]) for kind in reversed(kinds)]


def _die(key: str, outcomes: Share) -> list[str]:
    return [_("The die shows %(numbers)s") % {"numbers": numbers({total(outcome) for outcome in outcomes})}]


def _sum(key: str, outcomes: Share) -> list[str]:
    return [_("The sum is %(numbers)s") % {"numbers": numbers({total(outcome) for outcome in outcomes})}]


def _sequences(key: str, outcomes: Share) -> list[str]:
    return [_sequence(outcome) for outcome in sorted(outcomes)]


def _sequence(outcome: Outcome) -> str:
    """Faces in the order of the tosses: tails–heads."""
    faces = {"heads": _("heads"), "tails": _("tails")}
    return "–".join(faces[str(face)] for face in outcome)


def _grid(key: str, outcomes: Share) -> list[str]:
    """A coin or a first throw, and a second one: rows with the same columns are combined."""
    rows = {first: tuple(sorted(int(o[1]) for o in outcomes if o[0] == first)) for first, _second in sorted(outcomes)}
    alike: dict[tuple[int, ...], list[Any]] = {}
    for first, columns in rows.items():
        alike.setdefault(columns, []).append(first)
    words = _coin_and_die if key == "coin_and_die" else _throws
    return [words(firsts, columns) for columns, firsts in alike.items()]


def _coin_and_die(sides: list[str], columns: tuple[int, ...]) -> str:
    side = {"heads": _("Heads"), "tails": _("Tails")}[sides[0]]
    if len(sides) > 1:
        return _("The die shows %(numbers)s, whatever the coin") % {"numbers": numbers(columns)}
    if len(columns) == len(DIE):
        return _("%(side)s, whatever the die") % {"side": side}
    return _("%(side)s, and the die shows %(numbers)s") % {"side": side, "numbers": numbers(columns)}


def _throws(firsts: list[int], columns: tuple[int, ...]) -> str:
    values = {"first": numbers(firsts), "second": numbers(columns)}
    if len(firsts) == len(DIE):
        return _("Second throw %(second)s, whatever the first") % values
    if len(columns) == len(DIE):
        return _("First throw %(first)s, whatever the second") % values
    return _("First throw %(first)s, second throw %(second)s") % values


_TOLD: dict[str, Callable[[str, Share], list[str]]] = {
    "coin": _coins,
    "two_coins": _coins,
    "three_coins": _coins,
    "die": _die,
    "two_dice": _sum,
    "coin_twice": _sequences,
    "coin_thrice": _sequences,
}


def _listed(parts: Sequence[str], between: str) -> dict[str, str]:
    return {"list": between.join(parts[:-1]), "last": parts[-1]}
