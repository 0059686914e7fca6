"""The accessibility conformance report: WCAG 2.2 A and AA, for respondents' pages and the panel, and what each row rests on.

It is written as a page and as OpenACR, the form in which public buyers read such reports. A criterion without a test
is never "supports": tests/docs/test_conformance.py fails where a named test is gone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from docs.make.markdown import code, page, table
from randomized_response import __version__

AXE = "tests/browser/test_accessibility.py::test_axe_each_state_of_the_page"
KINDS = "tests/browser/test_accessibility.py::test_axe_every_kind_of_question"
FOCUS = "tests/browser/test_accessibility.py::test_focus_every_stop_of_every_kind_is_visible"
KEYS = "tests/browser/test_accessibility.py::test_keyboard_alone_from_load_to_receipt"
KIND_KEYS = "tests/browser/respondent/test_item_kinds.py::test_kinds_by_keyboard_alone"
ERRORS = "tests/browser/test_accessibility.py::test_errors_stand_beside_question_and_are_linked"
TITLES = "tests/browser/test_accessibility.py::test_stage_change_moves_focus_to_title"
COLOURS = "tests/browser/test_accessibility.py::test_forced_colours_every_kind_keeps_distinctions"
MOTION = "tests/browser/test_accessibility.py::test_reduced_motion_has_no_animation"
SPOKEN = "tests/browser/screen_reader/test_states.py::test_state_is_spoken"
BY_EAR = "tests/browser/screen_reader/test_answering.py::test_survey_is_answered_by_ear_and_keyboard"
CHANGE = "tests/browser/respondent/test_answering.py::test_answer_can_be_changed_until_send"
LANGUAGES = "tests/browser/test_languages.py::test_axe_other_languages_and_width"

PANEL_AXE = "tests/browser/test_accessibility_panel.py::test_axe_survey_pages_in_each_state"
PANEL_FORMS = "tests/browser/test_accessibility_panel.py::test_axe_list_form_and_upload"
PANEL_HEADINGS = "tests/browser/test_accessibility_panel.py::test_headings_are_nested"
PANEL_SPACING = "tests/browser/test_accessibility_panel.py::test_text_spacing_and_320_px_hide_nothing"
PANEL_KEYS = "tests/browser/test_editor.py::test_editor_by_keys_on_a_phone_and_signed_out"
PANEL_FOCUS = "tests/browser/test_editor_focus.py::test_focus_stays_in_the_card_after_acts_by_keys"
PANEL_DIALOGS = "tests/browser/test_editor_focus.py::test_focus_goes_back_to_what_opened_a_dialog_or_list"
PANEL_ERRORS = "tests/browser/test_editor_focus.py::test_problem_of_a_share_is_said_at_its_field"
PANEL_UNDO = "tests/browser/test_editor.py::test_editor_keeps_both_peoples_changes_and_undoes"
PANEL_HELP = "tests/panel/test_help_links.py::test_every_panel_page_links_to_its_help"
PANEL_LONG = "tests/browser/test_long_words.py::test_long_words_fit_on_a_phone_and_a_desktop"
PANEL_SPOKEN = "tests/browser/screen_reader/test_panel.py::test_panel_is_read"
PASSKEYS = "tests/browser/test_passkeys.py::test_passkey_is_added_and_signs_in"
REPORT = "tests/browser/test_accessibility_panel.py::test_axe_report_of_every_kind_of_question"
PREVIEW = "tests/browser/test_accessibility_panel.py::test_axe_preview_of_incomplete_bilingual_form"


@dataclass(frozen=True)
class Part:
    """What is said of one criterion and one part of the product.

    `tests` that it rests on; `absent`: why there is nothing that it could apply to; `but`: what is not met, or was not
    looked at.
    """

    tests: tuple[str, ...] = ()
    absent: str = ""
    but: str = ""

    @property
    def level(self) -> str:
        """In the words of OpenACR."""
        if self.absent:
            return "not-applicable"
        return "partially-supports" if self.but else "supports"


@dataclass(frozen=True)
class Criterion:
    """A success criterion of WCAG 2.2."""

    number: str
    name: str
    grade: str
    respondents: Part
    panel: Part

    @property
    def level(self) -> str:
        """Of the whole: the weaker of its parts that apply."""
        levels = {one.level for one in (self.respondents, self.panel)} - {"not-applicable"}
        return min(levels, default="not-applicable")


def rests_on(*tests: str, but: str = "") -> Part:
    return Part(tests=tests, but=but)


def absent(why: str) -> Part:
    return Part(absent=why)


MEDIA = absent("no audio and no video")
GESTURES = absent("one press or key does everything")
EAR = "four pages were read by a screen reader; announcements were not tried"


def _both(number: str, name: str, grade: str, part: Part) -> Criterion:
    return Criterion(number, name, grade, part, part)


CRITERIA = (
    Criterion("1.1.1", "Non-text Content", "A", rests_on(AXE, SPOKEN), rests_on(PANEL_AXE, REPORT)),
    _both("1.2.1", "Audio-only and Video-only (Prerecorded)", "A", MEDIA),
    _both("1.2.2", "Captions (Prerecorded)", "A", MEDIA),
    _both("1.2.3", "Audio Description or Media Alternative (Prerecorded)", "A", MEDIA),
    _both("1.2.4", "Captions (Live)", "AA", MEDIA),
    _both("1.2.5", "Audio Description (Prerecorded)", "AA", MEDIA),
    Criterion(
        "1.3.1", "Info and Relationships", "A", rests_on(AXE, KINDS, SPOKEN), rests_on(PANEL_AXE, PANEL_HEADINGS)
    ),
    Criterion("1.3.2", "Meaningful Sequence", "A", rests_on(SPOKEN, FOCUS), rests_on(PANEL_SPOKEN)),
    Criterion("1.3.3", "Sensory Characteristics", "A", rests_on(SPOKEN, BY_EAR), rests_on(PANEL_SPOKEN)),
    Criterion("1.3.4", "Orientation", "AA", rests_on(AXE), rests_on(PANEL_LONG)),
    Criterion(
        "1.3.5",
        "Identify Input Purpose",
        "AA",
        absent("nothing about the respondent herself is asked"),
        rests_on(PANEL_FORMS),
    ),
    Criterion("1.4.1", "Use of Color", "A", rests_on(COLOURS), rests_on(PANEL_AXE)),
    _both("1.4.2", "Audio Control", "A", MEDIA),
    Criterion("1.4.3", "Contrast (Minimum)", "AA", rests_on(AXE, KINDS), rests_on(PANEL_AXE, PANEL_FORMS, REPORT)),
    Criterion("1.4.4", "Resize Text", "AA", rests_on(AXE), rests_on(PANEL_SPACING)),
    _both(
        "1.4.5",
        "Images of Text",
        "AA",
        absent("pictures of the product have text as text; authors' pictures are theirs"),
    ),
    Criterion("1.4.10", "Reflow", "AA", rests_on(AXE, LANGUAGES), rests_on(PANEL_SPACING, PANEL_LONG)),
    Criterion(
        "1.4.11",
        "Non-text Contrast",
        "AA",
        rests_on(COLOURS, FOCUS),
        rests_on(PANEL_AXE, but="marks of charts not measured"),
    ),
    Criterion("1.4.12", "Text Spacing", "AA", rests_on(AXE), rests_on(PANEL_SPACING)),
    _both("1.4.13", "Content on Hover or Focus", "AA", absent("nothing appears on hover but the browser's own titles")),
    Criterion("2.1.1", "Keyboard", "A", rests_on(KEYS, KIND_KEYS, BY_EAR), rests_on(PANEL_KEYS, PANEL_FOCUS)),
    Criterion("2.1.2", "No Keyboard Trap", "A", rests_on(KEYS, FOCUS), rests_on(PANEL_DIALOGS)),
    _both("2.1.4", "Character Key Shortcuts", "A", absent("no shortcut of a single character")),
    Criterion(
        "2.2.1",
        "Timing Adjustable",
        "A",
        absent("the page waits as long as it takes"),
        absent("sessions last a day unused, and what was typed is given back"),
    ),
    Criterion(
        "2.2.2", "Pause, Stop, Hide", "A", rests_on(MOTION), absent("nothing moves by itself but numbers that are live")
    ),
    _both("2.3.1", "Three Flashes or Below Threshold", "A", absent("nothing flashes")),
    Criterion("2.4.1", "Bypass Blocks", "A", rests_on(AXE, SPOKEN), rests_on(PANEL_AXE, PANEL_HEADINGS)),
    Criterion("2.4.2", "Page Titled", "A", rests_on(AXE, SPOKEN), rests_on(PANEL_AXE)),
    Criterion("2.4.3", "Focus Order", "A", rests_on(FOCUS, TITLES), rests_on(PANEL_FOCUS, PANEL_DIALOGS)),
    Criterion("2.4.4", "Link Purpose (In Context)", "A", rests_on(AXE, SPOKEN), rests_on(PANEL_AXE)),
    Criterion(
        "2.4.5",
        "Multiple Ways",
        "AA",
        absent("one page, which is a step of a process"),
        rests_on(PANEL_FORMS, PANEL_HELP),
    ),
    Criterion("2.4.6", "Headings and Labels", "AA", rests_on(SPOKEN, KINDS), rests_on(PANEL_HEADINGS)),
    Criterion(
        "2.4.7",
        "Focus Visible",
        "AA",
        rests_on(FOCUS),
        rests_on(PANEL_FOCUS, but="measured on respondents' pages alone"),
    ),
    Criterion(
        "2.4.11",
        "Focus Not Obscured (Minimum)",
        "AA",
        rests_on(FOCUS),
        rests_on(PANEL_FOCUS, but="measured on respondents' pages alone"),
    ),
    _both("2.5.1", "Pointer Gestures", "A", GESTURES),
    Criterion("2.5.2", "Pointer Cancellation", "A", rests_on(CHANGE), rests_on(PANEL_UNDO)),
    Criterion("2.5.3", "Label in Name", "A", rests_on(AXE, BY_EAR), rests_on(PANEL_AXE)),
    _both("2.5.4", "Motion Actuation", "A", GESTURES),
    Criterion("2.5.7", "Dragging Movements", "AA", GESTURES, rests_on(PANEL_KEYS)),
    Criterion("2.5.8", "Target Size (Minimum)", "AA", rests_on(AXE), rests_on(PANEL_AXE, PANEL_FORMS)),
    Criterion("3.1.1", "Language of Page", "A", rests_on(AXE, LANGUAGES), rests_on(PANEL_AXE)),
    Criterion("3.1.2", "Language of Parts", "AA", rests_on(LANGUAGES), rests_on(PREVIEW)),
    Criterion("3.2.1", "On Focus", "A", rests_on(KEYS, FOCUS), rests_on(PANEL_FOCUS)),
    Criterion("3.2.2", "On Input", "A", rests_on(KEYS, SPOKEN), rests_on(PANEL_FOCUS)),
    Criterion("3.2.3", "Consistent Navigation", "AA", absent("one page without navigation"), rests_on(PANEL_HELP)),
    Criterion("3.2.4", "Consistent Identification", "AA", rests_on(SPOKEN), rests_on(PANEL_HELP)),
    Criterion(
        "3.2.6",
        "Consistent Help",
        "A",
        absent("one page; the help line stands where its author puts it"),
        rests_on(PANEL_HELP),
    ),
    Criterion("3.3.1", "Error Identification", "A", rests_on(ERRORS, SPOKEN), rests_on(PANEL_ERRORS)),
    Criterion("3.3.2", "Labels or Instructions", "A", rests_on(AXE, KINDS, SPOKEN), rests_on(PANEL_FORMS)),
    Criterion("3.3.3", "Error Suggestion", "AA", rests_on(ERRORS), rests_on(PANEL_ERRORS)),
    Criterion("3.3.4", "Error Prevention (Legal, Financial, Data)", "AA", rests_on(CHANGE), rests_on(PANEL_UNDO)),
    Criterion("3.3.7", "Redundant Entry", "A", rests_on(CHANGE), rests_on(PANEL_UNDO)),
    Criterion("3.3.8", "Accessible Authentication (Minimum)", "AA", absent("nobody signs in"), rests_on(PASSKEYS)),
    Criterion("4.1.2", "Name, Role, Value", "A", rests_on(AXE, KINDS, SPOKEN), rests_on(PANEL_AXE, PANEL_FORMS)),
    Criterion("4.1.3", "Status Messages", "AA", rests_on(SPOKEN, TITLES), rests_on(PANEL_AXE, but=EAR)),
)

LEVELS = {"supports": "supports", "partially-supports": "partially supports", "not-applicable": "does not apply"}
DAY = date(2026, 11, 28)
"""When the criteria were last gone through."""

ABOUT = """\
WCAG 2.2, level A and AA, in the words of a VPAT 2.5: {supports} criteria are supported, {partially} in part, {absent} do not apply, none is not supported. "Partially supports" also stands where something was not looked at.
Each row names the tests that it rests on; the page is written from the same list, and a test fails where one of them is gone. Some run with every change, the longer ones by `make test-long`
before a release, those by [screen reader](../evidence/screen-reader.md) by `make audit-screen-reader`. The same for programs: [OpenACR](openacr.yaml). No outside auditor was asked.

"Respondents" is all that somebody sees who answers; "panel" is what researchers use, with the published report. [How it is tested](../evidence/accessibility.md).
"""


def text() -> str:
    """The page."""
    counts = [sum(one.level == level for one in CRITERIA) for level in LEVELS]
    about = ABOUT.format(supports=counts[0], partially=counts[1], absent=counts[2])
    rows = [
        (f"{one.number} {one.name}", one.grade, LEVELS[one.level], _told(one.respondents), _told(one.panel))
        for one in CRITERIA
    ]
    heads = ("Criterion", "Level", "Candor", "Respondents", "Panel")
    return page(
        "Accessibility conformance report",
        "For public buyers and their accessibility officers.",
        about,
        table(heads, rows),
    )


def _told(part: Part) -> str:
    named = ", ".join(code(test.partition("::")[2]) for test in part.tests)
    return part.absent or (f"{named}; {part.but}" if part.but else named)


def openacr() -> str:
    """The same as an OpenACR document (GSA, version 0.1.0; catalogue of VPAT 2.5 with WCAG 2.2)."""
    document: dict[str, Any] = {
        "title": "Candor Accessibility Conformance Report",
        "product": {
            "name": "Candor",
            "version": __version__,
            "description": "Surveys by randomised response: respondents' pages, a researcher's panel, reports.",
        },
        "author": {"name": "The Candor project"},
        "report_date": DAY.strftime("%m/%d/%Y"),
        "last_modified_date": DAY.strftime("%m/%d/%Y"),
        "version": 1,
        "evaluation_methods_used": "Tests with axe-core, keyboards, three browser engines and the screen reader Orca.",
        "catalog": "2.5-edition-wcag-2.2-en",
        "chapters": {
            "success_criteria_level_a": {"criteria": list(_criteria("A"))},
            "success_criteria_level_aa": {"criteria": list(_criteria("AA"))},
            "success_criteria_level_aaa": {"disabled": True},
        },
    }
    head = "# Written by `make reference`; a change by hand is lost with the next run.\n"
    return head + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def _criteria(grade: str) -> Iterator[dict[str, Any]]:
    for one in CRITERIA:
        if one.grade == grade:
            notes = f"Respondents: {_plain(one.respondents)}. Panel: {_plain(one.panel)}."
            yield {
                "num": one.number,
                "components": [{"name": "web", "adherence": {"level": one.level, "notes": notes}}],
            }


def _plain(part: Part) -> str:
    return f"{LEVELS[part.level]}{f', {part.absent or part.but}' if part.absent or part.but else ''}"
