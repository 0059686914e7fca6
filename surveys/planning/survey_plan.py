"""The plan of a whole survey: each question as written, with one of them moved, and their total privacy loss."""

import math
from dataclasses import dataclass, replace

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.http import QueryDict
from django.utils.translation import gettext

from collector.designs import Stratum
from collector.errors import InputError
from estimator.base import wording
from estimator.base.verdict import LABELS
from randomized_response import epsilon_total
from surveys.accounts.audit_log import record_event
from surveys.definition.definitions import ceiling_of
from surveys.definition.privacy_budget import MOST_WAVES, QuestionPrice, priced_question, waves_that_fit
from surveys.lifecycle import drafts, transitions
from surveys.lifecycle.waves import spending, waves_of
from surveys.models import Item, Survey
from surveys.planning import parameters
from surveys.planning.advice import total_caution
from surveys.planning.drafts import Expectations, planned_question
from surveys.planning.forecast import precision_of
from surveys.planning.group_warnings import group_warnings
from surveys.planning.parameters import PlanParameters
from surveys.planning.presentation import PlanPresentation, present
from surveys.planning.question import WRITTEN, ExpectedAnswers, PlannedQuestion, Setting, forecast
from surveys.planning.wording import amount, chance, truth_text

Questions = list[tuple[PlannedQuestion | None, Setting]]
"""The questions of a survey, each with its setting; None where one is incomplete."""


@dataclass(frozen=True)
class PlanRow:
    """A question in the table of all of them; `fault` says why it cannot be planned."""

    key: str
    wording: str
    chosen: bool
    epsilon: str = ""
    odds: str = ""
    width: str = ""
    """Half of the expected interval, with its sign."""
    verdict: str = ""
    below: str = ""
    direct: str = ""
    fault: str = ""


@dataclass(frozen=True)
class PlanTotal:
    """All questions together, as written and with the slider's setting."""

    epsilon: float | None
    text: str
    odds: str
    written: str
    below: str
    caution: str
    fresh: str
    remember: str
    """Waves that fit under the ceiling, beside what was spent: drawn anew in each, or remembered."""


@dataclass(frozen=True)
class SurveyPlan:
    """The plan of a survey; `showing` is that of the chosen question, None where it cannot be planned."""

    chosen: Item | None
    question: PlannedQuestion | None
    wanted: PlanParameters
    lines: tuple[PlanRow, ...]
    total: PlanTotal
    showing: PlanPresentation | None


def plan_of(survey: Survey, query: QueryDict) -> SurveyPlan:
    """The plan of every question at these respondents and this share. Raises InputError."""
    values = parameters.of_survey(query)
    items = list(survey.items.all())
    chosen = _chosen(items, values.get("item"))
    question = planned_question(chosen) if chosen else None
    wanted = parameters.of_item(query, question) if question else PlanParameters()
    questions = [(item, planned_question(item)) for item in items]
    lines, moved, expected, below = [], [], [], 0.0
    for item, one in questions:
        here = wanted if item == chosen else _unmoved(wanted)
        line, chance_below = _line(item, one, here, chosen=item == chosen)
        lines.append(line)
        moved.append((one, here.setting))
        expected.append((one, here))
        below += chance_below
    earlier = [] if survey.rehearsal else spending(waves_of(survey))
    total = _total(moved, [(one, WRITTEN) for _, one in questions], min(below, 1.0), earlier)
    total = replace(total, caution=f"{total.caution} {_small_groups(survey, expected, wanted.respondents)}".strip())
    return SurveyPlan(chosen, question, wanted, tuple(lines), total, present(question, wanted) if question else None)


@transaction.atomic
def use(survey: Survey, key: str, query: QueryDict, *, by: User | None = None) -> Item:
    """Save the slider's setting in a question of a draft.

    Raises
    ------
    Conflict
        Where the survey is not a draft.
    InputError
        Where there is no such question, its mechanism has no slider, or the place is out of bounds.
    """
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    transitions.require_draft(held)
    item = _chosen(list(held.items.all()), key)
    question = planned_question(item) if item else None
    if item is None or question is None or question.fixed:
        raise InputError(
            "item",
            gettext("item must be a question whose randomisation method has a slider; got {key}").format(key=key),
        )
    setting = parameters.of_item(query, question).setting
    if setting == WRITTEN:
        raise InputError("truth", gettext("truth or epsilon must be given for the slider; got neither"))
    written = written_setting(question, setting)
    for parameter in question.entry.parameters:
        if parameter.name in written or not question.dial:  # what is computed from an epsilon must not stand beside it
            empty = None if Item._meta.get_field(parameter.column).null else ""
            setattr(item, parameter.column, written.get(parameter.name, empty))
    item.sensitivity = ""  # its protection is set by hand now
    item.save()
    drafts.record_revision(held, by=by)
    detail = ", ".join(f"{name} {value}" for name, value in written.items())
    record_event(by, "planned a question", survey=held, detail=f"{item.key}: {detail}")
    return item


def written_setting(question: PlannedQuestion, setting: Setting) -> dict[str, str]:
    """The mechanism's parameter for the setting."""
    if question.dial:
        return {question.dial.parameter: truth_text(question.truth_at(setting))}
    return {"epsilon": f"{setting.epsilon:.6g}"}


def _chosen(items: list[Item], key: str | None) -> Item | None:
    """The named question, else the first one that can be planned."""
    if key is None:
        return next((item for item in items if planned_question(item)), None)
    found = next((item for item in items if item.key == key), None)
    if found is None:
        raise InputError(
            "item",
            gettext("item must be one of {names}; got {key}").format(
                names=", ".join(item.key for item in items), key=key
            ),
        )
    return found


def _unmoved(wanted: PlanParameters) -> PlanParameters:
    """The same respondents and share for a question not chosen; its mean is assumed to be in the middle."""
    return PlanParameters(
        expected=ExpectedAnswers(wanted.expected.share), respondents=wanted.respondents, confidence=wanted.confidence
    )


def _line(
    item: Item, question: PlannedQuestion | None, wanted: PlanParameters, *, chosen: bool
) -> tuple[PlanRow, float]:
    """The question's row, and the chance that its estimate is negative."""
    words = str(item.wording.get(item.survey.language, "")) or item.key
    if question is None:
        return PlanRow(item.key, words, chosen, fault=gettext("Its randomisation method is not complete.")), 0.0
    mechanism = question.at(wanted.setting)
    ahead = forecast(question, mechanism, question.shares(wanted.expected), wanted.respondents, wanted.confidence)
    line = PlanRow(
        item.key, words, chosen, wording.epsilon(mechanism.epsilon), wording.odds(mechanism.ratio),
        f"± {amount(question, ahead.width / 2)}", str(LABELS[precision_of(question, ahead).verdict]),
        chance(ahead.below), wording.count(max(1, round(ahead.direct_n))),
    )  # fmt: skip
    return line, ahead.below


def _total(moved: Questions, written: Questions, below: float, earlier: list[QuestionPrice]) -> PlanTotal:
    now, before = _epsilon(moved), _epsilon(written)
    if now is None or before is None:
        return PlanTotal(None, "–", "–", "–", "–", "", "–", "–")
    caution = total_caution(now, settings.CANDOR_EPSILON_CEILING)
    odds = wording.odds(math.exp(min(now, 700.0)))
    return PlanTotal(
        now, wording.epsilon(now), odds, wording.epsilon(before), chance(below), caution.sentence if caution else "",
        *(_waves(moved, repeats, earlier) for repeats in ("fresh", "remember")),
    )  # fmt: skip


def _small_groups(survey: Survey, questions: Expectations, respondents: int) -> str:
    """The warning about groups that may expect too few respondents; empty if a share is incomplete."""
    language = survey.language
    groups = [
        Stratum(group.key, {language: group.label.get(language) or group.key}, group.share or None)
        for group in survey.groups.all()
    ]
    try:
        found = group_warnings(groups, language, questions, respondents)
    except (ValueError, ZeroDivisionError):
        return ""
    return found.in_words if found and not survey.rehearsal else ""


def _waves(questions: Questions, repeats: str, earlier: list[QuestionPrice]) -> str:
    """The number of waves of these questions that fit under the ceiling, as new ones beside earlier waves."""
    prices = tuple(
        priced_question(str(place), b"", question.at(setting), question.answers)
        for place, (question, setting) in enumerate(questions)
        if question is not None
    )
    fit = waves_that_fit(earlier, QuestionPrice(1, repeats, prices), ceiling_of()) if prices else None
    return gettext("more than {most_waves}").format(most_waves=MOST_WAVES) if fit is None else str(fit)


def _epsilon(questions: Questions) -> float | None:
    """Epsilon of a respondent to every question; None if one of them is incomplete."""
    mechanisms = [question.at(setting) for question, setting in questions if question is not None]
    return epsilon_total(mechanisms) if len(mechanisms) == len(questions) else None
