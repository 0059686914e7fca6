"""Texts of other tools: their languages, plain text of HTML, and options that are recognised by their words."""

import html
import re
from html.parser import HTMLParser

from django.utils.translation import gettext

from collector.designs.texts import refused_character
from estimator.base.languages import filled
from surveys.definition.bounds import LONGEST_TEXT
from surveys.definition.unsupported import TAG, unsupported_text
from surveys.exchange.source import Option, Words

LANGUAGE_NAMES = {
    **dict.fromkeys(("english", "englisch", "anglais", "inglés", "ingles"), "en"),
    **dict.fromkeys(("deutsch", "german", "allemand", "alemán"), "de"),
    **dict.fromkeys(("español", "espanol", "spanish", "spanisch", "castellano", "espagnol"), "es"),
    **dict.fromkeys(("français", "francais", "french", "französisch", "francés"), "fr"),
    **dict.fromkeys(("العربية", "arabic", "arabisch", "arabe", "árabe"), "ar"),
}
YES = {"yes", "ja", "sí", "si", "oui", "نعم", "true", "y"}
NO = {"no", "nein", "non", "لا", "false", "n"}
NEVER = {"never", "none", "none of these", "none of the above", "nie", "keine", "nunca", "jamais", "aucun", "أبدا"}
WITHHELD = re.compile(
    r"prefer(?:s|red)? not|rather not|not (?:want|wish|like) to (?:say|answer|tell)|do(?:n.t| not) want to|"
    r"no answer|declin|"
    r"refuse|keine angabe|nicht (?:sagen|angeben|beantworten)|möchte.*nicht|verweiger|"
    r"prefiero no|no (?:quiero|deseo|contesta)|ne sabe/ne contesta|préf[èe]re? (?:ne )?pas|préfère ne|"
    r"sans réponse|ne souhaite pas|"
    r"ne veux pas|refus|أفضل عدم|أفضّل عدم|لا أرغب",
    re.IGNORECASE,
)
PIPED = re.compile(r"\$\{([^{}\n]{1,100})\}|\{([A-Za-z_][\w.:/#-]{0,100})\}")
"""Places where other tools put an earlier answer into a text."""

REDCAP_PIPED = re.compile(r"(?<!\[)\[([a-z][a-z0-9_]{0,99}(?::[a-z]+)?)\](?!\])")

BLOCKS = {"br", "p", "div", "li", "tr", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"}
SHOWN_NOWHERE = {"script", "style", "iframe", "object", "video", "audio"}


class _PlainText(HTMLParser):
    """The text of HTML, with line ends where blocks end."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.lost: set[str] = set()
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")
        if tag == "img":
            self.lost.add("a picture")
        if tag in SHOWN_NOWHERE:
            self.hidden += 1
            self.lost.add(gettext("a script or an embedded part") if tag != "style" else "a style")
        if tag == "a":
            self.lost.add("a link")

    def handle_endtag(self, tag: str) -> None:
        if tag in SHOWN_NOWHERE:
            self.hidden = max(0, self.hidden - 1)
        elif tag in BLOCKS - {"br"}:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def plain_text(written: str, piped: re.Pattern[str] = PIPED) -> tuple[str, list[str]]:
    """A text as plain text that a definition takes, and what was changed to make it that, in sentences."""
    words, said = written.replace("\r\n", "\n").replace("\r", "\n"), []
    if len(words) > LONGEST_TEXT:
        words = words[:LONGEST_TEXT]
        shortened = gettext("The text was shortened to {longest_text:,} characters.")
        said.append(filled(shortened, longest_text=LONGEST_TEXT))
    words, lost = _without_html(words)
    said += lost
    if refused_character(words):
        words = "".join(letter for letter in words if refused_character(letter) is None)
        words = words if refused_character(words) is None else words.encode("ascii", "ignore").decode()
        said.append(gettext("Invisible characters were removed."))
    if piped.search(words):
        words = piped.sub(lambda found: f"[[{next(filter(None, found.groups()))}]]", words)
        said.append(
            gettext("An answer or value that the tool inserts into the text is in double brackets: rewrite it.")
        )
    return words.strip(), said


def _without_html(words: str) -> tuple[str, list[str]]:
    said: list[str] = []
    for _ in range(3):  # what was escaped once or twice
        if not TAG.search(words) and not re.search(r"&(?:#\d+|\w+);", words):
            break
        if TAG.search(words):
            reader = _PlainText()
            reader.feed(words)
            reader.close()
            words = "".join(reader.parts)
            lost = gettext(", with {names}").format(names=", ".join(sorted(reader.lost))) if reader.lost else ""
            said = said or [gettext("The formatting was removed{lost}.").format(lost=lost)]
        else:
            words = html.unescape(words)
        words = re.sub(
            r"\n\s*\n\s*", "\n\n", "\n".join(re.sub(r"[ \t\xa0]+", " ", one).strip() for one in words.split("\n"))
        )
    if unsupported_text(words) and TAG.search(words):
        words = words.replace("<", "‹").replace(">", "›")
        said.append(gettext("Angle brackets were replaced."))
    return words.strip(), said


def language_code(tag: str) -> str:
    """The code of a language that a tool names "en", "de-informal", "English (en)", "Deutsch"; "" if it names none."""
    tag = tag.strip()
    if inside := re.search(r"\(([A-Za-z]{2,3}(?:[-_][A-Za-z]+)*)\)\s*$", tag):
        tag = inside[1]
    name = tag.lower()
    if name in LANGUAGE_NAMES:
        return LANGUAGE_NAMES[name]
    code = re.split(r"[-_]", name)[0]
    return code if re.fullmatch(r"[a-z]{2,3}", code) else re.sub(r"[^a-z]", "", name)[:20]


def first_text(words: Words, otherwise: str) -> str:
    """A text in the first language that has it."""
    return next(filter(None, words.values()), otherwise)


def mark_special(options: list[Option]) -> list[Option]:
    """The options with those marked that say "prefer not to say" in some language."""
    for option in options:
        if not option.special and any(WITHHELD.search(words) for words in option.words.values()):
            option.special = "prefer_not"
    return options


def yes_and_no(options: list[Option]) -> tuple[Option, Option] | None:
    """The options that say no and yes, in this order; None if these are not the two options."""
    if len(options) != 2:
        return None
    no = [one for one in options if _is_one_of(one, NO)]
    yes = [one for one in options if _is_one_of(one, YES)]
    return (no[0], yes[0]) if len(no) == len(yes) == 1 and no[0] is not yes[0] else None


def says_never(option: Option) -> bool:
    """Whether an option is what people would say who are not asked: never, none."""
    return option.special == "none" or _is_one_of(option, NEVER)


def _is_one_of(option: Option, known: set[str]) -> bool:
    said: Words = option.words
    texts = [words.strip().strip(".!").lower() for words in said.values() if words.strip()]
    return any(one in known for one in texts or [option.code.strip().lower()])
