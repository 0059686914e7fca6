"""Subset selection: a random set of choices, which holds the answer more often than chance would."""

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from collector import designs
from estimator.base.mechanisms.entry import EPSILON, TRUTH, Parameter, RegistryEntry, Said, epsilon_of, require_alone
from randomized_response import SubsetSelection

SIZE = Parameter("size", "Size", "How many choices the set holds.", form="whole")


def make(answers: int, said: Said) -> SubsetSelection:
    if "epsilon" in said:
        require_alone(said, "size", "truth")
        return SubsetSelection.optimised(answers, epsilon=epsilon_of(said))
    return SubsetSelection(answers, size=said["size"], truth=said["truth"])


def describe(channel: designs.Channel, answers: Sequence[str]) -> str:
    text = _(
        "subset selection (Ye & Barg, 2018): a set of %(size)s of the %(count)s choices was sent, which held the true "
        "answer with probability %(truth)s"
    )
    (row,) = channel.weights
    return text % {"size": channel.size, "count": len(answers), "truth": Fraction(row[1], sum(row))}


ENTRY = RegistryEntry(
    name="subset",
    label="subset selection (a set of choices)",
    short="subset selection",
    title=gettext_lazy("subset selection"),
    kinds=("one_choice",),
    parameters=(SIZE, TRUTH, EPSILON),
    example="{name: subset, size: 3, truth: 9/16}",
    make=make,
    describe=describe,
    works={
        "ye": "Ye, M., & Barg, A. (2018). Optimal schemes for discrete distribution estimation under locally "
        "differential privacy. IEEE Transactions on Information Theory, 64(8), 5662–5676.",
    },
    compared_as="subset selection",
)
