"""Invitation files: a table for mail merge, and cards to cut out. Made for one request and never stored."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import segno
from django.contrib.auth.models import User
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext as panel_text
from django.utils.translation import gettext_lazy as panel_text_lazy

from collector.designs.selectors import get_design
from collector.errors import InputError
from estimator.base.cells import sheet
from estimator.base.typesetting import typeset
from surveys.lifecycle import links
from surveys.models import Survey
from surveys.outreach import invitations
from surveys.outreach.invitations import Invitations, grouped_code

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


MOST_CARDS = 5_000
"""Maximum number of cards, on 500 pages; docs/how-to/invite-people.md has the cost."""

LONGEST_TITLE, LONGEST_GROUP = 110, 60
"""Maximum characters on a card."""

COLUMNS = "link", "code", "group"
CARDS = Path(__file__).parent / "cards.typ"


@dataclass(frozen=True)
class HandOutForm:
    """A format of invitation files; `kind` is the stored kind of the batch."""

    label: "StrOrPromise"
    kind: str
    content_type: str
    suffix: str
    most: int
    write: Callable[[Invitations], bytes]


@dataclass(frozen=True)
class File:
    name: str
    content_type: str
    content: bytes
    batch: int


def make(survey: Survey, count: int, form: str, *, group: str, by: User | None) -> File:
    """Create a batch and write it to a file, which is in memory and never on disk.

    Raises InputError, naming the field, its bound and the value; nothing is made then.
    """
    if form not in FORMS:
        raise InputError(
            "form", panel_text("form must be {forms}; got {form!r}.").format(forms=" or ".join(FORMS), form=form[:20])
        )
    chosen = FORMS[form]
    version = invitations.inviting_version(survey)
    if not chosen.write(Invitations(version, 0, "", ["0" * 28])):
        raise InputError("form", panel_text("The built-in fonts lack a letter of this survey's title."))
    made = invitations.make(survey, count, group=group, kind=chosen.kind, most=chosen.most, by=by)
    name = f"{survey.slug}-invitations-{made.batch}{chosen.suffix}"
    return File(name, chosen.content_type, chosen.write(made), made.batch)


def table(made: Invitations) -> bytes:
    """A row for each invitation: link, code in groups of four, group. UTF-8 with a byte order mark."""
    rows = zip(made.links(), made.codes, strict=True)
    return sheet(COLUMNS, ({"link": link, "code": grouped_code(code), "group": made.group} for link, code in rows))


def cards(made: Invitations) -> bytes:
    """Ten cards on each A4 page, as a tagged PDF; empty where the fonts lack a letter of the survey's title."""
    own = links.language_links(made.version)[0]
    title = get_design(made.version.design_id).title[own.language]
    groups = {one.group: one.name for one in links.group_links(made.version)}
    texts = {"title": _short(title, LONGEST_TITLE), "group": _short(groups.get(made.group, ""), LONGEST_GROUP)}
    with translation.override(own.language):
        return typeset(CARDS, _words(made, invitations.typed_address(made.version)) | texts)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _words(made: Invitations, address: str) -> dict[str, object]:
    """The platform's texts on the cards, and the codes; the language must be active."""
    return {
        "language": translation.get_language(),
        "rtl": translation.get_language_bidi(),
        "address": address,
        "alt": _("A code for a phone’s camera. It leads to %(address)s.") % {"address": address},
        "scan": _("Point your phone’s camera at the code"),
        "or-open": _("or open this link in a browser:"),
        "type": _("and type this code:"),
        "once": _("It works once. Anyone who has it can use it."),
        "cards": [
            {"picture": picture(link), "groups": _lines(code)}
            for link, code in zip(made.links(), made.codes, strict=True)
        ],
    }


def picture(link: str) -> str:
    """The QR code as SVG. The mask is fixed, because choosing the best of eight takes eight times as long."""
    drawn = io.BytesIO()
    code = segno.make_qr(link, error="m", boost_error=False, mask=0)
    code.save(drawn, kind="svg", border=4, xmldecl=False, omitsize=True, unit=None, svgclass=None, lineclass=None)
    return drawn.getvalue().decode()


def _lines(code: str) -> list[str]:
    groups = grouped_code(code).split()
    return [" ".join(groups[:4]), " ".join(groups[4:])]


FORMS = {
    "csv": HandOutForm(
        panel_text_lazy("CSV file, one row for each"), "csv", "text/csv; charset=utf-8", ".csv", invitations.MOST, table
    ),
    "cards": HandOutForm(
        panel_text_lazy("Cards to print and cut out (PDF)"), "cards", "application/pdf", ".pdf", MOST_CARDS, cards
    ),
}
