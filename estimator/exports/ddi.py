"""The DDI Codebook 2.5 (XML) of a run for archives: its study, its files and every variable in them.

The elements and their order are those of the schema that the DDI Alliance published in 2012; texts are in the survey's
own language, what Candor says of them in English.
"""

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from estimator.base.charts.svg import NOT_XML
from estimator.exports.columns import ESTIMATES, Column
from estimator.exports.variables import (
    STRATUM,
    WARNING,
    ExportVariable,
    background_columns,
    stratum_wording,
    variables_of,
)
from estimator.models import Disclosure, Run
from estimator.reports import disclosures, facts, privacy
from estimator.runs import results, targets
from estimator.runs.results import QuestionResults, ReportContext, Results

NAMESPACE = "ddi:codebook:2_5"
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
REPORTS, FIGURES = "file_reports", "file_estimates"

COLLECTED = (
    "Randomised response: each answer was randomised {where}, through a published table of integers; what was sent, "
    "and is stored, is the randomised response."
)
ON_THE_DEVICE = "on the respondent's own device"
OR_BY_COIN, OR_BY_BIRTHDAY = f"{ON_THE_DEVICE} or with their own coin", f"{ON_THE_DEVICE} or by a birthday"
ERROR = (
    "Standard errors and intervals stand beside every estimate: the main intervals, from randomisation alone, are for "
    "{noise}; those with sampling are for {whole}, and valid only if the respondents are a simple random sample of it."
)


def ddi_file(run: Run, context: ReportContext) -> bytes:
    """The DDI document, in UTF-8."""
    read = results.read(run, context)
    root = ET.Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5", LANGUAGE: "en"})
    _document(_add(root, "docDscr"), read)
    _study(_add(root, "stdyDscr"), read)
    width = 1 + len(background_columns(read.partition)) + len(read.design.alphabets)
    _file(root, REPORTS, "Randomised responses, one row each", run.reports, width)
    estimates = sum(len(item.cells) for item in read.items)
    _file(root, FIGURES, "Estimates, one row for each", estimates, len(ESTIMATES))
    _data(_add(root, "dataDscr"), read)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add(parent: ET.Element, name: str, content: Any = None, /, **attributes: str) -> ET.Element:
    """Append a child to an element, with text that XML allows."""
    clean = {key: NOT_XML.sub("\ufffd", value) for key, value in attributes.items()}
    child = ET.SubElement(parent, name, {LANGUAGE if key == "lang" else key: value for key, value in clean.items()})
    if content is not None:
        child.text = NOT_XML.sub("\ufffd", str(content))
    return child


def _document(document: ET.Element, read: Results) -> None:
    citation = _add(document, "citation")
    titles = _add(citation, "titlStmt")
    _add(titles, "titl", f"Codebook: {read.title}", lang=read.language)
    made = _add(citation, "prodStmt")
    _add(made, "software", "Candor", version=read.run.version)


def _study(study: ET.Element, read: Results) -> None:
    run, design = read.run, read.design
    citation = _add(study, "citation")
    titles = _add(citation, "titlStmt")
    _add(titles, "titl", read.title, lang=read.language)
    for language in design.languages[1:]:
        _add(titles, "parTitl", design.title[language], lang=language)
    _add(titles, "IDNo", design.digest, agency="SHA-256 of the frozen design")
    _add(titles, "IDNo", run.key, agency="run")
    disclosure = disclosures.of(design.slug)
    if disclosure.texts.get("sponsor"):
        _say(_add(citation, "prodStmt"), "fundAg", disclosure, "sponsor")
    _add(_add(citation, "verStmt"), "version", design.version)
    scope = _add(study, "stdyInfo")
    _add(scope, "abstract", design.introduction[read.language] or read.title, lang=read.language)
    summary = _add(scope, "sumDscr")
    _add(summary, "anlyUnit", "One person")
    _say(summary, "universe", disclosure, "population")
    _add(
        summary,
        "dataKind",
        "Randomised survey responses; simulated" if read.design.rehearsal else "Randomised survey responses",
    )
    _say(scope, "notes", disclosure, "strategy")
    _method(_add(study, "method"), read, disclosure)


def _method(method: ET.Element, read: Results, disclosure: Disclosure) -> None:
    collection = _add(method, "dataColl")
    _say(collection, "sampProc", disclosure, "recruitment")
    label = privacy.label(read)
    by_hand = OR_BY_BIRTHDAY if label.birthdays else OR_BY_COIN
    _add(collection, "collMode", COLLECTED.format(where=by_hand if read.run.coin_reports else ON_THE_DEVICE))
    _add(collection, "collMode", facts.mode(read))
    _say(collection, "collMode", disclosure, "mode")
    _say(collection, "weight", disclosure, "weighting")
    if label.before:
        _add(method, "notes", label.before.in_words, type="privacy")
    if label.reason:
        _add(method, "notes", f"{label.ceilings_in_words} {label.reason}", type="privacy")
    for item in label.items:
        note = f"{item.key}: {item.named} Epsilon {item.epsilon_text}. {item.how}"
        _add(method, "notes", note.strip(), type="privacy")
    analysis = _add(method, "anlyInfo")
    noise, whole = (targets.of_report(read.partition, sampled=sampled) for sampled in (False, True))
    _add(analysis, "EstSmpErr", ERROR.format(noise=noise, whole=whole))
    _say(analysis, "dataAppr", disclosure, "limits")
    _say(method, "dataProcessing", disclosure, "processing")


def _say(parent: ET.Element, name: str, disclosure: Disclosure, item: str) -> None:
    """Add the author's disclosure for an item of AAPOR's Code, in each language in which it is given."""
    for language, text in sorted(disclosure.texts.get(item, {}).items()):
        _add(parent, name, text, lang=language)


def _file(root: ET.Element, name: str, about: str, rows: int | None, width: int) -> None:
    text = _add(_add(root, "fileDscr", ID=name), "fileTxt")
    _add(text, "fileName", name.removeprefix("file_"))
    _add(text, "fileCont", about)
    size = _add(text, "dimensns")
    _add(size, "caseQnty", rows or 0)
    _add(size, "varQnty", width)


def _data(data: ET.Element, read: Results) -> None:
    variables = {item.key: [one for one in variables_of(read.design) if one.item == item.key] for item in read.items}
    for item in read.items:
        names, kind = " ".join(f"V_{one.name}" for one in variables[item.key]), "other"
        if item.kind == "several_choices":
            kind = "multipleResp"
        group = _add(data, "varGrp", ID=f"G_{item.key}", type=kind, var=names, name=item.key)
        _add(group, "labl", item.wording, lang=item.language)
    _stratum(data, read)
    for item in read.items:
        for variable in variables[item.key]:
            _variable(data, item, variable)
    for column in ESTIMATES:
        _column(data, column)


def _stratum(data: ET.Element, read: Results) -> None:
    parts, wording = read.partition.parts, stratum_wording(read.design)
    element = _add(data, "var", ID=f"V_{STRATUM}", name=STRATUM, files=REPORTS, intrvl="discrete")
    _add(
        element,
        "labl",
        (wording if parts else "") or "Group; empty if none was asked or group sizes are protected",
        lang=read.language,
    )
    if parts:
        _add(_add(element, "qstn"), "qstnLit", wording, lang=read.language)
    sizes = read.items[0].totals[0].sum(axis=1).tolist()
    for part, size in zip(parts, sizes, strict=bool(parts)):
        _category(element, part.key, part.full_label, size, read.language)
    _add(element, "varFormat", type="character", schema="other")
    for column in background_columns(read.partition):
        element = _add(data, "var", ID=f"V_{column.name}", name=column.name, files=REPORTS, intrvl="discrete")
        _add(element, "labl", column.label, lang=read.language)
        _add(_add(element, "qstn"), "qstnLit", column.label, lang=read.language)
        counts = np.bincount(column.codes, sizes, minlength=max(column.labels) + 1)
        for code, label in column.labels.items():
            _category(element, code, label, int(counts[code]), read.language)
        _add(element, "varFormat", type="numeric", schema="other")


def _variable(data: ET.Element, item: QuestionResults, variable: ExportVariable) -> None:
    element = _add(data, "var", ID=f"V_{variable.name}", name=variable.name, files=REPORTS, intrvl="discrete")
    _add(element, "labl", variable.label, lang=item.language)
    _add(_add(element, "qstn"), "qstnLit", item.wording, lang=item.language)
    _add(element, "txt", f"{WARNING}. Frequencies count randomised responses.")
    counts = item.totals[variable.symbol].sum(axis=0).tolist()
    for code, label in variable.labels.items():
        _category(element, code, label, counts[code], item.language)
    _add(element, "varFormat", type="numeric", schema="other")


def _category(element: ET.Element, code: object, label: str, count: int, language: str) -> None:
    category = _add(element, "catgry")
    _add(category, "catValu", code)
    _add(category, "labl", label, lang=language)
    _add(category, "catStat", count, type="freq")


def _column(data: ET.Element, column: Column) -> None:
    kind = "contin" if column.kind == "number" else "discrete"
    element = _add(data, "var", ID=f"E_{column.name}", name=column.name, files=FIGURES, intrvl=kind)
    _add(element, "labl", column.label)
    numeric = column.kind in ("whole", "number")
    _add(element, "varFormat", type="numeric" if numeric else "character", schema="other")
