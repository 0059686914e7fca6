"""The respondent's page as bytes: rendered once at opening, stored, and the same for everybody.

There is no request in here: nothing about a person, a time or a browser can reach the page.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TypedDict
from urllib.parse import urlsplit

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from collector.designs import Design, Ending, Grid, Item, Screening
from surveys.definition.appearance import style_sheet
from surveys.definition.languages import LanguageLink, address_of, language_links, plurals_of
from surveys.lifecycle.selectors import direction_of
from surveys.rendering import claims
from surveys.rendering.beside import before_in, has_beside, logo_in, shown_choices
from surveys.rendering.own_coin.questions import of_versions, tosses

STYLE = re.compile(rb"<style>([^<]*)</style>")
LONG_LIST = 8
"""Choices above which a background question is a list that unfolds."""

COLOURS = (_("Blue"), _("Green"), _("Red"), _("Yellow"), _("White"), _("Black"))
"""The choices of the practice question if the first question has a few choices."""


def render_page(
    design: Design,
    language: str = "en",
    *,
    with_coin: bool = False,
    preview: bool = False,
    previews: Mapping[str, str] | None = None,
    work: int = 0,
    languages: Sequence[str] = (),
    pictures_address: str = "",
    version: int | None = None,
) -> bytes:
    """The page on which the survey is answered.

    Parameters
    ----------
    design : Design
        The page carries its canonical text, hashes it and draws from it.
    language : str
        One of the design's languages.
    with_coin : bool
        Whether there is an own-coin page to lead to where scripts are switched off.
    preview : bool
        Whether only its author looks at it: it says so, its button for sending is off, and it leads nowhere.
    previews : mapping of str to str, optional
        The addresses of the preview in other languages, where there are some to lead to.
    work : int
        Bits of the sum that the browser begins as the page is loaded; 0: none, unless the door asks for one.
    languages : sequence of str
        Those of the survey, where the design of a preview has its texts in the one that is shown alone.
    pictures_address : str
        Where the pictures of a preview are; empty: where those of every survey are.
    version : int, optional
        The place of the version that a preview shows, instead of one by chance.
    """
    doors = language_links("respond", design, languages)
    context = {
        **texts_in(design, language),
        "canonical": _between_tags(design.canonical.decode()),
        "digest": design.digest,
        **_openly(design, language),
        "sections": _sections(design, language),
        "branching": any(item.asked_if for item in design.items) or len(set(design.versions)) > 1,
        "question_count": len(design.items),
        "pictures": [picture.name for picture in design.pictures],
        **logo_in(design, language, pictures_address),
        **_entry(design, language),
        "invitations": design.invitations,
        "waves": design.waves,
        "uses": _sentence_keys(design),
        "extras": _extras(design),
        "styles": _styles(design),
        "practice": _practice(design.items[0], language),
        **claims.of_page(design),
        **_addresses(design, language, with_coin=with_coin, preview=preview),
        "doors": _doors_of_preview(doors, previews or {}) if preview else doors,
        "preview": preview,
        "version": version if preview else None,
        "work": work,
    }
    return render("surveys/respond.html", context, language)


def _entry(design: Design, language: str) -> dict[str, object]:
    """What comes before the questions: statements for everybody, those of single versions by their place, screening."""
    arms = enumerate(design.background.arms)
    return {
        "statements": [statement[language] for statement in design.consent_statements],
        "arm_statements": [(place, arm.consent[language]) for place, arm in arms if arm.consent],
        "screening": screening_in(design.screening, language),
    }


def _openly(design: Design, language: str) -> dict[str, object]:
    """What is sent openly, and the own introduction of each version of the page, empty where it has none."""
    return {
        "groups": [group.label[language] for group in design.groups],
        "group_wording": design.strata_wording[language],
        "background": background_in(design, language),
        "openly": bool(design.background),
        "arms": [arm.introduction.get(language, "") for arm in design.background.arms],
        "coin": of_versions(design, language),
    }


def _addresses(design: Design, language: str, *, with_coin: bool, preview: bool) -> dict[str, str]:
    """Where the page leads to and sends to; a preview does neither."""
    coin = address_of("coin", design, language) if with_coin else ""
    if preview:
        return {"coin_address": coin, "survey_address": "", "spent_address": ""}
    token = {"token_address": address_of("token", design, language)} if design.invitations == "blind" else {}
    survey, theirs = address_of("respond", design, design.language), settings.CANDOR_RESPONDENT_URL
    checked = {"checked": f"{theirs or settings.CANDOR_URL}{survey}", "log": settings.CANDOR_URL if theirs else ""}
    spent = spent_address(language)
    return {"coin_address": coin, "survey_address": survey, "spent_address": spent, **token, **checked}


def render_questions(
    design: Design, language: str, *, first: int, shown: int, count: int, branching: bool, pictures_address: str
) -> bytes:
    """The questions of a design as they stand in the page of a survey of `count` questions.

    The first of them is that at `first`, from 1, and has the number `shown`.
    """
    page = {"question_count": count, "branching": branching, "pictures_address": pictures_address}
    parts = _parts(_questions(design, language, first, range(shown, shown + len(design.items))))
    return b"".join(render("surveys/respond/_part.html", {**page, "part": part}, language) for part in parts)


def _doors_of_preview(doors: list[LanguageLink], previews: Mapping[str, str]) -> list[LanguageLink]:
    return [replace(door, address=previews.get(door.code, "")) for door in doors]


def _between_tags(text: str) -> SafeString:
    """Escape text for use between tags, where quotation marks need no escaping; a design has thousands."""
    return SafeString(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def render_closed(design: Design, language: str = "en") -> bytes:
    """The page at the URL of a closed survey; it sends and asks nothing."""
    context = {**texts_in(design, language), **logo_in(design, language), "doors": language_links("respond", design)}
    return render("surveys/closed.html", context, language)


@lru_cache
def render_spent(language: str = "en") -> bytes:
    """The page on which respondents read the record on their device; it contains nobody's data."""
    return render("surveys/spent.html", {"doors": [_spent_door(code) for code, _name in settings.LANGUAGES]}, language)


def spent_address(language: str) -> str:
    """The URL of that page in a language; an old survey's may no longer be supported."""
    spoken = language != settings.LANGUAGE_CODE and language in dict(settings.LANGUAGES)
    return reverse("surveys:spent", args=[language] if spoken else [])


def _spent_door(code: str) -> LanguageLink:
    return LanguageLink(code, str(dict(settings.LANGUAGES)[code]), direction_of(code), spent_address(code))


class Texts(TypedDict):
    """What a survey says of itself, in one language."""

    title: str
    introduction: str
    consent: str
    about: dict[str, str]
    look: str
    ending: dict[str, str]


class ScreeningTexts(TypedDict):
    """The screening question in one language: all its choices, those that lead on and those that end the survey."""

    wording: str
    choices: list[str]
    leading: list[str]
    ending: list[str]
    text: str


def screening_in(screening: Screening | None, language: str) -> ScreeningTexts | None:
    """The screening question in one language; None if there is none."""
    if screening is None:
        return None
    choices = [choice[language] for choice in screening.choices]
    return {
        "wording": screening.wording[language],
        "choices": choices,
        "leading": [choice for place, choice in enumerate(choices) if place not in screening.ends],
        "ending": [choices[place] for place in screening.ends],
        "text": screening.text[language],
    }


def texts_in(design: Design, language: str) -> Texts:
    """Title, introduction, consent and who asks. Raises ValueError for a language that it lacks."""
    if language not in design.languages:
        raise ValueError(f"language must be one of {', '.join(design.languages)}; got {language}")
    return {
        "title": design.title[language],
        "introduction": design.introduction[language],
        "consent": design.consent[language],
        "about": {name: text[language] for name, text in design.about.texts.items()},
        "look": style_sheet(design.look),
        "ending": _ending(design.ending, language),
    }


def _ending(ending: Ending, language: str) -> dict[str, str]:
    """What stands at the end, in one language; each only where it is."""
    completion = ending.completion
    parts = {
        "text": ending.text.get(language, ""),
        "label": ending.label.get(language, ""),
        "address": ending.address,
        "code": completion.code,
        "completion": completion.address,
        "host": urlsplit(completion.address).hostname or "",
        "carry": json.dumps(dict(completion.carry)) if completion.carry else "",
    }
    return {name: part for name, part in parts.items() if part}


def style_hash(page: bytes) -> str:
    """The source expression of the page's own style sheet for its policy; empty if it has none."""
    head = page.partition(b"</head>")[0]
    found = STYLE.search(head)
    return f"'sha256-{b64encode(sha256(found[1]).digest()).decode()}'" if found else ""


def _questions(design: Design, language: str, first: int, numbers: Sequence[int]) -> list[dict[str, object]]:
    coins = tosses(design, language)
    return [
        {
            "number": number,
            "shown": shown,
            "section": item.section,
            "helped": item.key in design.about.items,
            "coin": coins.get(item.key),
            **_question(item, language),
        }
        for number, (item, shown) in enumerate(zip(design.items, numbers, strict=True), start=first)
    ]


def _numbers(design: Design) -> list[int]:
    """The number that each question has on the page: that of the one that a version asks it instead of, if it does."""
    same = {other: key for arm in design.background.arms for key, other in arm.instead.items()}
    first = [item.key for item in design.items if item.key not in same]
    return [first.index(same.get(item.key, item.key)) + 1 for item in design.items]


def _sections(design: Design, language: str) -> list[dict[str, object]]:
    """The questions by section, numbered through; without sections, one section without a title."""
    questions = _questions(design, language, 1, _numbers(design))
    if not design.sections:
        return [{"title": "", "introduction": "", "parts": _parts(questions)}]
    return [
        {
            "title": section.title[language],
            "introduction": section.introduction[language],
            "helped": section.key in design.about.sections,
            "parts": _parts([question for question in questions if question["section"] == section.key]),
        }
        for section in design.sections
    ]


def _parts(questions: list[dict[str, object]]) -> list[dict[str, object]]:
    """Consecutive questions under one heading as a matrix; the others as they are, without a heading.

    A text before a row stands above a matrix of its own, of that row and those after it.
    """
    parts: list[tuple[object, list[dict[str, object]]]] = []
    for question in questions:
        heading = question["heading"]
        if parts and parts[-1][0] == heading and not (heading and question["before"]):
            parts[-1][1].append(question)
        else:
            parts.append((heading, [question]))
    return [{"heading": heading, "questions": run} for heading, run in parts]


def _question(item: Item, language: str) -> dict[str, object]:
    choices = shown_choices(item, language)
    apart = item.prefer_not
    return {
        "kind": item.kind,
        "before": before_in(item.before, language),
        "wording": item.own_wording[language],
        "heading": item.heading[language] if item.heading else "",
        "dropdown": item.dropdown,
        "choices": choices,
        "ordinary": choices[:-1] if apart else choices,
        "apart": choices[-1] if apart else "",
        "optional": not item.required,
        "keyboard": _keyboard(item.grid) if item.grid else "",
    }


def _keyboard(grid: Grid) -> str:
    """The keyboard that a phone should show for the numbers of a grid; number keys have no minus."""
    if grid.minimum.startswith("-"):
        return "text"
    return "decimal" if any("." in number for number in (grid.minimum, grid.maximum, grid.step)) else "numeric"


def _sentence_keys(design: Design) -> set[str]:
    """Kinds, encodings and "prefer_not": whatever the page has sentences for that other surveys do without."""
    items = design.items
    refusing = {"prefer_not" for item in items if item.prefer_not}
    return {item.kind for item in items} | {item.encoding for item in items} | refusing


def background_in(design: Design, language: str) -> list[dict[str, object]]:
    """The background questions in one language; "prefer not to say" is the last choice of each."""
    found: list[dict[str, object]] = []
    for question in design.background.asked:
        choices = [choice[language] for choice in question.choices]
        shown = {"wording": question.wording[language], "choices": choices, "dropdown": len(choices) > LONG_LIST}
        found.append({**shown, "ordinary": choices[:-1], "apart": choices[-1]})
    return found


def _unfolds(design: Design) -> bool:
    """Whether a question of the page is a list that unfolds."""
    lists = (len(question.choices) > LONG_LIST for question in design.background.asked)
    return any(item.dropdown for item in design.items) or any(lists)


def _styles(design: Design) -> list[str]:
    """The optional style sheets that this design needs, in the order in which they apply."""
    needed = {
        "style/entry": bool(design.consent_statements or design.screening),
        "style/beside": has_beside(design),
        "style/matrix": any(item.heading for item in design.items) or _unfolds(design),
        "style/arms": bool(design.background.arms),
        "coin/coin": any(arm.own_coin for arm in design.background.arms),
    }
    return [f"surveys/{name}.css" for name, holds in needed.items() if holds]


def _extras(design: Design) -> list[str]:
    """The optional scripts that this design needs, in the order in which they run."""
    kinds = {item.kind for item in design.items}
    needed = {
        "entry": bool(design.consent_statements or design.screening),
        "beside": has_beside(design),
        "arms": bool(design.background.arms),
        "background": bool(design.background),
        "dropdown": _unfolds(design),
        "multiple": "several_choices" in kinds,
        "number": "number" in kinds,
        "invitation": bool(design.invitations),
        "remembered": design.remembers,
        "waves": design.waves is not None,
        "completion": bool(design.ending.completion.carry),
    }
    return [name for name, holds in needed.items() if holds]


def _practice(first: Item, language: str) -> dict[str, object]:
    """A harmless practice question with as many choices as the first: its ticket is from the same table.

    Where that has too many, it is a yes/no question with two coins (see practice.js).
    """
    if first.kind == "yes_no":
        return {"wording": _("Do you like rain?"), "choices": _question(first, language)["choices"]}
    if first.kind == "one_choice" and len(first.choices) in range(3, len(COLOURS) + 1):
        return {"wording": _("Which colour do you like best?"), "choices": COLOURS[: len(first.choices)]}
    if first.kind == "scale" and len(first.choices) <= len(COLOURS) and not first.prefer_not:
        points = range(1, len(first.choices) + 1)
        return {"wording": _("How much do you like rain? A higher number means more."), "choices": points}
    return {"wording": _("Do you like rain?"), "choices": (_("No"), _("Yes"))}


def render(template: str, context: Mapping[str, object], language: str) -> bytes:
    """A page in one language, with its plurals and its direction."""
    with translation.override(language):
        own = {"language": language, "direction": direction_of(language), "plurals": plurals_of(language)}
        return render_to_string(template, {**context, **own}).encode()
