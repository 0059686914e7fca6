"""Presentation of a finished analysis: sentences, then charts, each with its table, then methods."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from collector.designs import FEWEST_IN_GROUP, selectors
from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.cautions import cautions_of, released_key, too_few
from estimator.analyses.exports import target_of
from estimator.analyses.quantities import item_of, quantity_of, question_at, variable_of
from estimator.analyses.rows import EDGE, ENOUGH_FOR_NORMAL, TOO_FEW_IN_GROUPS, AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.analyses.strata import PAIRS
from estimator.base import verdict, wording
from estimator.base.verdict import Verdict
from estimator.models import Analysis
from estimator.runs import targets, waves
from estimator.runs.estimation import range_of
from estimator.runs.groups import ENOUGH_TO_WEIGHT, has_shares

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


Kind = Analysis.Kind


@dataclass(frozen=True)
class AnalysisPage:
    """The content of a finished analysis's page. `about` quotes the survey's texts."""

    sentences: Sequence[str]
    parts: Sequence[parts.FigureWithTable]
    cautions: Sequence[str]
    methods: Sequence["StrOrPromise"] = ()
    about: tuple[str, ...] = ()


def present(analysis: Analysis) -> AnalysisPage:
    """Assemble the page content of a finished analysis."""
    speaker = RowDescriber(selectors.get_design(analysis.design_id))
    rows = [AnalysisRow(**row) for row in analysis.result["rows"]]
    shown = replace(SHOWERS[analysis.kind](analysis, speaker, rows), about=about(analysis))
    if not shown.methods:
        return shown
    found = {target_of(analysis, row) for row in rows}
    return replace(shown, methods=(*shown.methods, words.speaks_of(found)))


def about(analysis: Analysis) -> tuple[str, ...]:
    """The subject of an analysis in the survey's wording; also of one that is still to be computed."""
    design, parameters = selectors.get_design(analysis.design_id), analysis.parameters
    speaker = RowDescriber(design)
    match Kind(analysis.kind):
        case Kind.CROSS_TABLE:
            return tuple(speaker.variable(variable_of(design, parameters[name])) for name in ("rows", "columns"))
        case Kind.REGRESSION:
            return (speaker.variable(variable_of(design, parameters["outcome"], binary=True)),)
        case Kind.WEIGHTING:
            return (speaker.question(item_of(design, parameters["item"])),)
        case Kind.COMPARISON | Kind.VERSIONS:
            of = quantity_of(design, parameters["quantity"])
            return (f"{speaker.question(of.position)} {named(speaker.quantity(of.position, of.choice))}",)
        case unknown:
            assert_never(unknown)


def _comparison(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    if not rows:
        return _nothing_by_group(analysis, speaker)
    parameters = analysis.parameters
    quantity = quantity_of(speaker.design, parameters["quantity"])
    estimates, differences = _of(rows, "share", "mean"), _of(rows, "difference")
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
    method = "pairs" if parameters["against"].partition(":")[0] == PAIRS else "reference"
    together = words.METHODS[method].format(count=len(differences), level=words.confidence(parameters["confidence"]))
    methods: list[StrOrPromise] = [words.METHODS["share"], words.METHODS["difference"]]
    methods += [together] * (len(differences) > 1)
    return AnalysisPage(sentences, drawn, cautions_of(analysis, estimates, speaker), methods)


def _weighting(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    position = item_of(speaker.design, analysis.parameters["item"])
    whole = [row for row in rows if not row.group]
    sentences = [_weighted_sentence(*pair, speaker, position) for pair in _beside(whole)]
    item, drawn = speaker.design.items[position], []
    for row in whole:
        if row.weights and not (row.choice == 0 and item.kind == "yes_no" and len(item.choices) == 2):
            same = [one for one in rows if (one.choice, one.quantity) == (row.choice, row.quantity)]
            labels, title = [_weighted_label(one, speaker) for one in same], speaker.quantity(position, row.choice)
            drawn.append(parts.estimates(same, labels, f"weights-{row.choice}", title, gettext("Respondents")))
    entered = {key: float(100 * Fraction(share)) for key, share in analysis.parameters["shares"].items()}
    cells = tuple((speaker.group(key), f"{wording.point(share)}{wording.SPACE}%") for key, share in entered.items())
    shares = parts.FigureTable(gettext("Entered population shares"), (gettext("Group"), gettext("Share")), cells)
    groups = [row for row in rows if row.group]
    drawn.append(parts.FigureWithTable(gettext("The entered shares"), SafeString(""), shares))
    methods = (words.METHODS["weighting"], words.METHODS["share"])
    return AnalysisPage(sentences, drawn, cautions_of(analysis, groups, speaker), methods)


def _of(rows: Sequence[AnalysisRow], *quantities: str) -> list[AnalysisRow]:
    return [row for row in rows if row.quantity in quantities]


def _beside(rows: Sequence[AnalysisRow]) -> Iterator[tuple[AnalysisRow, AnalysisRow]]:
    """Pair each weighted row with its unweighted one; of yes and no only yes, which determines both."""
    entered = [row for row in rows if row.weights]
    alike = {(row.quantity, row.choice): row for row in rows if not row.weights}
    shares = _of(entered, "share")
    for row in _of(entered, "mean") or (shares[1:] if len(shares) == 2 else shares):
        yield row, alike[row.quantity, row.choice]


def _weighted_sentence(entered: AnalysisRow, alike: AnalysisRow, speaker: RowDescriber, position: int) -> str:
    several = speaker.design.items[position].kind == "several_choices"
    choice = "" if entered.choice is None else speaker.choice(position, entered.choice)
    if not entered.known:
        return gettext("There is no weighted estimate of {what}: {why}.").format(
            what=named(choice) if choice else gettext("the mean"), why=words.missing(entered)
        )
    if not _of_use(entered, speaker, position):
        what = gettext("the share of {choice}").format(choice=named(choice)) if choice else gettext("the mean")
        return gettext(
            "In a population with these shares, {what} is too imprecise to report: its interval is {interval}."
        ).format(what=what, interval=parts.spanned(entered))
    quoted = parts.quoted(entered)
    statement = (
        gettext("an estimated {quoted} {answer}").format(
            quoted=quoted, answer=words.count_with_answer(choice, several=several)
        )
        if choice
        else gettext("the mean is an estimated {quoted}").format(quoted=quoted)
    )
    other = gettext("; with all responses weighted equally it is {alike}").format(alike=parts.quoted(alike)) * _of_use(
        alike, speaker, position
    )
    return gettext("In a population with these shares {statement}{other}.").format(statement=statement, other=other)


def _of_use(row: AnalysisRow, speaker: RowDescriber, position: int) -> bool:
    """Return True if a share or mean is precise enough to be quoted."""
    if row.estimate is None or row.low is None or row.high is None or row.level is None:
        return False
    possible = range_of(question_at(speaker.design, position), row.quantity)
    found = verdict.of_interval(
        row.estimate, row.low, row.high, n=row.n, direct=None, confidence=row.level, range_=possible
    )
    return found.verdict is not Verdict.TOO_IMPRECISE


def _weighted_label(row: AnalysisRow, speaker: RowDescriber) -> str:
    if row.group:
        return speaker.group(row.group)
    return gettext("Weighted by the entered shares") if row.weights else gettext("All responses weighted equally")


def _cross_table(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    parameters, result = analysis.parameters, analysis.result
    first, second = (variable_of(speaker.design, parameters[name]) for name in ("rows", "columns"))
    answers, others = speaker.answers(first), speaker.answers(second)
    if TOO_FEW_IN_GROUPS in result["flags"]:
        return _nothing_by_group(analysis, speaker)
    if not rows:
        few = f"{wording.not_enough(result['n'], minimum=ENOUGH_FOR_NORMAL)}."
        return AnalysisPage([few], [], cautions_of(analysis, [], speaker))
    joint, by_row, ratios = _of(rows, "joint_share"), _of(rows, "row_share"), _of(rows, "phi", "odds_ratio")
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
    return AnalysisPage([verdict], drawn, cautions, [words.METHODS["cross-table"]])


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


def _regression(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    if not rows:
        return _nothing_by_group(analysis, speaker)
    ratios, shares = _of(rows, "odds_ratio"), _of(rows, "share")
    outcome = variable_of(speaker.design, analysis.parameters["outcome"], binary=True)
    answer = named(speaker.answers(outcome)[1])
    sentences = _sentences_of_regression(analysis, speaker, ratios, answer)
    drawn = []
    if shares:
        labels = [speaker.group(row.group) for row in shares]
        drawn.append(
            parts.estimates(
                shares,
                labels,
                "shares",
                gettext("Share of {answer} in each group").format(answer=answer),
                gettext("Group"),
            )
        )
    if ratios:
        drawn.append(parts.ratios(ratios, speaker, answer))
    cautions = cautions_of(analysis, ratios, speaker)
    if EDGE in analysis.result["flags"]:
        cautions.append(gettext("In some group the most likely share is 0 or 100 %, so its odds ratio is infinite."))
    note = gettext(
        "Each interval of an odds ratio holds by itself; the test of all groups is one test for all of them."
    )
    more = [words.METHODS["predictors"]] if "predictors" in analysis.parameters else []
    return AnalysisPage(sentences, drawn, cautions, [words.METHODS["regression"], *more, note])


def _sentences_of_regression(
    analysis: Analysis, speaker: RowDescriber, ratios: Sequence[AnalysisRow], answer: str
) -> list[str]:
    """A sentence on each odds ratio, then whether the groups differ; or why there are none."""
    sentences = [
        words.odds(row, answer, named(speaker.group(row.group)), named(speaker.group(row.against)))
        for row in ratios
        if row.known
    ]
    if "alike" in analysis.result:
        alike = analysis.result["alike"]
        differ = alike["p_value"] is not None and alike["p_value"] < 1 - analysis.parameters["confidence"]
        verdict = gettext("The groups differ") if differ else gettext("The data do not show that the groups differ")
        sentences.append(f"{verdict} ({words.facts(alike)}).")
    elif "predictors" in analysis.parameters:
        sentences.append(gettext("There are no odds ratios: each predictor needs two answers that enough people gave."))
    else:
        reference = speaker.group(released_key(analysis, analysis.parameters["reference"]))
        sentences.append(words.no_ratios(analysis.result["reference_n"], named(reference)))
    return sentences


def _versions(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    parameters = analysis.parameters
    quantity = quantity_of(speaker.design, parameters["quantity"])
    estimates, changes = _of(rows, "share", "mean"), _of(rows, "difference")
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
    methods = [words.METHODS["share"], words.METHODS["versions"]]
    methods += [words.METHODS["remembered"]] * any(row.against_version in same_tickets for row in changes)
    methods += [words.METHODS["fresh"]] * any(row.against_version not in same_tickets for row in changes)
    methods += [words.METHODS["different"]] * any(row.returned is None for row in changes)
    return (*methods, *[words.METHODS["returned"]] * any(row.returned for row in changes))


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


def _nothing_by_group(analysis: Analysis, speaker: RowDescriber) -> AnalysisPage:
    reason = gettext("No estimates by group: too few groups have {fewest_in_group} responses.").format(
        fewest_in_group=FEWEST_IN_GROUP
    )
    if has_shares(speaker.design):
        reason = gettext(
            "No estimates by group: they need at least two groups of {fewest_in_group} responses "
            "and, because the groups’ population shares are known, {enough_to_weight} responses in "
            "total."
        ).format(fewest_in_group=FEWEST_IN_GROUP, enough_to_weight=ENOUGH_TO_WEIGHT)
    return AnalysisPage([reason], [], cautions_of(analysis, [], speaker))


SHOWERS: dict[str, Callable[[Analysis, RowDescriber, list[AnalysisRow]], AnalysisPage]] = {
    Kind.COMPARISON: _comparison,
    Kind.WEIGHTING: _weighting,
    Kind.CROSS_TABLE: _cross_table,
    Kind.REGRESSION: _regression,
    Kind.VERSIONS: _versions,
}
