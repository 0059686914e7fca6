"""A survey exported to another tool and imported from it is the same survey."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from surveys.definition import definitions, templates
from surveys.definition.parts import Definition
from surveys.exchange.formats import EXPORTS, convert, export, format_of
from surveys.lifecycle import selectors
from surveys.models import Survey

pytestmark = pytest.mark.django_db

EVERY_KIND = Path(__file__).parents[2] / "docs" / "examples" / "every-kind.yaml"
SURVEYS = {
    "every-kind": definitions.load(EVERY_KIND.read_text()),
    **{one.name: one.definition | {"slug": one.name} for one in templates.templates()},
}


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize("name", SURVEYS)
def test_export_and_import_are_inverse(name: str, form: str) -> None:
    definition: Definition = SURVEYS[name]
    content = export(definition, form)
    assert format_of(content, f"a{EXPORTS[form]}") == form
    made = convert(content, filename=f"a{EXPORTS[form]}")
    assert made.definition == definition
    assert made.report.count("left out") == 0


@pytest.mark.parametrize("form", EXPORTS)
def test_export_command_writes_file_of_other_tool(survey: Survey, tmp_path: Path, form: str) -> None:
    output = tmp_path / f"out{EXPORTS[form]}"
    call_command("export_survey", survey.slug, "--format", form, "--output", output)
    made = convert(output.read_bytes(), filename=output.name)
    assert made.definition == selectors.exported(survey)


def test_export_command_for_other_tool_needs_output(survey: Survey) -> None:
    with pytest.raises(CommandError, match="--output must name a file for --format xlsform"):
        call_command("export_survey", survey.slug, "--format", "xlsform")
