"""Questionnaires of other tools: their wording, options and conditions, and what the import report says of the rest."""

import io
import json
import random
import zipfile

import pytest
from openpyxl import Workbook

from collector.errors import ValidationError
from surveys.exchange import files
from surveys.exchange.formats import convert, format_of
from tests.exchange import samples
from tests.exchange.tools import TOOLS
from tests.exchange.tools.questionnaires import QUESTIONNAIRES


def outcomes(content: bytes, name: str) -> dict[str, str]:
    return {entry.element: entry.outcome for entry in convert(content, filename=name).report.entries}


@pytest.mark.parametrize(("name", "form"), [(one.filename, one.form) for one in samples.SAMPLES])
def test_format_is_found_out(name: str, form: str) -> None:
    assert format_of(samples.content(name), name) == form


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda one: one.filename)
def test_import_keeps_questions_and_conditions(sample: samples.Sample) -> None:
    made = convert(samples.content(sample.filename), filename=sample.filename)
    items = made.definition["items"]
    assert [(item["key"], item["kind"], len(item["choices"])) for item in items] == sample.items
    found = {
        item["key"]: (item["asked_if"]["item"], item["asked_if"]["answers"]) for item in items if "asked_if" in item
    }
    assert found == sample.conditions
    assert made.definition["title"]["en"] == sample.title
    for element in sample.left_out:
        assert outcomes(samples.content(sample.filename), sample.filename)[element] == "left out"


@pytest.mark.parametrize("sample", samples.SAMPLES, ids=lambda one: one.filename)
def test_import_report_names_every_question(sample: samples.Sample) -> None:
    made = convert(samples.content(sample.filename), filename=sample.filename)
    elements = [entry.element for entry in made.report.entries]
    assert all(words in " ".join(elements) for words in sample.words)
    assert all(entry.detail for entry in made.report.entries if entry.outcome != "taken over")


def test_import_stays_within_usual_epsilon() -> None:
    for sample in samples.SAMPLES:
        made = convert(samples.content(sample.filename), filename=sample.filename)
        assert "epsilon" not in made.missing


def surveyjs(*elements: dict[str, object], **settings: object) -> bytes:
    asked = {"type": "boolean", "name": "b", "title": "Lost?", "isRequired": True}
    return json.dumps({"pages": [{"name": "p", "elements": [asked, *elements], **settings}]}).encode()


def test_hidden_question_and_page_are_reported() -> None:
    hidden = {"type": "boolean", "name": "h", "title": "Hidden?", "visible": False}
    made = convert(surveyjs(hidden, visible=False), filename="a.json")
    said = [(one.place, one.outcome) for one in made.report.entries if "hides" in one.detail]
    assert said == [("pages[0]", "changed"), ("pages[0].elements[1]", "changed")]


def test_parts_of_dynamic_panel_are_reported() -> None:
    inner = {"type": "text", "name": "age", "title": "How old is the child?"}
    panel = {"type": "paneldynamic", "name": "children", "title": "Children", "templateElements": [inner]}
    found = outcomes(surveyjs(panel), "a.json")
    assert found["Children"] == found["templateElements: How old is the child?"] == "left out"


def test_title_that_is_cut_is_reported() -> None:
    made = convert(json.dumps({"title": "long " * 100, "elements": [{"type": "boolean", "name": "b"}]}).encode())
    assert len(made.definition["title"]["en"]) == 300
    assert "It was shortened to 300 characters from 499." in [one.detail for one in made.report.entries]


def test_workbook_is_read_like_csv() -> None:
    book = Workbook()
    book.remove(book.active)
    for name, rows in samples.xlsform_sheets().items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    assert format_of(out.getvalue(), "form.xlsx") == "xlsform"
    made, other = (
        convert(out.getvalue(), filename="form.xlsx"),
        convert(samples.content("form.csv"), filename="form.csv"),
    )
    assert made.definition == other.definition


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xff\xfea\x00\x00\xd8", "cannot be read as UTF-16"),
        ("Größe".encode("latin-1"), "byte 3 (line 1) cannot be read as UTF-8"),
        (b"x" * 1_000_001, "at most 1,000,000 bytes"),
        (b"{" * 5000, "is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1" + b",[1" * 60 + b"]" * 61, "nested too deeply"),
        (b"<a>" * 60, "nested too deeply"),
        (b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "declares a document type"),
        (b"<!DOCTYPE a [<!ENTITY x 'xx'><!ENTITY y '&x;&x;'>]><a>&y;</a>", "declares a document type"),
        (b"PK\x03\x04 nothing", "damaged or of another kind"),
        (b"%PDF-1.7", "is a PDF"),
        (b"\xd0\xcf\x11\xe0 old", "save it as .xlsx"),
        (b'{"a": 1}', "neither from Qualtrics"),
        (b"<html/>", "not a LimeSurvey file"),
    ],
)
def test_unreadable_file_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        convert(content)
    assert words in str(refused.value)


def test_zip_bomb_is_refused_before_unpacking() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * (files.LARGEST_UNPACKED + 1))
    with pytest.raises(ValidationError, match="bytes unpacked"):
        convert(out.getvalue(), filename="a.xlsx")


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The file with some bytes changed, cut out, doubled or put in."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0 if at < len(changed):
                changed[at] = chance.randrange(256)
            case 1:
                del changed[at : at + chance.randint(1, 40)]
            case 2:
                changed[at:at] = changed[at : at + chance.randint(1, 60)]
            case _:
                changed[at:at] = chance.choice(
                    [b"{", b"[", b'"', b"\x00", b"&lt;", b"${x}", b"<", b"null", b"-1", b"'"]
                )
    return bytes(changed)


def try_mutations(count: int, seed: int) -> int:
    chance, taken = random.Random(seed), 0
    sources = [(samples.content(one.filename), one.filename, one.form) for one in samples.SAMPLES]
    sources += [
        (tool.write(questionnaire), f"a{tool.suffix}", tool.form)
        for tool in TOOLS.values()
        for questionnaire in QUESTIONNAIRES.values()
    ]
    chance.shuffle(sources)
    for number in range(count):
        content, filename, form = sources[number % len(sources)]
        try:
            made = convert(mutated(content, chance), filename=filename, form=form)
        except ValidationError:
            continue
        assert made.report.entries
        json.dumps(made.definition, ensure_ascii=False).encode()
        taken += 1
    return taken


@pytest.mark.long
def test_mutated_files_are_imported_or_refused() -> None:
    assert try_mutations(1_000, 19) > 100


@pytest.mark.long
def test_10000_mutated_files_are_imported_or_refused() -> None:
    assert try_mutations(10_000, 20) > 1_000
