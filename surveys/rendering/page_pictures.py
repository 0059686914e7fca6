"""The respondent's page as it is on a phone, one screen after the other, for pictures on paper.

It is read off the very bytes that respondents get, so that neither a word nor a control can differ; what the page's
script puts into it is put in here (`page_sentences.py`). Folds are open, but for those that only a script can fill.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

from django.conf import settings

from collector.designs import Design
from estimator.base.languages import activated
from estimator.base.protection import total_ratio
from surveys.rendering.page_elements import Element, read_page
from surveys.rendering.page_sentences import Phrases, Sentences, epsilon_up, odds_up, opening, sums
from surveys.rendering.pages import render_page

Node = dict[str, object]

NOT_YET = "…"
"""Stands for an answer, and for what is made of answers."""

FEW = 5
"""A survey of more questions says how far the answers have come (`client/sections.js`)."""

INLINE = frozenset({"a", "b", "br", "code", "em", "span", "strong"})
BLOCKS = frozenset({"button", "question-name", "question-note", "question-number", "question-tag"})
"""Classes by which such an element stands on lines of its own."""

CLOSED = frozenset({"practice", "check"})
"""Folds, and what has some, that only a script can fill."""

FIRST_ONLY = frozenset({"opening", "practice", "waves"})
FIRST_ONLY_IDS = frozenset({"group", "inviting"})
"""What is not shown beside later sections."""

STYLES = {"strong": "strong", "b": "strong", "a": "link", "code": "code"}
STYLES_OF_CLASSES = {"question-optional": "optional", "hint": "hint"}


@dataclass(frozen=True)
class Screen:
    """What is on the screen at one stage of the page; of the questions, those of the section at `place`."""

    stage: str
    place: int
    sections: int
    parts: list[Node]


def screens(
    design: Design, language: str, *, with_coin: bool, notes: Mapping[int, str], version: int = 0
) -> list[Screen]:
    """The screens of the page in one language, in the order in which respondents come to them.

    `notes` are put above questions, by their number: they are not on the page. `version` is the place of that which is
    shown, where the design compares versions of the page.
    """
    page = read_page(render_page(design, language, with_coin=with_coin))
    rtl = language in settings.LANGUAGES_BIDI
    with activated(language, dict(settings.LANGUAGES)):
        _Script(page, design, language, version, rtl=rtl).run()
    _annotate(page, notes)
    main = next(one for one in page.walk() if one.tag == "main")
    return list(_screens(main, design))


def _screens(main: Element, design: Design) -> Iterator[Screen]:
    count = len(_sections(main))
    before = ["consent", "declined"] if design.consent_statements else []
    before += ["screening", "screened"] if design.screening else []
    for stage in before:
        yield Screen(stage, 0, count, _blocks(main, stage))
    for place in range(count):
        yield Screen("questions", place, count, _blocks(_at_section(main, place, entered=bool(before)), "questions"))
    for stage in ("review", "sent"):
        yield Screen(stage, 0, count, _blocks(main, stage))


def _sections(main: Element) -> list[Element]:
    """The sections in which something is asked."""
    return [one for one in main.named("section") if "data-progress" in one.attributes]


def _at_section(main: Element, place: int, *, entered: bool) -> Element:
    """The page where this section is shown, with the buttons that lead on and back from there."""
    shown = deepcopy(main)
    sections = _sections(shown)
    for section in sections[:place] + sections[place + 1 :]:
        section.attributes["hidden"] = ""
    (said,) = shown.named("answered-said")
    said.parts = [sections[place].attributes["data-progress"]]
    last = place == len(sections) - 1
    doors = {"next-button": not last, "previous-button": place > 0 or entered, "review-button": last}
    for name, leads in doors.items():
        (button,) = shown.named(name)
        _hide(button, hidden=not leads)
    if place > 0:
        for one in shown.walk():
            if FIRST_ONLY & set(one.classes) or one.attributes.get("id") in FIRST_ONLY_IDS:
                _conceal(one)
    return shown


def _conceal(element: Element) -> None:
    """Show it at no stage."""
    element.attributes |= {"hidden": "", "data-stage": ""}


def _hide(element: Element, *, hidden: bool) -> None:
    element.attributes.pop("hidden", None)
    if hidden:
        element.attributes["hidden"] = ""


class _Script:
    """What the page's own script does before the first answer, done to a page that was read."""

    def __init__(self, page: Element, design: Design, language: str, version: int, *, rtl: bool) -> None:
        self._page = page
        self._design = design
        self._version = version
        self._items = [design.items[place] for place in design.versions[version]]
        arms = design.background.arms
        self._explanation = arms[version].explanation if arms else "before"
        patterns = {
            one.attributes["data-sentence"]: one.text for one in page.walk() if "data-sentence" in one.attributes
        }
        self._sentences = Sentences(patterns, rtl=rtl)
        self._phrases = [Phrases(item, language, self._sentences) for item in self._items]
        self._language = language

    def run(self) -> None:
        first = self._phrases[0]
        self._say("tickets-said", [opening(self._phrases)])
        self._say("leaves", [first.say("leaves")])
        self._say("odds", first.odds())
        for name, text in sums(self._items, self._sentences).items():
            self._say(name, [text])
        self._say("sent-receipt", [NOT_YET])
        self._fill("tickets-drawn", [Element("tickets", {"box": json.dumps(first.tickets())})])
        self._fill("review-list", list(self._review()))
        for place, phrases in zip(self._design.versions[self._version], self._phrases, strict=True):
            self._question(_question_at(self._page, place + 1), phrases)
        self._show_version()
        self._progress()
        self._waves()
        for fold in self._page.named("practice"):
            _hide(fold, hidden=False)
        for around in (one for one in self._page.walk() if CLOSED & set(one.classes)):
            for fold in (one for one in around.walk() if one.tag == "details"):
                fold.attributes["data-closed"] = ""

    def _show_version(self) -> None:
        """Show what this version of the page does, and nothing of others (`client/arms.js`, `style/arms.css`)."""
        if not self._design.background.arms:
            return
        if self._explanation == "after":
            self._explain_later()
        shown = {self._explanation} if self._explanation == "own_coin" else {self._explanation, "tickets"}
        asked, own = set(self._design.versions[self._version]), str(self._version)
        for place in set(range(len(self._design.items))) - asked:
            _conceal(_question_at(self._page, place + 1))
        introductions = {one.attributes["data-introduction"]: one for one in self._having("data-introduction")}
        for name, one in introductions.items():
            _hide(one, hidden=name != (own if own in introductions else ""))
        for one in self._having("data-version"):
            _hide(one, hidden=one.attributes["data-version"] != own)
        for one in self._having("data-arm-only"):
            if one.attributes["data-arm-only"] not in shown:
                _conceal(one)
        if self._explanation != "before":
            for around in (one for one in self._page.walk() if {"question", "matrix"} & set(one.classes)):
                for fold in (one for one in around.walk() if "fold-quiet" in one.classes):
                    _conceal(fold)

    def _having(self, attribute: str) -> list[Element]:
        return [one for one in self._page.walk() if attribute in one.attributes and one.tag != "html"]

    def _explain_later(self) -> None:
        """Move the explanation to where a response has arrived."""
        (explanation,), (later,) = self._page.named("promise"), self._page.named("explained-later")
        for around in self._page.walk():
            around.parts = [part for part in around.parts if part is not explanation]
        del explanation.attributes["data-arm-only"]
        later.parts.append(explanation)

    def _question(self, element: Element, phrases: Phrases) -> None:
        for place in element.named("question-odds"):
            place.parts = [_paragraph(text) for text in (phrases.say("tickets"), *phrases.odds())]
        for place in element.named("note"):
            place.parts = [phrases.note()]

    def _progress(self) -> None:
        every = self._page.named("section")
        sections = [one for one in every if any("hidden" not in own.attributes for own in one.named("question"))]
        key = "progress" if len(every) == 1 else "progress-sections"
        for place, section in enumerate(sections, start=1):
            values = {"done": 0, "asked": len(self._items), "section": place, "sections": len(sections)}
            section.attributes["data-progress"] = self._sentences.say(key, values)
        (shown,) = self._page.named("answered")
        _hide(shown, hidden=len(every) == 1 and len(self._items) <= FEW)

    def _waves(self) -> None:
        waves = self._design.waves
        if waves is None:
            return
        together = total_ratio(self._design)  # the next wave may show another version
        key = "waves-first" if waves.spent == 1 else "waves-odds"
        values = {"spent": odds_up(waves.spent), "together": odds_up(together)}
        self._say("waves-odds", [self._sentences.say(key, values)])
        self._say("waves-experts", [self._sentences.say("waves-experts", {"epsilon": epsilon_up(together)})])
        if waves.repeats == "remember":
            self._say("number-said", [self._sentences.say("waves-unknown")])

    def _review(self) -> Iterator[Element]:
        """A line for each answer, and for the version of the page, which nobody can change."""
        design, spoken = self._design, self._language
        how = {"before": "review-ticket", "own_coin": "review-coin"}.get(self._explanation, "")
        asked = [(item.wording[spoken], NOT_YET, how) for item in self._items]
        if design.groups:
            asked.insert(0, (design.strata_wording[spoken], NOT_YET, "review-plain"))
        for one in reversed(design.background.questions):
            shown = (
                (one.choices[self._version][spoken], "background-drawn") if one.arms else (NOT_YET, "background-kept")
            )
            asked.insert(0, (one.wording[spoken], *shown))
        for wording, answer, note in asked:
            lines = {"answer-wording": wording, "answer-choice": answer}
            lines |= {"answer-note": self._sentences.say(note)} if note else {}
            parts: list[Element | str] = [Element("p", {"class": name}, [text]) for name, text in lines.items()]
            if note != "background-drawn":
                parts.append(Element("button", {"class": "button-quiet"}, [self._sentences.say("change")]))
            yield Element("li", {}, parts)

    def _say(self, name: str, texts: Sequence[str]) -> None:
        """Put in texts: where there may be several, each as a paragraph."""
        for place in self._page.named(name):
            place.parts = [_paragraph(text) for text in texts] if place.tag == "div" else list(texts)

    def _fill(self, name: str, parts: Sequence[Element]) -> None:
        for place in self._page.named(name):
            place.parts = list(parts)


def _paragraph(text: str) -> Element:
    return Element("p", {}, [text])


def _question_at(page: Element, number: int) -> Element:
    return next(one for one in page.walk() if one.attributes.get("id") == f"question-{number}")


def _annotate(page: Element, notes: Mapping[int, str]) -> None:
    """Put the notes above their questions, and below each link that leads off the site where it leads to."""
    for number, note in notes.items():
        _question_at(page, number).parts.insert(0, Element("note", {}, [note]))
    for around in list(page.walk()):
        for link in (part for part in list(around.parts) if isinstance(part, Element) and _leads_away(part)):
            around.parts.append(Element("note", {}, [link.attributes["href"]]))


def _leads_away(element: Element) -> bool:
    return element.tag == "a" and "noreferrer" in element.attributes.get("rel", "")


def _blocks(element: Element, stage: str) -> list[Node]:
    """What is seen of an element: lines of words, and the elements that stand on lines of their own."""
    found: list[Node] = []
    words: list[Element | str] = []
    for part in element.parts:
        if isinstance(part, str) or _is_inline(part):
            words.append(part)
            continue
        found += _line(words, element)
        words = []
        found += [node] if (node := _node(part, stage)) else []
    return found + _line(words, element)


def _node(element: Element, stage: str) -> Node | None:
    """An element as it is seen; None if it is not."""
    if not _is_seen(element, stage):
        return None
    node: Node = {"tag": element.tag, "of": element.classes}
    match element.tag:
        case "input":
            return node | {"kind": element.attributes["type"]}
        case "select":
            return node | {"choices": [one.text for one in element.walk() if one.tag == "option"]}
        case "img":
            sizes = {name: element.attributes[name] for name in ("alt", "width", "height")}
            return node | sizes | {"name": _file_of(element)}
        case "tickets":
            node.update(json.loads(element.attributes["box"]))
            return node
        case "note" | "progress" | "svg":
            return node | {"text": element.text}
    shown = element
    if element.tag == "details":
        closed = "data-closed" in element.attributes
        node["open"] = not closed
        shown = Element("details", {}, [one for one in element.parts if not closed or _is_summary(one)])
    parts = _blocks(shown, stage)
    return node | {"parts": parts} if parts else None


def _file_of(picture: Element) -> str:
    return picture.attributes["src"].rpartition("/")[2]


def _is_summary(part: Element | str) -> bool:
    return isinstance(part, Element) and part.tag == "summary"


def _is_seen(element: Element, stage: str) -> bool:
    classes = set(element.classes)
    hidden_from_all = element.tag == "noscript" or "out-of-sight" in classes
    if hidden_from_all or ("aria-hidden" in element.attributes and "mark" not in classes):
        return False
    if "data-stage" in element.attributes:
        return stage in element.stages
    return "hidden" not in element.attributes


def _is_inline(element: Element) -> bool:
    return element.tag in INLINE and not BLOCKS & set(element.classes)


def _line(words: Iterable[Element | str], within: Element) -> list[Node]:
    """Words on lines of their own, as runs of one style; none if there are only spaces."""
    runs: list[list[str]] = []
    keeps = {"paragraphs", "section-introduction"} & set(within.classes)
    for style, text in _runs(words, ""):
        told = text if keeps or text == "\n" else _spaced(text)
        if runs and runs[-1][0] == style:
            runs[-1][1] += told
        elif told.strip(" ") or runs:
            runs.append([style, told])
    if runs:
        runs[0][1], runs[-1][1] = runs[0][1].lstrip(), runs[-1][1].rstrip()
    shown = [run for run in runs if run[1]]
    return [{"tag": "line", "of": [], "runs": shown}] if shown else []


def _runs(words: Iterable[Element | str], style: str) -> Iterator[tuple[str, str]]:
    for part in words:
        if isinstance(part, str):
            yield style, part
        elif part.tag == "br":
            yield style, "\n"
        elif "hidden" not in part.attributes:
            of_class = next((STYLES_OF_CLASSES[name] for name in part.classes if name in STYLES_OF_CLASSES), "")
            current = "current" if "aria-current" in part.attributes else ""
            yield from _runs(part.parts, current or of_class or STYLES.get(part.tag, style))


def _spaced(text: str) -> str:
    """With one space for each run of spaces and line breaks, as a browser shows it."""
    words = " ".join(text.split())
    return f"{' ' * text[:1].isspace()}{words}{' ' * (text[-1:].isspace() and bool(words))}"
