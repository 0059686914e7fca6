"""Links for respondents and researchers. Their host comes from the settings, never from a request."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from sesame.utils import get_token

from collector.designs.selectors import get_design
from estimator.models import Run
from surveys.definition.languages import address_of
from surveys.lifecycle import selectors
from surveys.models import Version


def respondent_link(version: Version) -> str:
    """The survey's URL; the digest in its fragment lets the browser verify the design that it receives."""
    return link_to("surveys:respond", version.survey.slug, digest=version.design_id)


@dataclass(frozen=True)
class SharedLink:
    """A link to share: to the page in a language, or for a group. `query` identifies it within the version."""

    name: str
    address: str
    query: str
    language: str
    group: str = ""

    @property
    def typed(self) -> str:
        """The URL as it is typed: without scheme and fragment, so that no digest is checked."""
        return self.address.partition("#")[0].partition("://")[2]


def language_links(version: Version) -> list[SharedLink]:
    """The page in each of its languages, the default first; the digest is in the fragment."""
    design = get_design(version.design_id)
    names = dict(settings.LANGUAGES)
    return [
        SharedLink(
            name=names.get(code, code),
            address=f"{respondent_url()}{address_of('respond', design, code)}#{version.design_id}",
            query=urlencode({"language": code}),
            language=code,
        )
        for code in design.languages
    ]


def group_links(version: Version) -> list[SharedLink]:
    """The page in the default language with a group preselected, for each group; it follows the digest."""
    design, own = get_design(version.design_id), language_links(version)[0]
    return [
        replace(
            own,
            name=group.label[own.language],
            address=f"{own.address}&group={group.key}",
            query=urlencode({"group": group.key}),
            group=group.key,
        )
        for group in design.groups
    ]


def coin_link(version: Version) -> str:
    """The URL of the own-coin page; empty if the version has none. Without a script no digest is checked."""
    return link_to("surveys:coin", version.survey.slug) if selectors.has_coin_page(version) else ""


def sheet_links(version: Version) -> dict[str, str]:
    """The URL of the paper sheet in each language that has one."""
    design, found = get_design(version.design_id), selectors.sheet_languages(version)
    return {code: respondent_url() + address_of("coin-sheet", design, code) for code in found}


def token_link_prefix(version: Version, group: str = "") -> str:
    """The part of a link before the code: the page's URL, the digest and the group, if there is one."""
    return token_link(version) + (f"&group={group}" if group else "") + "&code="


def token_link(version: Version) -> str:
    """The URL of the page on which a code is typed, with the digest to verify."""
    return link_to("surveys:token", version.survey.slug, digest=version.design_id)


def token_address(version: Version) -> str:
    """The page's URL in the form typed from a card."""
    parts = urlsplit(token_link(version))
    return parts.netloc + parts.path


def sign_in_link(user: User) -> str:
    """A single-use sign-in link; its code is in the fragment, which no server and no log receives."""
    return f"{link_to('sign-in')}#{get_token(user)}"


def report_link(run: Run) -> str:
    """The URL of a published report, readable by anybody who has it."""
    return link_to("estimator:report", run.key)


def record_link() -> str:
    """The page on which respondents read the record on their device: a path, or a URL where it is at another origin."""
    return settings.CANDOR_RESPONDENT_URL + reverse("surveys:spent")


def respondent_url() -> str:
    """The address of the pages for respondents; the site's where they have none of their own."""
    return settings.CANDOR_RESPONDENT_URL or settings.CANDOR_URL


def link_to(name: str, *args: str, digest: str = "") -> str:
    """The URL of a page by the name of its pattern, at the respondents' address where it is for them."""
    site = respondent_url() if name.startswith("surveys:") else settings.CANDOR_URL
    return f"{site}{reverse(name, args=args)}" + (f"#{digest}" if digest else "")
