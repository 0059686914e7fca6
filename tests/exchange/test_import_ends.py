"""What an import takes over around the questions: end and link, formatting, page breaks, settings."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping

import pytest

from collector.errors import ValidationError
from surveys.exchange.files import DAMAGED
from surveys.exchange.formats import Conversion, convert
from surveys.exchange.source import ONE_LOOK, RUNNING, Entry
from tests.exchange import samples

FAR = "https://example.org/panel"
ASKED = {"type": "boolean", "name": "b", "title": "Lost?", "isRequired": True}


def said_of(made: Conversion, element: str) -> Entry:
    (found,) = [entry for entry in made.report.entries if entry.element == element]
    return found


def surveyjs(**settings: object) -> Conversion:
    return convert(json.dumps({"title": "Work", "elements": [ASKED], **settings}).encode(), filename="a.json")


def limesurvey(settings: Mapping[str, str], survey: Mapping[str, str] | None = None) -> Conversion:
    """The sample with texts of the survey, and with settings of how it is run."""
    before = "<surveyls_language>en</surveyls_language>"
    texts = "".join(f"<{name}><![CDATA[{value}]]></{name}>" for name, value in settings.items())
    run = "".join(f"<{name}>{value}</{name}>" for name, value in (survey or {}).items())
    written = samples.content("lime.lss").decode().replace(before, before + texts)
    written = written.replace("<groups>", f"<surveys><rows><row>{run}</row></rows></surveys><groups>")
    return convert(written.encode(), filename="lime.lss")


def limesurvey_tsv(settings: Mapping[str, str]) -> Conversion:
    rows = "".join(f"\t\tSL\t\t{name}\t\t{value}\t\ten\t\n" for name, value in settings.items())
    head, rest = samples.content("lime.txt").decode().split("\n", 1)
    return convert(f"{head}\n{rows}{rest}".encode(), filename="lime.txt")


def qualtrics(options: Mapping[str, object]) -> Conversion:
    document = json.loads(samples.content("work.qsf"))
    document["SurveyElements"].append({"Element": "SO", "Payload": options})
    return convert(json.dumps(document).encode(), filename="work.qsf")


def xlsform(*rows: str, settings: str = "", head: str = "type,name,label,required") -> Conversion:
    lines = ["survey,", f",{head}", *(f",{row}" for row in rows), "settings,", f",form_title{settings and ',style'}"]
    return convert("\n".join([*lines, f",Work{settings and f',{settings}'}"]).encode(), filename="form.csv")


@pytest.mark.parametrize("read", [limesurvey, limesurvey_tsv])
def test_limesurvey_end_text_and_link_are_taken_over(read: Callable[[Mapping[str, str]], Conversion]) -> None:
    texts = {"surveyls_endtext": "Thank you.", "surveyls_url": FAR, "surveyls_urldescription": "To the panel"}
    made = read(texts)
    ending = made.definition["ending"]
    assert ending["text"] == {"en": "Thank you."}
    assert ending["link"] == {"label": {"en": "To the panel"}, "address": FAR}
    assert said_of(made, "Thank you.").outcome == "taken over"
    assert said_of(made, f"link: {FAR}").outcome == "changed"
    assert made.missing == ""


def test_surveyjs_end_text_and_link_are_taken_over() -> None:
    made = surveyjs(completedHtml="<h3>Thank you</h3>", navigateToUrl=FAR)
    assert made.definition["ending"]["text"] == {"en": "Thank you"}
    assert made.definition["ending"]["link"] == {"label": {"en": FAR}, "address": FAR}


def test_surveyjs_end_that_depends_on_answers_is_left_out() -> None:
    made = surveyjs(completedHtmlOnCondition=[{"expression": "{b} = true", "html": "Oh"}])
    (left,) = [entry for entry in made.report.entries if entry.element.startswith("completedHtmlOnCondition")]
    assert (left.outcome, left.detail) == (
        "left out",
        "The end is the same for everybody: one that depends on an answer would reveal it.",
    )
    assert "ending" not in made.definition


@pytest.mark.parametrize("address", ["http://example.org/", "https://example.org/?id={SAVEDID}", "panel"])
def test_link_that_the_end_cannot_have_is_left_out(address: str) -> None:
    made = limesurvey({"surveyls_url": address})
    left = said_of(made, f"link: {address}")
    assert left.outcome == "left out"
    assert left.detail.startswith("The link must be an address that begins with https://")
    assert "ending" not in made.definition


def test_text_after_last_question_stands_at_the_end() -> None:
    made = xlsform("acknowledge,ever,Ever lost?,yes", "note,bye,Thank you.,")
    assert made.definition["ending"] == {"text": {"en": "Thank you."}}
    assert said_of(made, "Thank you.").outcome == "changed"


def test_conditional_text_after_last_question_is_left_out() -> None:
    head = "type,name,label,required,relevant"
    made = xlsform("acknowledge,ever,Ever lost?,yes,", "note,bye,Thank you.,,${ever} = 'OK'", head=head)
    assert said_of(made, "Thank you.").outcome == "left out"
    assert "ending" not in made.definition


def test_limesurvey_settings_of_running_are_one_line() -> None:
    made = limesurvey(
        {"surveyls_email_invite": "Dear all"}, {"admin": "Ann", "expires": "2026-12-01", "savetimings": "N"}
    )
    left = said_of(made, "run settings")
    assert (left.outcome, left.detail) == ("left out", f"{RUNNING} Left out: admin, expires, surveyls_email_invite")


def test_many_settings_of_running_are_all_named() -> None:
    names = [f"surveyls_attribute_{number:02}" for number in range(40)]
    detail = said_of(limesurvey(dict.fromkeys(names, "x")), "run settings").detail
    assert [name for name in names if name not in detail] == []


def test_xlsform_style_is_reported() -> None:
    left = said_of(xlsform("acknowledge,ever,Ever lost?,yes", settings="pages"), "style: pages")
    assert (left.outcome, left.detail) == ("left out", ONE_LOOK)


def test_xlsform_formatting_is_removed_and_reported() -> None:
    label = "Have you **ever** _lost_ a [key](https://example.org/key) or my_own_key * 2?"
    made = xlsform(f"acknowledge,ever,{label},yes")
    assert made.definition["items"][0]["wording"] == {"en": "Have you ever lost a key or my_own_key * 2?"}
    entry = said_of(made, "Have you ever lost a key or my_own_key * 2?")
    assert entry.outcome == "changed"
    assert entry.detail.startswith("The formatting was removed, with a link.")


def test_qualtrics_page_breaks_are_reported() -> None:
    assert said_of(qualtrics({}), "page breaks: 1").outcome == "left out"


def test_qualtrics_options_are_reported() -> None:
    options = {"EOSRedirectURL": FAR, "EOSMessage": "MS_1", "Skin": "blue", "BackButton": "true", "Footer": "Ours"}
    made = qualtrics(options | {"BallotBoxStuffingPrevention": "false", "SaveAndContinue": "true"})
    assert made.definition["ending"]["link"]["address"] == FAR
    left = {entry.element for entry in made.report.entries if entry.place == "survey options"}
    assert left == {"EOSMessage: MS_1", "Skin: blue", "BackButton: true", "Footer: Ours", "run settings"}
    assert said_of(made, "run settings").detail == f"{RUNNING} Left out: SaveAndContinue"


def test_surveyjs_look_is_left_out_with_its_reason() -> None:
    assert said_of(surveyjs(logo="x.png"), "logo: x.png").detail == ONE_LOOK


def test_damaged_workbook_is_refused_in_plain_words() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(ValidationError) as refused:
        convert(out.getvalue(), filename="a.xlsx")
    assert str(refused.value) == f"file {DAMAGED}"
