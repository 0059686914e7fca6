"""The page of a weighting: by shares of groups, or of the answers to several background questions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from django.utils.safestring import SafeString
from django.utils.translation import gettext

from estimator.analyses import figures as parts
from estimator.analyses import sentences as words
from estimator.analyses.calibrated import WeightsSummary
from estimator.analyses.cautions import cautions_of
from estimator.analyses.method_texts import CALIBRATIONS, METHODS, UNMET
from estimator.analyses.pages import AnalysisPage, rows_of
from estimator.analyses.quantities import item_of, question_at
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.base import charts, verdict, wording
from estimator.base.languages import figures
from estimator.base.verdict import Verdict
from estimator.models import Analysis
from estimator.runs.estimation import range_of

HEAVY = 5.0
"""How many times the average a response may count before a largest weight is proposed."""
MOST_DRAWN = 60
"""Answers of a margin in one picture; of more there is a table alone."""
COSTLY = 2.0
"""The design effect above which a caution says what the weights cost."""


def weighting_page(analysis: Analysis, speaker: RowDescriber, rows: list[AnalysisRow]) -> AnalysisPage:
    """The weighted estimates beside those of all responses alike, the shares, and of calibrated weights the weights."""
    position = item_of(speaker.design, analysis.parameters["item"])
    whole = [row for row in rows if not row.group]
    drawn = list(_estimates(speaker, position, whole, rows))
    if "margins" in analysis.parameters:
        return _calibrated(analysis, speaker, whole, drawn)
    sentences = [_weighted_sentence(*pair, speaker, position) for pair in _beside(whole)]
    entered = {key: float(100 * Fraction(share)) for key, share in analysis.parameters["shares"].items()}
    cells = tuple((speaker.group(key), f"{wording.point(share)}{wording.SPACE}%") for key, share in entered.items())
    shares = parts.FigureTable(gettext("Entered population shares"), (gettext("Group"), gettext("Share")), cells)
    groups = [row for row in rows if row.group]
    drawn.append(parts.FigureWithTable(gettext("The entered shares"), SafeString(""), shares))
    methods = (METHODS["weighting"], METHODS["share"])
    return AnalysisPage(sentences, drawn, cautions_of(analysis, groups, speaker), methods)


def _estimates(
    speaker: RowDescriber, position: int, whole: Sequence[AnalysisRow], rows: Sequence[AnalysisRow]
) -> Iterator[parts.FigureWithTable]:
    """Each share or mean, weighted, with all responses alike, and by group."""
    item = speaker.design.items[position]
    for row in whole:
        if row.weights and not (row.choice == 0 and item.kind == "yes_no" and len(item.choices) == 2):
            same = [one for one in rows if (one.choice, one.quantity) == (row.choice, row.quantity)]
            labels, title = [_weighted_label(one, speaker) for one in same], speaker.quantity(position, row.choice)
            yield parts.estimates(same, labels, f"weights-{row.choice}", title, gettext("Respondents"))


def _calibrated(
    analysis: Analysis, speaker: RowDescriber, whole: Sequence[AnalysisRow], drawn: list[parts.FigureWithTable]
) -> AnalysisPage:
    position, result = item_of(speaker.design, analysis.parameters["item"]), analysis.result
    cautions = cautions_of(analysis, [], speaker)
    if "unmet" in result:
        return AnalysisPage([unmet(result["unmet"], speaker)], drawn, cautions)
    sentences = [_weighted_sentence(*pair, speaker, position) for pair in _beside(whole)]
    if "weights" not in result:
        return AnalysisPage(sentences, drawn, cautions)
    n, found = whole[0].n, result["weights"]
    cautions += _cautions_of_weights(found, n, speaker)
    drawn += [_margin(key, margin["answers"], speaker) for key, margin in found["margins"].items()]
    drawn.append(_weights(found, n, analysis.key[:8]))
    method = METHODS["calibration"].format(method=CALIBRATIONS[analysis.parameters["method"]])
    return AnalysisPage(sentences, drawn, cautions, [method])


def unmet(found: dict[str, object], speaker: RowDescriber) -> str:
    """Why there are no weights."""
    key, answer = str(found["question"]), str(found["answer"])
    words_of = {"answer": speaker.background_answer(key, answer), "question": speaker.background_question(key)}
    return UNMET[str(found["reason"])].format(**words_of)


def _cautions_of_weights(found: WeightsSummary, n: int, speaker: RowDescriber) -> Iterator[str]:
    for key, margin in found["margins"].items():
        if margin["told"] < n:
            text = gettext("{count} of {n} responses tell no answer to {question}; they count as the population.")
            count, question = wording.count(n - margin["told"]), named(speaker.background_question(key))
            yield text.format(count=count, n=wording.count(n), question=question)
    largest, effect = found["largest"], found["design_effect"]
    if largest > HEAVY:
        text = gettext("A response counts up to {largest} times the average; a largest weight makes that steadier.")
        yield text.format(largest=_times(largest))
    if effect > COSTLY:
        text = gettext("The weights cost precision: {n} responses tell as much as {effective} of equal weight would.")
        yield text.format(n=wording.count(n), effective=wording.count(round(found["effective_size"])))


def _margin(key: str, answers: Sequence[tuple[str, float, float]], speaker: RowDescriber) -> parts.FigureWithTable:
    """The answers to a question: their shares among the responses, and in the population as a diamond."""
    title, drawn, cells = speaker.background_question(key), [], []
    for answer, among, share in answers:
        label, given, known = (
            speaker.background_answer(key, answer),
            wording.percent(among, 1),
            wording.percent(share, 1),
        )
        text = f"{given} → {known}"
        marks = gettext("share of the population")
        drawn.append(charts.ChartRow(label, text, among, truth=share, marks=marks))
        cells.append((label, given, known))
    head = (gettext("Answer"), gettext("Among responses (dot)"), gettext("In the population (diamond)"))
    caption = gettext("Shares of the answers to “{question}”").format(question=title)
    table = parts.FigureTable(caption, head, tuple(cells))
    if len(drawn) > MOST_DRAWN:
        return parts.FigureWithTable(title, SafeString(""), table)
    return replace(parts.drawn_over(drawn, f"margin-{key}", caption, charts.axis_for(drawn), table), title=title)


def _weights(found: WeightsSummary, n: int, key: str) -> parts.FigureWithTable:
    """A histogram of what the responses count, and its key numbers."""
    histogram: Sequence[tuple[float, float, int]] = found["histogram"]
    start, end, most = histogram[0][0], histogram[-1][1], max(height for *_, height in histogram)
    made = [
        ((low - start) / (end - start), (high - start) / (end - start), count / most) for low, high, count in histogram
    ]
    title = gettext("Weights")
    least, largest = _times(found["least"]), _times(found["largest"])
    described = gettext("Histogram of what each response counts, from {least} to {largest}; 1 is the average.")
    picture = charts.columns(
        made,
        key=f"weights-{key}",
        kind="weights",
        title=title,
        words=described.format(least=least, largest=largest),
        most=gettext("{count} responses").format(count=wording.count(most)),
        ends=(_times(start), gettext("{end} times the average").format(end=_times(end))),
    )
    cells = (
        (gettext("Least"), least),
        (gettext("Largest"), largest),
        (gettext("Responses"), wording.count(n)),
        (gettext("Effective number of responses"), wording.count(round(found["effective_size"]))),
        (gettext("Design effect"), _times(found["design_effect"])),
    )
    table = parts.FigureTable(gettext("Weights, 1 on average"), (gettext("Number"), gettext("Value")), cells)
    return parts.FigureWithTable(title, picture, table)


def _times(number: float) -> str:
    return figures(f"{number:.2f}")


def _beside(rows: Sequence[AnalysisRow]) -> Iterator[tuple[AnalysisRow, AnalysisRow]]:
    """Pair each weighted row with its unweighted one; of yes and no only yes, which determines both."""
    entered = [row for row in rows if row.weights]
    alike = {(row.quantity, row.choice): row for row in rows if not row.weights}
    shares = rows_of(entered, "share")
    for row in rows_of(entered, "mean") or (shares[1:] if len(shares) == 2 else shares):
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
