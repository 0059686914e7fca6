"""The platform's own paragraphs on every page that respondents read, by the state in which they stand."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from bin import catalog
from collector.designs import Design
from surveys.rendering.pages import render_page
from tests.factories import kinds, payloads

AUTHOR = "§"
"""Stands for every text of a survey's author, which is not measured."""

INLINE = {"span", "strong", "a", "b", "code", "br", "bdi", "em", "svg", "path", "circle"}
VOID = {"br", "input", "meta", "link", "img", "path", "circle", "rect"}

STATE_OF_SENTENCE = (
    (r"(refused|failed|missing)-.*", None),
    (r"(sending|kept|seconds)\b.*", "sending"),
    (r"elsewhere-.*", "elsewhere"),
    (r"(note|sent)-.*|group-line", "sent"),
    (r"(review|blank|change)\b.*", "review"),
    (r"(experts|table|waves-experts|waves-spent)\b.*", "experts"),
    (r"(body|link)-.*", "check"),
    (r".*", "questions"),
)
"""Where the script puts a sentence; None: in a state of its own, where nothing else is to be read."""

PARTS = {
    "templates/surveys/spent.html": "record",
    "templates/surveys/token.html": "token",
    "templates/surveys/results.html": "results",
    "templates/surveys/closed.html": "closed",
    "surveys/rendering/results_page.py": "results",
    "surveys/rendering/own_coin/sheet.py": "sheet",
    "surveys/rendering/own_coin/page.py": "coin refused",
    "surveys/rendering/own_coin/sentences.py": "coin instructions",
    "surveys/outreach/invitation_files.py": "cards",
    "surveys/outreach/poster.py": "poster",
}
"""Pages that are one state each, by the file that has their texts."""


class _Page(HTMLParser):
    """Paragraphs with the stages around them, and sentences by key."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[tuple[tuple[str, ...], str]] = []
        self.sentences: dict[str, str] = {}
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in INLINE:
            self._end()
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in INLINE:
            self._end()
        if tag not in VOID:
            while self._open and self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        self._text += data

    def _end(self) -> None:
        text, self._text = " ".join(self._text.split()), ""
        around = [attributes for _tag, attributes in self._open]
        if not text or any(one.get("data-part") == "design" for one in around):
            return
        key = around[-1].get("data-sentence") if around else None
        if key:
            self.sentences[key] = text
            return
        stages = [one["data-stage"] for one in around if one.get("data-stage")]
        states = tuple((stages[-1] or "").split()) if stages else ()
        self.paragraphs.append((states, text))


def states(language: str) -> dict[str, list[str]]:
    """The paragraphs that end like a sentence, by state; labels, headings and buttons are short by themselves."""
    found: dict[str, list[str]] = defaultdict(list)
    for document in _documents(language):
        for state, text in _of_page(document, language):
            if text not in found[state]:
                found[state].append(text)
    for text, places in catalog.texts().items():
        for state in {_state_of_file(place) for place in places} - {""}:
            found[state] += _translated(language, text)
    return {state: kept for state, texts in found.items() if (kept := [text for text in texts if _is_prose(text)])}


def _of_page(document: dict[str, Any], language: str) -> Iterator[tuple[str, str]]:
    page = _Page()
    body = render_page(Design.of(document), language, with_coin=True).decode()
    page.feed(re.sub(r"<(script|style|title)\b.*?</\1>", "", body, flags=re.DOTALL))
    for stages, text in page.paragraphs:
        for stage in stages or ("noscript",):
            yield stage, text
    for key, text in page.sentences.items():
        state = next(state for pattern, state in STATE_OF_SENTENCE if re.fullmatch(pattern, key))
        yield state or key, text


def _documents(language: str) -> Iterator[dict[str, Any]]:
    """Between them every part of the page: all kinds, groups, consent, screening, waves, invitations."""
    entry = {
        "consent_statements": [{"en": "a"}, {"en": "b"}],
        "screening": {
            "wording": {"en": "a"},
            "choices": [{"en": "b"}, {"en": "c"}],
            "ends": [1],
            "text": {"en": "d"},
        },
    }
    yield in_language(kinds.document(), language)
    yield in_language(payloads.document(**entry), language)
    waves = {"repeats": "remember", "spent": "3/1"}
    yield in_language(payloads.document(invitations={"kind": "secret"}, waves=waves), language)
    yield in_language(payloads.document(waves=waves | {"repeats": "fresh"}), language)


def in_language(value: Any, language: str) -> Any:
    """The design in this language, without a word of its author."""
    if isinstance(value, dict) and set(value) == {"en"}:
        return {language: f"{AUTHOR}{value['en']}" if value["en"] else ""}
    if isinstance(value, dict):
        made = {name: in_language(part, language) for name, part in value.items()}
        return made | ({"languages": [language]} if "languages" in value else {})
    return [in_language(part, language) for part in value] if isinstance(value, list) else value


def _state_of_file(place: str) -> str:
    if place.startswith("templates/surveys/coin/"):
        name = place.rpartition("/")[2].removesuffix(".html")
        return "coin page" if name.startswith("_") or name == "page" else f"coin {name}"
    return PARTS.get(place, "")


def _translated(language: str, text: catalog.Text) -> list[str]:
    if language == "en":
        return [text.plural or text.singular]
    return [_catalog(language)[text.singular, text.plural]]


CATALOGS: dict[str, Mapping[tuple[str, str], str]] = {}


def _catalog(language: str) -> Mapping[tuple[str, str], str]:
    if language not in CATALOGS:
        CATALOGS[language] = {
            (entry.msgid, entry.msgid_plural): entry.msgstr_plural[max(entry.msgstr_plural)]
            if entry.msgid_plural
            else entry.msgstr
            for entry in catalog.catalog(language)
        }
    return CATALOGS[language]


def _is_prose(text: str) -> bool:
    return AUTHOR not in text and text.rstrip("”»“ ")[-1:] in (".", "!", "?", "؟")
