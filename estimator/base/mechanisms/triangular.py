"""The triangular model with a ticket that lets a coin decide at times, without which a no would be given away."""

from fractions import Fraction

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms import crosswise
from estimator.base.mechanisms.entry import TRUTH, Dial, RegistryEntry, Written, in_parts
from randomized_response import Channel, ParameterError, triangular


def make(answers: int, written: Written) -> Channel:
    made = triangular(prevalence=written["prevalence"], truth=written["truth"])
    if made.truth is None:
        unbounded = "a report of no to both would prove the answer no, and its epsilon would be infinite"
        raise ParameterError("truth", f"must be less than 1 for triangular: {unbounded}; got {written['truth']}")
    return made


ENTRY = RegistryEntry(
    name="triangular",
    label=panel_noop("triangular model (a harmless yes covers a yes)"),
    short=panel_noop("triangular model"),
    title=gettext_lazy("triangular model with a coin"),
    kinds=("yes_no",),
    parameters=(TRUTH, crosswise.PREVALENCE),
    example="{name: triangular, truth: 1/2, prevalence: 1/4}",
    make=make,
    sentence=gettext_lazy(
        "the triangular model (Yu et al., 2008) with a coin: with probability %(truth)s the response said whether "
        "the true answer or that to a harmless question of prevalence %(prevalence)s is yes; otherwise a fair "
        "coin decided"
    ),
    works=crosswise.WORK,
    only_two=True,
    dial=Dial(lambda odds, answers, written: in_parts((odds - 1) / (2 * (1 - float(Fraction(written["prevalence"])))))),
    assumed={"prevalence": "1/4"},
)
