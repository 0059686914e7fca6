"""Subset selection: a random set of choices, which holds the answer more often than chance would."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import EPSILON, TRUTH, Parameter, RegistryEntry, chance_of_mark, encoding
from randomized_response import SubsetSelection

SIZE = Parameter("size", panel_noop("Size"), panel_noop("How many choices the set contains."), form="whole")

ENTRY = RegistryEntry(
    name="subset",
    label=panel_noop("subset selection (a set of choices)"),
    short=panel_noop("subset selection"),
    title=gettext_lazy("subset selection"),
    kinds=("one_choice",),
    parameters=(SIZE, TRUTH, EPSILON),
    example="{name: subset, size: 3, truth: 9/16}",
    make=lambda answers, written: encoding(SubsetSelection, answers, written, "size", "truth"),
    sentence=gettext_lazy(
        "subset selection (Ye & Barg, 2018): a set of %(size)s of the %(count)s choices was sent, which contained "
        "the true answer with probability %(truth)s"
    ),
    works={
        "ye": "Ye, M., & Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally "
        "differential privacy. IEEE Transactions on Information Theory, 64(8), 5662–5676.",
    },
    facts=lambda channel, answers: {"truth": chance_of_mark(channel.weights[0])},
    compared_as="subset selection",
)
