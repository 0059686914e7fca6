"""The style sheets and what is typeset: colours, spaces, sizes of type and corners come from one file."""

import re
from pathlib import Path

import pytest

from estimator.base.typesetting import colours

ROOT = Path(__file__).resolve().parent.parent.parent
TOKENS = ROOT / "estimator/static/estimator/tokens.css"
THEME = ROOT / "surveys/static/surveys/panel/colours.css"
"""The scale of colours that the panel's theme asks for by its own names."""

SHEETS = sorted(
    path for app in ("estimator", "surveys") for path in (ROOT / app / "static").rglob("*.css") if path != TOKENS
)
PAPERS = sorted(path for app in ("estimator", "surveys") for path in (ROOT / app).rglob("*.typ"))
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\(")
MEASURED = re.compile(r"^\s*((?:padding|margin|border)[a-z-]*|(?:row-|column-)?gap|font(?:-size)?): ([^;]*);", re.M)
LITERAL = re.compile(r"(?<![\w.-])-?\d*\.?\d+(?:rem|em|px|pt|mm|%)")
EXCEPTIONS = {
    # The root: whatever the reader has set her browser to, and less on paper.
    "font: 100%/1.55 var(--sans)",
    "font-size: 80%",
    "font-size: 9.5pt",
    # Text inside a picture, whose geometry counts in pixels.
    "font-size: 12px",
    "font-size: 14px",
    # Code within words, and signs that stand on a line of words, as big as those are.
    "font: 0.9375em var(--mono)",
    "margin-block: -0.25em 0",
    "margin-block: 0.2em 0",
    # A hairline between cells, a sheet of paper and a box on it.
    "gap: 1px",
    "margin: 14mm",
    "border-radius: 1mm",
    # As wide as what stands beside: the theme's side bar, and the dock of the preview.
    "margin-left: 18rem",
    "padding-right: 26rem",
}


def declared(path: Path) -> str:
    """A sheet without its comments."""
    return re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def literals(path: Path) -> set[str]:
    return {
        f"{name}: {value}"
        for name, value in MEASURED.findall(declared(path))
        if LITERAL.search(value) and (not name.startswith("border") or name.endswith("radius"))
    }


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.name)
def test_stylesheet_uses_tokens_only(path: Path) -> None:
    assert path == THEME or not COLOUR.findall(declared(path))
    assert literals(path) <= EXCEPTIONS


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.name)
def test_typst_template_names_no_colour(path: Path) -> None:
    """They come with what it says (`estimator/base/typesetting.py`), from the tokens."""
    assert re.findall(r"luma\(|cmyk\(|oklab\(|rgb\((?!colours\b|json\()|#[0-9a-f]{6}", path.read_text()) == []
    assert {rgb for kind in colours().values() for rgb in kind.values() if not COLOUR.match(rgb)} == set()


def test_stylesheet_exceptions_are_used() -> None:
    assert set().union(*map(literals, SHEETS)) == EXCEPTIONS


def test_stylesheet_tokens_exist() -> None:
    sheets = {path: declared(path) for path in (TOKENS, *SHEETS)}
    known = {name for text in sheets.values() for name in re.findall(r"(--[a-z0-9-]+):", text)}
    for path, text in sheets.items():
        assert set(re.findall(r"var\((--[a-z0-9-]+)", text)) <= known, path.name


def test_stylesheet_tokens_are_few_and_used() -> None:
    named = re.findall(r"(--[a-z0-9-]+):", declared(TOKENS))
    scales = {scale: sum(f"--{scale}-" in name for name in set(named)) for scale in ("space", "size", "round")}
    assert scales == {"space": 8, "size": 7, "round": 3}
    used = {name for path in (TOKENS, *SHEETS) for name in re.findall(r"var\((--[a-z0-9-]+)", declared(path))}
    assert set(named) <= used
