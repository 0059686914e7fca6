"""The look of a survey's page and what stands at its end: parts of a design that no answer depends on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, get_args
from urllib.parse import urlsplit

from django.utils.translation import gettext

from collector.designs.blocks import Picture, check_picture
from collector.designs.checks import exact_keys, one_of, require, text
from collector.errors import Path

Font = Literal["sans", "serif", "humanist", "rounded"]
FONTS: tuple[Font, ...] = get_args(Font)
COLOURS = ("accent", "accent_dark", "background", "background_dark")
COLOUR = re.compile(r"#[0-9a-f]{6}")
CODE = re.compile(r"[A-Za-z0-9_-]{3,64}")
PARAMETER = re.compile(r"[A-Za-z0-9_-]{1,64}")
ADDRESS = re.compile(r"https://[!#-;=?-\[\]_a-z~]{1,490}")
"""ASCII without quotes, blanks and angle brackets."""

MOST_CARRIED = 5
LONGEST_LOGO_SIDE = 800
"""Maximum width and height of a logo in points; pages show it smaller."""


@dataclass(frozen=True, slots=True)
class Look:
    """The colour of links and buttons and that of the page, on light and on dark screens, the typeface, and the logo.

    Empty: the platform's colours and typeface, and no logo.
    """

    accent: str = ""
    accent_dark: str = ""
    background: str = ""
    background_dark: str = ""
    font: Font = "sans"
    logo: Picture | None = None

    @classmethod
    def of(cls, look: Mapping[str, Any]) -> Self:
        logo = look.get("logo")
        return cls(**{**look, "logo": logo and Picture(**logo)})


@dataclass(frozen=True, slots=True)
class Completion:
    """What a panel's participants get at the end: a code that is the same for all, and where to go with it.

    `carry` names parameters of that address by those of the link with which somebody came; devices alone do that.
    """

    code: str = ""
    address: str = ""
    carry: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ending:
    """What respondents read and can follow once their response has arrived."""

    text: Mapping[str, str] = field(default_factory=dict)
    label: Mapping[str, str] = field(default_factory=dict)
    address: str = ""
    completion: Completion = Completion()

    @classmethod
    def of(cls, ending: Mapping[str, Any]) -> Self:
        link = ending.get("link", {})
        completion = Completion(**ending.get("completion", {}))
        return cls(ending.get("text", {}), link.get("label", {}), link.get("address", ""), completion)


def check_look(value: object, languages: list[str]) -> None:
    """Validate colours, typeface and logo; what is the platform's is left out.

    Whether texts can be read in those colours, authors are told.
    """
    look = exact_keys(value, (), ("look",), optional={*COLOURS, "font", "logo"})
    require(look, ("look",), gettext("must have {colours}, font or logo").format(colours=", ".join(COLOURS)))
    for name in set(COLOURS) & set(look):
        colour = look[name]
        fits = isinstance(colour, str) and COLOUR.fullmatch(colour)
        require(
            fits,
            ("look", name),
            gettext("must be a colour such as '#0c6661', in lower case; got {colour!r}").format(colour=colour),
        )
    if "font" in look:
        one_of(look["font"], FONTS[1:], ("look", "font"), gettext("one of {names}").format(names=", ".join(FONTS[1:])))
    if "logo" in look:
        check_picture(look["logo"], languages, ("look", "logo"), longest=LONGEST_LOGO_SIDE)


def check_ending(value: object, languages: list[str]) -> None:
    place: Path = ("ending",)
    ending = exact_keys(value, (), place, optional={"text", "link", "completion"})
    require(ending, place, gettext("must have a text, a link or a completion"))
    if "text" in ending:
        text(ending["text"], (*place, "text"), languages)
    if "link" in ending:
        link = exact_keys(ending["link"], {"label", "address"}, (*place, "link"))
        text(link["label"], (*place, "link", "label"), languages)
        _address(link["address"], (*place, "link", "address"))
    if "completion" in ending:
        _completion(ending["completion"], (*place, "completion"))


def _completion(value: object, place: Path) -> None:
    completion = exact_keys(value, (), place, optional={"code", "address", "carry"})
    require({"code", "address"} & set(completion), place, gettext("must have a code or an address"))
    if "code" in completion:
        code = completion["code"]
        proper = isinstance(code, str) and CODE.fullmatch(code)
        require(
            proper,
            (*place, "code"),
            gettext("must be 3 to 64 of the characters A-Z, a-z, 0-9, - and _; got {code!r}").format(code=code),
        )
    if "address" in completion:
        _address(completion["address"], (*place, "address"))
    if "carry" in completion:
        carry = completion["carry"]
        require("address" in completion, (*place, "carry"), gettext("is only allowed together with address"))
        fits = isinstance(carry, dict) and 1 <= len(carry) <= MOST_CARRIED
        require(
            fits,
            (*place, "carry"),
            gettext("must be an object of 1 to {most} parameters; got {carry!r}").format(
                most=MOST_CARRIED, carry=carry
            ),
        )
        for name, source in carry.items() if isinstance(carry, dict) else ():
            named = all(isinstance(one, str) and PARAMETER.fullmatch(one) for one in (name, source))
            require(
                named,
                (*place, "carry"),
                gettext(
                    "must name parameters with 1 to 64 of the characters A-Z, a-z, 0-9, - and _; got {carry!r}"
                ).format(carry=carry),
            )


def _address(value: object, place: Path) -> None:
    require(
        isinstance(value, str) and ADDRESS.fullmatch(value) and _has_host(value),
        place,
        gettext(
            "must be an address that begins with https:// and has at most 500 ASCII characters; got {value!r}"
        ).format(value=value),
    )


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and "@" not in parts.netloc and parts.port != 0
    except ValueError:
        return False
