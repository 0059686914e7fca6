"""The poster of a survey: a PDF to print, in one of its languages, with the same bytes each time."""

from pathlib import Path

from django.utils import translation
from django.utils.translation import gettext as _

from collector.designs import Design
from estimator.base.typesetting import typeset
from surveys.outreach import qr_codes

TEMPLATE = Path(__file__).parent / "poster.typ"


def render_poster(design: Design, language: str, *, link: str, address: str) -> bytes:
    """The poster as a tagged PDF; empty where the fonts lack a letter.

    Parameters
    ----------
    design : Design
        The frozen design.
    language : str
        One of the design's languages.
    link : str
        What the code leads to, with the digest in its fragment.
    address : str
        The same page as somebody types it: without scheme and fragment.
    """
    with translation.override(language):
        return typeset(TEMPLATE, words(design, language, link=link, address=address))


def words(design: Design, language: str, *, link: str, address: str) -> dict[str, object]:
    """Every text of the poster; the language must be active."""
    alt = _("A code for a phone’s camera. It leads to %(address)s.") % {"address": address}
    return {
        "language": language,
        "rtl": translation.get_language_bidi(),
        "title": design.title[language],
        "promise": _("Your true answer stays on your device. We receive a randomised answer."),
        "code": qr_codes.svg(link, alt).decode(),
        "alt": alt,
        "scan": _("Point your phone’s camera at the code"),
        "or-open": _("or open this link in a browser:"),
        "address": address,
        "version": _("Version %(version)s of this survey. Its fingerprint:") % {"version": design.version},
        "digest": design.digest,
    }
