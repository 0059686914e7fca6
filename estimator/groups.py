"""The groups of a design as they are estimated: none where their sizes are sensitive.

A design with `participation` releases how many people are in each group through a noised number alone. So everything
else is made of all reports together, as if nobody had been asked for a group: docs/adr/0024-participation-counts.md.
"""

from fractions import Fraction
from typing import Any

from collector.designs import Design
from collector.selectors import Totals

UNTOLD = (
    "How many people are in each group of this survey is told through noised numbers alone, so nothing is estimated by "
    "group: it would tell how many they are."
)
"""Why an analysis by group is refused."""


def is_protected(design: Design) -> bool:
    """Whether how many people are in each group is told through a noised number alone."""
    return epsilon_of(design) is not None


def epsilon_of(design: Design) -> Fraction | None:
    """With which epsilon the sizes of groups are released; None where they are told as they are, or there are none."""
    said = design.document.get("participation")
    return Fraction(said["epsilon"]) if said and design.document["strata"]["groups"] else None


def groups_of(design: Design) -> list[dict[str, Any]]:
    """The groups that estimates are made of, as the design has them."""
    return [] if is_protected(design) else list(design.document["strata"]["groups"])


def strata_of(design: Design) -> tuple[str, ...]:
    """The keys of those groups; the one empty key where there are none."""
    return ("",) if is_protected(design) else design.strata


def told(design: Design, totals: Totals) -> Totals:
    """Totals, each of shape (strata, m), as they may leave: of all groups together, shape (1, m), where protected."""
    return tuple(table.sum(axis=0, keepdims=True) for table in totals) if is_protected(design) else totals
