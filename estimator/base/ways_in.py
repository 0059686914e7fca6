"""The three ways into a survey, and what reports and files state of each: who could answer, and how often."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from collector.designs import Design


@dataclass(frozen=True)
class WayIn:
    """The texts of a report on a way in.

    - `name`: in files: `open_link`, `single_use_link` or `blind_invitation`.
    - `mode`: who could answer, as the mode of data collection.
    - `coin`: where those answered who had a coin or a die of their own; empty where nobody could.
    - `false_reports`: how many reports one person can send.
    - `protection`: who could answer, and what is stored of that besides the reports.
    - `uncounted`: what the total epsilon of the privacy label cannot know of.
    """

    name: str
    mode: Any
    coin: Any
    false_reports: Any
    protection: Any
    uncounted: Any


SEVERAL_INVITATIONS = gettext_lazy(
    "What this sum cannot know of: other installations, other surveys for the same people that nobody linked to this "
    "one, a copy that was said to be for other people, and somebody who answers with several invitations."
)

OPEN = WayIn(
    name="open_link",
    mode=gettext_lazy("On the web, filled in by respondents themselves; anybody who had the link could take part."),
    coin=gettext_lazy("on a page without a script or on paper"),
    false_reports=gettext_lazy(
        "This survey was an open link: one person can send several reports. Under each question stands how far false "
        "reports could move it, and how many it takes (Cheu et al., 2021)."
    ),
    protection=gettext_lazy("Open link: anybody who had it, as often as they liked."),
    uncounted=gettext_lazy(
        "What this sum cannot know of: other installations, other surveys for the same people that nobody linked to "
        "this one, a copy that was said to be for other people, and somebody who answers in several browsers or on "
        "several devices."
    ),
)

SECRET = WayIn(
    name="single_use_link",
    mode=gettext_lazy(
        "On the web, filled in by respondents themselves; each report needed an invitation with a single-use code."
    ),
    coin=gettext_lazy("on a page without a script"),
    false_reports=gettext_lazy(
        "This survey was by invitation, and each single-use code was good for one report: one person can send as many "
        "reports as she has codes. Under each question stands how far false reports could move it, and how many it "
        "takes (Cheu et al., 2021)."
    ),
    protection=gettext_lazy(
        "Single-use codes, each good for one report. Of a code its SHA-256 is stored until the code is used, and "
        "nothing says which report it brought. Somebody with a list of who got which code and the database can tell "
        "who took part, but not what they answered."
    ),
    uncounted=SEVERAL_INVITATIONS,
)

BLIND = WayIn(
    name="blind_invitation",
    mode=gettext_lazy(
        "On the web, filled in by respondents themselves; each report needed an anonymous single-use invitation, which "
        "the server had signed without seeing it."
    ),
    coin="",
    false_reports=gettext_lazy(
        "This survey was by anonymous single-use invitations, each good for one report: one person can send as many "
        "reports as she could fetch invitations. Under each question stands how far false reports could move it, and "
        "how many it takes (Cheu et al., 2021)."
    ),
    protection=gettext_lazy(
        "Anonymous single-use invitations, each good for one report; the server signed them without seeing them. A "
        "list of who got which code and the whole database tell who has fetched an invitation, but not who answered "
        "with it, nor which report it brought. Of a used invitation a SHA-256 is stored until closing."
    ),
    uncounted=SEVERAL_INVITATIONS,
)

_BY_KIND = {"": OPEN, "secret": SECRET, "blind": BLIND}


def way_in(design: Design) -> WayIn:
    """The way in of a design."""
    return _BY_KIND[design.invitations]
