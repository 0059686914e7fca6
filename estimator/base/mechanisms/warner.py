"""Warner's mechanism: the true answer or its opposite."""

from fractions import Fraction

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import PARTS, TRUTH, ByHand, Dial, RegistryEntry, in_parts
from randomized_response import warner

WORK = {
    "warner": "Warner, S. L. (1965). Randomized response: A survey technique for eliminating evasive answer bias. "
    "Journal of the American Statistical Association, 60(309), 63–69.",
}

ENTRY = RegistryEntry(
    name="warner",
    label=panel_noop("Warner's mirror"),
    short=panel_noop("Warner’s mirror"),
    title=gettext_lazy("Warner’s design"),
    kinds=("yes_no", "several_choices"),
    parameters=(TRUTH,),
    example="{name: warner, truth: 2/3}",
    make=lambda answers, written: warner(truth=written["truth"]),
    sentence=gettext_lazy(
        "the design of Warner (1965): with probability %(truth)s the true answer was sent, otherwise the other one"
    ),
    works=WORK,
    only_two=True,
    dial=Dial(
        lambda odds, answers, written: in_parts(odds, least=PARTS // 2 + 1), usual=Fraction(3, 4), above_half=True
    ),
    by_hand=ByHand.MIRROR,
)
