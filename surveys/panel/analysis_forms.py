"""The forms of the page Analyse: the fields of each kind, filled with the previous or the most likely values."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from django.utils.translation import gettext

from collector.designs import Design
from estimator.analyses.margins import METHODS, choices_of, share_name
from estimator.analyses.method_texts import CALIBRATIONS, MODEL_NAMES
from estimator.analyses.quantities import MEAN, STEPS, item_of, outcomes_of, quantities_of, variable_of, variables_of
from estimator.analyses.regression_requests import ANSWERS, MODELS, MOST_INTERACTIONS, answers_of, interaction_fields
from estimator.analyses.requests import CONFIDENCES, countable, score_field
from estimator.analyses.scores import MOST_ITEMS
from estimator.analyses.selectors import weightings_of
from estimator.analyses.sentences import RowDescriber, capital
from estimator.analyses.strata import PAIRS
from estimator.base import wording
from estimator.models import LONGEST_NAME, Analysis
from estimator.runs.groups import UNTOLD, answer_key, groups_of, is_protected
from estimator.runs.waves import is_weighted
from surveys.labels import translated
from surveys.panel.analysis_texts import SUPPORTED, WHAT
from surveys.times import moment

Kind = Analysis.Kind
MOST_WEIGHTINGS = 20
Options = list[tuple[str, str]]


@dataclass(frozen=True)
class FormField:
    """One field of a form: a list with its options in named groups, a text input, a box to `tick`, or a text `area`.

    `heading` stands above the first of the fields that belong together. `keyboard` is the input mode and `longest` the
    number of characters of a text input.
    """

    name: str
    label: str
    value: str
    options: list[tuple[str, Options]] | None = None
    hint: str = ""
    optional: bool = False
    tick: bool = False
    area: bool = False
    heading: str = ""
    keyboard: str = "decimal"
    longest: int = 32


@dataclass(frozen=True)
class AnalysisForm:
    """The form of one kind; `missing` is why it is impossible for this survey, and then there are no fields."""

    kind: str
    title: str
    what: str
    supported: str
    missing: str
    fields: tuple[FormField, ...]


def form_of(kind: str, designs: Sequence[Design], values: Mapping[str, str]) -> AnalysisForm:
    """The form of a kind for the newest of some designs, with the previous values."""
    missing = _missing(kind, designs)
    fields = () if missing else (*FIELDS[kind](designs[0], values), _confidence(values), _name(values))
    return AnalysisForm(
        kind, translated(Kind(kind).label), str(WHAT[Kind(kind)]), str(SUPPORTED[Kind(kind)]), missing, fields
    )


def _missing(kind: str, designs: Sequence[Design]) -> str:
    if not designs:
        return gettext("There is nothing to analyse before this survey is opened.")
    grouped = kind in (Kind.COMPARISON, Kind.WEIGHTING, Kind.REGRESSION)
    if grouped and is_protected(designs[0]):
        return UNTOLD
    if grouped and not designs[0].groups and not designs[0].background:
        return gettext("This survey has no groups. Groups are added to the draft, before it is opened.")
    if kind == Kind.SCORES and len(countable(designs[0])) < 2:
        return gettext("This survey has fewer than two questions with a Yes that can be counted.")
    if kind == Kind.AREAS and not designs[0].background.asked:
        return gettext("This survey has no background questions. They are added to the draft, before it is opened.")
    if kind == Kind.VERSIONS and len(designs) < 2:
        return gettext("This survey has only one version. Close and revise it to open the next version.")
    return ""


def _comparison(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    yield _select("quantity", gettext("Compare"), _quantities(design), values)
    if design.background:
        yield _select("against", gettext("Which groups"), list(_answers(design)), values)
        yield from _weights(design, values)
        return
    groups = [(key, gettext("Each group with “{label}”").format(label=label)) for key, label in _groups(design)]
    yield _select(
        "against", gettext("Which groups"), [("", [(PAIRS, gettext("Every pair of groups"))]), ("", groups)], values
    )


def _answers(design: Design) -> Iterator[tuple[str, Options]]:
    """By background question, what may be compared: every pair of answers, or each with one of them."""
    speaker = RowDescriber(design)
    for place, question in enumerate(design.background.questions):
        pairs = (f"{PAIRS}:{question.key}", gettext("Every pair of answers"))
        one = gettext("Each answer with “{label}”")
        each = [
            (answer_key(design, place, answer), one.format(label=speaker.text(choice)))
            for answer, choice in enumerate(question.choices)
        ]
        yield speaker.text(question.wording), [pairs, *each]


def _weighting(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    speaker, items = RowDescriber(design), design.items
    questions = [(item.key, speaker.question(position)) for position, item in enumerate(items)]
    yield _select("item", gettext("Question"), [("", questions)], values)
    if design.background:
        yield from _margins(design, values)
        table = _table(values, gettext("Where do you live?; North; 25"))
        together = gettext("Of several questions together, such as “{example}”, each with a share of its own.")
        example = gettext("Where do you live?; North; How old are you?; 18–29; 12.5")
        hint = " ".join([table.hint, together.format(example=example)])
        yield replace(table, hint=hint, heading=gettext("Or as a table"))
        yield from _method(values)
        return
    known = {group.key: group.share for group in design.groups}
    for place, (key, label) in enumerate(_groups(design)):
        name = f"share-{key}"
        given = f"{float(Fraction(share) * 100):.10g} %" if (share := known[key]) else ""
        hint = gettext("In per cent or as a fraction; together 100 %.") if place == 0 else ""
        yield FormField(
            name,
            gettext("Share of “{label}” in the population").format(label=label),
            values.get(name, given),
            hint=hint,
        )
    yield _table(values, gettext("First year; 25"))


def _margins(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    """The shares of the answers to each background question."""
    speaker = RowDescriber(design)
    hint = gettext(
        "In per cent, as fractions, or in numbers of people. Leave all shares of a question empty to not weight by it."
    )
    for place, question in enumerate(design.background.questions):
        for answer in choices_of(design.background, place):
            name = share_name(question.key, answer)
            heading = speaker.text(question.wording) if answer == 0 else ""
            label, first = speaker.text(question.choices[answer]), place == answer == 0
            given = values.get(name, "")
            yield FormField(name, label, given, hint=hint if first else "", optional=True, heading=heading)


def _method(values: Mapping[str, str]) -> Iterator[FormField]:
    """How weights are made of shares."""
    methods = [(name, capital(str(CALIBRATIONS[name]))) for name in METHODS]
    yield replace(_select("method", gettext("Method"), [("", methods)], values), heading=gettext("Weights"))
    hint = gettext("No response counts more than so many times the average, or less than one so many-th of it.")
    yield _number("largest", gettext("Largest weight"), values, hint)


def _table(values: Mapping[str, str], example: str) -> FormField:
    hint = gettext("One share in a line, such as “{example}”; cells may be separated by tabs or commas too.")
    label = gettext("Shares as a table (optional)")
    return FormField(
        "table", label, values.get("table", ""), hint=hint.format(example=example), optional=True, area=True
    )


def _cross_table(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    options, speaker = _variables(design, binary=False), RowDescriber(design)
    asked = [(question.key, speaker.text(question.wording)) for question in design.background.asked]
    background = [
        (gettext("Background questions"), asked),
        (
            gettext("Background questions as numbers, to correlate"),
            [(f"{key}:{STEPS}", f"{gettext('In steps')} · {text}") for key, text in asked],
        ),
    ]
    yield _select("rows", gettext("First question"), options + background, values)
    yield _select("columns", gettext("Second question"), options, values, likely=1)
    groups = _groups(design)
    if groups:
        everybody = [("", gettext("All respondents"))]
        yield _select("group", gettext("Of whom"), [("", everybody), (gettext("Only of the group"), groups)], values)
    yield from _weights(design, values)


def _scores(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    """A box for each yes that may be counted; at first those of the first yes/no questions are ticked."""
    speaker, tokens = RowDescriber(design), countable(design)
    usual = [token for token in tokens if ":" not in token][:MOST_ITEMS]
    asked = any(name.startswith("item-") for name in values)
    for token in tokens:
        variable = variable_of(design, token, binary=True)
        given = values.get(score_field(token), "" if asked or token not in usual else "yes")
        yield FormField(score_field(token), speaker.variable(variable), given, tick=True)


def _regression(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    if not design.background:
        yield _select("outcome", gettext("Answer"), _variables(design, binary=True), values)
    else:
        outcomes = [_under(design, position, outcomes_of(design, position)) for position in _positions(design)]
        yield _select("outcome", gettext("Answer"), outcomes, values)
        yield from _predictors(design, values)
        yield from _more_of_regression(design, values)
        return
    yield _select("reference", gettext("Compare each group with"), [("", _groups(design))], values)


def _predictors(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    """How each background question enters."""
    hint = gettext("In steps: each further answer changes the odds alike, as a line does. It takes fewer responses.")
    for place, question in enumerate(design.background.questions):
        name = f"predictor-{question.key}"
        options = [("no", gettext("No predictor")), ("yes", gettext("Each answer by itself"))]
        options += [] if question.arms else [(STEPS, gettext("In steps, first to last"))]
        usual = "no" if any(arm.instead for arm in question.arms) or values.get("outcome") else "yes"
        heading = gettext("Predictors") if place == 0 else ""
        field = _select(name, RowDescriber(design).text(question.wording), [("", options)], {name: usual, **values})
        yield replace(field, heading=heading, hint=hint if question is design.background.asked[0] else "")


def _more_of_regression(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    """The model, interactions, weights and priors."""
    speaker = RowDescriber(design)
    usual = ("", gettext("Usual: logistic, multinomial or linear"))
    models = [usual, *((name, str(MODEL_NAMES[name])) for name in MODELS)]
    yield replace(_select("model", gettext("Model"), [("", models)], values), heading=gettext("Model and weights"))
    others = answers_of(design)
    if len(others) > 1:
        whole = [(key, speaker.question(item_of(design, key))) for key, tokens in others.items() if tokens == [key]]
        by_choice = [_under(design, item_of(design, key), tokens) for key, tokens in others.items() if tokens != [key]]
        label, none = gettext("Randomised answer as a predictor"), ("", [("", gettext("None"))])
        for name in ANSWERS[: len(others) - 1]:
            yield _select(name, label, [none, (gettext("The answer to"), whole), *by_choice], values)
            label = gettext("Another one")
        each = [(one.key, speaker.text(one.wording)) for one in design.background.questions]
        label, alike = gettext("Their effects differ by"), ("", [("", gettext("Nothing: the same for all"))])
        field = _select("modifier", label, [alike, (gettext("The answer to"), each)], values)
        yield replace(field, hint=gettext("That question becomes a predictor, too. It takes many responses."))
    yield from _weights(design, values)
    hint = gettext("They keep all odds ratios finite, where few responses would leave some without a number.")
    given = values.get("prior", "")
    yield FormField("prior", gettext("Weakly informative priors"), given, tick=True, hint=hint)
    words = {question.key: speaker.text(question.wording) for question in design.background.questions}
    heading = gettext("Interactions")
    hint = gettext("At most {most}. Every two answers then have a share of their own, and no odds ratios.")
    for name, (one, other) in interaction_fields(design).items():
        label, given = f"{words[one]} × {words[other]}", values.get(name, "")
        yield FormField(name, label, given, hint=hint.format(most=MOST_INTERACTIONS), tick=True, heading=heading)
        heading = hint = ""


def _weights(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    """The weightings that were found; nothing before there is one."""
    found = [
        (one.key, one.name or gettext("Weighting of {moment}").format(moment=moment(one.requested_at)))
        for one in weightings_of(design)[:MOST_WEIGHTINGS]
    ]
    if found:
        alike = ("", [("", gettext("All responses alike"))])
        yield _select("weights", gettext("Weights"), [alike, (gettext("As found by"), found)], values)


def _areas(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    speaker, questions = RowDescriber(design), design.background.asked
    yield _select("outcome", gettext("Answer"), _variables(design, binary=True), values)
    asked = [(question.key, speaker.text(question.wording)) for question in questions]
    yield _select("area", gettext("Areas"), [("", asked)], values)
    for key, wording_ in asked:
        heading = gettext("Predictors") if key == questions[0].key else ""
        given = values.get(f"predictor-{key}", "")
        yield FormField(f"predictor-{key}", wording_, given, tick=True, heading=heading)
    hint = gettext(
        "A line for each combination: the area, the answer to each predictor in their order, and the number of people. "
        "Without a census each area is made up as its responses are."
    )
    label, given = gettext("Census as a table (optional)"), values.get("table", "")
    yield FormField("table", label, given, hint=hint, optional=True, area=True, heading=gettext("Census"))


def _versions(design: Design, values: Mapping[str, str]) -> Iterator[FormField]:
    yield _select("quantity", gettext("Compare"), _quantities(design), values)
    if is_weighted(design):
        return
    hint = gettext(
        "Enter it only if you know it: the interval then takes into account that the same people answered twice."
    )
    if design.remembers:
        hint += " " + gettext("Count those who used the same device: another one does not remember.")
    yield _number("returned", gettext("People who took part in the newest and in the one before"), values, hint)
    if design.version > 2:
        yield _number("returned_first", gettext("People who took part in the newest and in the first"), values)


def _number(name: str, label: str, values: Mapping[str, str], hint: str = "") -> FormField:
    return FormField(name, f"{label} (optional)", values.get(name, ""), hint=hint, optional=True)


def _select(
    name: str, label: str, options: list[tuple[str, Options]], values: Mapping[str, str], *, likely: int = 0
) -> FormField:
    """A list with the previous value selected, or else the first option of the group in the `likely` place."""
    filled = [group for group in options if group[1]]
    first = filled[min(likely, len(filled) - 1)][1][0][0] if filled else ""
    return FormField(name, label, values.get(name, first), filled)


def _confidence(values: Mapping[str, str]) -> FormField:
    options = [(value, wording.percent(float(value))) for value in CONFIDENCES]
    return _select("confidence", gettext("Confidence"), [("", options)], values)


def _name(values: Mapping[str, str]) -> FormField:
    label, hint = gettext("Name (optional)"), gettext("It stands in the list of analyses and in the report.")
    return FormField(
        "name", label, values.get("name", ""), hint=hint, optional=True, keyboard="text", longest=LONGEST_NAME
    )


def _groups(design: Design) -> Options:
    speaker = RowDescriber(design)
    return [(group.key, speaker.text(group.label)) for group in groups_of(design)]


def _quantities(design: Design) -> list[tuple[str, Options]]:
    return [_under(design, position, quantities_of(design, position)) for position in _positions(design)]


def _variables(design: Design, *, binary: bool) -> list[tuple[str, Options]]:
    return [_under(design, position, variables_of(design, position, binary=binary)) for position in _positions(design)]


def _under(design: Design, position: int, tokens: Iterable[str]) -> tuple[str, Options]:
    speaker = RowDescriber(design)
    question = speaker.question(position)
    # A closed list shows the option alone, so the question stands there too, after what tells options apart.
    return question, [(token, f"{_label(speaker, position, token)} · {question}") for token in tokens]


def _label(speaker: RowDescriber, position: int, token: str) -> str:
    part = token.partition(":")[2]
    if part.isdecimal():
        return speaker.choice(position, int(part))
    if part:
        return gettext("Mean") if part == MEAN else gettext("Who follows the coin")
    labels = [speaker.text(choice) for choice in speaker.design.items[position].choices]
    return labels[1] if len(labels) == 2 else gettext("All choices")


def _positions(design: Design) -> range:
    return range(len(design.items))


FIELDS: dict[str, Callable[[Design, Mapping[str, str]], Iterator[FormField]]] = {
    Kind.COMPARISON: _comparison,
    Kind.WEIGHTING: _weighting,
    Kind.CROSS_TABLE: _cross_table,
    Kind.SCORES: _scores,
    Kind.REGRESSION: _regression,
    Kind.AREAS: _areas,
    Kind.VERSIONS: _versions,
}
