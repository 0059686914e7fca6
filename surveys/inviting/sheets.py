"""Invitations as files: a table for mail merge, and cards to cut out. They are made for one answer and kept nowhere."""

import io
from pathlib import Path
from typing import Any

import segno
from django.utils import translation
from django.utils.translation import gettext as _

from estimator.exporting.cells import sheet
from estimator.typesetting import typeset
from surveys import links, pages, selectors
from surveys.inviting.making import Invitations, in_fours

MOST_CARDS = 5_000
"""On 500 pages; what it takes to make them stands in docs/invitations.md."""

COLUMNS = "link", "code", "group"
CARDS = Path(__file__).parent / "cards.typ"


def table(made: Invitations) -> bytes:
    """A row for each invitation: link, code in groups of four, group. UTF-8 with the mark that spreadsheets know."""
    rows = zip(made.links(), made.codes, strict=True)
    return sheet(COLUMNS, ({"link": link, "code": in_fours(code), "group": made.group} for link, code in rows))


def cards(made: Invitations) -> bytes:
    """Ten cards on each A4 page, as a tagged PDF; empty where the fonts lack a letter of the survey's title."""
    document = selectors.document_of(made.version)
    own = links.language_links(made.version)[0]
    with translation.override(own.language):
        return typeset(CARDS, _words(made, pages.text_in(document["title"], document, own.language), own.typed))


def _words(made: Invitations, title: str, address: str) -> dict[str, Any]:
    """Every text of the cards; the language must be active."""
    return {
        "language": translation.get_language(),
        "rtl": translation.get_language_bidi(),
        "title": title,
        "address": address,
        "alt": _("A code for a phone’s camera. It leads to %(address)s.") % {"address": address},
        "scan": _("Point your phone’s camera at the code"),
        "or-open": _("or open this address in a browser:"),
        "type": _("and type this invitation:"),
        "once": _("It can be used once, by whoever has it."),
        "cards": [
            {"picture": picture(link), "groups": _lines(code)}
            for link, code in zip(made.links(), made.codes, strict=True)
        ],
    }


def picture(link: str) -> str:
    """The QR code as SVG. The mask is always the same: choosing the best of eight takes eight times as long."""
    drawn = io.BytesIO()
    code = segno.make_qr(link, error="m", boost_error=False, mask=0)
    code.save(drawn, kind="svg", border=4, xmldecl=False, omitsize=True, unit=None, svgclass=None, lineclass=None)
    return drawn.getvalue().decode()


def _lines(code: str) -> list[str]:
    """The seven groups of a code on two lines."""
    groups = in_fours(code).split()
    return [" ".join(groups[:4]), " ".join(groups[4:])]
