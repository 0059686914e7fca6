"""The respondent's page as bytes: rendered once when a design opens, stored, and served alike to everybody.

There is no request in here: nothing about a person, a time or a browser can reach the page.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from surveys.definition.languages import LanguageLink, address_of, language_links, plurals_of

Document = Mapping[str, Any]

COLOURS = (_("Blue"), _("Green"), _("Red"), _("Yellow"), _("White"), _("Black"))
"""What the practice question offers where the first question is a choice of a few."""


def render_page(
    document: Document,
    canonical: str,
    digest: str,
    language: str = "en",
    *,
    with_coin: bool = False,
    preview: bool = False,
    work: int = 0,
) -> bytes:
    """The page on which the survey is answered.

    Parameters
    ----------
    document : mapping
        The frozen design.
    canonical : str
        Its canonical text; the page carries it, hashes it and draws from it.
    digest : str
        SHA-256 of the canonical text in UTF-8, 64 hex digits.
    language : str
        One of the design's languages.
    with_coin : bool
        Whether there is an own-coin page to lead to where scripts are switched off.
    preview : bool
        Whether only its author looks at it: it says so, its button for sending is off, and it leads nowhere.
    work : int
        Bits of the sum that the browser begins as the page is loaded; 0: none, unless the door asks for one.

    Raises
    ------
    ValueError
        Where the digest is not that of the canonical text: such a page would refuse to work.
    """
    if sha256(canonical.encode()).hexdigest() != digest:
        raise ValueError(f"digest must be the SHA-256 of the canonical text; got {digest}")
    context = {**texts_in(document, language), "canonical": _between_tags(canonical), "digest": digest}
    context["groups"] = [text_in(group["label"], document, language) for group in document["strata"]["groups"]]
    context["group_wording"] = text_in(document["strata"]["wording"], document, language)
    context["sections"] = _sections(document, language)
    context["branching"] = any("asked_if" in item for item in document["items"])
    context["question_count"] = len(document["items"])
    context["invitations"], context["waves"] = document.get("invitations", {}).get("kind", ""), document.get("waves")
    context["told"], context["extras"] = _told(document), _extras(document)
    context["practice"] = _practice(document["items"][0], document, language)
    context["coin_address"] = address_of("coin", document, language) if with_coin else ""
    context["survey_address"] = "" if preview else address_of("respond", document, document["languages"][0])
    context["spent_address"] = "" if preview else spent_address(language)
    if context["invitations"] == "blind" and not preview:
        context["token_address"] = address_of("token", document, language)
    doors = language_links("respond", document)
    context["doors"] = [replace(door, address="") for door in doors] if preview else doors
    context["preview"], context["work"] = preview, work
    return render("surveys/respond.html", context, language)


def _between_tags(text: str) -> SafeString:
    """Escaped for a place between tags, where quotation marks are letters like others; a design has thousands."""
    return SafeString(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def render_closed(document: Document, language: str = "en") -> bytes:
    """The page that stands at the survey's address once it is closed; it sends and asks nothing."""
    context = {**texts_in(document, language), "doors": language_links("respond", document)}
    return render("surveys/closed.html", context, language)


@lru_cache
def render_spent(language: str = "en") -> bytes:
    """The page on which a person reads what she has noted on her device; nothing of anybody is in it."""
    return render("surveys/spent.html", {"doors": [_spent_door(code) for code, _name in settings.LANGUAGES]}, language)


def spent_address(language: str) -> str:
    """Where that page is in a language; an old survey's may be one that is spoken no more."""
    spoken = language != settings.LANGUAGE_CODE and language in dict(settings.LANGUAGES)
    return reverse("surveys:spent", args=[language] if spoken else [])


def _spent_door(code: str) -> LanguageLink:
    direction = "rtl" if code in settings.LANGUAGES_BIDI else "ltr"
    return LanguageLink(code, str(dict(settings.LANGUAGES)[code]), direction, spent_address(code))


def texts_in(document: Document, language: str) -> dict[str, Any]:
    """What the survey says of itself."""
    return {name: text_in(document[name], document, language) for name in ("title", "introduction", "consent")}


def _sections(document: Document, language: str) -> list[dict[str, Any]]:
    """The questions by section, numbered through; a survey without sections is one section without a title."""
    questions = [
        {"number": number, "section": item.get("section"), **_question(item, document, language)}
        for number, item in enumerate(document["items"], start=1)
    ]
    if "sections" not in document:
        return [{"title": "", "introduction": "", "questions": questions}]
    return [
        {
            "title": text_in(section["title"], document, language),
            "introduction": text_in(section["introduction"], document, language),
            "questions": [question for question in questions if question["section"] == section["key"]],
        }
        for section in document["sections"]
    ]


def _question(item: Mapping[str, Any], document: Document, language: str) -> dict[str, Any]:
    choices = [text_in(choice, document, language) for choice in item["choices"]]
    apart = "prefer_not" in item
    return {
        "kind": item["kind"],
        "wording": text_in(item["wording"], document, language),
        "choices": choices,
        "ordinary": choices[:-1] if apart else choices,
        "apart": choices[-1] if apart else "",
        "optional": "required" in item,
        "keyboard": _keyboard(item["grid"]) if "grid" in item else "",
    }


def _keyboard(grid: Mapping[str, str]) -> str:
    """The keys that a phone should show for the numbers of a grid; its number keys have no minus."""
    if grid["minimum"].startswith("-"):
        return "text"
    return "decimal" if any("." in grid[name] for name in ("minimum", "maximum", "step")) else "numeric"


def _told(document: Document) -> set[str]:
    """Kinds, encodings and "prefer_not": whatever the page has sentences for that other surveys do without."""
    items = document["items"]
    refusing = {"prefer_not" for item in items if "prefer_not" in item}
    return {item["kind"] for item in items} | {item["encoding"] for item in items} | refusing


def _extras(document: Document) -> list[str]:
    """The scripts that this design needs and most do without, in the order in which they run."""
    kinds = {item["kind"] for item in document["items"]}
    needed = {
        "multiple": "several_choices" in kinds,
        "number": "number" in kinds,
        "invitation": "invitations" in document,
        "remembered": document.get("waves", {}).get("repeats") == "remember",
        "waves": "waves" in document,
    }
    return [name for name, holds in needed.items() if holds]


def _practice(first: Mapping[str, Any], document: Document, language: str) -> dict[str, Any]:
    """A question without secrets, with as many choices as the first real one: its ticket is drawn from the same table.

    Where that has too many, it is a yes/no question with two coins (see practice.js).
    """
    if first["kind"] == "yes_no":
        return {"wording": _("Do you like rain?"), "choices": _question(first, document, language)["choices"]}
    if first["kind"] == "one_choice" and len(first["choices"]) in range(3, len(COLOURS) + 1):
        return {"wording": _("Which colour do you like best?"), "choices": COLOURS[: len(first["choices"])]}
    if first["kind"] == "scale" and len(first["choices"]) <= len(COLOURS) and "prefer_not" not in first:
        points = range(1, len(first["choices"]) + 1)
        return {"wording": _("How much do you like rain? The more, the higher."), "choices": points}
    return {"wording": _("Do you like rain?"), "choices": (_("No"), _("Yes"))}


def text_in(text: Mapping[str, str], document: Document, language: str) -> str:
    """A text of the design in the page's language; every text has each of the design's languages."""
    if language not in document["languages"]:
        raise ValueError(f"language must be one of {', '.join(document['languages'])}; got {language}")
    return text[language] if text else ""


def render(template: str, context: dict[str, Any], language: str) -> bytes:
    """A page in one language, its own words and its direction."""
    with translation.override(language):
        direction = "rtl" if translation.get_language_bidi() else "ltr"
        own = {"language": language, "direction": direction, "plurals": plurals_of(language)}
        return render_to_string(template, {**context, **own}).encode()
