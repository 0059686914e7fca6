"""Each state of the respondent's page as Orca speaks it: what it says unasked, and the whole page when it is read."""

import pytest

from tests.browser.screen_reader.spoken import unspoken
from tests.browser.states import KINDS, STATES, UNASKED, questions
from tests.browser.visit import Visit
from tests.tools.capture import Capture
from tests.tools.orca import Orca

pytestmark = pytest.mark.long


def heard(visit: Visit, reader: Orca, awaited: str = "") -> tuple[str, str]:
    """What Orca says of the page unasked, and as it reads the page from its top to its end."""
    for page in visit.page.context.pages:
        if page is not visit.page:
            page.close()
    return reader.said_until(awaited) or " ".join(reader.said()), reader.read_all()


@pytest.mark.parametrize("state", STATES)
def test_state_is_spoken(visit: Visit, site: Capture, reader: Orca, state: str) -> None:
    reader.said()
    STATES[state](visit, site)
    unasked, read = heard(visit, reader, UNASKED[state])
    assert UNASKED[state] in unasked
    assert unspoken(visit.page, unasked + read) == []
    visit.faults.clear()  # of tabs that were closed, and of states that a fault leads to


@pytest.mark.parametrize("state", KINDS)
def test_every_kind_of_question_is_spoken(every_kind: Visit, site: Capture, reader: Orca, state: str) -> None:
    KINDS[state](every_kind, site)
    unasked, read = heard(every_kind, reader)
    assert unspoken(every_kind.page, unasked + read) == []


def test_text_that_a_screen_reader_does_not_get_is_found(visit: Visit, site: Capture, reader: Orca) -> None:
    """Or that all is spoken would say nothing."""
    questions(visit, site)
    visit.page.evaluate("document.querySelector('[data-part=missing]').textContent = 'A line that came late'")
    assert "A line that came late" in " ".join(reader.said())
    assert unspoken(visit.page, reader.read_all()) == ["A line that came late"]


def test_practice_is_announced(visit: Visit, site: Capture, reader: Orca) -> None:
    questions(visit, site)
    visit.unfold("Try it first")
    visit.page.get_by_role("button", name="Draw another ticket").wait_for()
    reader.said()
    visit.practise("Yes")
    assert "this ticket sends" in " ".join(reader.said())
