"""The recipes of CONTRIBUTING, followed in a copy of the project: each file that a recipe names is changed as it says.

In the copy `probe.py` then does what people do with the result: author, open, answer, estimate, export, look at a page.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
APPS = ("collector", "config", "estimator", "randomized_response", "surveys")
COPIED = (*APPS, "locale", "templates", "tests", "manage.py", "pyproject.toml")

MECHANISM = '''"""A question mixed with a harmless one of known prevalence."""

from django.utils.translation import gettext_lazy

from estimator.base.mechanisms.entry import TRUTH, Parameter, RegistryEntry
from randomized_response import unrelated_question

ENTRY = RegistryEntry(
    name="unrelated_question",
    label="Unrelated question",
    short="unrelated question",
    title=gettext_lazy("Unrelated question"),
    kinds=("yes_no",),
    parameters=(TRUTH, Parameter("yes", "Prevalence", "How many say yes to the harmless question.")),
    example="{name: unrelated_question, truth: 1/2, yes: 1/4}",
    make=lambda answers, written: unrelated_question(truth=written["truth"], prevalence=written["yes"]),
    sentence=gettext_lazy("the unrelated-question design of Greenberg et al. (1969)"),
    works={},
    only_two=True,
)
'''

FORMAT = '''"""The estimates as lines of text."""

from estimator.models import Run
from estimator.runs.results import ReportContext, Results


def text_file(run: Run, context: ReportContext) -> bytes:
    """A line for each estimate."""
    return "".join(f"{cell.unbiased}\\n" for cell in run.estimates.order_by("pk")).encode()
'''.replace(", Results", "")

VIEW = '''"""When a survey was opened and closed."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from surveys.accounts.access import Role, get_survey_or_404
from surveys.panel.frame import survey_page


@require_safe
def milestones(request: HttpRequest, slug: str) -> HttpResponse:
    """The dates of a survey's versions."""
    survey = get_survey_or_404(request.user, slug, Role.VIEWER)
    return survey_page(request, "panel/milestones.html", survey, step="", versions=survey.versions.all())
'''

TEMPLATE = """{% extends "panel/frame.html" %}
{% block step %}<h2>Milestones</h2>
<ul>{% for version in versions %}<li>Version {{ version.number }}</li>{% endfor %}</ul>{% endblock %}
"""


class Edit(NamedTuple):
    """`new` comes before `old` in a file, or is the whole of a new one where `old` is empty."""

    file: str
    old: str
    new: str


RECIPES = {
    "A question kind": [
        Edit("collector/designs/design.py", '"yes_no", "one_choice",', '"frequency", '),
        Edit("collector/designs/items.py", '    "scale": ("single",),', '    "frequency": ("single",),\n'),
        Edit("surveys/static/surveys/client/design.js", '  scale: ["single"],', '  frequency: ["single"],\n'),
        Edit("surveys/planning/rehearsals/form.py", '"yes_no" | "one_choice"', '"frequency" | '),
        Edit("surveys/planning/rehearsals/respondents.py", '"yes_no" | "one_choice"', '"frequency" | '),
        Edit("estimator/base/mechanisms/k_ary.py", '"yes_no", "one_choice",', '"frequency", '),
        Edit("surveys/models/surveys.py", '        SCALE = "scale"', '        FREQUENCY = "frequency", "how often"\n'),
        Edit("surveys/panel/forms/item.py", '    "scale": (*OF_CHOICES,', '    "frequency": OF_CHOICES,\n'),
        Edit(
            "templates/surveys/respond/_sentences.html",
            '<p data-sentence="missing-scale">',
            '<p data-sentence="missing-frequency">{% translate "Choose one of these." %}</p>\n',
        ),
    ],
    "A mechanism": [
        Edit("estimator/base/mechanisms/unrelated_question.py", "", MECHANISM),
        Edit("estimator/base/mechanisms/__init__.py", "    warner,\n", "    unrelated_question,\n"),
        Edit("estimator/base/mechanisms/__init__.py", "k_ary, unary,", "unrelated_question, "),
    ],
    "An export format": [
        Edit("estimator/exports/plain_text.py", "", FORMAT),
        Edit(
            "estimator/exports/formats.py",
            "from estimator.models import Run\n",
            "from estimator.exports.plain_text import text_file\n",
        ),
        Edit(
            "estimator/exports/formats.py",
            '        Format(\n            "csv",',
            '        Format("text", ".txt", "text/plain", "Estimates as text", _made(text_file)),\n',
        ),
    ],
    "A panel page": [
        Edit("surveys/panel/milestones.py", "", VIEW),
        Edit("surveys/panel/urls.py", "    opening,\n", "    milestones,\n"),
        Edit(
            "surveys/panel/urls.py",
            '    path("preview/",',
            '    path("survey/<slug:slug>/milestones/", page(milestones.milestones), name="milestones"),\n',
        ),
        Edit("templates/panel/milestones.html", "", TEMPLATE),
        Edit("surveys/templatetags/help.py", '    "panel:opening"', '    "panel:milestones": FIELD,\n'),
    ],
}

PROBE = '''
import subprocess
from django.core.management import call_command
from django.test import Client
from collector.designs import selectors as designs
from estimator.exports.formats import FORMATS
from estimator.runs import services
from surveys.accounts.teams import home_team
from surveys.definition.definitions import load
from surveys.lifecycle.services import close_survey, write_survey
from surveys.models import Page
from surveys.opening.services import open_survey
from tests.factories import reports
from tests.factories.payloads import body

DEFINITION = """
slug: often
title: How often
introduction: "."
consent: "."
items:
- key: cheats
  kind: frequency
  wording: How often do you cheat?
  choices: [Never, Sometimes, Often]
  channel: {name: k_ary, truth: 1/2}
- key: lies
  wording: Do you lie?
  channel: {name: unrelated_question, truth: 1/2, yes: 1/4}
"""

def test_probe(alice, client: Client, tmp_path):
    survey = write_survey(load(DEFINITION), team=home_team(alice))
    version = open_survey(survey)
    design = designs.get_design(version.design_id)
    page = bytes(Page.objects.get(version=version, kind=Page.Kind.ANSWER).content).decode()
    assert 'data-sentence="missing-frequency"' in page
    read = "import { readDesign } from './surveys/static/surveys/client/design.js';"
    command = ["node", "--input-type=module", "--eval", f"{read} readDesign(process.argv[1])", design.canonical]
    subprocess.run(command, check=True)
    for number in range(60):
        symbols = "%02d%02d" % (number % 3, number % 2)
        assert reports.store_report(body(design, report=symbols, stratum=""), slug="often")
    close_survey(survey)
    run = services.execute(services.request_run(design.digest).pk)
    assert {one.position for one in run.estimates.all()} == {0, 1}
    made = FORMATS["text"].whole(run).decode().split()
    assert len(made) == run.estimates.count()
    client.force_login(alice)
    assert b"Version 1" in client.get("/panel/survey/often/milestones/").content
    assert b"Estimates as text" in client.get("/panel/survey/often/export/").content
    assert b"frequency" in client.get("/panel/survey/often/definition.yaml").content
'''


def recipe(title: str) -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(rf"^### {title}\n(.*?)(?=^### |\Z)", text, re.M | re.S)
    assert found is not None, f"CONTRIBUTING has no recipe for {title}"
    return found[1]


@pytest.mark.parametrize("title", RECIPES)
def test_recipe_is_short_and_names_each_file(title: str) -> None:
    text = recipe(title)
    assert len(text.strip().split("\n")) <= 10
    for edit in RECIPES[title]:
        assert f"`{edit.file}`" in text, edit.file


@pytest.mark.long
def test_recipes_in_a_copy_give_their_result(tmp_path: Path) -> None:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copy(ROOT / name, tmp_path)
    for edit in (edit for edits in RECIPES.values() for edit in edits):
        file = tmp_path / edit.file
        text = file.read_text(encoding="utf-8") if edit.old else ""
        before, found, after = text.partition(edit.old) if edit.old else ("", "", "")
        assert found == edit.old, f"{edit.file} has no {edit.old!r}"
        file.write_text(before + edit.new + found + after, encoding="utf-8")
    (tmp_path / "tests" / "test_probe.py").write_text(PROBE, encoding="utf-8")
    for command in (
        ["manage.py", "makemigrations", "surveys", "--verbosity", "0"],
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/test_probe.py"],
    ):
        done = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
