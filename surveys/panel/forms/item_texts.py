"""Labels and help of the fields of a question's form."""

from django.utils.translation import gettext_lazy

from estimator.base.mechanisms import PARAMETERS
from surveys.labels import translated_lazy

HELP = {
    "key": gettext_lazy("Name of the variable in exports. Empty: made from the question."),
    "kind": gettext_lazy(
        "Open text, rankings and files cannot be randomised. Instead of a ranking ask for the first choice."
    ),
    "mechanism": gettext_lazy("Recommended: automatic."),
    "minimum": gettext_lazy(
        "A number has no “prefer not to say”: first ask a yes/no question whether people want to answer."
    ),
    "maximum": gettext_lazy("At most 256 numbers in all."),
    "step": gettext_lazy("Such as 1 or 0.5."),
    "most": gettext_lazy("How many options can be ticked; fewer protect better. Empty: any number."),
    "shuffle": gettext_lazy("Each respondent sees the options in a random order."),
    "keep_last": gettext_lazy("With “Shuffle”: for “other” or “none of these” at the end."),
    "dropdown": gettext_lazy("For long lists: one dropdown field with up to 256 options."),
    "known_share": gettext_lazy("Such as 0 or 1/3, of a control question. The report compares the estimate with it."),
    "section": gettext_lazy("Key of the section, if the survey has sections."),
    "sensitivity": gettext_lazy("The editor and “Fit to budget” divide the privacy budget by it. Only authors see it."),
    **{parameter.name: translated_lazy(parameter.help) for parameter in PARAMETERS.values()},
}
LABELS = {
    "position": gettext_lazy("Order"),
    "most": gettext_lazy("At most"),
    "keep_last": gettext_lazy("Last option stays last"),
    "known_share": gettext_lazy("Control question: known share of Yes"),
    "sensitivity": gettext_lazy("Sensitivity"),
    **{parameter.name: translated_lazy(parameter.label) for parameter in PARAMETERS.values()},
}
