"""How to read a report, and what it says on the protection of its respondents.

The sentence on protection follows the total privacy loss.

The total is that of all answers of a person, in all waves and linked surveys so far. Up to LITTLE the odds between any
two sets of answers change by a factor below e: what is believed of a person hardly moves. Up to LARGE, the value above
which the planner warns, they change by less than 55: a response is evidence, though never proof. Above, a belief of one
in ten can become one of six in seven and more, so that the report warns.
"""

from typing import Literal

from django.utils.translation import gettext as _

from estimator.base import wording
from estimator.reports.privacy import PrivacyLabel

LITTLE = 1.0
"""Largest epsilon of which it is said that responses reveal little about their sender."""
LARGE = 4.0
"""Largest epsilon without a warning."""

Level = Literal["little", "some", "large"]


def level(epsilon: float) -> Level:
    """How much the responses of one person can reveal, by their total privacy loss."""
    if epsilon <= LITTLE:
        return "little"
    return "some" if epsilon <= LARGE else "large"


def total(label: PrivacyLabel) -> float:
    """The privacy loss of a person in all waves so far."""
    return label.before.epsilon_together if label.before else label.epsilon


def sentence(label: PrivacyLabel) -> str:
    """What the responses of one person reveal at most; a warning if it is much."""
    found = {
        "little": _(
            "Every answer was randomised before it was sent, so the responses of one person reveal little about them: "
            "they change the odds between any two sets of answers by a factor of at most %(odds)s."
        ),
        "some": _(
            "Every answer was randomised before it was sent, so the responses of one person are evidence about them, "
            "but no proof: they change the odds between any two sets of answers by a factor of at most %(odds)s."
        ),
        "large": _(
            "Weak protection: the total privacy loss is epsilon = %(epsilon)s, above %(bound)s. Although every answer "
            "was randomised, the responses of one person together can reveal their answers with near certainty: they "
            "change the odds between two sets of answers by a factor of up to %(odds)s."
        ),
    }[level(total(label))]
    odds = label.before.odds_text if label.before else label.odds_text
    return found % {"odds": odds, "epsilon": wording.epsilon(total(label)), "bound": f"{LARGE:g}"}


def warning(label: PrivacyLabel) -> str:
    """The sentence where it warns, to stand at the head of a report; otherwise empty."""
    return sentence(label) if level(total(label)) == "large" else ""


def how_to_read(label: PrivacyLabel, *, sampling: bool) -> list[str]:
    """Paragraphs on protection, estimates and intervals, precision, and direct answers."""
    main = _(
        "The probabilities of the randomisation are known, so its effect is removed from the totals; the result is an "
        "estimate. Its confidence interval (CI) shows how far chance may have moved it. The main interval, used "
        "everywhere, covers the chance of the randomisation alone: it needs no assumption about how respondents were "
        "recruited."
    )
    also = _("The interval with sampling also covers the chance of drawing these respondents from the population.")
    direct = _(
        "“Equivalent direct answers (n)” is the number of honest answers to a direct question that would give the same "
        "standard error, sampling included: the price of the protection."
    )
    return [sentence(label), f"{main} {also}" if sampling else main, precision_rule(), direct]


def precision_rule() -> str:
    """What the verdicts mean: the rule of `estimator.base.verdict` in words."""
    text = _(
        "Precision is usable, rough or too imprecise to report. An estimate is too imprecise if the half-width of its "
        "main interval exceeds 15 percentage points (of a mean: 15 %% of the range) or 65 %% of its distance from the "
        "nearer end of the range (at least 4 points; of a mean one step), or if it is worth fewer than 30 direct "
        "answers. It is usable within half of these limits and from 120 direct answers on."
    )
    return text % ()
