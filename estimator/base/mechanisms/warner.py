"""Warner's mechanism: the true answer or its opposite."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from estimator.base.mechanisms.entry import PARTS, TRUTH, ByHand, Dial, RegistryEntry, Said, in_parts
from randomized_response import Channel, warner

WORK = {
    "warner": "Warner, S. L. (1965). Randomized response: A survey technique for eliminating evasive answer bias. "
    "Journal of the American Statistical Association, 60(309), 63–69.",
}


def make(answers: int, said: Said) -> Channel:
    return warner(truth=said["truth"])


def within(odds: float, answers: int, said: Said) -> Fraction:
    return in_parts(odds, least=PARTS // 2 + 1)


def describe(channel: designs.Channel, answers: Sequence[str]) -> str:
    text = _(
        "the design of Warner (1965): with probability %(truth)s the true answer was reported, otherwise the other one"
    )
    return text % {"truth": channel.truth}


ENTRY = RegistryEntry(
    name="warner",
    label="Warner's mirror",
    short="Warner’s mirror",
    title=gettext_lazy("Warner’s mirror"),
    kinds=("yes_no", "several_choices"),
    parameters=(TRUTH,),
    example="{name: warner, truth: 2/3}",
    make=make,
    describe=describe,
    works=WORK,
    only_two=True,
    dial=Dial(within, usual=Fraction(3, 4), above_half=True),
    by_hand=ByHand.MIRROR,
)
