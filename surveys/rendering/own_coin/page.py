"""The own-coin page and its follow-up pages as bytes: the same for everybody, as the respondent's page."""

import re
from collections.abc import Iterator, Mapping

from django.utils import translation
from django.utils.translation import gettext as _

from collector.designs import Design
from collector.endpoint.parsing import ParsedReport
from collector.errors import RequestRefused
from estimator.base import wording
from estimator.base.protection import Level, level_of_design, total_ratio
from surveys.definition.languages import address_of, language_links
from surveys.definition.own_coin.devices import BIRTHDAYS, COIN
from surveys.definition.own_coin.instructions import Instruction, instructions_for
from surveys.rendering import beside, claims, pages
from surveys.rendering.own_coin import sentences
from surveys.rendering.own_coin.questions import CoinQuestion, coin_question


class Frame(pages.Texts, beside.LogoTexts):
    """What stands on every page of answering by hand."""

    address: str
    version: int


class CoinPage(Frame):
    """What the page and the sheet of paper show."""

    digest: str
    invited: bool
    group_wording: str
    groups: list[dict[str, str]]
    statements: list[str]
    screening: pages.ScreeningTexts | None
    birthdays: bool
    needs: str
    coins: bool
    factor: str
    claim: str
    warns: bool
    questions: list[CoinQuestion]


def has_page(design: Design) -> bool:
    """Whether the design has an own-coin page: `render_page` is not empty."""
    return design.invitations != "blind" and instructions_for(design) is not None


def render_page(design: Design, language: str, *, with_sheet: bool = False) -> bytes:
    """The page with the instructions and the form for the marks; empty if no device has every item's table.

    Where the survey is by blind invitation it is empty too: nobody types the 598 symbols of a token.

    `with_sheet` says whether there is a sheet of paper to lead to.
    """
    instructions = instructions_for(design)
    if instructions is None or design.invitations == "blind":
        return b""
    with translation.override(language):
        shown = context(design, instructions, language)
    sheet = address_of("coin-sheet", design, language) if with_sheet else ""
    links = {"doors": language_links("coin", design), "sheet_address": sheet}
    return pages.render("surveys/coin/page.html", {**shown, **links, "beside": beside.has_beside(design)}, language)


def context(design: Design, instructions: list[Instruction], language: str) -> CoinPage:
    """The texts of the page and of the paper sheet; the language must be active."""
    birthdays = instructions[0].device in BIRTHDAYS
    helped = _helped(design)
    return {
        **_frame(design, language),
        "digest": design.digest,
        "invited": bool(design.invitations),
        "group_wording": design.strata_wording[language],
        "groups": [{"key": group.key, "label": group.label[language]} for group in design.groups],
        "statements": [statement[language] for statement in design.consent_statements],
        "screening": pages.screening_in(design.screening, language),
        "birthdays": birthdays,
        "needs": "" if birthdays else sentences.needs(instructions),
        "coins": any(COIN in instruction.device.parts for instruction in instructions),
        "factor": wording.odds(total_ratio(design)),
        "claim": str(claims.claim(design)),
        "warns": level_of_design(design) is Level.WARNING,
        "questions": [
            coin_question(number, item, instruction, language, helped=item.key in helped)
            for number, (item, instruction) in enumerate(zip(design.items, instructions, strict=True), start=1)
        ],
    }


def asks_birthdays(stored: bytes) -> bool:
    """True if a page asks about birthdays as it was rendered at opening: it has no rules of what is tossed.

    What follows the page goes by this, because a later version may have other instructions for the same design.
    """
    return b'<ul class="rules">' not in stored


def render_review(design: Design, looked: ParsedReport, language: str, *, birthdays: bool) -> bytes:
    """The review of the marks, with the nonce that makes two sends one response. Nothing is stored yet."""
    marked = {f"item-{number}": str(symbol) for number, symbol in enumerate(looked.report, start=1)}
    marked["stratum"] = looked.stratum
    context = {
        **_frame(design, language),
        "looked": looked,
        "code": " ".join(re.findall("....", looked.invitation)),
        "birthdays": birthdays,
        "lines": list(lines(design, language, marked, birthdays=birthdays)),
        "send_address": address_of("coin-send", design, language),
    }
    return pages.render("surveys/coin/review.html", context, language)


def lines(design: Design, language: str, marked: Mapping[str, str], *, birthdays: bool) -> Iterator[dict[str, object]]:
    """The groups, if there are any, then each question, with every choice and whether it is marked.

    `marked` is what a form says by the names of its fields.
    """
    with translation.override(language):
        alike = sentences.alike() if birthdays else []
    if design.groups:
        choices = [_choice(group.key, group.label[language], marked.get("stratum", "")) for group in design.groups]
        wording = design.strata_wording[language]
        yield {"name": "stratum", "number": 0, "wording": wording, "choices": choices}
    for number, item in enumerate(design.items, start=1):
        name = f"item-{number}"
        labels = alike or [choice[language] for choice in item.choices]
        choices = [_choice(str(value), label, marked.get(name, "")) for value, label in enumerate(labels)]
        wording = item.wording[language]
        yield {"name": name, "number": number, "wording": wording, "choices": choices}


def _choice(value: str, label: str, marked: str) -> dict[str, object]:
    return {"value": value, "label": label, "marked": value == marked}


def render_sent(design: Design, language: str, *, birthdays: bool) -> bytes:
    """The page that confirms an accepted form."""
    return pages.render("surveys/coin/sent.html", {**_frame(design, language), "birthdays": birthdays}, language)


def render_refusal(design: Design, refusal: RequestRefused, language: str) -> bytes:
    """The page that explains why a form was rejected, and leads back."""
    with translation.override(language):
        why = reason(refusal)
    return pages.render("surveys/coin/refused.html", {**_frame(design, language), "reason": why}, language)


def _frame(design: Design, language: str) -> Frame:
    return {
        **pages.texts_in(design, language),
        **beside.logo_in(design, language),
        "address": address_of("coin", design, language),
        "version": design.version,
    }


def _helped(design: Design) -> set[str]:
    """The questions behind which the help line is shown: by themselves, or as the last of such a section."""
    last = {item.section: item.key for item in design.items}
    return {*design.about.items, *(last[section] for section in design.about.sections)}


def reason(refusal: RequestRefused) -> str:
    """The reason for rejecting a form, in a sentence that quotes nothing of it."""
    match refusal.status, refusal.field:
        case 403, "Origin":
            return _("It did not come from this survey’s page. Open the page again and send from there.")
        case 404 | 410, _field:
            return _(
                "It belongs to another version of the survey. That version takes no more answers. Open the page again."
            )
        case 409, _field:
            return _("You sent other marks from that page before. Those count. To send new ones, open the page again.")
        case 403, _field:
            return _(
                "You cannot use your invitation here. It is not for this survey, or it was used before. Nothing "
                "was stored. An unused invitation still works."
            )
        case 422, "invitation":
            return _("One letter or digit is wrong. Compare the code with your invitation.")
        case 422, "stratum":
            return _("No group is marked.")
        case 422, field if field.startswith("item-"):
            return _("Question %(number)s has no mark.") % {"number": field.removeprefix("item-")}
        case 429 | 503, _field:
            return _("The server is busy. Nothing was stored. Please send again in a few minutes.")
    return _("This was not the form of this page. Open the page again and send from there.")
