"""Discrete Laplace: a number or a point of a scale, moved a few steps up or down."""

from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_noop as panel_noop

from estimator.base.mechanisms.entry import EPSILON, RegistryEntry, epsilon_of
from randomized_response import discrete_laplace

ENTRY = RegistryEntry(
    name="discrete_laplace",
    label=panel_noop("discrete Laplace (a step up or down)"),
    short=panel_noop("discrete Laplace"),
    title=gettext_lazy("discrete Laplace"),
    kinds=("scale", "number"),
    parameters=(EPSILON,),
    example="{name: discrete_laplace, epsilon: 0.7}",
    make=lambda answers, written: discrete_laplace(answers, epsilon=epsilon_of(written)),
    sentence=gettext_lazy(
        "the truncated geometric mechanism (discrete Laplace; Ghosh et al., 2012): a random step up or down was "
        "added to the true answer, large steps being rarer, and values beyond an end of the range were sent as "
        "that end"
    ),
    works={
        "ghosh": "Ghosh, A., Roughgarden, T., & Sundararajan, M. (2012). Universally utility-maximizing privacy "
        "mechanisms. SIAM Journal on Computing, 41(6), 1673–1693.",
    },
    only_mean=True,
    slow=True,
)
