"""Translations: what goes out comes back, what has changed meanwhile is left alone, and hostile files are refused."""

import contextlib
import copy
import io
import json
import random
import re
import subprocess
import zipfile
from typing import Any

import polib
import pytest
from openpyxl import Workbook, load_workbook

from collector.errors import ValidationError
from surveys.definition import definitions
from surveys.exchange import files
from surveys.exchange.translation_files import FORMATS, read, write
from surveys.exchange.translations import Translations, texts_of, translated
from tests.factories.surveys import example
from tests.tools.client import node

SURVEY = """
slug: campus
languages: [en, de, ar]
title: {en: 'Say "hi", all', de: "", ar: ""}
introduction: {en: "=1+1 is a formula\\nin two lines", de: "", ar: ""}
consent: ""
consent_statements: [{en: I agree., de: "", ar: ""}]
screening:
  wording: {en: "Here?", de: "", ar: ""}
  choices: [{en: Here, de: "", ar: ""}, {en: Elsewhere, de: "", ar: ""}]
  ends: [1]
  text: {en: "Not for you.", de: "", ar: ""}
about: {help_line: {en: "-1 or 0800", de: "", ar: ""}}
strata:
  wording: {en: "Year?", de: "", ar: ""}
  groups:
    - {key: g1, label: {en: First, de: "", ar: ""}}
    - {key: g2, label: {en: Later, de: "", ar: ""}}
sections: [{key: s, title: {en: Part, de: "", ar: ""}}]
items:
  - key: a
    section: s
    wording: {en: "A; or B?", de: "", ar: ""}
    choices: [{en: "No", de: Nein, ar: ""}, {en: "Yes", de: "", ar: ""}]
    prefer_not: {en: Rather not, de: "", ar: ""}
    channel: {name: k_ary, truth: 2/5}
"""

PLACES = [
    "title", "introduction", "consent_statements/0", "screening/wording", "screening/choices/0", "screening/choices/1",
    "screening/text", "about/help_line", "strata/wording", "strata/groups/g1/label", "strata/groups/g2/label",
    "sections/s/title", "items/a/wording", "items/a/choices/0", "items/a/choices/1", "items/a/prefer_not",
]  # fmt: skip
NASTY = ["=HYPERLINK(1)", "+1", "-2", "@x", 'Zwei "Zeilen"\n; und, Komma\tTab', "نعم أو لا", "\\n kein Umbruch", "'=1"]


def survey() -> Any:
    return copy.deepcopy(definitions.load(SURVEY))


def took(content: bytes | str, *, filename: str = "texts.csv", definition: Any = None) -> Translations:
    raw = content.encode() if isinstance(content, str) else content
    return read(raw, filename=filename, definition=definition or survey())


def test_texts_are_those_of_the_editor() -> None:
    script = "const { textsOf } = await import('./surveys/static/surveys/editor/texts.js'); let sent = '';"
    script += "for await (const part of process.stdin) sent += part;"
    script += "console.log(JSON.stringify(textsOf(JSON.parse(sent)).map(({ path, text, same }) => [path, text, same])))"
    apart = example()
    for number, item in enumerate(item for item in apart["items"] if "heading" in item):
        item["heading"]["en"] += " and more" * (number > 0)
    beside = example()
    picture = {"digest": "0" * 64, "type": "png", "width": 1, "height": 1, "alternative": {"en": "A hall"}}
    beside["items"][0]["before"] = {"text": {"en": "Read."}, "heading": {"en": "Exams"}, "picture": picture}
    beside["items"][0]["choice_pictures"] = [None, picture]
    for definition in (survey(), example(), apart, beside):
        command = [node(), "--input-type=module", "-e", script]
        run = subprocess.run(command, input=json.dumps(definition), capture_output=True, text=True, check=True)
        assert json.loads(run.stdout) == [
            [place, one.text, list(one.same)] for place, one in texts_of(definition).items()
        ]
    assert list(texts_of(survey())) == PLACES


@pytest.mark.parametrize("form", FORMATS)
def test_file_comes_back_unchanged(form: str) -> None:
    assert took(write(survey(), form, "de"), filename=f"a.{form}") == Translations()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", NASTY)
def test_words_survive_every_format(form: str, words: str) -> None:
    """Also those that a spreadsheet would take for a formula; the same code writes originals."""
    there = survey()
    for one in texts_of(there).values():
        one.text["de"] = words
    found = took(write(there, form, "de"), filename=f"a.{form}")
    if form == "csv" and words == "'=1":
        words = "=1"  # an apostrophe before a sign is how a cell of CSV is kept from being a formula
    assert {one for _, _, one in found.texts} == {words.strip()}
    assert len(found.texts) == len(PLACES)


def test_workbook_has_no_formula_and_opens_as_a_table() -> None:
    there = survey()
    there["title"]["de"] = "=1+1"
    sheet = load_workbook(io.BytesIO(write(there, "xlsx", ""))).active
    assert [cell.value for cell in sheet[1]] == ["text", "en", "de", "ar"]
    assert sheet["C2"].value == "=1+1"
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"inlineStr", "s"}, "texts, and empty cells"


def test_po_file_is_read_by_gettext_tools() -> None:
    file = polib.pofile(write(survey(), "po", "ar").decode())
    assert (file.metadata["Language"], len(file), file.percent_translated()) == ("ar", len(PLACES), 0)
    assert [(entry.msgctxt, entry.msgid, entry.comment) for entry in file][-2] == (
        "items/a/choices/1",
        "Yes",
        "Question 1, option 2",
    )
    for language in ("en", "fr", ""):
        with pytest.raises(ValidationError, match="language must be one of de, ar; got"):
            write(survey(), "po", language)


@pytest.mark.parametrize("by", [",", ";", "\t"])
def test_table_is_taken_and_what_is_not_here_is_named(by: str) -> None:
    rows = [
        ["text", "de", "ar", "notes"],
        ["title", '"Sag ""hi"", alle"', "", "short"],
        ["introduction", "'=1+1", "", ""],
        ["gone/text", "Weg", "", ""],
        ["items/a/choices/1", "Ja", "نعم", ""],
    ]
    found = took("\r\n".join(by.join(row) for row in rows))
    made = translated(survey(), found)
    assert (made["title"]["de"], made["introduction"]["de"]) == ('Sag "hi", alle', "=1+1")
    assert made["items"][0]["choices"][1] == {"en": "Yes", "de": "Ja", "ar": "نعم"}
    assert (len(found.texts), found.unknown, found.columns) == (4, ["gone/text"], ["notes"])
    assert took("text,de\r\ntitle,\r\n") == Translations(), "an empty cell changes nothing"


@pytest.mark.parametrize("form", FORMATS)
def test_text_whose_original_has_changed_is_named_and_left(form: str) -> None:
    there, now = survey(), survey()
    there["title"]["de"] = there["items"][0]["wording"]["de"] = "Deutsch"
    now["title"]["en"] = "Another title"
    found = took(write(there, form, "de"), filename=f"a.{form}", definition=now)
    assert found.stale == [("title", 'Say "hi", all', "Another title")]
    assert found.texts == [("items/a/wording", "de", "Deutsch")]


def test_fuzzy_and_obsolete_entries_are_left_out() -> None:
    file = polib.pofile(write(survey(), "po", "de").decode())
    file.metadata["Language"] = "de_AT"
    for place, words in (("title", "Titel"), ("items/a/wording", "A oder B?"), ("strata/wording", "Jahr?")):
        next(entry for entry in file if entry.msgctxt == place).msgstr = words
    file.find("Year?").flags.append("fuzzy")
    file.find("A; or B?").obsolete = True
    found = took(str(file), filename="a.po")
    assert (found.texts, found.unfinished) == ([("title", "de", "Titel")], ["strata/wording"])


@pytest.mark.parametrize(
    ("content", "filename", "words"),
    [
        (b"", "a.csv", "is empty"),
        (b"a,b\n1,2", "a.csv", "row 1 must be text, then language codes such as de, ar; got 'a, b'"),
        (b"text,en\ntitle,New", "a.csv", "row 1 must be text"),
        (b"text,de,de\ntitle,a,b", "a.csv", "row 1 must name each language once; de is there twice"),
        ("text,de\ntitle,Größe".encode("latin-1"), "a.csv", "byte 17 (line 2) cannot be read as UTF-8"),
        (b"text,de\ntitle,a\ntitle,b", "a.csv", "row 3: the text title is in row 2 already"),
        (b"text,de\n\ntitle,<b>fett</b>", "a.csv", "row 3, column de: "),
        (b"text,de\ntitle,<b>fett</b>", "a.csv", "got '<b>fett</b>'"),
        ("text,ar\ntitle,a\u202eb".encode(), "a.csv", "U+202E"),
        (b"text,de\ntitle," + b"x" * 20_001, "a.csv", "at most 20,000 characters; got 20,001"),
        (b"text,de\n" + b"gone,x\n" * 5_001, "a.csv", "must have at most 5,000 rows"),
        (b"x" * 1_000_001, "a.po", "at most 1,000,000 bytes"),
        (b"PK\x03\x04 nothing", "a.xlsx", "damaged or of another kind"),
        (b"/etc/passwd", "a.po", "cannot be read as a PO file: Syntax error in po file (line 1)"),
        (b'msgid "a\nmsgstr', "a.po", "cannot be read as a PO file: Syntax error in po file (line 2)"),
        (b'msgid ""\nmsgstr "Language: fr\\n"\n', "a.po", "one of de, ar; got Language: 'fr'"),
    ],
)
def test_unusable_file_is_refused_with_row_column_and_value(content: bytes, filename: str, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        took(content, filename=filename)
    assert words in str(refused.value)


def test_po_plural_and_wrong_words_are_refused_with_their_line() -> None:
    head = 'msgid ""\nmsgstr "Language: de\\n"\n\n'
    with pytest.raises(ValidationError, match=r"line 4 must have no plural: .* got 'Titles'"):
        took(f'{head}msgid "Title"\nmsgid_plural "Titles"\nmsgstr[0] "a"\nmsgstr[1] "b"\n', filename="a.po")
    with pytest.raises(ValidationError, match=r"line 4, column de: .* got '<script>'"):
        took(f'{head}msgctxt "title"\nmsgid "Say"\nmsgstr "<script>"\n', filename="a.po")


def test_only_the_first_faults_are_listed() -> None:
    rows = "\n".join(f"gone/{number},<b>" for number in range(9))
    with pytest.raises(ValidationError) as refused:
        took(f"text,de\n{rows}")
    assert len(re.findall(r"row \d+, column de", refused.value.message)) == 3
    assert "has 9 errors, the first: row 2, column de" in str(refused.value)


def test_zip_bomb_and_workbook_without_the_table_are_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/worksheets/sheet1.xml", b"0" * (files.LARGEST_UNPACKED + 1))
    with pytest.raises(ValidationError, match="bytes unpacked"):
        took(out.getvalue(), filename="a.xlsx")
    book, out = Workbook(), io.BytesIO()
    book.active.append(["place", "de"])
    book.save(out)
    with pytest.raises(ValidationError, match="must have a sheet whose first cell is text"):
        took(out.getvalue(), filename="a.xlsx")


def test_mutated_files_are_taken_or_refused_and_never_crash() -> None:
    chance, taken = random.Random(2026), 0
    sources = {form: write(survey(), form, "de") for form in FORMATS}
    for number in range(600):
        form = list(FORMATS)[number % 3]
        changed = bytearray(sources[form])
        for _ in range(chance.randint(1, 5)):
            at = chance.randrange(len(changed))
            changed[at : at + chance.randint(0, 20)] = chance.choice(
                [b"", b'"', b"\n", b"\\", b"\x00", b"msgid", b"#~"]
            )
        with contextlib.suppress(ValidationError):
            took(bytes(changed), filename=f"a.{form}")
            taken += 1
    assert 50 < taken < 550
