"""The files that describe: codebook, DDI, and the published schema of the JSON document."""

import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from estimator.exports import ddi
from estimator.exports.columns import ESTIMATES
from estimator.exports.formats import FORMATS
from estimator.exports.variables import variables_of
from estimator.models import Run
from estimator.reports import disclosures
from tests.factories import special_texts
from tests.factories.runs import run_of
from tests.tools.schemas import REPORT_SCHEMA

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
DDI = "{ddi:codebook:2_5}"

ORDER = {
    "codeBook": "docDscr stdyDscr fileDscr dataDscr otherMat",
    "docDscr": "citation",
    "stdyDscr": "citation studyAuthorization stdyInfo studyDevelopment method dataAccs othrStdyMat notes",
    "citation": "titlStmt rspStmt prodStmt distStmt serStmt verStmt biblCit holdings notes",
    "titlStmt": "titl subTitl altTitl parTitl IDNo",
    "prodStmt": "producer copyright prodDate prodPlac software fundAg grantNo",
    "verStmt": "version verResp notes",
    "stdyInfo": "studyBudget subject abstract sumDscr qualityStatement notes exPostEvaluation",
    "sumDscr": "timePrd collDate nation geogCover geogUnit geoBndBox boundPoly anlyUnit universe dataKind",
    "method": "dataColl notes anlyInfo stdyClas dataProcessing codingInstructions",
    "dataColl": "timeMeth dataCollector collectorTraining frequenc sampProc sampleFrame targetSampleSize deviat "
    "collMode resInstru instrumentDevelopment sources collSitu actMin ConOps weight cleanOps",
    "anlyInfo": "respRate EstSmpErr dataAppr",
    "fileDscr": "fileTxt locMap notes",
    "fileTxt": "fileName fileCitation fileCont fileStrc dimensns fileType format",
    "dimensns": "caseQnty varQnty logRecL recPrCas recNumTot",
    "dataDscr": "varGrp nCubeGrp var nCube notes",
    "varGrp": "labl txt concept defntn universe notes",
    "var": "location labl imputation security embargo respUnit anlysUnit qstn valrng invalrng undocCod universe "
    "TotlResp sumStat txt stdCatgry catgryGrp catgry codInstr verStmt concept derivation varFormat geoMap catLevel "
    "notes",
    "qstn": "preQTxt qstnLit postQTxt forward backward ivuInstr",
    "catgry": "catValu labl txt catStat mrow",
}
"""Elements and the order of their children in the schema of DDI Codebook 2.5 (2012-01-17), as far as it is used here.
The schema itself is not here: it is under the LGPL and imports three others."""

REQUIRED = {
    "codeBook": "stdyDscr",
    "stdyDscr": "citation",
    "docDscr": "citation",
    "citation": "titlStmt",
    "titlStmt": "titl",
}


@pytest.fixture
def run() -> Run:
    design = special_texts.design()
    special_texts.answer(design)
    return run_of(design)


@pytest.fixture
def of_every_kind() -> Run:
    design = special_texts.of_every_kind()
    special_texts.answer(design, 60)
    return run_of(design)


def fits(root: ET.Element) -> None:
    """What of the schema can be looked at here: names, order, required children, identifiers and references."""
    known = {one.get("ID") for one in root.iter() if one.get("ID")}
    assert len(known) == sum(one.get("ID") is not None for one in root.iter())
    for element in root.iter():
        name = element.tag.removeprefix(DDI)
        assert element.tag.startswith(DDI)
        children = [child.tag.removeprefix(DDI) for child in element]
        allowed = ORDER.get(name, "").split()
        assert set(children) <= set(allowed), name
        assert children == sorted(children, key=allowed.index), name
        assert REQUIRED.get(name) in (None, *children)
        for attribute in ("var", "files"):
            assert set(element.get(attribute, "").split()) <= known


def test_ddi_export_fits_schema_and_lists_variables(run: Run, of_every_kind: Run) -> None:
    for one in (run, of_every_kind):
        root = ET.fromstring(FORMATS["ddi"].whole(one))
        fits(root)
        assert (root.tag, root.get("version")) == (f"{DDI}codeBook", "2.5")
        design = one.design_id
        names = [element.get("name") for element in root.iter(f"{DDI}var")]
        variables = variables_of(ddi.results.read(one).design)
        assert names == ["stratum", *(variable.name for variable in variables), *(column.name for column in ESTIMATES)]
        assert root.findtext(f"{DDI}stdyDscr/{DDI}citation/{DDI}titlStmt/{DDI}IDNo") == design
        for element in root.iter(f"{DDI}var"):
            if (element.get("name") or "").startswith("randomised_"):
                assert (element.findtext(f"{DDI}labl") or "").startswith("Randomised, not the true answer")
                counted = [int(stat.text or "") for stat in element.iter(f"{DDI}catStat")]
                assert sum(counted) == one.reports


def test_disclosures_are_in_json_and_ddi(run: Run) -> None:
    before = json.loads(FORMATS["json"].whole(run))["disclosure"]
    assert before == {
        "probability_sample": False,
        "simple_random_sample": False,
        "texts": {field.name: {} for field in disclosures.FIELDS},
    }
    texts = {field.name: {"en": f"{field.name} 😀 =1", "de": f"{field.name} ß"} for field in disclosures.FIELDS}
    disclosures.disclose("campus", texts, probability_sample=True, simple_random=True)
    document = json.loads(FORMATS["json"].whole(run))
    assert document["disclosure"] == {"probability_sample": True, "simple_random_sample": True, "texts": texts}
    assert jsonschema.Draft202012Validator(REPORT_SCHEMA).is_valid(document)
    root = ET.fromstring(FORMATS["ddi"].whole(run))
    fits(root)
    said = {element.text for element in root.iter()}
    assert {text for by_language in texts.values() for text in by_language.values()} <= said


def test_ddi_check_rejects_wrong_element_order(run: Run) -> None:
    root = ET.fromstring(FORMATS["ddi"].whole(run))
    study = root[1]
    study.append(study[0])
    study.remove(study[0])
    with pytest.raises(AssertionError):
        fits(root)


def test_ddi_export_keeps_texts_and_replaces_invalid_xml(run: Run) -> None:
    root = ET.fromstring(FORMATS["ddi"].whole(run))
    assert special_texts.WORDING in {element.text for element in root.iter(f"{DDI}qstnLit")}
    assert {special_texts.CHOICE, special_texts.GROUP} <= {element.text for element in root.iter(f"{DDI}labl")}
    element = ddi._add(ET.Element("a"), "b", "x\0\x1b\ufffey\t")
    assert element.text == "x\ufffd\ufffd\ufffdy\t"


class _Page(HTMLParser):
    """The texts of a page, and its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_codebook_lists_variables_codes_and_columns(run: Run, of_every_kind: Run) -> None:
    for one in (run, of_every_kind):
        content = FORMATS["codebook"].whole(one).decode()
        page = _Page()
        page.feed(content)
        assert {"script", "link", "img", "b"}.isdisjoint(page.tags)
        text = set(page.texts)
        read = ddi.results.read(one)
        for item in read.items:
            assert {item.wording, item.key, *item.choices} <= text
        for variable in variables_of(read.design):
            assert {variable.name, variable.label, *variable.labels.values()} <= text | {"marked", "not marked"}
        assert {column.name for column in ESTIMATES} | {column.label for column in ESTIMATES} <= text


def test_json_export_validates_against_schema(run: Run, of_every_kind: Run) -> None:
    jsonschema.Draft202012Validator.check_schema(REPORT_SCHEMA)
    validator = jsonschema.Draft202012Validator(REPORT_SCHEMA)
    for one in (run, of_every_kind):
        document = json.loads(FORMATS["json"].whole(one))
        assert [error.message for error in validator.iter_errors(document)] == []
    for name in ("design", "tallies", "run", "privacy"):
        assert not validator.is_valid({key: value for key, value in document.items() if key != name})
    document["estimates"][0]["estimate"] = "0.5"
    assert not validator.is_valid(document)


def test_report_schema_names_estimate_columns() -> None:
    assert set(REPORT_SCHEMA["$defs"]["estimate"]["properties"]) == {column.name for column in ESTIMATES}
