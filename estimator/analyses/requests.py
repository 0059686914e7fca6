"""Validation of analysis requests: form fields are parsed into job parameters or refused with a message."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from django.utils.translation import gettext

from collector.designs import Design
from collector.reports import selectors as store
from estimator.analyses.quantities import AnalysisError, Variable, item_of, quantity_of, require_released, variable_of
from estimator.analyses.strata import PAIRS
from estimator.base.languages import filled
from estimator.models import Analysis
from estimator.runs.groups import UNTOLD, answer_key, is_protected
from estimator.runs.waves import incomparable_reason, is_weighted

Kind = Analysis.Kind
TOKENS = ("quantity", "rows", "columns", "outcome")
"""The form fields that name the quantity or variables analysed."""
CONFIDENCES = ("0.95", "0.9", "0.99")
FIELDS = {
    Kind.COMPARISON: ("quantity", "against"),
    Kind.WEIGHTING: ("item",),
    Kind.CROSS_TABLE: ("rows", "columns", "group"),
    Kind.REGRESSION: ("outcome", "reference"),
    Kind.VERSIONS: ("quantity", "returned", "returned_first"),
}
"""The fields of each kind; all have `confidence`, and weighting a `share-<key>` for each group."""
MOST_GROUPS_IN_PAIRS = 12
MOST_CELLS = 100
SHARE = re.compile(r"(\d{1,12}(?:[.,]\d{0,12})?|\.\d{1,12})(?:/(\d{1,12}))? ?(%?)")


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
    known = [*FIELDS[Kind(kind)], "confidence"]
    known += [f"share-{group.key}" for group in design.groups] if kind == Kind.WEIGHTING else []
    if kind == Kind.REGRESSION and design.background:
        known = [name for name in known if name != "reference"]
        known += [f"predictor-{question.key}" for question in design.background.questions]
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise AnalysisError(
            gettext("The analysis has no field {name!r}; there are: {known}.").format(
                name=unknown[0][:60], known=", ".join(known)
            )
        )


def require_all_released(fields: Mapping[str, str], design: Design) -> None:
    """Refuse an analysis of a quantity that is not released, even if it was when first requested."""
    for name in TOKENS:
        if name in fields:
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
    return {"quantity": fields["quantity"], "against": against}


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
    if design.background:
        raise AnalysisError(gettext("Weighting by several background questions is done in the library: calibrate."))
    item_of(design, fields.get("item", ""))
    return {"item": fields["item"], "shares": read_shares(fields, design)}


def read_shares(fields: Mapping[str, str], design: Design) -> dict[str, str]:
    """Parse each group's population share as an exact fraction; as percentages if they sum to 100."""
    shares = {}
    for group in design.groups:
        label = group.label[design.language]
        shares[group.key] = _share(fields.get(f"share-{group.key}", ""), label)
    total = sum(shares.values(), Fraction(0))
    if total == 100:
        shares = {key: share / 100 for key, share in shares.items()}
    elif total != 1:
        plain = f"{float(100 * total):.10g} %" if total <= 2 else f"{float(total):.10g}"
        raise AnalysisError(gettext("The shares must sum to 100 % (or 1); they sum to {plain}.").format(plain=plain))
    return {key: str(share) for key, share in shares.items()}


def _share(text: str, label: str) -> Fraction:
    found = SHARE.fullmatch(text.strip())
    if found is None or (found[2] and not int(found[2])):
        raise AnalysisError(
            gettext("Enter the share of “{label}” as a number such as 25, 0.25 or 1/4.").format(label=label)
        )
    share = Fraction(found[1].replace(",", ".").rstrip(".")) / int(found[2] or 1) / (100 if found[3] else 1)
    if share <= 0:
        raise AnalysisError(
            gettext("The share of “{label}” must be greater than 0; every group of the survey needs one.").format(
                label=label
            )
        )
    return share


def _cross_table(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design, group = designs[0], fields.get("group", "")
    first, second = (variable_of(design, fields.get(name, "")) for name in ("rows", "columns"))
    _cross(design, first, second)
    if group and is_protected(design):
        raise AnalysisError(UNTOLD)
    if group and group not in [one.key for one in design.groups]:
        raise AnalysisError(gettext("Choose one of the survey's groups, or all respondents."))
    return {"rows": fields["rows"], "columns": fields["columns"], "group": group}


def _cross(design: Design, first: Variable, second: Variable) -> None:
    """Refuse a table of two reports that are not drawn independently, or one that is too large to release."""
    same = first.position == second.position
    several = design.items[first.position].encoding == "each_option"
    if same and (first.column == second.column or not several):
        raise AnalysisError(
            gettext(
                "Choose two different questions. Of one question, only two options of which several "
                "can be ticked can be crossed: with a single choice, one excludes the other."
            )
        )
    cells = first.channel.answers * second.channel.answers
    if cells > MOST_CELLS:
        raise AnalysisError(
            gettext(
                "A table of {first} by {second} answers has {cells} cells; at most {most} are "
                "possible. Choose one choice of one question."
            ).format(first=first.channel.answers, second=second.channel.answers, cells=cells, most=MOST_CELLS)
        )


def _regression(fields: Mapping[str, str], designs: Sequence[Design]) -> dict[str, object]:
    design, reference = designs[0], fields.get("reference", "")
    _need_groups(design)
    variable_of(design, fields.get("outcome", ""), binary=True)
    if design.background:
        keys = [question.key for question in design.background.questions]
        predictors = [key for key in keys if fields.get(f"predictor-{key}", "") not in ("", "no")]
        if not predictors:
            raise AnalysisError(gettext("Choose at least one background question as a predictor."))
        return {"outcome": fields["outcome"], "predictors": predictors}
    if reference not in design.strata:
        raise AnalysisError(gettext("Choose the group that the others are compared with."))
    return {"outcome": fields["outcome"], "reference": reference}


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
    Kind.REGRESSION: _regression,
    Kind.VERSIONS: _versions,
}
