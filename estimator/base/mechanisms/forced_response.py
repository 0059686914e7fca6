"""Forced response: the true answer, or a yes or no forced by chance."""

from fractions import Fraction

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import TRUTH, Dial, Parameter, RegistryEntry, Written, in_parts
from randomized_response import forced_response

YES = Parameter(
    "yes",
    panel_noop("Forced yes"),
    panel_noop("How often chance forces a yes when it decides; empty for 1/2."),
    default="1/2",
)


def within(odds: float, answers: int, written: Written) -> Fraction:
    yes = float(Fraction(written.get("yes", YES.default)))
    return in_parts(min(yes, 1 - yes) * (odds - 1))


ENTRY = RegistryEntry(
    name="forced_response",
    label=panel_noop("forced response (two coins)"),
    short=panel_noop("forced response"),
    title=gettext_lazy("forced response (two coins)"),
    kinds=("yes_no", "several_choices"),
    parameters=(TRUTH, YES),
    example="{name: forced_response, truth: 1/2, yes: 1/2}",
    make=lambda answers, written: forced_response(truth=written["truth"], yes=written.get("yes", YES.default)),
    sentence=gettext_lazy(
        "forced response (Boruch, 1971; Fox & Tracy, 1986): with probability %(truth)s the true answer was sent; "
        "otherwise “%(yes)s” was sent with probability %(forced)s, and “%(no)s” in all other cases"
    ),
    works={
        "boruch": "Boruch, R. F. (1971). Assuring confidentiality of responses in social research: A note on "
        "strategies. The American Sociologist, 6(4), 308–311.",
        "fox": "Fox, J. A., & Tracy, P. E. (1986). Randomized response: A method for sensitive surveys. Sage.",
    },
    facts=lambda channel, answers: {"forced": channel.parameters["yes"], "no": answers[0], "yes": answers[1]},
    only_two=True,
    dial=Dial(within),
)
