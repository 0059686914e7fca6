"""The crosswise model: a report of whether the answers to the question and a harmless second one agree."""

from fractions import Fraction

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import PARTS, ByHand, Dial, Parameter, RegistryEntry, in_parts
from randomized_response import crosswise

PREVALENCE = Parameter(
    "prevalence",
    panel_noop("Prevalence"),
    panel_noop(
        "How many would say yes to the harmless second question, such as 1/4 for a birthday from April to June."
    ),
    column="yes",
    reported=gettext_lazy("prevalence of the harmless yes"),
    in_summary=True,
)
WORK = {
    "yu": "Yu, J.-W., Tian, G.-L., & Tang, M.-L. (2008). Two new models for survey sampling with sensitive "
    "characteristic: Design and analysis. Metrika, 67(3), 251–263.",
}

ENTRY = RegistryEntry(
    name="crosswise",
    label=panel_noop("crosswise model (with a harmless second question)"),
    short=panel_noop("crosswise model"),
    title=gettext_lazy("crosswise model"),
    kinds=("yes_no",),
    parameters=(PREVALENCE,),
    example="{name: crosswise, prevalence: 1/4}",
    make=lambda answers, written: crosswise(prevalence=written["prevalence"]),
    sentence=gettext_lazy(
        "the crosswise model (Yu et al., 2008; on its validity Höglinger & Jann, 2018): with probability "
        "%(prevalence)s, the prevalence of the harmless yes, the true answer was sent, otherwise the other one"
    ),
    works=WORK
    | {
        "hoeglinger": "Höglinger, M., & Jann, B. (2018). More is not always better: An experimental individual-level "
        "validation of the randomized response technique and the crosswise model. PLOS ONE, 13(8), e0201770.",
    },
    only_two=True,
    dial=Dial(  # a prevalence below 1/2, as is easily found
        lambda odds, answers, written: 1 - in_parts(odds, least=PARTS // 2 + 1),
        parameter="prevalence",
        usual=Fraction(1, 4),
        above_half=True,
    ),
    by_hand=ByHand.BIRTHDAY,
)
