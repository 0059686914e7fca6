"""Validation of analysis requests: form fields are parsed into job parameters or refused with a message."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from django.utils.translation import gettext

from collector.designs import Design
from collector.reports import selectors as store
from estimator.analyses.margins import pasted, read_census, read_margins, read_method, read_shares, share_fields
from estimator.analyses.quantities import (
    AnalysisError,
    Variable,
    item_of,
    measured_of,
    quantity_of,
    require_released,
    variable_of,
    variables_of,
)
from estimator.analyses.regression_requests import (
    ANSWERS,
    background_regression,
    interaction_fields,
    read_weights,
    require_asked,
)
from estimator.analyses.scores import MOST_ITEMS
from estimator.analyses.strata import PAIRS
from estimator.base.languages import filled
from estimator.models import LONGEST_NAME, Analysis
from estimator.runs.groups import UNTOLD, answer_key, is_protected
from estimator.runs.waves import incomparable_reason, is_weighted

Kind = Analysis.Kind
TOKENS = ("quantity", "rows", "columns", "outcome")
"""The form fields that name the quantity or variables analysed."""
CONFIDENCES = ("0.95", "0.9", "0.99")
FIELDS = {
    Kind.COMPARISON: ("quantity", "against"),
    Kind.WEIGHTING: ("item", "table"),
    Kind.CROSS_TABLE: ("rows", "columns", "group"),
    Kind.SCORES: (),
    Kind.REGRESSION: ("outcome", "reference"),
    Kind.AREAS: ("outcome", "area", "table"),
    Kind.VERSIONS: ("quantity", "returned", "returned_first"),
}
"""The fields of each kind; all have `confidence` and `name`, and weighting a `share-<key>` for each group."""
MOST_GROUPS_IN_PAIRS = 12
MOST_CELLS = 100


def parameters(kind: str, fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    """Parse form fields into the parameters of an analysis.

    - `kind`: one of `Analysis.Kind`.
    - `fields`: the fields by name; `confidence` in all, `share-<key>` for the share of each group.
    - `designs`: of the survey's versions, the newest first, at least one. All but a comparison of versions use the
      newest alone.

    Raises AnalysisError: naming the field, what it must be, and the value where it is a number.
    """
    reader = READERS.get(kind)
    if reader is None:
        raise AnalysisError(gettext("Choose one of the analyses."))
    require_all_released(fields, designs[0])
    confidence = fields.get("confidence", CONFIDENCES[0])
    if confidence not in CONFIDENCES:
        raise AnalysisError(gettext("Choose a confidence of 90, 95 or 99 %."))
    return {**reader(fields, designs), "confidence": float(confidence)}


def require_known(kind: str, fields: Mapping[str, str], design: Design) -> None:
    """Refuse a field that the kind does not have, because a misspelt one would silently do nothing."""
    known = [*FIELDS[Kind(kind)], "confidence", "name"]
    known += share_fields(design) if kind == Kind.WEIGHTING else []
    if kind == Kind.WEIGHTING and design.background:
        known += ["method", "largest"]
    if kind in (Kind.COMPARISON, Kind.CROSS_TABLE) and design.background:
        known += ["weights"]
    if kind == Kind.SCORES:
        known += [score_field(token) for token in countable(design)]
    if kind == Kind.AREAS:
        known += [f"predictor-{question.key}" for question in design.background.questions]
    if kind == Kind.REGRESSION and design.background:
        known = [name for name in known if name != "reference"]
        known += [f"predictor-{question.key}" for question in design.background.questions]
        known += [*interaction_fields(design), "model", *ANSWERS, "weights", "prior"]
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise AnalysisError(
            gettext("The analysis has no field {name!r}; there are: {known}.").format(
                name=unknown[0][:60], known=", ".join(known)
            )
        )


def name_of(fields: Mapping[str, str]) -> str:
    """The name that an analysis is given; empty for none. Raises AnalysisError where it is too long."""
    name = " ".join(fields.get("name", "").split())
    if len(name) > LONGEST_NAME:
        text = gettext("A name has at most {most} characters; this one has {count}.")
        raise AnalysisError(text.format(most=LONGEST_NAME, count=len(name)))
    return name


def require_all_released(fields: Mapping[str, str], design: Design) -> None:
    """Refuse an analysis of a quantity that is not released, even if it was when first requested."""
    for name in TOKENS:
        if name in fields and measured_of(design, fields[name]) is None:
            require_released(design, fields[name])


def _comparison(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design, against = designs[0], fields.get("against", "")
    _need_groups(design)
    quantity_of(design, fields.get("quantity", ""))
    groups = _comparable(design)
    pairs, question = against.startswith(PAIRS), against.removeprefix(f"{PAIRS}:").partition("=")[0]
    named = question if design.background else ""
    if named not in groups or not (against in groups[named] or against == f"{PAIRS}:{named}".removesuffix(":")):
        raise AnalysisError(gettext("Choose what to compare: every pair of groups, or each group with one of them."))
    if pairs and against not in groups[named] and len(groups[named]) > MOST_GROUPS_IN_PAIRS:
        raise AnalysisError(
            gettext(
                "{count} groups give too many pairs to tell anything apart; with more than {most}, "
                "compare each group with one of them."
            ).format(count=len(groups[named]), most=MOST_GROUPS_IN_PAIRS)
        )
    return {"quantity": fields["quantity"], "against": against, **read_weights(fields, design)}


def _comparable(design: Design) -> dict[str, list[str]]:
    """The keys of the groups that may be compared with each other: of all, under "", or by background question."""
    if not design.background:
        return {"": list(design.strata)}
    return {
        question.key: [answer_key(design, place, answer) for answer in question.everyone]
        for place, question in enumerate(design.background.questions)
    }


def _weighting(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design = designs[0]
    _need_groups(design)
    item_of(design, fields.get("item", ""))
    if design.background:
        return {"item": fields["item"], "margins": read_margins(fields, design), **read_method(fields)}
    entered = dict(fields) | pasted(fields.get("table", ""), design)
    return {"item": fields["item"], "shares": read_shares(entered, design)}


def _cross_table(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design, group, rows = designs[0], fields.get("group", ""), fields.get("rows", "")
    measured, second = measured_of(design, rows), variable_of(design, fields.get("columns", ""))
    if measured is not None:
        _require_small(len(measured.answers), second.channel.answers)
    else:
        _cross(design, variable_of(design, rows), second)
    if group and is_protected(design):
        raise AnalysisError(UNTOLD)
    if group and group not in [one.key for one in design.groups]:
        raise AnalysisError(gettext("Choose one of the survey's groups, or all respondents."))
    weights = read_weights(fields, design) if design.background else {}
    return {"rows": rows, "columns": fields["columns"], "group": group, **weights}


def _cross(design: Design, first: Variable, second: Variable) -> None:
    """Refuse a table of two reports that nobody was asked both, that are not drawn independently, or that is large."""
    require_asked(design, first.position, second.position)
    same = first.position == second.position
    several = design.items[first.position].encoding == "each_option"
    if same and (first.column == second.column or not several):
        raise AnalysisError(
            gettext(
                "Choose two different questions. Of one question, only two options of which several "
                "can be ticked can be crossed: with a single choice, one excludes the other."
            )
        )
    _require_small(first.channel.answers, second.channel.answers)


def _require_small(first: int, second: int) -> None:
    if first * second > MOST_CELLS:
        raise AnalysisError(
            gettext(
                "A table of {first} by {second} answers has {cells} cells; at most {most} are "
                "possible. Choose one choice of one question."
            ).format(first=first, second=second, cells=first * second, most=MOST_CELLS)
        )


def countable(design: Design) -> list[str]:
    """The tokens of what may be counted as a yes: yes/no questions, and one choice or option against all others."""
    return [token for position in range(len(design.items)) for token in variables_of(design, position, binary=True)]


def score_field(token: str) -> str:
    """The name of the field that has a yes counted."""
    return f"item-{token}"


def _scores(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    """Questions that are counted together, whose tickets are drawn independently."""
    design = designs[0]
    chosen = [token for token in countable(design) if fields.get(score_field(token), "") not in ("", "no")]
    if not 2 <= len(chosen) <= MOST_ITEMS:
        text = gettext("Choose 2 to {most} questions or options; {count} are chosen.")
        raise AnalysisError(text.format(most=MOST_ITEMS, count=len(chosen)))
    for one, other in combinations([variable_of(design, token, binary=True) for token in chosen], 2):
        _cross(design, one, other)
    return {"items": chosen}


def _regression(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design, reference = designs[0], fields.get("reference", "")
    _need_groups(design)
    if not design.background:
        variable_of(design, fields.get("outcome", ""), binary=True)
    else:
        return background_regression(fields, design)
    if reference not in design.strata:
        raise AnalysisError(gettext("Choose the group that the others are compared with."))
    return {"outcome": fields["outcome"], "reference": reference}


def _areas(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design, keys = designs[0], [question.key for question in designs[0].background.asked]
    variable_of(design, fields.get("outcome", ""), binary=True)
    if fields.get("area", "") not in keys:
        raise AnalysisError(gettext("Choose the background question whose answers are the areas."))
    predictors = [key for key in keys if key != fields["area"] and fields.get(f"predictor-{key}", "") not in ("", "no")]
    census = read_census(fields.get("table", ""), design, [fields["area"], *predictors])
    return {"outcome": fields["outcome"], "area": fields["area"], "predictors": predictors, "census": census}


def _versions(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    """The versions with the same question as the newest, and the reasons why others are excluded."""
    newest = designs[0]
    item = newest.items[quantity_of(newest, fields.get("quantity", "")).position]
    reasons = {older.version: incomparable_reason(newest, older, item) for older in designs}
    alike = [design.digest for design in designs if not reasons[design.version]]
    if len(alike) < 2:
        raise AnalysisError(
            gettext(
                "No earlier version asked this question with the same wording, choices and "
                "randomisation, so there is nothing to compare with."
            )
        )
    left_out = [[number, why] for number, why in sorted(reasons.items()) if why]
    found: dict[str, object] = {"quantity": fields["quantity"], "designs": alike[::-1], "left_out": left_out}
    found["returned"] = _returned(fields.get("returned", ""), newest, alike[:2])
    if len(alike) > 2:
        found["returned_first"] = _returned(fields.get("returned_first", ""), newest, [alike[0], alike[-1]])
    return found


def _returned(text: str, newest: Design, digests: Sequence[str]) -> int | None:
    """The number of respondents in two waves; None if not entered."""
    if not text.strip():
        return None
    if is_weighted(newest):
        raise AnalysisError(
            gettext(
                "The groups of this survey are weighted by their known shares, so the number who came "
                "back would be needed for each group. Leave empty how many took part in both."
            )
        )
    written = text.strip().replace(",", "")
    most = min(store.report_count(digest) for digest in digests)
    if not (written.isascii() and written.isdecimal() and len(written) <= 12 and int(written) <= most):
        raise AnalysisError(
            filled(
                gettext(
                    "The number who took part in both must be a whole number from 0 to {most:,}, the "
                    "responses of the smaller of the two, or empty; got “{given}”."
                ),
                most=most,
                given=text.strip(),
            )
        )
    return int(written)


def _need_groups(design: Design) -> None:
    if is_protected(design):
        raise AnalysisError(UNTOLD)
    if not design.groups and not design.background:
        raise AnalysisError(gettext("This survey has no groups; they are defined in a draft before it opens."))


READERS: dict[str, Callable[[Mapping[str, str], Sequence[Design]], dict[str, object]]] = {
    Kind.COMPARISON: _comparison,
    Kind.WEIGHTING: _weighting,
    Kind.CROSS_TABLE: _cross_table,
    Kind.SCORES: _scores,
    Kind.REGRESSION: _regression,
    Kind.AREAS: _areas,
    Kind.VERSIONS: _versions,
}
