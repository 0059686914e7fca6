"""k-ary randomised response: the true answer, or any of the k answers with equal odds."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms import warner
from estimator.base.mechanisms.entry import TRUTH, Dial, RegistryEntry, in_parts
from randomized_response import SubsetSelection, k_ary

ENTRY = RegistryEntry(
    name="k_ary",
    label=panel_noop("k-ary randomized response"),
    short=panel_noop("k-ary response"),
    title=gettext_lazy("k-ary randomised response"),
    kinds=("yes_no", "one_choice", "scale"),
    parameters=(TRUTH,),
    example="{name: k_ary, truth: 1/3}",
    make=lambda answers, written: k_ary(answers, truth=written["truth"]),
    sentence=gettext_lazy(
        "k-ary randomised response (Warner, 1965; Kairouz et al., 2016): with probability %(truth)s the true "
        "answer was sent, otherwise one of the %(count)s answers, drawn with equal probability"
    ),
    works=warner.WORK
    | {
        "kairouz": "Kairouz, P., Bonawitz, K., & Ramage, D. (2016). Discrete distribution estimation under local "
        "privacy. Proceedings of the 33rd International Conference on Machine Learning, PMLR 48, 2436–2444.",
    },
    dial=Dial(lambda odds, answers, written: in_parts((odds - 1) / answers)),
    untabled=lambda k, truth: SubsetSelection(k, size=1, truth=truth + (1 - truth) / k),  # a set of one
    compared_as="k_ary",
)
