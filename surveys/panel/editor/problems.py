"""Everything that keeps a draft from opening, and advice on its texts: each with the path of its field."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext, ngettext

from collector.designs import Design
from collector.errors import Path, ValidationError
from estimator.base import wording
from estimator.base.languages import DEFAULT, activated, formatted
from estimator.base.verdict import Verdict
from surveys.definition.ceilings import excesses
from surveys.definition.definitions import design_of, drawn_items
from surveys.definition.parts import Definition, Text, texts_before, texts_of_background, texts_of_pictures
from surveys.definition.question_advice import question_advice
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import selectors
from surveys.lifecycle.advice import dismissals_of
from surveys.models import Survey
from surveys.panel.forms.missing import item_faults, screening_faults
from surveys.planning import draft_prices
from surveys.planning.group_warnings import expected_reports

STOPS, ADVICE = "stops", "advice"
FIELD_NAMES = {"may_be_blank": "required", "sent_if_unasked": "unasked"}
"""What the editor calls fields of the plain form."""


@dataclass(frozen=True)
class Problem:
    """One entry of the list. Questions, sections and groups are named by their keys in the path."""

    level: str
    path: tuple[str | int, ...]
    text: str
    mark: str = ""
    """Of advice: a hash of it in English and of the words that it is about, by which it can be dismissed until they
    change."""
    dismissed: str = ""
    """The reason for which it was dismissed."""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def problems_of(survey: Survey, definition: Definition) -> list[Problem]:
    """What keeps the draft from opening, what takes most work first, and then the advice."""
    found = [*_unfinished(definition), *_empty_texts(definition)]
    design, fault = _derived(survey, definition)
    if fault is not None:
        path = keyed_path(definition, fault.path)
        begin = path[:2] if path[:1] == ("items",) else path[:1]
        if not any(one.path[: len(begin)] == begin for one in found):  # said already, and in more words
            words = fault.sentence(())
            found.append(
                Problem(
                    STOPS,
                    path,
                    f"{words[0].upper()}{words[1:].rstrip('.')}.",
                )
            )
    given = _given(survey, definition, design)
    if given and formatted() != DEFAULT:
        with activated(DEFAULT):  # whoever reads it: what one has dismissed, the others need not dismiss again
            english = _given(survey, definition, design)
        given = [replace(one, mark=same.mark) for one, same in zip(given, english, strict=True)]
    reasons = dismissals_of(survey) if given else {}
    return [*found, *(replace(one, dismissed=reasons.get(one.mark, "")) for one in given)]


def _given(survey: Survey, definition: Definition, design: Design | None) -> list[Problem]:
    """All advice, dismissed or not."""
    return [*(_advice(definition, design) if design else ()), *_worded(definition), *_imprecise(survey, definition)]


def keyed_path(definition: Definition, path: Path) -> tuple[str | int, ...]:
    """A path in which questions, sections and groups are named by their keys in place of their numbers."""
    lists: Sequence[tuple[Path, Sequence[Any]]] = (
        (("items",), definition["items"]),
        (("sections",), definition.get("sections", [])),
        (("strata", "groups"), definition["strata"]["groups"]),
    )
    for begin, parts in lists:
        place = path[len(begin)] if len(path) > len(begin) and path[: len(begin)] == begin else None
        if isinstance(place, int) and place < len(parts) and isinstance(parts[place], dict):
            return (*begin, str(parts[place].get("key", place)), *path[len(begin) + 1 :])
    return path


def _derived(survey: Survey, definition: Definition) -> tuple[Design | None, ValidationError | None]:
    """The design that opening would freeze, or the first thing that keeps it from that, with what can be drawn yet."""
    try:
        number = selectors.next_number(survey)
        return design_of(definition, version=number, opening=selectors.opening_of(survey)), None
    except ValidationError as error:
        fault = error
    try:
        return drawn_items(definition, version=1), fault
    except ValidationError:
        return None, fault


def _unfinished(definition: Definition) -> Iterator[Problem]:
    if not definition["items"]:
        yield Problem(STOPS, ("items",), gettext("There is no question yet."))
    for field, words in screening_faults(definition):
        yield Problem(STOPS, ("screening", field), words)
    for item in definition["items"]:
        for field, words in item_faults(item):
            yield Problem(STOPS, ("items", item["key"], FIELD_NAMES.get(field, field)), words)


def _empty_texts(definition: Definition) -> Iterator[Problem]:
    """The empty texts of the survey's own language one by one, of each further one together."""
    own, *others = definition["languages"]
    needed = list(texts_of(definition))
    for path, text, always in needed:
        written = any(words.strip() for words in text.values())
        if not text.get(own, "").strip() and (always or written):
            yield Problem(STOPS, (*path, own), gettext("The text is empty."))
    for code, name in zip(others, selectors.language_names(others), strict=True):
        empty = [
            (*path, code) for path, text, _ in needed if not text.get(code, "").strip() and text.get(own, "").strip()
        ]
        if empty:
            words = ngettext(
                "{language}: {count} text is not translated.",
                "{language}: {count} texts are not translated.",
                len(empty),
            )
            yield Problem(STOPS, empty[0], words.format(language=name, count=len(empty)))


def texts_of(definition: Definition) -> Iterator[tuple[tuple[str | int, ...], Text, bool]]:
    """Every text with its path; whether it is needed even where no language has it."""
    yield ("title",), definition["title"], True
    yield ("introduction",), definition["introduction"], False
    yield ("consent",), definition["consent"], False
    yield from _texts_of_entry(definition)
    yield from ((("about", name), text, False) for name, text in definition.get("about", {}).items())
    if logo := definition.get("look", {}).get("logo"):
        yield ("look", "logo", "alternative"), logo["alternative"], True
    ending = definition.get("ending", {})
    yield ("ending", "text"), ending.get("text", {}), False
    if "link" in ending:
        yield ("ending", "link", "label"), ending["link"]["label"], True
    groups = definition["strata"]["groups"]
    yield ("strata", "wording"), definition["strata"]["wording"], bool(groups)
    for group in groups:
        yield ("strata", "groups", group["key"], "label"), group["label"], True
    for number, below, words in texts_of_background(definition):
        yield ("background_questions", "questions", number - 1, *below), words, True
    for section in definition.get("sections", []):
        yield ("sections", section["key"], "title"), section["title"], True
        yield ("sections", section["key"], "introduction"), section["introduction"], False
    above: Text | None = None
    for item in definition["items"]:
        path, heading = ("items", item["key"]), item.get("heading")
        for name, words in texts_before(item):
            yield (*path, "before", *name.split("/")), words, True
        if heading is not None and heading != above:
            yield (*path, "heading"), heading, True
        yield (*path, "wording"), item["wording"], True
        if heading is not None and heading == above:
            continue  # what the rows of a grid share is missing once
        above = heading
        for number, choice in enumerate(item["choices"]):
            yield (*path, "choices", number), choice, True
        for number, words in texts_of_pictures(item):
            yield (*path, "choice_pictures", number, "alternative"), words, True
        if "prefer_not" in item:
            yield (*path, "prefer_not"), item["prefer_not"], True


def _texts_of_entry(definition: Definition) -> Iterator[tuple[tuple[str | int, ...], Text, bool]]:
    for number, statement in enumerate(definition.get("consent_statements", [])):
        yield ("consent_statements", number), statement, True
    if screening := definition.get("screening"):
        yield ("screening", "wording"), screening["wording"], True
        for number, choice in enumerate(screening["choices"]):
            yield ("screening", "choices", number), choice, True
        yield ("screening", "text"), screening["text"], True


def _advice(definition: Definition, design: Design) -> Iterator[Problem]:
    for excess in excesses(design):
        yield _advised(
            ("items",), gettext("Opening will require a reason: {in_words}.").format(in_words=excess.in_words)
        )
    for warning in text_warnings(design):
        path = keyed_path(definition, _parsed(warning.place))
        about = _text_at(definition, path).get(warning.language, "")
        yield _advised((*path, warning.language), f"“{warning.match}”: {warning.reason}", about)


def _worded(definition: Definition) -> Iterator[Problem]:
    """The advice on how questions are asked, of a draft that is unfinished, too."""
    for path, language, _kind, words in question_advice(definition):
        yield _advised((*path, language), words, _text_at(definition, path)[language])


def _imprecise(survey: Survey, definition: Definition) -> Iterator[Problem]:
    """The questions whose estimates will be too imprecise to report with the responses that the survey may expect."""
    expected = expected_reports(survey)
    for key, price in draft_prices.price_of(definition["items"], expected).questions.items():
        if price.verdict is Verdict.TOO_IMPRECISE:
            words = gettext("With {expected} responses: ±{width}, too imprecise to report.").format(
                expected=wording.count(expected), width=price.width
            )
            yield _advised(("items", key, "channel"), words)


def _advised(path: tuple[str | int, ...], words: str, about: str = "") -> Problem:
    mark = sha256(json.dumps([path, words, about]).encode()).hexdigest()
    return Problem(ADVICE, path, words, mark)


def _text_at(definition: Definition, path: tuple[str | int, ...]) -> Text:
    return next((text for at, text, _ in texts_of(definition) if at == path), {})


def _parsed(place: str) -> Path:
    """The path of a place that is written as items[2].choices[0]."""
    steps: list[str | int] = []
    for part in place.split("."):
        name, *numbers = part.replace("]", "").split("[")
        steps += [name, *map(int, numbers)]
    return tuple(steps)
