"""The registry of mechanisms: one entry per module, in the order in which authors are offered them.

It stands below the reports and the survey language, which both read it; `surveys/definition/mechanisms.py` says what
becomes of a question by it.
"""

from estimator.base.mechanisms import (
    crosswise,
    custom,
    discrete_laplace,
    forced_response,
    k_ary,
    one_bit,
    subset,
    triangular,
    unary,
    warner,
)
from estimator.base.mechanisms.entry import LARGEST_EPSILON, ByHand, Dial, Parameter, RegistryEntry

__all__ = [
    "LARGEST_EPSILON",
    "PARAMETERS",
    "REGISTRY",
    "WORKS",
    "ByHand",
    "Dial",
    "Parameter",
    "RegistryEntry",
    "choices",
]

_MODULES = (forced_response, warner, crosswise, triangular, k_ary, unary, subset, one_bit, discrete_laplace, custom)

REGISTRY: dict[str, RegistryEntry] = {module.ENTRY.name: module.ENTRY for module in _MODULES}
"""Every mechanism by its name. Of equally good ones, the planner recommends the first."""

PARAMETERS: dict[str, Parameter] = {
    parameter.name: parameter for entry in REGISTRY.values() for parameter in entry.parameters
}
"""All parameters of all mechanisms, by name."""

WORKS: dict[str, str] = {key: work for entry in REGISTRY.values() for key, work in entry.works.items()}


def choices() -> list[tuple[str, str]]:
    """The mechanisms as choices of a form field."""
    return [(entry.name, entry.label) for entry in REGISTRY.values()]
