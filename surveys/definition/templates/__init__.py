"""Survey templates on sensitive topics: a definition each, and its description in the gallery."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import yaml

from surveys.definition import definitions
from surveys.definition.parts import Definition, Text

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Template:
    """A survey template.

    `why` says why its tables are as they are, `adapt` what to change before it is opened, both by language; `sources`
    who asked before.
    """

    name: str
    topic: Text
    why: Text
    adapt: Text
    sources: tuple[str, ...]
    definition: Definition


@lru_cache
def templates() -> tuple[Template, ...]:
    """All templates, in the gallery's order."""
    about = yaml.safe_load((FOLDER / "about.yaml").read_text(encoding="utf-8"))
    return tuple(_template(**fields) for fields in about)


def find(name: str) -> Template | None:
    return next((template for template in templates() if template.name == name), None)


def _template(*, name: str, topic: Text, why: Text, adapt: Text, sources: list[str]) -> Template:
    definition = definitions.load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return Template(name, topic, why, adapt, tuple(sources), definition)
