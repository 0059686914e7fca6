"""Epsilon ceilings, per question and in total, above which a survey is opened only with a reason.

Both stand in the design, so they are in its digest, browsers compare their own sums with them, and the reason goes
wherever the design goes. Above the total that an installation allows (`definitions.ceiling_of`) no reason helps.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from django.conf import settings
from django.utils.translation import gettext

from collector import designs
from collector.designs import Ceilings, Design
from collector.designs.background import PLACE
from collector.designs.checks import decimal, require
from collector.errors import InputError, ValidationError
from estimator.base import wording
from randomized_response import exceeds_epsilon
from surveys.definition.parts import BUDGET
from surveys.definition.privacy_budget import PrivacyLossSum, epsilon_of, priced

TOTAL = "4"
"""Epsilon per respondent, over all questions and all waves so far."""

LARGEST_BUDGET = 100


def require_budget(value: object) -> None:
    """Raise ValidationError unless this is a total epsilon, as text, that an author may want to keep to."""
    words = gettext("must be greater than 0 and at most {largest}; got {value!r}").format(
        largest=LARGEST_BUDGET, value=value
    )
    require(0 < decimal(value, (BUDGET,)) <= LARGEST_BUDGET, (BUDGET,), words)


@dataclass(frozen=True)
class Excess:
    """A question, by its number and key, or the total that is above its ceiling."""

    what: str
    ratio: Fraction
    ceiling: str

    @property
    def in_words(self) -> str:
        return gettext("{what} {epsilon}, above {ceiling}").format(
            what=self.what, epsilon=wording.epsilon(epsilon_of(self.ratio)), ceiling=self.ceiling
        )


def of_an_opening(reason: str) -> dict[str, str]:
    """The ceilings as a design stores them, with the reason if given."""
    named = {"question": settings.CANDOR_EPSILON_CEILING_QUESTION, "total": TOTAL}
    return named | ({"reason": reason} if reason else {})


def excesses(design: Design) -> Iterator[Excess]:
    """The parts of a design above the ceilings that it names; a rehearsal names none."""
    ceilings = design.ceilings
    if ceilings is None:
        return
    price_of_all = priced(design)
    for number, price in enumerate(price_of_all.prices, start=1):
        if _is_above(price.ratio, ceilings.question):
            yield Excess(
                gettext("question {number} ({key}) has epsilon").format(number=number, key=price.key),
                price.ratio,
                ceilings.question,
            )
    spent = design.spent
    total = spent * price_of_all.ratio
    if _is_above(total, ceilings.total):
        before = gettext(", including earlier waves,") if spent > 1 else ""
        yield Excess(
            gettext("all questions together{before} have epsilon").format(before=before), total, ceilings.total
        )


def require_consent(design: Design) -> None:
    """Raise ValidationError unless each version that protects less than another has a consent sentence of its own."""
    ratios = priced(design).ratios
    least = min(ratios)
    for number, (arm, ratio) in enumerate(zip(design.background.arms, ratios, strict=False)):
        words = gettext(
            "must be there: this version has epsilon {epsilon}, another {least}, and whoever gets it must agree to that"
        )
        message = words.format(epsilon=wording.epsilon(epsilon_of(ratio)), least=wording.epsilon(epsilon_of(least)))
        require(ratio == least or arm.consent, (*PLACE, "questions", 0, "arms", number, "consent"), message)


def with_reason(design: Design, reason: str) -> Design:
    """The design with the reason given for opening it; unchanged if none was given and none is needed.

    Raises
    ------
    InputError
        Naming what is above which ceiling where there is no reason, or what is wrong with the reason.
    """
    reason = reason.strip()
    above = "; ".join(one.in_words for one in excesses(design))
    bounds = gettext("1 to {longest_reason} characters").format(longest_reason=designs.LONGEST_REASON)
    if not reason and above:
        raise InputError(
            "reason",
            gettext("reason must say in {bounds} why the survey is opened although {above}; got none").format(
                bounds=bounds, above=above
            ),
        )
    if not reason or design.ceilings is None:
        return design
    try:
        designs.check_reason(reason, ("reason",))
    except ValidationError as fault:
        raise InputError("reason", str(fault)) from None
    return _with_ceilings(design, replace(design.ceilings, reason=reason))


def without_reason(design: Design) -> Design:
    """The design as shown before `with_reason`, with the digest that the opening confirmed."""
    if design.ceilings is None or not design.reason:
        return design
    return _with_ceilings(design, replace(design.ceilings, reason=""))


def _with_ceilings(design: Design, ceilings: Ceilings) -> Design:
    return designs.check({**design.document, "ceilings": ceilings.to_dict()})


def _is_above(ratio: Fraction, epsilon: str) -> bool:
    return exceeds_epsilon([PrivacyLossSum(most=ratio)], epsilon)
