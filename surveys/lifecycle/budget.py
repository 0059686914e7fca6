"""The privacy budget of a survey for display: each opening with its loss, and what the next would add."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext, gettext_noop, ngettext

from collector.errors import ValidationError
from estimator.base import wording
from surveys.definition.definitions import ceiling_of, drawn_items
from surveys.definition.privacy_budget import (
    MOST_WAVES,
    NOTHING,
    PrivacyLossSum,
    QuestionPrice,
    WaveSpending,
    ledger,
    priced,
    waves_that_fit,
)
from surveys.lifecycle import selectors
from surveys.lifecycle.linked_surveys import spent_elsewhere
from surveys.lifecycle.waves import OpenedWave, price_of, spending, waves_of
from surveys.models import Survey

UNIT = gettext_noop("one person, all answers, all waves so far")


@dataclass(frozen=True)
class OpeningRow:
    """An opening; `spent` is None if no respondent can have spent anything in it."""

    opened: OpenedWave
    epsilon: float
    spent: WaveSpending | None


@dataclass(frozen=True)
class NextOpening:
    """The wave that opening would add: the draft as it is written, or a closed survey's next one.

    It counts in full as it opens. `fit` is how many more of it fit under the `ceiling`, None for more than the ledger
    looks ahead; `missing` says in words why it cannot be opened, empty where it can.
    """

    wave: WaveSpending
    ceiling: float
    fit: int | None
    missing: str

    @property
    def in_words(self) -> str:
        adds, total = between(self.wave.adds), between(self.wave.total)
        return gettext("The next wave would add {adds}, for a total of {total}. {fitting}").format(
            adds=adds, total=total, fitting=self.fitting
        )

    @property
    def fitting(self) -> str:
        """The number of further waves that fit, as a sentence."""
        ceiling = gettext("the ceiling of {ceiling} for all waves").format(ceiling=wording.epsilon(self.ceiling))
        if self.fit is None:
            return gettext("More than {most_waves} such waves fit within {ceiling}.").format(
                most_waves=MOST_WAVES, ceiling=ceiling
            )
        if self.fit == 0:
            return gettext("It does not fit within {ceiling}.").format(ceiling=ceiling)
        return ngettext(
            "{count} such wave fits within {ceiling}.", "{count} such waves fit within {ceiling}.", self.fit
        ).format(count=self.fit, ceiling=ceiling)


@dataclass(frozen=True)
class SurveyBudget:
    """The privacy loss possible in a survey, opening by opening, the oldest first.

    `elsewhere` is what they may have spent in other surveys for the same people; it is in every total.
    """

    lines: tuple[OpeningRow, ...]
    elsewhere: PrivacyLossSum
    total: PrivacyLossSum
    ceiling: float
    ahead: NextOpening | None


def budget_of(survey: Survey, *, missing: str | None = None) -> SurveyBudget:
    """The privacy budget of a survey, in a constant number of queries.

    `missing` says why it cannot be opened from its state, where the caller knows it already.
    """
    waves = waves_of(survey)
    earlier, elsewhere = spending(waves), spent_elsewhere(survey)
    spent = {wave.number: replace(wave, total=wave.total.plus(elsewhere)) for wave in ledger(earlier)}
    lines = tuple(OpeningRow(one, price_of(one.version.design_id).epsilon, spent.get(one.number)) for one in waves)
    total = spent[max(spent)].total if spent else elsewhere
    ceiling = ceiling_of(rehearsal=survey.rehearsal)
    return SurveyBudget(lines, elsewhere, total, ceiling, _ahead(survey, waves, earlier, elsewhere, ceiling, missing))


def _ahead(
    survey: Survey,
    waves: Sequence[OpenedWave],
    earlier: list[QuestionPrice],
    elsewhere: PrivacyLossSum,
    ceiling: float,
    missing: str | None,
) -> NextOpening | None:
    if survey.rehearsal:
        return None
    if survey.state == Survey.State.CLOSED and waves:
        design, why = waves[-1].design, selectors.next_wave_fault
    elif survey.state == Survey.State.DRAFT:
        try:
            design = drawn_items(selectors.definition_of(survey), version=1)
        except ValidationError:
            return None
        why = selectors.opening_fault
    else:
        return None
    price = replace(priced(design), number=selectors.next_number(survey))
    wave = _in_full(ledger([*earlier, price]))
    fit = waves_that_fit(earlier, price, ceiling - elsewhere.epsilon_most)
    missing = why(survey) if missing is None else missing
    return NextOpening(replace(wave, total=wave.total.plus(elsewhere)), ceiling, fit, missing)


def _in_full(waves: Sequence[WaveSpending]) -> WaveSpending:
    """The last wave as counted at opening: at most its full loss, for a device that has lost its tickets."""
    last, before = waves[-1], waves[-2].total if len(waves) > 1 else NOTHING
    adds = replace(last.adds, most=last.ratio)
    return replace(last, adds=adds, total=before.plus(adds))


def between(found: PrivacyLossSum) -> str:
    """Epsilon as a range from least to most, or one number if they are equal; rounded up."""
    if found.most == 1:
        return "nothing"
    least, most = wording.epsilon(found.epsilon_least), wording.epsilon(found.epsilon_most)
    return most if least == most else f"{least} to {most}"


def budget_sentences(book: SurveyBudget) -> dict[str, object]:
    """The privacy budget for programs; epsilon is rounded up, odds are exact."""
    ahead = book.ahead
    return {
        "unit": UNIT,
        "ceiling": book.ceiling,
        "elsewhere": _sum(book.elsewhere),
        "total": _sum(book.total),
        "waves": [row_sentences(row) for row in book.lines],
        "next": None
        if ahead is None
        else _wave(ahead.wave) | {"fits": not ahead.missing, "missing": ahead.missing, "waves_that_fit": ahead.fit},
    }


def row_sentences(line: OpeningRow) -> dict[str, object]:
    version = line.opened.version
    return {
        "version": line.opened.number,
        "name": line.opened.name,
        "same_questions": line.opened.same,
        "digest": version.design_id,
        "opened_at": version.opened_at,
        "closed_at": version.closed_at,
        "reports": line.opened.counted.stored,
        "epsilon": line.epsilon,
        "spent": _wave(line.spent) if line.spent else None,
    }


def _wave(wave: WaveSpending) -> dict[str, object]:
    items = [
        {"item": one.key, "odds": str(one.ratio), "adds": _sum(one.adds), "total": _sum(one.total)}
        for one in wave.items
    ]
    return {
        "repeats": wave.repeats,
        "epsilon": wave.epsilon,
        "adds": _sum(wave.adds),
        "total": _sum(wave.total),
        "items": items,
    }


def _sum(found: PrivacyLossSum) -> dict[str, object]:
    return {"least": found.epsilon_least, "most": found.epsilon_most, "odds": str(found.most)}
