"""The formats of other tools' questionnaires: finding one out, converting a file, exporting a survey."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

from collector.errors import InputError, ValidationError
from surveys.definition import bounds, definitions
from surveys.definition.parts import Definition
from surveys.exchange import files
from surveys.exchange.building import Builder, Texts
from surveys.exchange.readers import tables
from surveys.exchange.source import ImportReport, Questionnaire

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


AUTOMATIC = "auto"
CANDOR = "candor"
"""Candor's own YAML, which needs no conversion."""


@dataclass(frozen=True)
class SourceFormat:
    """A format that can be imported: its name in commands and requests, its label, the files that it has."""

    name: str
    label: "StrOrPromise"
    suffixes: tuple[str, ...]
    module: str

    def read(self, content: bytes) -> Questionnaire:
        reader: Callable[[bytes], Questionnaire] = import_module(f"surveys.exchange.readers.{self.module}").read
        return reader(content)


FORMATS: dict[str, SourceFormat] = {
    one.name: one
    for one in (
        SourceFormat("xlsform", "XLSForm (ODK, KoboToolbox)", (".xlsx", ".csv"), "xlsform"),
        SourceFormat("limesurvey", "LimeSurvey (.lss, .lsg, .lsq)", (".lss", ".lsg", ".lsq"), "limesurvey_xml"),
        SourceFormat("limesurvey_tsv", gettext_lazy("LimeSurvey, tab-separated"), (".txt", ".tsv"), "limesurvey_tsv"),
        SourceFormat("qualtrics", "Qualtrics (.qsf)", (".qsf",), "qualtrics"),
        SourceFormat("redcap", gettext_lazy("REDCap data dictionary (CSV)"), (".csv",), "redcap"),
        SourceFormat("surveyjs", "SurveyJS (JSON)", (".json",), "surveyjs"),
        SourceFormat("csv", gettext_lazy("Table of questions (CSV, XLSX)"), (".csv", ".tsv", ".xlsx"), "table"),
        SourceFormat("text", gettext_lazy("List of questions (text, Markdown)"), (".txt", ".md"), "listing"),
    )
}
EXPORTS = {"xlsform": ".xlsx", "surveyjs": ".json"}
"""Formats that a survey can be exported to, and the ending of their files."""

OWN_KEYS = re.compile(rf"^({'|'.join(sorted(definitions.SURVEY_KEYS))}):(\s|$)", re.MULTILINE)


@dataclass(frozen=True)
class Conversion:
    """A definition made of another tool's file, what became of each element, and what it still lacks."""

    tool: str
    definition: Definition
    report: ImportReport
    missing: str
    """What keeps it from being opened as it is; empty if nothing does."""


def format_of(content: bytes, filename: str = "") -> str:
    """The name of a file's format, found out from its content and its name; `candor` for a definition in YAML.

    Raises
    ------
    ValidationError
        Where the file is of no format that is known.
    """
    files.require_size(content)
    suffix = PurePath(filename).suffix.lower()
    if suffix in (".yaml", ".yml"):
        return CANDOR
    if content[:2] == b"PK":
        return tables.workbook_format(content)
    if content[:4] == b"\xd0\xcf\x11\xe0":
        raise files.fault(gettext("is a workbook of Excel 97 (.xls); save it as .xlsx"))
    if content[:4] == b"%PDF":
        raise files.fault(gettext("is a PDF, in which questions cannot be recognised; paste its text"))
    text = files.decoded(content)
    begin = text.lstrip()[:1]
    if begin == "<":
        return "limesurvey"
    if begin in ("{", "["):
        return _json_format(text)
    if suffix not in (".csv", ".tsv", ".md") and OWN_KEYS.search(text):
        return CANDOR
    return tables.text_format(text)


def _json_format(text: str) -> str:
    document = files.json_document(text)
    keys = set(document) if isinstance(document, dict) else set()
    if "SurveyElements" in keys:
        return "qualtrics"
    if {"pages", "elements", "questions"} & keys:
        return "surveyjs"
    raise files.fault(
        gettext("is JSON, but neither from Qualtrics (SurveyElements) nor from SurveyJS (pages or elements)")
    )


def convert(content: bytes, *, filename: str = "", form: str = AUTOMATIC, language: str = "en") -> Conversion:
    """A survey definition made of another tool's file.

    Parameters
    ----------
    content : bytes
        The file, of at most `files.LARGEST_FILE` bytes.
    filename : str
        Its name, which helps to find out the format and stands in for a missing title.
    form : str
        The name of its format, one of `FORMATS`; "auto" finds it out.
    language : str
        The language of texts that name none.

    Raises
    ------
    ValidationError
        Where the file cannot be read or is out of bounds: the place, the bound and what was found.
    """
    files.require_size(content)
    name = format_of(content, filename) if form == AUTOMATIC else form
    if name not in FORMATS:
        known = ", ".join([AUTOMATIC, *FORMATS])
        raise InputError(
            "format",
            gettext("format must be one of {known}; got {given}").format(
                known=known, given=form if form != AUTOMATIC else name
            ),
        )
    source = FORMATS[name].read(content)
    if not source.questions:
        raise files.fault(gettext("has no questions that can be read as {label}").format(label=FORMATS[name].label))
    raw = Builder(source, Texts.of(source, language)).definition(PurePath(filename).stem)
    return _checked(source, raw)


def export(definition: Definition, form: str) -> bytes:
    """A survey as a file of another tool, one of `EXPORTS`; `convert` makes the same definition of it."""
    write: Callable[[Definition], bytes] = import_module(f"surveys.exchange.writers.{form}").write
    return write(definition)


def _checked(source: Questionnaire, raw: dict[str, object]) -> Conversion:
    bounds.require_plain(raw)
    definition = definitions.complete(raw)
    bounds.require_size(definitions.dump(definition))
    missing = ""
    try:
        definitions.design_of(definition, version=1)
    except ValidationError as error:
        missing = str(error)
    return Conversion(source.tool, definition, source.report, missing)
