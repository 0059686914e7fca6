"""Warnings about a plan, each beside the number that it concerns, and the choice of the best mechanism."""

import math
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from estimator.base import wording
from estimator.base.languages import filled
from estimator.base.mechanisms import REGISTRY
from estimator.base.verdict import LABELS, Verdict
from randomized_response import plan
from surveys.definition.mechanisms import MECHANISMS
from surveys.labels import in_sentence, translated
from surveys.planning.forecast import POWER, PlanForecast, enough_responses
from surveys.planning.parameters import PLANNED
from surveys.planning.question import PlannedQuestion, Setting, forecast

EPSILON_OF_AN_ITEM = 2.0
EPSILON_IN_TOTAL = 4.0
OFTEN_NEGATIVE = 0.05
TOO_LITTLE_TO_MATTER = 1.05
"""Up to this multiple of the best mechanism's respondents, the one that is easier to explain is recommended."""
ROUNDED = 1.001
"""Up to this multiple two mechanisms are alike: probabilities are rounded to parts of 10,000."""


@dataclass(frozen=True)
class Caution:
    """A warning, and the number that it concerns: epsilon, width, below, power or total."""

    about: str
    sentence: str


@dataclass(frozen=True)
class Candidate:
    """A mechanism at the plan's epsilon; `times` as many respondents as the best one needs."""

    name: str
    times: float


@dataclass(frozen=True)
class Advice:
    """The recommended mechanism, the reason in one sentence, and the candidates, the best first."""

    name: str
    sentence: str
    candidates: tuple[Candidate, ...]


def cautions(found: PlanForecast) -> list[Caution]:
    """The warnings about the plan of one question."""
    looks = (_protection, _more_choices, _unshown, _precision, _negative, _power)
    return [caution for look in looks if (caution := look(found)) is not None]


def total_caution(epsilon: float, ceiling: float) -> Caution | None:
    """The warning about all questions together, if any."""
    odds = wording.odds(math.exp(min(epsilon, 700)))
    if epsilon > ceiling:
        return Caution(
            "total",
            gettext(
                "Together the questions have epsilon {epsilon}; above {ceiling} this installation "
                "opens no survey. Lower a truth probability, or ask fewer questions."
            ).format(epsilon=wording.epsilon(epsilon), ceiling=wording.epsilon(ceiling)),
        )
    if epsilon > EPSILON_IN_TOTAL:
        return Caution(
            "total",
            filled(
                gettext(
                    "Together the questions have epsilon {epsilon}, more than {limit:g}: seeing all "
                    "responses of a person can multiply the odds of a guess about that person by up to "
                    "{odds}."
                ),
                epsilon=wording.epsilon(epsilon),
                limit=EPSILON_IN_TOTAL,
                odds=odds,
            ),
        )
    return None


def advice(found: PlanForecast) -> Advice:
    """The recommended mechanism for this kind of question at the plan's epsilon."""
    question = found.question
    two = question.kind == "several_choices" or (question.kind == "yes_no" and question.answers == 2)
    candidates = _of_choices(found) if not question.values and not two else _of_all(found)
    best = _chosen(candidates, wording.epsilon(found.epsilon))
    if question.kind != "scale" or not REGISTRY[best.name].only_mean:
        return best
    return replace(
        best,
        sentence=gettext("{sentence} A report then shows only the mean, no shares.").format(sentence=best.sentence),
    )


def _protection(found: PlanForecast) -> Caution | None:
    if found.epsilon <= EPSILON_OF_AN_ITEM:
        return None
    odds = wording.odds(found.ratio)
    less = ""
    if not found.question.fixed and found.question.by_truth:
        truth = found.question.truth_at(Setting(epsilon=EPSILON_OF_AN_ITEM))
        safe = (math.ceil if found.question.below_half else math.floor)(100 * truth) / 100
        less = " " + gettext("With {dial} {safe} it stays at 2.").format(
            dial=in_sentence(found.question.dial_label), safe=wording.percent(safe)
        )
    return Caution(
        "epsilon",
        gettext(
            "Weak protection: epsilon is above 2, so one response can multiply the odds of a guess "
            "by up to {odds}.{less}"
        ).format(odds=odds, less=less),
    )


def _more_choices(found: PlanForecast) -> Caution | None:
    """Warn that the same truth probability with more choices protects less."""
    question, truth = found.question, found.truth
    if question.kind == "several_choices":
        options = question.most_differing
        each = wording.epsilon(found.epsilon / options)
        return Caution(
            "epsilon",
            gettext(
                "Two people can differ in {options} options, so the privacy loss is {options} times "
                "the {each} of one option."
            ).format(options=options, each=each)
            + (gettext(" A limit on how many can be ticked lowers it.") if question.item.get("most") is None else ""),
        )
    if question.dial is None or question.answers < 3 or truth is None:
        return None
    two = question.entry.make(2, {question.dial.parameter: truth}).epsilon
    if two >= found.epsilon:
        return None
    return Caution(
        "epsilon",
        gettext(
            "The same truth probability protects less with more choices: with {answers} epsilon is "
            "{epsilon}, with two it would be {two}."
        ).format(answers=question.answers, epsilon=wording.epsilon(found.epsilon), two=wording.epsilon(two)),
    )


def _unshown(found: PlanForecast) -> Caution | None:
    """Warn if a share is planned, as the scale has no mean to plan, but a report would not show shares."""
    question = found.question
    if question.kind != "scale" or not question.entry.only_mean or question.values:
        return None
    return Caution(
        "width",
        gettext(
            "A report shows only the mean of this scale, among those who give a point, and it is "
            "not planned here: its shares, including this one, are too uncertain with {short} "
            "noise."
        ).format(short=translated(question.entry.short)),
    )


def _precision(found: PlanForecast) -> Caution | None:
    """Warn if the estimate is expected to be rough, or too imprecise to report."""
    verdict = found.precision.verdict
    if verdict is Verdict.USABLE:
        return None
    aim = Verdict.ROUGH if verdict is Verdict.TOO_IMPRECISE else Verdict.USABLE
    enough = enough_responses(found.question, replace(found.wanted, respondents=1), aim)
    said = str(LABELS[verdict])
    return Caution(
        "width",
        gettext("{verdict}. An estimate that is {better} needs about {enough} responses.").format(
            verdict=said[0].upper() + said[1:], better=LABELS[aim], enough=wording.count(enough)
        ),
    )


def _negative(found: PlanForecast) -> Caution | None:
    if found.ahead.below < OFTEN_NEGATIVE:
        return None
    once = max(2, round(1 / found.ahead.below))
    where = gettext("below the lowest answer") if found.question.values else "below 0 %"
    return Caution(
        "below",
        gettext(
            "About one survey in {once} will have an unbiased estimate {where}. Readers then see "
            "the end of the range and an interval from there."
        ).format(once=once, where=where),
    )


def _power(found: PlanForecast) -> Caution | None:
    if found.comparison.needed is None or found.comparison.power >= POWER:
        return None
    return Caution("power", gettext("Less than 80 %: a real difference of this size may well be missed."))


def _of_choices(found: PlanForecast) -> list[Candidate]:
    question = found.question
    allowed = {"k_ary"} if question.kind != "one_choice" else set(MECHANISMS["one_choice"])
    shares = question.shares(found.wanted.expected)
    rows = plan.compare_mechanisms(question.answers, epsilon=min(found.epsilon, 100.0), shares=shares)
    names = {entry.compared_as: name for name, entry in REGISTRY.items() if entry.compared_as}
    named = [(names[row.name], row) for row in rows if names[row.name] in allowed]
    # A set of one is k-ary response under another name.
    named = [(name, row) for name, row in named if name != "subset" or row.size > 1]
    return [Candidate(name, row.variance / named[0][1].variance) for name, row in named]


def _of_all(found: PlanForecast) -> list[Candidate]:
    """Every mechanism for such a question, each at this epsilon and for the expected answers."""
    question, wanted = found.question, found.wanted
    shares, variances = question.shares(wanted.expected), {}
    for name in (name for name in MECHANISMS[question.kind] if name in PLANNED):
        other = PlannedQuestion(question.item | {"channel": {"name": name, **REGISTRY[name].assumed}})
        mechanism = other.at(Setting(epsilon=min(found.epsilon, 16.0)))
        variances[name] = forecast(other, mechanism, shares, wanted.respondents, wanted.confidence).standard_error ** 2
    best = min(variances.values())
    times = {name: variance / best for name, variance in variances.items()}
    candidates = (Candidate(name, 1.0 if ratio < ROUNDED else ratio) for name, ratio in times.items())
    return sorted(candidates, key=lambda one: one.times)


def _chosen(candidates: list[Candidate], epsilon: str) -> Advice:
    """The best, or the first of the registry (the easiest to explain) if the best is hardly better."""
    near = [one.name for one in candidates if one.times <= TOO_LITTLE_TO_MATTER]
    simplest = next(name for name in REGISTRY if name in near)
    best, others = candidates[0], candidates[1:]
    if simplest != best.name:
        gain = 100 * (next(one.times for one in candidates if one.name == simplest) - 1)
        why = filled(
            gettext(
                "at epsilon {epsilon} {short} would save only {gain:.1f} % of the respondents, and "
                "this one is easier to explain"
            ),
            epsilon=epsilon,
            short=translated(REGISTRY[best.name].short),
            gain=max(gain, 0.1),
        )
    elif others:
        alike = ", ".join(translated(REGISTRY[one.name].short) for one in others if one.times == 1)
        more = ", ".join(
            gettext("{short} needs {times}").format(short=translated(REGISTRY[one.name].short), times=_times(one.times))
            for one in others
            if one.times > 1
        )
        why = gettext("it is the most precise at epsilon {epsilon}").format(epsilon=epsilon)
        why = (
            gettext("it is as precise at epsilon {epsilon} as {alike}, and easier to explain").format(
                epsilon=epsilon, alike=alike
            )
            if alike
            else why
        )
        why = gettext("{why}; for the same precision {more}").format(why=why, more=more) if more else why
    else:
        why = gettext("it is the only method for such a question")
    name = translated(REGISTRY[simplest].short)
    return Advice(simplest, f"{name[0].upper()}{name[1:]}: {why}.", tuple(candidates))


def _times(times: float) -> str:
    if times < 2:
        return filled(gettext("{value:.0f} % more respondents"), value=100 * (times - 1))
    return (
        filled(gettext("{times:.1f} times as many respondents"), times=times)
        if times < 10
        else filled(gettext("{times:,.0f} times as many respondents"), times=times)
    )
