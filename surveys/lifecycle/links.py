"""The links that people are given. Their host comes from the settings, never from a request."""

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
    """The survey's address; the digest in its fragment lets the browser check the design that it is given."""
    return link_to("surveys:respond", version.survey.slug, digest=version.design_id)


@dataclass(frozen=True)
class SharedLink:
    """A link to hand on: to the page in a language, or for a group. `query` tells it from the version's others."""

    name: str
    address: str
    query: str
    language: str
    group: str = ""

    @property
    def typed(self) -> str:
        """The address as somebody types it: without scheme and fragment, so that no digest is checked."""
        return self.address.partition("#")[0].partition("://")[2]


def language_links(version: Version) -> list[SharedLink]:
    """The page in each of its languages, its own first; the digest is in the fragment."""
    design = get_design(version.design_id)
    names = dict(settings.LANGUAGES)
    return [
        SharedLink(
            name=names.get(code, code),
            address=f"{settings.CANDOR_URL}{address_of('respond', design, code)}#{version.design_id}",
            query=urlencode({"language": code}),
            language=code,
        )
        for code in design.languages
    ]


def group_links(version: Version) -> list[SharedLink]:
    """The page in its own language with a group ticked, for each group; the group stands after the digest."""
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
    """The address of the own-coin page; empty where the version has none. Without a script no digest is checked."""
    return link_to("surveys:coin", version.survey.slug) if selectors.has_coin_page(version) else ""


def sheet_links(version: Version) -> dict[str, str]:
    """The address of the sheet of paper in each language that has one."""
    design, found = get_design(version.design_id), selectors.sheet_languages(version)
    return {code: settings.CANDOR_URL + address_of("coin-sheet", design, code) for code in found}


def token_link_prefix(version: Version, group: str = "") -> str:
    """What stands before the code in a link to the page: its address, the digest and, where there is one, the group."""
    return token_link(version) + (f"&group={group}" if group else "") + "&code="


def token_link(version: Version) -> str:
    """The page, with the digest that it must have; whoever opens it types her code."""
    return link_to("surveys:token", version.survey.slug, digest=version.design_id)


def token_address(version: Version) -> str:
    """The page's address as somebody types it from a card."""
    parts = urlsplit(token_link(version))
    return parts.netloc + parts.path


def sign_in_link(user: User) -> str:
    """A link that signs its bearer in once; its code is in the fragment, which no server and no log sees."""
    return f"{link_to('sign-in')}#{get_token(user)}"


def report_link(run: Run) -> str:
    """The address of a published report; whoever has it may read it."""
    return link_to("estimator:report", run.key)


def link_to(name: str, *args: str, digest: str = "") -> str:
    return f"{settings.CANDOR_URL}{reverse(name, args=args)}" + (f"#{digest}" if digest else "")
