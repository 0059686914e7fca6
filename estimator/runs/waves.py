"""Waves of a survey beside each other: which asked the same question, and what may go together in two of them."""

from collections.abc import Mapping
from math import isnan

from collector.designs import Channel, Design, Item
from estimator.runs.estimation import Fit
from estimator.runs.groups import groups_of
from randomized_response import ChangeEstimate, Question, change_of_means, change_of_shares

ASKED = {
    "kind": "another kind of question",
    "wording": "worded differently",
    "choices": "other choices",
    "encoding": "randomised differently",
    "channel": "randomised differently",
    "grid": "other numbers",
    "asked_if": "asked of other people",
    "unasked": "asked of other people",
}
"""What has to be the same in two waves, and what is said where it is not."""


def item_like(older: Design, item: Item) -> Item | None:
    """The item of another design that has the same key."""
    return next((one for one in older.items if one.key == item.key), None)


def incomparable_reason(newest: Design, older: Design, item: Item) -> str:
    """Why an item of the newest design was not asked in another as it is; empty where it was."""
    language, other = newest.language, item_like(older, item)
    if other is None:
        return "not asked"
    for name, why in ASKED.items():
        if _wording(getattr(item, name), language) != _wording(getattr(other, name), language):
            return why
    return ""


def remembered(newest: Design, older: Design, item: Item) -> bool:
    """Whether the same answer of one device is the same report in both: tickets come from the item's own text."""
    both = all(design.remembers for design in (newest, older))
    return both and item_like(older, item) == item


def are_waves(newest: Design) -> bool:
    """Whether the openings of a survey are called waves, and not versions: the newest one was meant to come again."""
    return newest.waves is not None


def wave_name(design: Design, newest: Design) -> str:
    """What an opening of a survey is called, with its number."""
    return f"{'wave' if are_waves(newest) else 'version'} {design.version}"


def is_weighted(design: Design) -> bool:
    """Whether estimates are put together of groups: then it would take who came back of each group."""
    return any(group.share is not None for group in groups_of(design))


def is_released(fit: Fit, choice: int | None) -> bool:
    """Whether there is a number: a mean may lack one where too few gave a value."""
    return choice is not None or (fit.mean is not None and not isnan(fit.mean.unbiased))


def change(
    question: Question, newest: Fit, older: Fit, choice: int | None, *, remembered: bool, returned: int | None
) -> ChangeEstimate:
    """How much the shares, or the mean where `choice` is None, changed: of each answer an entry, of a mean one."""
    if choice is None:
        assert newest.mean is not None
        assert older.mean is not None
        return change_of_means(older.mean, newest.mean, remembered=remembered, returned=returned)
    assert newest.shares is not None
    assert older.shares is not None
    return change_of_shares(older.shares, newest.shares, question.mechanism, remembered=remembered, returned=returned)


def _wording(value: object, language: str) -> object:
    """The value with its texts in one language alone; of a channel what it does, not what it is called."""
    if isinstance(value, Channel):
        return value.weights, value.size
    if isinstance(value, Mapping):
        return value.get(language, value)
    return [_wording(one, language) for one in value] if isinstance(value, tuple) else value
