"""Unary encoding: each choice is sent as yes or no, by a separate ticket."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from estimator.base.mechanisms.entry import EPSILON, Parameter, RegistryEntry, Said, epsilon_of, require_alone
from randomized_response import UnaryEncoding

ON = Parameter(
    "on",
    "On",
    "How often the choice that is the answer is told as yes.",
    reported=gettext_lazy("probability of a mark for the answer"),
)
OFF = Parameter(
    "off", "Off", "How often each other choice is told as yes.", reported=gettext_lazy("for every other choice")
)


def make(answers: int, said: Said) -> UnaryEncoding:
    if "epsilon" in said:
        require_alone(said, "on", "off")
        return UnaryEncoding.optimised(answers, epsilon=epsilon_of(said))
    return UnaryEncoding(answers, on=said["on"], off=said["off"])


def describe(channel: designs.Channel, answers: Sequence[str]) -> str:
    text = _(
        "unary encoding (Wang et al., 2017): for each of the %(count)s choices a mark was sent or none, a mark with "
        "probability %(on)s for the true answer and %(off)s for every other choice"
    )
    off, on = (Fraction(row[1], sum(row)) for row in channel.weights)
    return text % {"count": len(answers), "on": on, "off": off}


ENTRY = RegistryEntry(
    name="unary",
    label="unary encoding (each choice yes or no)",
    short="unary encoding",
    title=gettext_lazy("unary encoding"),
    kinds=("one_choice",),
    parameters=(ON, OFF, EPSILON),
    example="{name: unary, on: 1/2, off: 1/4}",
    make=make,
    describe=describe,
    works={
        "wang": "Wang, T., Blocki, J., Li, N., & Jha, S. (2017). Locally differentially private protocols for "
        "frequency estimation. 26th USENIX Security Symposium, 729–745.",
    },
    compared_as="optimised unary",
)
