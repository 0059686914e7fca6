"""One bit: of a number only "lowest" or "highest" is sent; its mean can be estimated."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import TRUTH, Dial, RegistryEntry, chance_of_mark, in_parts
from randomized_response import one_bit

ENTRY = RegistryEntry(
    name="one_bit",
    label=panel_noop("one bit (for the mean)"),
    short=panel_noop("one bit"),
    title=gettext_lazy("one bit for a mean"),
    kinds=("number",),
    parameters=(TRUTH,),
    example="{name: one_bit, truth: 1/2}",
    make=lambda answers, written: one_bit(answers, truth=written["truth"]),
    sentence=gettext_lazy(
        "one bit for the mean (Duchi et al., 2018): “lowest” or “highest” was sent, “highest” with a probability "
        "that rises linearly with the true number, from %(low)s to %(high)s"
    ),
    works={
        "duchi": "Duchi, J. C., Jordan, M. I., & Wainwright, M. J. (2018). Minimax optimal procedures for locally "
        "private estimation. Journal of the American Statistical Association, 113(521), 182–201.",
    },
    facts=lambda channel, answers: {
        "low": chance_of_mark(channel.weights[0]),
        "high": chance_of_mark(channel.weights[-1]),
    },
    dial=Dial(lambda odds, answers, written: in_parts((odds - 1) / 2)),
)
