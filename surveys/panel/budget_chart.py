"""The privacy budget as a small chart: a bar for each wave, and the ceiling as a line."""

from collections.abc import Iterator

from django.utils.translation import gettext

from estimator.base import charts, wording
from surveys.definition.privacy_budget import PrivacyLossSum
from surveys.lifecycle.budget import SurveyBudget, between


def picture_of(book: SurveyBudget) -> str:
    """The chart as SVG, with its title and in words; empty if there is nothing to draw."""
    rows = list(_rows(book))
    if not rows:
        return ""
    words = "; ".join(
        f"{name}{gettext(' (would be)') if ahead else ''} {between(total)}" for name, total, ahead in rows
    )
    ceiling = wording.epsilon(book.ceiling)
    return charts.bars(
        [_bar(*row) for row in rows],
        key="ledger",
        title=gettext("Total epsilon after each wave"),
        words=gettext("Total epsilon after each wave, from the least to the most: {words}. Ceiling: {ceiling}.").format(
            words=words, ceiling=ceiling
        ),
        limit=(book.ceiling, gettext("ceiling {ceiling}").format(ceiling=ceiling)),
    )


def _rows(book: SurveyBudget) -> Iterator[tuple[str, PrivacyLossSum, bool]]:
    """Name and total of each wave that anybody answered, and of the next one."""
    for line in book.lines:
        if line.spent:
            yield line.opened.name, line.spent.total, False
    if book.ahead:
        yield gettext("the next"), book.ahead.wave.total, True


def _bar(name: str, total: PrivacyLossSum, ahead: bool) -> charts.Bar:
    least, most = ("ledger-least", total.epsilon_least), ("ledger-most", total.epsilon_most)
    parts = (("ledger-ahead", total.epsilon_most),) if ahead else (most, least)
    return name[:1].upper() + name[1:], between(total), parts
