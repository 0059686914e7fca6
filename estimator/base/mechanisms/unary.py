"""Unary encoding: each choice is sent as yes or no, by a separate ticket."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import EPSILON, Parameter, RegistryEntry, chance_of_mark, encoding
from randomized_response import UnaryEncoding

ON = Parameter(
    "on",
    panel_noop("On"),
    panel_noop("How often the choice that is the answer is sent as yes."),
    reported=gettext_lazy("probability of a mark for the answer"),
)
OFF = Parameter(
    "off",
    panel_noop("Off"),
    panel_noop("How often each other choice is sent as yes."),
    reported=gettext_lazy("probability of a mark for any other choice"),
)

ENTRY = RegistryEntry(
    name="unary",
    label=panel_noop("unary encoding (each choice yes or no)"),
    short=panel_noop("unary encoding"),
    title=gettext_lazy("unary encoding"),
    kinds=("one_choice",),
    parameters=(ON, OFF, EPSILON),
    example="{name: unary, on: 1/2, off: 1/4}",
    make=lambda answers, written: encoding(UnaryEncoding, answers, written, "on", "off"),
    sentence=gettext_lazy(
        "unary encoding (Wang et al., 2017): each of the %(count)s choices was sent as marked or not marked, "
        "marked with probability %(on)s for the true answer and %(off)s for every other choice"
    ),
    works={
        "wang": "Wang, T., Blocki, J., Li, N., & Jha, S. (2017). Locally differentially private protocols for "
        "frequency estimation. 26th USENIX Security Symposium, 729–745.",
    },
    facts=lambda channel, answers: {
        "off": chance_of_mark(channel.weights[0]),
        "on": chance_of_mark(channel.weights[1]),
    },
    compared_as="optimised unary",
)
