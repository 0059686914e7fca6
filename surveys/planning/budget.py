"""The privacy budget of a draft, divided over its questions without the editor: for the page of the plan."""

from django.contrib.auth.models import User
from django.utils.translation import gettext

from collector.errors import Conflict
from surveys.definition.background import versions_in
from surveys.definition.ceilings import TOTAL
from surveys.definition.changes import differences
from surveys.definition.parts import BUDGET, Definition
from surveys.lifecycle import drafts, selectors, transitions
from surveys.models import Survey
from surveys.planning.draft_prices import divided, fitted, price_of


def budget_of(definition: Definition) -> float:
    """The total epsilon that the author keeps to."""
    return float(definition.get(BUDGET, TOTAL))


def to_divide(survey: Survey) -> float | None:
    """The budget of a draft that is over it, or in which questions are marked as sensitive; None for any other."""
    definition = selectors.definition_of(survey)
    budget, items = budget_of(definition), definition["items"]
    over = price_of(items, 1000, versions_in(definition)).epsilon > budget + 1e-9
    return budget if over or any("sensitivity" in item for item in items) else None


def fit(survey: Survey, *, by: User | None = None) -> int:
    """Divide the budget over the marked questions of a draft; what is over it still, gives way by the same factor.

    Returns how many questions have another table now. Raises Conflict where the survey is not a draft.
    """
    transitions.require_draft(survey)
    before = selectors.definition_of(survey)
    budget, items = budget_of(before), before["items"]
    for divide in (divided, fitted):
        channels = divide(items, budget)
        items = [item | {"channel": channels.get(item["key"], item["channel"])} for item in items]
    changes = differences(before, before | {"items": items})
    if drafts.save_changes(survey, changes, by=by).clashes:
        raise Conflict(
            gettext("Somebody else has changed the same questions in the meantime. Check them and try again.")
        )
    return len(changes)
