"""Translators' files by the command line and by the API: the same file, the same report, and nothing overwritten."""

import base64
import copy
import io
import json
from pathlib import Path
from typing import Any

import polib
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from surveys.accounts.teams import home_team
from surveys.exchange.files import LARGEST_FILE
from surveys.exchange.translation_files import FORMATS
from surveys.exchange.translations import texts_of
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from surveys.management.base import REFUSED
from surveys.models import AuditEntry, Survey
from surveys.opening.services import open_survey
from tests.factories.surveys import example
from tests.panel.forms import BILINGUAL
from tests.tools.api import Program

pytestmark = pytest.mark.django_db

FILE = "text,en,de,xx\ntitle,{title},Hochschule,\nintroduction,Another one,Anders,\ngone,x,y,\n"


@pytest.fixture
def draft(alice: User) -> Survey:
    return write_survey(copy.deepcopy(BILINGUAL), team=home_team(alice), by=alice)


@pytest.fixture
def hers(alice: User) -> Program:
    return Program(alice)


def run(name: str, *words: Any) -> tuple[str, str]:
    out, aside = io.StringIO(), io.StringIO()
    call_command(name, *words, stdout=out, stderr=aside)
    return out.getvalue(), aside.getvalue()


def content_of(draft: Survey) -> str:
    return FILE.format(title=selectors.definition_of(draft)["title"]["en"])


def untranslated(part: Any) -> Any:
    """A definition of one language with a second one, in which nothing is written."""
    if isinstance(part, list):
        return [untranslated(one) for one in part]
    if isinstance(part, dict) and set(part) == {"en"}:
        return part | {"de": ""}
    return {key: untranslated(one) for key, one in part.items()} if isinstance(part, dict) else part


def sent(content: bytes | str, filename: str = "texts.csv") -> dict[str, str]:
    raw = content.encode() if isinstance(content, str) else content
    return {"content": base64.b64encode(raw).decode(), "filename": filename}


def german(draft: Survey) -> Any:
    return selectors.definition_of(Survey.objects.get(pk=draft.pk))["title"]["de"]


@pytest.mark.parametrize("form", FORMATS)
def test_command_writes_file_that_api_gives_and_both_read(
    draft: Survey, hers: Program, tmp_path: Path, form: str
) -> None:
    file, nothing = (
        tmp_path / f"texts.{form}",
        {"texts": [], "stale": [], "unfinished": [], "unknown": [], "columns": []},
    )
    told, _ = run("export_translations", draft.slug, "--output", file, "--format", form)
    assert told == f"The texts of {draft.slug} are written to {file}.\n"
    answer = hers("GET", f"surveys/{draft.slug}/translations/?format={form}")
    assert answer["Content-Type"] == FORMATS[form]
    assert answer["Content-Disposition"] == f'attachment; filename="{draft.slug}-translations.{form}"'
    assert AuditEntry.objects.get(act="exported").detail == f"the translations, as {form.upper()}"
    for content in (file.read_bytes(), answer.content):
        assert hers.post(f"surveys/{draft.slug}/translations/", sent(content, "")) == nothing
    assert json.loads(run("import_translations", draft.slug, file, "--json")[0]) == {"slug": draft.slug, **nothing}


def test_import_translations_saves_and_names_what_is_left_out(draft: Survey, tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_text(content_of(draft), encoding="utf-8")
    introduction = selectors.definition_of(draft)["introduction"]["en"]
    told, aside = run("import_translations", draft.slug, file)
    assert told == f"1 text is taken over into {draft.slug}.\n"
    assert aside.splitlines() == [
        f"left out: introduction: its original was “Another one” and is now “{introduction}”",
        "left out: gone: the draft has no such text",
        "left out: xx: this column is not a language of the survey",
    ]
    assert german(draft) == "Hochschule"
    assert AuditEntry.objects.filter(act="changed", survey=draft, name="").count() == 1
    assert run("import_translations", draft.slug, file)[0] == f"0 texts are taken over into {draft.slug}.\n"


def test_translations_of_grid_go_to_all_its_rows(alice: User, tmp_path: Path) -> None:
    definition, file = untranslated(example()) | {"languages": ["en", "de"]}, tmp_path / "texts.po"
    draft = write_survey(definition, team=home_team(alice), unfinished=True)
    run("export_translations", draft.slug, "--output", file, "--format", "po")
    catalog = polib.pofile(str(file))
    for entry in catalog:
        entry.msgstr = f"{entry.msgctxt}!"
    catalog.save()
    run("import_translations", draft.slug, file)
    now = selectors.definition_of(Survey.objects.get(pk=draft.pk))
    assert list(texts_of(now)) == list(texts_of(definition)), "no grid has fallen apart"
    shared = [one for one in texts_of(now).values() if one.same]
    assert shared
    assert all(text["de"] == one.text["de"] for one in shared for text in one.same)
    assert {one.text["de"] for one in texts_of(now).values()} == {f"{place}!" for place in texts_of(now)}


def test_api_translations_are_saved_with_the_report_of_the_editor(draft: Survey, hers: Program) -> None:
    introduction = selectors.definition_of(draft)["introduction"]["en"]
    assert hers.post(f"surveys/{draft.slug}/translations/", sent(content_of(draft))) == {
        "texts": [{"place": "title", "language": "de", "words": "Hochschule"}],
        "stale": [{"place": "introduction", "original": "Another one", "now": introduction}],
        "unfinished": [],
        "unknown": ["gone"],
        "columns": ["xx"],
    }
    assert german(draft) == "Hochschule"


def test_api_translations_of_another_version_are_refused(draft: Survey, hers: Program) -> None:
    address, body = f"surveys/{draft.slug}/translations/", sent(content_of(draft))
    read = hers("GET", f"surveys/{draft.slug}/definition/")["ETag"]
    hers.done("PATCH", f"surveys/{draft.slug}/definition/", {"rehearsal": True})
    assert "changed since" in hers.refused(412, "POST", address, body, If_Match=read)["detail"]
    assert german(draft) != "Hochschule"
    fresh = hers("GET", f"surveys/{draft.slug}/definition/")["ETag"]
    first = hers.post(address, body, If_Match=fresh, Idempotency_Key="once")
    assert hers.post(address, body, If_Match=fresh, Idempotency_Key="once") == first
    assert len(first["texts"]) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (" ", "is empty"),
        ("a,b\n1,2", "row 1 must be text, then language codes such as de; got 'a, b'"),
        ("text,de\ntitle,<b>fett</b>", "row 2, column de: "),
        ('msgid ""\nmsgstr "Language: fr\\n"\n', "must name its language in the header, one of de"),
        (b"PK\x03\x04 nothing", "damaged or of another kind"),
    ],
)
def test_unusable_translations_change_nothing(
    draft: Survey, hers: Program, tmp_path: Path, content: str | bytes, words: str
) -> None:
    before, file = selectors.definition_of(draft), tmp_path / "texts"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    refused = hers.refused(422, "POST", f"surveys/{draft.slug}/translations/", sent(content, "texts"))
    assert (refused["errors"][0]["field"], words in refused["detail"]) == ("content", True)
    with pytest.raises(CommandError, match="file") as ended:
        run("import_translations", draft.slug, file)
    assert (ended.value.returncode, words in str(ended.value)) == (REFUSED, True)
    assert selectors.definition_of(Survey.objects.get(pk=draft.pk)) == before


def test_translations_refuse_what_is_no_draft_or_no_language(draft: Survey, hers: Program, tmp_path: Path) -> None:
    address, file = f"surveys/{draft.slug}/translations/", tmp_path / "texts.csv"
    assert hers.refused(400, "GET", f"{address}?format=pdf")["errors"][0]["field"] == "format"
    assert hers.refused(400, "GET", f"{address}?language=fr")["errors"][0]["field"] == "language"
    with pytest.raises(CommandError, match="language must be one of de; got 'fr'"):
        run("export_translations", draft.slug, "--output", file, "--format", "po", "--language", "fr")
    file.write_bytes(b"x" * (LARGEST_FILE + 1))
    with pytest.raises(CommandError, match="at most 1,000,000 bytes; it has more"):
        run("import_translations", draft.slug, file)
    file.write_text(content_of(draft), encoding="utf-8")
    open_survey(draft)
    assert hers("GET", address).status_code == 200
    assert "draft" in hers.refused(409, "POST", address, sent(content_of(draft)))["detail"]
    with pytest.raises(CommandError, match="draft"):
        run("import_translations", draft.slug, file)


def test_po_file_of_one_language_has_a_reason(alice: User, hers: Program) -> None:
    survey = write_survey(
        BILINGUAL | {"languages": ["en"]} | {"slug": "english"}, team=home_team(alice), unfinished=True
    )
    refused = hers.refused(422, "GET", f"surveys/{survey.slug}/translations/?format=po")
    assert "languages must be at least two" in refused["detail"]
