"""Waves of a survey: which asked the same question, and what may be compared between two of them."""

from collections.abc import Mapping

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
"""Properties that must be the same in two waves, and the message if they are not."""


def item_like(older: Design, item: Item) -> Item | None:
    """The item of another design that has the same key."""
    return next((one for one in older.items if one.key == item.key), None)


def incomparable_reason(newest: Design, older: Design, item: Item) -> str:
    """The reason why an item differs between the newest and another design; empty if it does not."""
    language, other = newest.language, item_like(older, item)
    if other is None:
        return "not asked"
    for name, why in ASKED.items():
        if _wording(getattr(item, name), language) != _wording(getattr(other, name), language):
            return why
    return ""


def remembered(newest: Design, older: Design, item: Item) -> bool:
    """True if the same answer of one device is the same report in both: tickets derive from the item's text."""
    both = all(design.remembers for design in (newest, older))
    return both and item_like(older, item) == item


def are_waves(newest: Design) -> bool:
    """True if openings of a survey are called waves, not versions: the newest is meant to be repeated."""
    return newest.waves is not None


def wave_name(design: Design, newest: Design) -> str:
    """The name of an opening of a survey, with its number."""
    return f"{'wave' if are_waves(newest) else 'version'} {design.version}"


def is_weighted(design: Design) -> bool:
    """Return True if estimates are weighted by group: overlap would then be needed by group."""
    return any(group.share is not None for group in groups_of(design))


def change(
    question: Question, newest: Fit, older: Fit, choice: int | None, *, remembered: bool, returned: int | None
) -> ChangeEstimate:
    """Estimate the change of the shares, with an entry per answer, or of the mean if `choice` is None."""
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
