"""k-ary randomised response: the true answer, or any of the k answers with equal odds."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from estimator.base.mechanisms import warner
from estimator.base.mechanisms.entry import TRUTH, Dial, RegistryEntry, Said, in_parts
from randomized_response import Channel, SubsetSelection, k_ary


def make(answers: int, said: Said) -> Channel:
    return k_ary(answers, truth=said["truth"])


def within(odds: float, answers: int, said: Said) -> Fraction:
    return in_parts((odds - 1) / answers)


def untabled(answers: int, truth: Fraction) -> SubsetSelection:
    """The equivalent subset selection with a set of one."""
    return SubsetSelection(answers, size=1, truth=truth + (1 - truth) / answers)


def describe(channel: designs.Channel, answers: Sequence[str]) -> str:
    text = _(
        "k-ary randomised response (Warner, 1965; Kairouz et al., 2016): with probability %(truth)s the true answer "
        "was reported, otherwise one of the %(count)s answers, drawn with equal odds"
    )
    return text % {"truth": channel.truth, "count": len(channel.weights)}


ENTRY = RegistryEntry(
    name="k_ary",
    label="k-ary randomized response",
    short="k-ary response",
    title=gettext_lazy("k-ary randomized response"),
    kinds=("yes_no", "one_choice", "scale"),
    parameters=(TRUTH,),
    example="{name: k_ary, truth: 1/3}",
    make=make,
    describe=describe,
    works=warner.WORK
    | {
        "kairouz": "Kairouz, P., Bonawitz, K., & Ramage, D. (2016). Discrete distribution estimation under local "
        "privacy. Proceedings of the 33rd International Conference on Machine Learning, PMLR 48, 2436–2444.",
    },
    dial=Dial(within),
    untabled=untabled,
    compared_as="k_ary",
)
