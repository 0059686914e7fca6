"""Presentation of a finished analysis: sentences, then charts, each with its table, then methods."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from collector.designs import selectors
from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.areas_page import areas_page
from estimator.analyses.cautions import cautions_of, released_key, too_few
from estimator.analyses.exports import target_of
from estimator.analyses.method_texts import CALIBRATIONS, METHODS
from estimator.analyses.pages import AnalysisPage, nothing_by_group, rows_of
from estimator.analyses.quantities import (
    Measured,
    Score,
    item_of,
    outcome_of,
    quantity_of,
    sides_of,
)
from estimator.analyses.regression_page import regression_page
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, TOO_FEW_IN_GROUPS, AnalysisRow
from estimator.analyses.scores_page import about_of, scores_page
from estimator.analyses.sentences import RowDescriber, named
from estimator.analyses.strata import PAIRS
from estimator.analyses.weighting_page import unmet, weighting_page
from estimator.base import wording
from estimator.models import Analysis
from estimator.runs import targets, waves

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


Kind = Analysis.Kind


def present(analysis: Analysis) -> AnalysisPage:
    """Assemble the page content of a finished analysis."""
    speaker = RowDescriber(selectors.get_design(analysis.design_id), analysis.parameters)
    rows = [AnalysisRow(**row) for row in analysis.result["rows"]]
    shown = replace(SHOWERS[analysis.kind](analysis, speaker, rows), about=about(analysis))
    if not shown.methods:
        return shown
    found = {target_of(analysis, row) for row in rows}
    return replace(shown, methods=(*shown.methods, words.speaks_of(found)))


def about(analysis: Analysis) -> tuple[str, ...]:
    """The subject of an analysis in the survey's wording; also of one that is still to be computed."""
    design, parameters = selectors.get_design(analysis.design_id), analysis.parameters
    speaker = RowDescriber(design, parameters)
    match Kind(analysis.kind):
        case Kind.CROSS_TABLE:
            return tuple(speaker.variable(one) for one in sides_of(design, parameters))
        case Kind.SCORES:
            return about_of(analysis, speaker)
        case Kind.REGRESSION | Kind.AREAS:
            keys = ([parameters["area"]] if "area" in parameters else []) + parameters.get("predictors", [])
            found = outcome_of(design, parameters["outcome"])
            outcome = speaker.question(found.position) if isinstance(found, Score) else speaker.variable(found)
            return outcome, *map(speaker.variable, speaker.predictors.values()), *map(speaker.background_question, keys)
        case Kind.WEIGHTING:
            return (speaker.question(item_of(design, parameters["item"])),)
        case Kind.COMPARISON | Kind.VERSIONS:
            of = quantity_of(design, parameters["quantity"])
            return (f"{speaker.question(of.position)} {named(speaker.quantity(of.position, of.choice))}",)
        case unknown:
            assert_never(unknown)


def _comparison(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    if not rows:
        return nothing_by_group(analysis, speaker)
    if "unmet" in analysis.result:
        return AnalysisPage([unmet(analysis.result["unmet"], speaker)], [], cautions_of(analysis, [], speaker))
    parameters = analysis.parameters
    quantity = quantity_of(speaker.design, parameters["quantity"])
    estimates, differences = rows_of(rows, "share", "mean"), rows_of(rows, "difference")
    unit, label = speaker.unit(quantity.position, quantity.choice), speaker.quantity(quantity.position, quantity.choice)
    sentences = [
        words.difference(row, named(speaker.group(row.group)), named(speaker.group(row.against)), unit)
        for row in differences
    ] or [gettext("Nothing can be compared yet: {why}").format(why=too_few(estimates, speaker, parameters["against"]))]
    labels = [speaker.group(row.group) for row in estimates]
    drawn = [
        parts.estimates(
            estimates, labels, "groups", gettext("Each group: {label}").format(label=label), gettext("Group")
        )
    ]
    if differences:
        labels = [f"{speaker.group(row.group)} {words.MINUS} {speaker.group(row.against)}" for row in differences]
        drawn.append(
            parts.differences(
                differences, labels, unit, gettext("Differences: {label}").format(label=label), parameters["confidence"]
            )
        )
    weighted = "weighting" in parameters
    method = "pairs" if parameters["against"].partition(":")[0] == PAIRS else "reference"
    together = METHODS["together" if weighted else method].format(
        count=len(differences), level=words.confidence(parameters["confidence"])
    )
    methods: list[StrOrPromise] = [METHODS["share"], METHODS["difference"]]
    if weighted:
        calibration = CALIBRATIONS[parameters["weighting"]["method"]]
        methods = [METHODS["calibration"].format(method=calibration), *methods[1:], METHODS["weighted_difference"]]
    methods += [together] * (len(differences) > 1)
    return AnalysisPage(sentences, drawn, cautions_of(analysis, estimates, speaker), methods)


def _cross_table(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    parameters, result = analysis.parameters, analysis.result
    first, second = sides_of(speaker.design, parameters)
    answers, others = speaker.answers(first), speaker.answers(second)
    if TOO_FEW_IN_GROUPS in result["flags"]:
        return nothing_by_group(analysis, speaker)
    if "unmet" in result:
        return AnalysisPage([unmet(result["unmet"], speaker)], [], cautions_of(analysis, [], speaker))
    if not rows:
        few = f"{wording.not_enough(result['n'], minimum=ENOUGH_FOR_NORMAL)}."
        if isinstance(first, Measured):
            text = gettext("At least two answers to “{question}” need {enough} responses each.")
            few = text.format(question=speaker.variable(first), enough=ENOUGH_FOR_NORMAL)
        return AnalysisPage([few], [], cautions_of(analysis, [], speaker))
    joint, by_row = rows_of(rows, "joint_share"), rows_of(rows, "row_share")
    ratios, correlations = rows_of(rows, "phi", "odds_ratio", "correlation"), rows_of(rows, "correlation")
    drawn = [
        parts.crossed(by_row, answers, others, "by-row", gettext("Among those of each answer to the first question")),
        parts.crossed(joint, answers, others, "joint", gettext("All respondents, split by both answers")),
    ]
    if ratios:
        drawn.append(parts.FigureWithTable(gettext("Association"), SafeString(""), parts.associations(ratios)))
    cautions = cautions_of(analysis, [], speaker)
    if EDGE in result["flags"]:
        cautions.append(
            gettext(
                "The most likely table has a cell of zero. The p-value of the test is then only a "
                "guide, and the odds ratio or one of its limits may be infinite."
            )
        )
    group = speaker.group(released_key(analysis, parameters["group"])) if parameters["group"] else ""
    verdict = _independence(result["independence"], 1 - parameters["confidence"], group, result["n"])
    methods: list[StrOrPromise] = [METHODS["cross-table"]]
    methods += [METHODS["correlation"]] * bool(correlations)
    methods += [METHODS["answers_in_steps"]] * (isinstance(first, Measured) and first.stepped)
    if "weighting" in parameters:
        calibration = METHODS["calibration"].format(method=CALIBRATIONS[parameters["weighting"]["method"]])
        methods += [calibration, METHODS["weighted_table"]]
    return AnalysisPage([verdict, *map(words.correlation, correlations)], drawn, cautions, methods)


def _independence(test: words.Test, allowed: float, group: str, n: int) -> str:
    who = (
        gettext("In the group “{group}” ({n} responses)").format(group=group, n=wording.count(n))
        if group
        else gettext("In {n} responses").format(n=wording.count(n))
    )
    quoted = words.facts(test)
    if test["p_value"] is not None and test["p_value"] < allowed:
        return gettext("{who} the two answers are associated, more than chance explains ({quoted}).").format(
            who=who, quoted=quoted
        )
    return gettext("{who} the data do not show whether the two answers are associated ({quoted}).").format(
        who=who, quoted=quoted
    )


def _versions(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    parameters = analysis.parameters
    quantity = quantity_of(speaker.design, parameters["quantity"])
    estimates, changes = rows_of(rows, "share", "mean"), rows_of(rows, "difference")
    unit, label = speaker.unit(quantity.position, quantity.choice), speaker.quantity(quantity.position, quantity.choice)
    names = _names(analysis, speaker, estimates)
    what = (
        gettext("the mean") if quantity.choice is None else gettext("the share of {label}").format(label=named(label))
    )
    sentences = [
        words.change(row, names[row.against_version or 0], names[row.version or 0], what, unit) for row in changes
    ] or [gettext("The newest version cannot be compared yet: {why}").format(why=too_few(estimates, speaker))]
    labels = [words.capital(names[row.version or 0]) for row in estimates]
    title = gettext("Over time: {label}").format(label=label)
    drawn = [parts.over_time(estimates, labels, "versions", title, gettext("Wave"))]
    if changes:
        pairs = [
            f"{words.capital(names[row.version or 0])} {words.MINUS} {names[row.against_version or 0]}"
            for row in changes
        ]
        drawn.append(parts.differences(changes, pairs, unit, gettext("Change: {label}").format(label=label)))
    left_out = [
        gettext("Version {number} is left out: {why}.").format(number=number, why=why)
        for number, why in parameters["left_out"]
    ]
    cautions = [*cautions_of(analysis, [], speaker), *_narrowest(changes, unit), *left_out]
    return AnalysisPage(sentences, drawn, cautions, _methods_of_change(analysis, changes))


def _names(analysis: Analysis, speaker: RowDescriber, estimates: Sequence[AnalysisRow]) -> dict[int, str]:
    """The name of each version; if only some are weighted, their names say so."""
    found = {row.version: target_of(analysis, row) for row in estimates}
    mixed = targets.common(found.values()) == targets.MIXED
    numbers = {one.version: one for one in map(selectors.get_design, analysis.parameters["designs"])}
    return {
        number: waves.wave_name(one, speaker.design)
        + gettext(" (weighted)") * (mixed and targets.is_weighted(found[number]))
        for number, one in numbers.items()
    }


def _methods_of_change(analysis: Analysis, changes: Sequence[AnalysisRow]) -> tuple["StrOrPromise", ...]:
    designs = [selectors.get_design(digest) for digest in analysis.parameters["designs"]]
    position = quantity_of(designs[-1], analysis.parameters["quantity"]).position
    item = designs[-1].items[position]
    same_tickets = {one.version for one in designs[:-1] if waves.remembered(designs[-1], one, item)}
    methods = [METHODS["share"], METHODS["versions"]]
    methods += [METHODS["remembered"]] * any(row.against_version in same_tickets for row in changes)
    methods += [METHODS["fresh"]] * any(row.against_version not in same_tickets for row in changes)
    methods += [METHODS["different"]] * any(row.returned is None for row in changes)
    return (*methods, *[METHODS["returned"]] * any(row.returned for row in changes))


def _narrowest(changes: Sequence[AnalysisRow], unit: wording.Unit) -> Iterator[str]:
    """Sentences on the lowest possible standard error, where unchanged answers affect it."""
    for row in changes:
        if row.returned and row.narrowest_standard_error is not None:
            places = words.places_of(row, unit) + 1
            errors = (row.standard_error, row.narrowest_standard_error)
            most, least = (wording.error(one, places, unit) for one in errors)
            yield (
                gettext(
                    "With {returned} people in both, the standard error is at most {most}{sign}, which the "
                    "interval uses, and at least {least}, if as many as possible kept their answer."
                ).format(returned=wording.count(row.returned), most=most, sign=unit.sign, least=least)
            )


SHOWERS: dict[str, Callable[[Analysis, RowDescriber, list[AnalysisRow]], AnalysisPage]] = {
    Kind.COMPARISON: _comparison,
    Kind.WEIGHTING: weighting_page,
    Kind.CROSS_TABLE: _cross_table,
    Kind.SCORES: scores_page,
    Kind.REGRESSION: regression_page,
    Kind.AREAS: areas_page,
    Kind.VERSIONS: _versions,
}
