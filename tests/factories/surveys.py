"""A survey opened from its frozen design alone, with its pages: for designs that a test writes by hand."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from collector.designs.services import freeze_design
from surveys.accounts.teams import home_team
from surveys.definition.definitions import load
from surveys.models import Page, Survey, Version
from surveys.rendering.pages import render_page


def open_document(document: dict[str, Any], owner: User) -> Version:
    """The open version whose design is this document; titles and texts are in the design only."""
    design = freeze_design(document)
    survey = Survey.objects.create(
        slug=document["slug"], team=home_team(owner), state=Survey.State.OPEN, languages=document["languages"]
    )
    version = Version.objects.create(survey=survey, number=document["version"], design_id=design.digest)
    for language in document["languages"]:
        content = render_page(design, language)
        Page.of(version, language, Page.Kind.ANSWER, content).save()
    return version


EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "every-kind.yaml"


def example() -> dict[str, Any]:
    """The definition with every kind of question that the documents show."""
    return load(EXAMPLE.read_text(encoding="utf-8"))
