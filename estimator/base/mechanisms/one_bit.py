"""One bit: of a number only "lowest" or "highest" is sent; its mean can be estimated."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from estimator.base.mechanisms.entry import TRUTH, Dial, RegistryEntry, Said, in_parts
from randomized_response import Channel, one_bit


def make(answers: int, said: Said) -> Channel:
    return one_bit(answers, truth=said["truth"])


def within(odds: float, answers: int, said: Said) -> Fraction:
    return in_parts((odds - 1) / 2)


def describe(channel: designs.Channel, answers: Sequence[str]) -> str:
    text = _(
        "one bit for the mean (Duchi et al., 2018): one of two reports was sent, “highest” with a probability that "
        "rises in a straight line with the true number, from %(low)s to %(high)s"
    )
    low, high = (Fraction(row[1], sum(row)) for row in (channel.weights[0], channel.weights[-1]))
    return text % {"low": low, "high": high}


ENTRY = RegistryEntry(
    name="one_bit",
    label="one bit (for the mean)",
    short="one bit",
    title=gettext_lazy("one bit for a mean"),
    kinds=("number",),
    parameters=(TRUTH,),
    example="{name: one_bit, truth: 1/2}",
    make=make,
    describe=describe,
    works={
        "duchi": "Duchi, J. C., Jordan, M. I., & Wainwright, M. J. (2018). Minimax optimal procedures for locally "
        "private estimation. Journal of the American Statistical Association, 113(521), 182–201.",
    },
    dial=Dial(within),
)
