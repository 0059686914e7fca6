"""The look of a survey and what stands at its end: parts of a definition, and whether its colours can be read."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from django.utils.translation import gettext

from collector.designs import COLOURS, Look
from collector.errors import ValidationError
from estimator.base.typesetting import colours
from surveys.definition.picture_files import complete_picture
from surveys.definition.pictures import CleanPicture
from surveys.definition.validation import known_keys, text

LEAST_CONTRAST = 4.5
"""Of a text with what is behind it: WCAG 2.2, success criterion 1.4.3."""

FONTS = {
    "serif": 'ui-serif, "Iowan Old Style", Palatino, "Palatino Linotype", Georgia, "Noto Serif", serif',
    "humanist": 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", "Noto Sans", sans-serif',
    "rounded": 'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, "Arial Rounded MT Bold", sans-serif',
}
"""Typefaces that devices have: none is loaded from anywhere."""

Scheme = Literal["light", "dark"]
SCHEMES: dict[Scheme, str] = {"light": "page", "dark": "dark"}
KEYS = {"light": COLOURS[::2], "dark": COLOURS[1::2]}
TINT, TINT_LINE, DEEP = 0.1, 0.3, 0.85
"""How much of the accent is in the background of what explains, in the line around it, and in links."""


def complete_look(raw: object, languages: list[str], pictures: Mapping[str, CleanPicture]) -> dict[str, object]:
    """Colours in lower case, typeface and logo; what is the platform's is left out. `pictures`: of the file."""
    given = known_keys(raw, {*COLOURS, "font", "logo"}, ("look",))
    look: dict[str, object] = {name: str(given[name]).strip().lower() for name in COLOURS if given.get(name)}
    font = given.get("font")
    look |= {"font": font} if font and font != "sans" else {}
    if given.get("logo"):
        look["logo"] = complete_picture(given["logo"], languages, ("look", "logo"), pictures)
    return {"look": look} if look else {}


def complete_ending(raw: object, languages: list[str]) -> dict[str, object]:
    """Text, link and completion, but for what is empty."""
    given = known_keys(raw, {"text", "link", "completion"}, ("ending",))
    ending: dict[str, object] = {}
    if given.get("text"):
        ending["text"] = text(given["text"], languages)
    if given.get("link"):
        link = known_keys(given["link"], {"label", "address"}, ("ending", "link"))
        ending["link"] = {"label": text(link.get("label", ""), languages), "address": link.get("address", "")}
    if given.get("completion"):
        completion = known_keys(given["completion"], {"code", "address", "carry"}, ("ending", "completion"))
        ending["completion"] = {name: completion[name] for name in ("code", "address", "carry") if completion.get(name)}
    written = {name: part for name, part in ending.items() if _says_something(part)}
    return {"ending": written} if written else {}


def _says_something(part: object) -> bool:
    return any(map(_says_something, part.values())) if isinstance(part, dict) else bool(part)


def require_contrast(look: Look) -> None:
    """Require that whatever stands on a colour of the survey's, or in it, can be read on both schemes.

    Raises
    ------
    ValidationError
        Naming the pair, its contrast, the least one, and a colour close by that has it.
    """
    for scheme in SCHEMES:
        for key, (colour, pairs) in _pairs(look, scheme).items():
            for where, other in pairs.items():
                ratio = contrast(colour, other)
                if ratio < LEAST_CONTRAST:
                    raise ValidationError(
                        ("look", key),
                        gettext(
                            "must have a contrast of at least {least}:1 with {where}, {other}; {colour} has {ratio}:1"
                        ).format(
                            least=LEAST_CONTRAST,
                            where=where,
                            other=other,
                            colour=colour,
                            ratio=int(100 * ratio) / 100,
                        )
                        + _advice(look, scheme, key),
                    )


def _pairs(look: Look, scheme: Scheme) -> dict[str, tuple[str, dict[str, str]]]:
    """The colours that were chosen for this scheme, by their keys, and what each is read with, by name."""
    known = tokens()[scheme]
    accent, background = _chosen(look, scheme)
    with_accent = {
        gettext("the background of questions"): known["surface"],
        gettext("the background of the page"): background or known["page"],
        gettext("the background of explanations"): mixed(accent, known["surface"], TINT) if accent else "",
        gettext("the text on buttons"): known["on-accent"],
    }
    with_background = {
        "texts": known["ink"],
        "hints": known["quiet"],
        "warnings": known["other"],
        "errors": known["stop"],
        **({} if accent else {"links": known["accent"]}),
    }
    # The background first: where it is sound, there is an accent that is, too.
    found = {KEYS[scheme][1]: (background, with_background), KEYS[scheme][0]: (accent, with_accent)}
    return {key: (colour, pairs) for key, (colour, pairs) in found.items() if colour}


def _chosen(look: Look, scheme: Scheme) -> tuple[str, str]:
    """Accent and background of this scheme; empty: the platform's."""
    return (look.accent_dark, look.background_dark) if scheme == "dark" else (look.accent, look.background)


def _advice(look: Look, scheme: Scheme, key: str) -> str:
    """A colour between this one and black or white that would do, in words; empty if there is none."""
    end = "#ffffff" if (scheme == "dark") == key.startswith("accent") else "#000000"
    for step in range(1, 101):
        close: Any = {key: mixed(getattr(look, key), end, 1 - step / 100)}
        colour, pairs = _pairs(replace(look, **close), scheme)[key]
        if all(contrast(colour, other) >= LEAST_CONTRAST for other in pairs.values()):
            return gettext(". {colour} would do").format(colour=colour)
    return ""


def style_sheet(look: Look) -> str:
    """The style sheet of a page with this look; empty if it is the platform's."""
    light, dark = _variables(look, "light"), _variables(look, "dark")
    # What is chosen for light screens alone stays the platform's on dark ones.
    dark = {name: tokens()["dark"][name] for name in light} | dark
    parts = [f":root{{--sans:{FONTS[look.font]}}}"] if look.font in FONTS else []
    for condition, variables in (
        ("not print", light),
        ("screen and (prefers-color-scheme:dark)", dark),
    ):
        if variables:
            said = ";".join(f"--{name}:{colour}" for name, colour in variables.items())
            parts.append(f"@media {condition}{{:root{{{said}}}}}")
    return "".join(parts)


def colours_of(look: Look) -> dict[str, str]:
    """All colours of a light page with this look, by their names in tokens.css."""
    return tokens()["light"] | _variables(look, "light")


def _variables(look: Look, scheme: Scheme) -> dict[str, str]:
    """The tokens that the colours of this scheme change."""
    accent, background = _chosen(look, scheme)
    surface, deeper = tokens()[scheme]["surface"], "#ffffff" if scheme == "dark" else "#000000"
    of_accent = (
        {
            "accent": accent,
            "accent-deep": mixed(accent, deeper, DEEP),
            "tint": mixed(accent, surface, TINT),
            "tint-line": mixed(accent, surface, TINT_LINE),
        }
        if accent
        else {}
    )
    return of_accent | ({"page": background} if background else {})


@cache
def tokens() -> dict[str, dict[str, str]]:
    """The platform's colours on light and on dark screens, as six hex digits."""
    return {
        scheme: {name: _six(code) for name, code in colours()[kind].items() if code.startswith("#")}
        for scheme, kind in SCHEMES.items()
    }


def _six(code: str) -> str:
    return code if len(code) == 7 else "#" + "".join(2 * digit for digit in code[1:])


def mixed(colour: str, behind: str, share: float) -> str:
    """A colour that lies so far on the way from the one behind to this one."""
    pairs = zip(_channels(colour), _channels(behind), strict=True)
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
