"""The page of small areas: the share in each, the highest first, beside the one from its own responses alone."""

from dataclasses import replace

from django.utils.translation import gettext

from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.cautions import cautions_of
from estimator.analyses.method_texts import METHODS
from estimator.analyses.pages import AnalysisPage
from estimator.analyses.quantities import variable_of
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.analyses.weighting_page import unmet
from estimator.base import charts, wording
from estimator.base.languages import figures
from estimator.base.measures import TOO_FEW
from estimator.models import Analysis

ENOUGH_AREAS = 10
"""Fewer areas say little of how much areas differ."""


def areas_page(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    """The content of the page of a finished estimate of small areas."""
    result, cautions = analysis.result, cautions_of(analysis, [], speaker)
    if "unmet" in result:
        return AnalysisPage([unmet(result["unmet"], speaker)], [], cautions)
    if not rows:
        return AnalysisPage([_nothing(result)], [], cautions)
    areas = sorted((row for row in rows if row.group), key=lambda row: row.estimate or 0, reverse=True)
    whole = next(row for row in rows if not row.group)
    outcome = variable_of(speaker.design, analysis.parameters["outcome"], binary=True)
    answer = named(speaker.answers(outcome)[1])
    if len(areas) < ENOUGH_AREAS:
        text = gettext("{count} areas say little of how much areas differ: intervals depend on the priors.")
        cautions.append(text.format(count=len(areas)))
    if not analysis.parameters["census"]:
        cautions.append(gettext("No census was entered: each area is made up as its responses are."))
    title = gettext("Share of {answer} in each area").format(answer=answer)
    drawn = parts.estimates(
        [*areas, whole],
        [*(_area(row, speaker) for row in areas), gettext("All areas")],
        "areas",
        title,
        gettext("Area"),
    )
    methods = [METHODS["areas"]]
    return AnalysisPage(
        _sentences(analysis, speaker, areas, whole, answer), [_with_direct(drawn, areas, result)], cautions, methods
    )


def _area(row: AnalysisRow, speaker: RowDescriber) -> str:
    return speaker.headed(row.group)[1]


def _sentences(
    analysis: Analysis, speaker: RowDescriber, areas: list[AnalysisRow], whole: AnalysisRow, answer: str
) -> list[str]:
    result, share = analysis.result, parts.quoted
    text = gettext("{answer}: an estimated {share} in all areas together.")
    sentences = [words.capital(text.format(answer=answer, share=share(whole)))]
    text = gettext("It is highest in {first}, {high}, and lowest in {last}, {low}.")
    ends = {"first": named(_area(areas[0], speaker)), "last": named(_area(areas[-1], speaker))}
    sentences.append(text.format(high=share(areas[0]), low=share(areas[-1]), **ends))
    test = result["alike"]
    differ = test["p_value"] is not None and test["p_value"] < 1 - analysis.parameters["confidence"]
    verdict = gettext("The areas differ") if differ else gettext("The data do not show that the areas differ")
    spread = gettext("standard deviation on the logit scale {sigma}").format(sigma=figures(f"{result['sigma']:.2f}"))
    return [*sentences, f"{verdict} ({spread}; {words.facts(test)})."]


def _with_direct(
    drawn: parts.FigureWithTable, areas: list[AnalysisRow], result: dict[str, object]
) -> parts.FigureWithTable:
    """The chart and the table with the estimates from each area's own responses alone."""
    direct: dict[str, float] = result["direct"]  # type: ignore[assignment]
    alone = [direct.get(row.group.rpartition("=")[2]) for row in areas] + [None]
    marks = gettext("share from the area’s own responses alone")
    rows = [replace(row, truth=share, marks=marks) for row, share in zip(drawn.drawn, alone, strict=True)]
    head = (*drawn.table.head, gettext("From its own responses alone (diamond)"))
    texts = [wording.percent(share) for share in alone]
    cells = tuple((*row, text) for row, text in zip(drawn.table.rows, texts, strict=True))
    table = replace(drawn.table, head=head, rows=cells)
    return parts.drawn_over(rows, "areas", drawn.title, charts.axis_for(rows), table)


def _nothing(result: dict[str, object]) -> str:
    flags = result["flags"]
    if flags and flags != [TOO_FEW]:
        return gettext("The model has no finite estimate: there are too few responses for so many predictors.")
    return gettext("There are no estimates yet: at least three areas and 30 responses that tell them are needed.")
