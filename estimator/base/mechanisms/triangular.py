"""The triangular model with a ticket that lets a coin decide at times, without which a no would be given away."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from estimator.base.mechanisms import crosswise
from estimator.base.mechanisms.entry import TRUTH, Dial, RegistryEntry, Said, in_parts
from randomized_response import Channel, ParameterError, triangular


def make(answers: int, said: Said) -> Channel:
    made = triangular(prevalence=said["prevalence"], truth=said["truth"])
    if made.truth is None:
        unbounded = "a report of no to both would prove the answer no, and its epsilon would be infinite"
        raise ParameterError("truth", f"must be less than 1 for triangular: {unbounded}; got {said['truth']}")
    return made


def within(odds: float, answers: int, said: Said) -> Fraction:
    return in_parts((odds - 1) / (2 * (1 - float(Fraction(said["prevalence"])))))


def describe(channel: designs.Channel, answers: Sequence[str]) -> str:
    text = _(
        "the triangular model (Yu et al., 2008) with a coin: with probability %(truth)s it was reported whether the "
        "true answer or that to a harmless question of prevalence %(prevalence)s is yes, otherwise a fair coin decided"
    )
    return text % {"truth": channel.truth, "prevalence": channel.parameters["prevalence"]}


ENTRY = RegistryEntry(
    name="triangular",
    label="triangular model (a harmless yes covers a yes)",
    short="triangular model",
    title=gettext_lazy("triangular model with a coin"),
    kinds=("yes_no",),
    parameters=(TRUTH, crosswise.PREVALENCE),
    example="{name: triangular, truth: 1/2, prevalence: 1/4}",
    make=make,
    describe=describe,
    works=crosswise.WORK,
    only_two=True,
    dial=Dial(within),
    assumed={"prevalence": "1/4"},
)
