"""The custom mechanism: a table written by the author."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import Parameter, RegistryEntry, Written
from randomized_response import Channel, ParameterError, custom

WEIGHTS = Parameter(
    "weights",
    panel_noop("Table"),
    panel_noop(
        "A row of whole numbers for each answer (several choices: not ticked, ticked); all rows have the same sum."
    ),
    form="table",
)


def make(answers: int, written: Written) -> Channel:
    table = custom(written["weights"])
    if table.answers != answers:
        raise ParameterError("weights", f"must have {answers} rows, one for each answer; got {table.answers}")
    return table


ENTRY = RegistryEntry(
    name="custom",
    label=panel_noop("your own table"),
    short=panel_noop("its own table"),
    title=gettext_lazy("custom randomisation scheme"),
    kinds=("yes_no", "one_choice", "several_choices", "scale", "number"),
    parameters=(WEIGHTS,),
    example="{name: custom, weights: [[3, 1], [1, 3]]}",
    make=make,
    sentence=gettext_lazy("a custom transition matrix (van den Hout & van der Heijden, 2002)"),
    works={
        "hout": "van den Hout, A., & van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure "
        "control and misclassification: A review. International Statistical Review, 70(2), 269–288.",
    },
)
