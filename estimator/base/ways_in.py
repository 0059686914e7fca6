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
    "This total does not include other installations, other surveys of the same people that were not linked to "
    "this one, copies declared to be for other people, or answers given with several single-use links."
)

OPEN = WayIn(
    name="open_link",
    mode=gettext_lazy("Self-administered web survey; anyone with the link could take part."),
    coin=gettext_lazy("on a page without a script or on paper"),
    false_reports=gettext_lazy(
        "This survey used an open link, so one person can send several responses. The section on each question "
        "says how far false responses could shift its estimates, and how many it takes (Cheu et al., 2021)."
    ),
    protection=gettext_lazy("Open link: anyone who had it, any number of times."),
    uncounted=gettext_lazy(
        "This total does not include other installations, other surveys of the same people that were not linked "
        "to this one, copies declared to be for other people, or answers given in several browsers or on several "
        "devices."
    ),
)

SECRET = WayIn(
    name="single_use_link",
    mode=gettext_lazy("Self-administered web survey; each response required a single-use link."),
    coin=gettext_lazy("on a page without a script"),
    false_reports=gettext_lazy(
        "Each single-use link was valid for one response, so a person can send as many responses as they have "
        "links. The section on each question says how far false responses could shift its estimates, and how many "
        "it takes (Cheu et al., 2021)."
    ),
    protection=gettext_lazy(
        "Single-use links, each valid for one response. The SHA-256 hash of a link’s code is stored until the "
        "code is used; nothing records which response it produced. Someone with both the database and a list of "
        "who received which code can tell who took part, but not what they answered."
    ),
    uncounted=SEVERAL_INVITATIONS,
)

BLIND = WayIn(
    name="blind_invitation",
    mode=gettext_lazy(
        "Self-administered web survey; each response required an anonymous single-use link, which the server had "
        "signed without seeing it (blind signature)."
    ),
    coin="",
    false_reports=gettext_lazy(
        "Each anonymous single-use link was valid for one response, so a person can send as many responses as "
        "they could obtain links. The section on each question says how far false responses could shift its "
        "estimates, and how many it takes (Cheu et al., 2021)."
    ),
    protection=gettext_lazy(
        "Anonymous single-use links, each valid for one response; the server signed them without seeing them. A "
        "list of who received which code and the whole database show who obtained a link, but not who answered "
        "with it or which response it produced. The SHA-256 hash of a used link is stored until the survey "
        "closes."
    ),
    uncounted=SEVERAL_INVITATIONS,
)

_BY_KIND = {"": OPEN, "secret": SECRET, "blind": BLIND}


def way_in(design: Design) -> WayIn:
    """The way in of a design."""
    return _BY_KIND[design.invitations]
