"""The own-coin page on paper: a PDF with boxes to tick, rendered once and the same for everybody.

No date, no number of its own and no random mark is in it: the same survey gives the same bytes, and nothing on a sheet
tells one from another but what is marked.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import TypedDict

from django.utils import translation
from django.utils.translation import gettext as _

from collector.designs import Design
from estimator.base.typesetting import typeset
from surveys.definition.own_coin.instructions import instructions_for
from surveys.rendering.own_coin import page
from surveys.rendering.own_coin.questions import CoinQuestion

TEMPLATE = Path(__file__).parent / "paper" / "sheet.typ"


def render_sheet(design: Design, language: str, pictures: Mapping[str, bytes] = MappingProxyType({})) -> bytes:
    """The sheet as a tagged PDF (PDF/UA-1); empty if there is no own-coin page, or a letter has no glyph.

    The page itself prints with any letter. A survey by invitation has no sheet: with a code on it, it would lead from a
    person to her report. `pictures` are those of the design by their digests.
    """
    instructions = instructions_for(design)
    if instructions is None or design.invitations:
        return b""
    with translation.override(language):
        data = _data(page.context(design, instructions, language), design, language)
    # Typst reads bytes as a list of numbers.
    data["pictures"] = {picture.name: list(pictures[picture.digest]) for picture in design.pictures}
    return typeset(TEMPLATE, data)


def _data(shown: page.CoinPage, design: Design, language: str) -> dict[str, object]:
    """Every text of the sheet. `shown` has the texts of the page, so that both are the same."""
    about = shown["about"]
    guidance = _by_birthdays() if shown["birthdays"] else _by_tosses(shown)
    guidance["why"] += f" {shown['claim']}"
    return {
        "language": language,
        "rtl": translation.get_language_bidi(),
        "logo": shown["logo"],
        "title": shown["title"],
        "sender": " · ".join(filter(None, (about.get("sender"), about.get("institution")))),
        "introduction": shown["introduction"],
        "promise": _("Your true answer stays with you. This sheet gets a randomised answer."),
        **guidance,
        "coins": shown["coins"],
        "heads": _("Heads: the side with a head or a coat of arms."),
        "tails": _("Tails: the side with the number."),
        **_entry(shown),
        "group": _group(shown) if shown["groups"] else None,
        "questions": [_question(number, entry) for number, entry in enumerate(shown["questions"], start=1)],
        "after": {"title": _("What happens to this sheet"), "text": guidance["handed_in"]},
        "consent": {"title": _("By handing it in, you agree to this"), "text": shown["consent"]},
        "about": [
            {"title": title, "text": about[name]}
            for name, title in (
                ("contact", _("Contact")),
                ("data_protection", _("Data protection")),
                ("help_line", _("Help and advice")),
            )
            if name in about
        ],
        "version": _("Version %(version)s of this survey. Its fingerprint:") % {"version": design.version},
        "digest": shown["digest"],
        "page": _("Page %(page)s of %(pages)s"),
    }


def _group(shown: page.CoinPage) -> dict[str, object]:
    note = _(
        "No coin protects your group. It is kept openly, so that groups can be compared. There are %(count)s groups."
    )
    return {
        "wording": shown["group_wording"],
        "note": note % {"count": len(shown["groups"])},
        "choices": [group["label"] for group in shown["groups"]],
    }


def _entry(shown: page.CoinPage) -> dict[str, object]:
    """What comes before the first question: nothing of it is marked on the sheet."""
    screening = {
        "on": _("Go on only if your answer is one of these:"),
        "end": _("The survey ends here if your answer is one of these:"),
        "note": _(
            "Do not mark your answer. But only some answers lead on. So people can tell that you gave one of "
            "those if you hand in a sheet."
        ),
    }
    statements = {
        "title": _("Do you agree to this?"),
        "note": _("Hand in the sheet only if you agree to every statement."),
        "texts": shown["statements"],
    }
    return {"screening": shown["screening"] and {**screening, **shown["screening"]}, "statements": statements}


class Guidance(TypedDict):
    """How the sheet is filled in, and why so."""

    needs: str
    steps: list[str]
    keep: str
    why: str
    handed_in: str


def _by_tosses(shown: page.CoinPage) -> Guidance:
    return {
        "needs": _("You need %(needs)s, and a place where nobody can see you.") % {"needs": shown["needs"]},
        "steps": [
            _("Read a question and think of your true answer."),
            _("Toss as the question says. Then find the line that fits."),
            _("Mark what the line says, even if it is not true. Toss again for each question."),
        ],
        "keep": _(
            "Keep what you tossed, even if you do not like it. Mark your true answer only where the line says so."
        ),
        "why": _(
            "Only you know what you tossed. So nobody can be sure whether you or chance chose your mark, not even we."
        ),
        "handed_in": _(
            "Write nothing but your marks on it: no name, no number. The researchers type your marks into the "
            "survey. They are kept without name, address or time of day, with a note that they came on paper. "
            "Someone who sees you hand it in knows that you took part. They can read your marks. But they "
            "cannot be sure whether you or chance chose them."
        ),
    }


def _by_birthdays() -> Guidance:
    """The same where nothing is tossed."""
    return {
        "needs": _("You only need a place where nobody can see you."),
        "steps": [
            _("Below each question is a second one, about a birthday. Think of your true answer to both."),
            _("Mark only if the two answers are the same or not. Tell nobody what they are."),
            _("If you do not know a birthday, use that of another relative. Take a different one for each question."),
        ],
        "keep": _(
            "We know how many people are born in those months, so we can take that out of the total. If a "
            "mark is not true, the result is wrong, and nobody can see it."
        ),
        "why": _(
            "We do not know the birthday and never ask for it. Without it, nobody can be sure of your answer. "
            "Someone who knows the birthday and sees your mark can tell your answer. So keep both to "
            "yourself."
        ),
        "handed_in": _(
            "Write nothing but your marks on it: no name, no number, no birthday. The researchers type your "
            "marks into the survey. They are kept without name, address or time of day, with a note that they "
            "came on paper. Someone who sees you hand it in knows that you took part. They can read your "
            "marks. But without the birthday they cannot be sure of your answer."
        ),
    }


def _question(number: int, entry: CoinQuestion) -> dict[str, object]:
    rules = [
        asdict(rule)
        | {
            "shown": rule.shown[:1].upper() + rule.shown[1:],
            "pictures": [[str(face) for face in outcome] for outcome in rule.pictures],
        }
        for rule in entry.rules
    ]
    return asdict(entry) | {"number": str(number), "rules": rules}
