"""The look of a survey and what stands at its end: parts of a definition, and whether its colours can be read."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from collector.designs import Look
from collector.errors import ValidationError
from estimator.base.typesetting import colours
from surveys.definition.validation import known_keys, text

LEAST_CONTRAST = 4.5
"""Of a text with what is behind it: WCAG 2.2, success criterion 1.4.3."""

FONTS = {
    "serif": 'ui-serif, "Iowan Old Style", Palatino, "Palatino Linotype", Georgia, "Noto Serif", serif',
    "humanist": 'Seravek, "Gill Sans Nova", Ubuntu, Calibri, "DejaVu Sans", "Noto Sans", sans-serif',
    "rounded": 'ui-rounded, "Hiragino Maru Gothic ProN", Quicksand, Comfortaa, "Arial Rounded MT Bold", sans-serif',
}
"""Typefaces that devices have: none is loaded from anywhere."""

SCHEMES = {"light": "page", "dark": "dark"}
TINT, TINT_LINE = 0.1, 0.3
"""How much of the colour is in the background of what explains, and in the line around it."""


def complete_look(raw: object) -> dict[str, object]:
    """Colours in lower case, and the typeface; what is the platform's is left out."""
    given = known_keys(raw, {"light", "dark", "font"}, ("look",))
    look = {name: str(given[name]).strip().lower() for name in ("light", "dark") if given.get(name)}
    font = given.get("font")
    whole = look | ({"font": font} if font and font != "sans" else {})
    return {"look": whole} if whole else {}


def complete_ending(raw: object, languages: list[str]) -> dict[str, object]:
    """Text, link and completion, but for what is empty."""
    given = known_keys(raw, {"text", "link", "completion"}, ("ending",))
    ending: dict[str, Any] = {}
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
    """Require that the colours can be read on both schemes.

    Raises
    ------
    ValidationError
        Naming the pair, its contrast and the least one.
    """
    for scheme, colour in (("light", look.light), ("dark", look.dark)):
        for where, behind in _pairs(scheme, colour) if colour else ():
            ratio = contrast(colour, behind)
            if ratio < LEAST_CONTRAST:
                raise ValidationError(
                    ("look", scheme),
                    f"must have a contrast of at least {LEAST_CONTRAST}:1 with {where}, {behind}; {colour} has "
                    f"{int(100 * ratio) / 100}:1",
                )


def _pairs(scheme: str, colour: str) -> Iterator[tuple[str, str]]:
    """What stands behind the colour on this scheme, or on it, by name."""
    known = tokens()[scheme]
    yield "the background of questions", known["surface"]
    yield "the background of the page", known["page"]
    yield "the background of what explains", mixed(colour, known["surface"], TINT)
    yield "the words on buttons", known["on-accent"]


def style_sheet(look: Look) -> str:
    """The style sheet of a page with this look; empty if it is the platform's."""
    parts = []
    if look.font in FONTS:
        parts.append(f":root{{--sans:{FONTS[look.font]}}}")
    if look.light:
        parts.append(f"@media not print{{:root{{{_variables('light', look.light)}}}}}")
    # Of a colour for one scheme alone the other keeps the platform's.
    dark = _variables("dark", look.dark) if look.dark else _platform("dark") if look.light else ""
    if dark:
        parts.append(f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}")
    return "".join(parts)


def _variables(scheme: str, colour: str) -> str:
    surface = tokens()[scheme]["surface"]
    tint, line = mixed(colour, surface, TINT), mixed(colour, surface, TINT_LINE)
    return f"--accent:{colour};--accent-deep:{colour};--tint:{tint};--tint-line:{line}"


def _platform(scheme: str) -> str:
    known = tokens()[scheme]
    return ";".join(f"--{name}:{known[name]}" for name in ("accent", "accent-deep", "tint", "tint-line"))


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
