"""Every state of the respondent's page, reached as a person reaches it."""

from collections.abc import Callable

from surveys.lifecycle.services import close_survey
from surveys.models import Survey
from tests.browser.visit import Visit, failing, new_tab
from tests.tools.capture import DROP, Capture, Response

Reach = Callable[[Visit, Capture], object]

UNFOLD = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"


def questions(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions")


def unfolded(visit: Visit, site: Capture) -> None:
    questions(visit, site)
    visit.page.evaluate(UNFOLD)
    visit.question(2).locator(".icon-array").last.wait_for()


def practised(visit: Visit, site: Capture) -> None:
    """The practice question answered, the check question answered wrong."""
    questions(visit, site)
    visit.unfold("Try it first")
    visit.page.get_by_role("button", name="Draw another ticket").wait_for()
    visit.practise("Yes").reply("That the true answer is “Yes”")
    visit.page.locator("[data-part=check-odds] .icon-array").last.wait_for()


def errors(visit: Visit, site: Capture) -> None:
    questions(visit, site)
    visit.choose(1, "Yes").press("Review your answers")


def review(visit: Visit, site: Capture) -> None:
    questions(visit, site)
    visit.answer("Yes", "Low").press("Review your answers").stage("review")


def sending(visit: Visit, site: Capture) -> None:
    """The server does not confirm, and the page waits for the next try."""
    review(visit, site)
    site.respond = failing(site.respond, *[DROP] * 20)
    visit.excused = "ERR_EMPTY_RESPONSE"
    visit.press("Send").stage("sending").page.get_by_role("button", name="Try now").wait_for()


def kept(visit: Visit, site: Capture) -> None:
    """The link is opened again while a report waits; the fold that tells what discarding means is open."""
    sending(visit, site)
    visit.open().stage("sending").page.get_by_role("button", name="Try now").wait_for()
    visit.page.evaluate(UNFOLD)


def discarded(visit: Visit, site: Capture) -> None:
    kept(visit, site)
    visit.press("Delete it").stage("discarded")


def elsewhere(visit: Visit, site: Capture) -> None:
    """Another tab has sent."""
    review(visit, site)
    other = new_tab(visit)
    review(other, site)
    other.press("Send").stage("sent")
    visit.press("Send").stage("elsewhere")


def sent(visit: Visit, site: Capture) -> None:
    review(visit, site)
    visit.press("Send").stage("sent")
    visit.page.evaluate(UNFOLD)


def failed(visit: Visit, site: Capture) -> None:
    review(visit, site)
    site.respond = failing(site.respond, Response(422))
    visit.press("Send").stage("failed")
    visit.page.evaluate(UNFOLD)
    visit.faults.clear()


def refused(visit: Visit, site: Capture) -> None:
    visit.open("#" + "0" * 64).stage("refused")
    visit.page.evaluate(UNFOLD)


def cleared(visit: Visit, site: Capture) -> None:
    questions(visit, site)
    visit.press("Clear this screen").stage("cleared")


def closed(visit: Visit, site: Capture) -> None:
    close_survey(Survey.objects.get())
    visit.open().stage("closed")


def noscript(visit: Visit, site: Capture) -> None:
    """For a context in which scripts are switched off."""
    assert "JavaScript is off" in visit.open().page.locator("main").inner_text()


def kinds_first(visit: Visit, site: Capture) -> None:
    """The first of two sections, with a question that appeared, and errors."""
    visit.open().stage("questions").choose(1, "Yes").press("Next")


def kinds_second(visit: Visit, site: Capture) -> None:
    visit.open().stage("questions").choose(1, "Yes").choose(2, "Often").choose(3, "LSD").choose(4, "Bar").press("Next")
    visit.choose(5, "Gambling").choose(6, "3").write(8, "12")


def kinds_errors(visit: Visit, site: Capture) -> None:
    """Every kind of error: too many ticks, a number out of range, one missing, a scale without an answer."""
    kinds_second(visit, site)
    visit.choose(5, "Smoking").choose(5, "Fasting").write(8, "41").press("Review your answers")


def kinds_review(visit: Visit, site: Capture) -> None:
    """A blank, several choices, and the line on what was not asked."""
    visit.open().stage("questions").choose(1, "Yes").choose(3, "LSD").choose(4, "Bar").press("Next")
    visit.choose(5, "Smoking").choose(5, "Fasting").choose(6, "3").choose(7, "1 – Not at all").write(8, "12")
    visit.press("Review your answers").stage("review")


def kinds_sent(visit: Visit, site: Capture) -> None:
    kinds_review(visit, site)
    visit.press("Send").stage("sent").unfold("Show what was sent")


KINDS: dict[str, Reach] = {
    reach.__name__: reach for reach in (kinds_first, kinds_second, kinds_errors, kinds_review, kinds_sent)
}
"""States of a survey with every kind of question."""

STATES: dict[str, Reach] = {
    reach.__name__: reach
    for reach in (
        questions,
        unfolded,
        practised,
        errors,
        review,
        sending,
        kept,
        discarded,
        elsewhere,
        sent,
        failed,
        refused,
        cleared,
        closed,
    )
}

UNASKED = {
    "questions": "Finished loading Campus.",
    "unfolded": "Finished loading Campus.",
    "practised": "Not quite: the ticket may have chosen it. Here are the odds again.",
    "errors": "2 questions have no answer yet.",
    "review": "Review your answers heading level 2.",
    "sending": "No reply from the server. This page tries again in one second.",
    "kept": "No reply from the server. This page tries again in",
    "discarded": "Your response is deleted heading level 2.",
    "elsewhere": "",
    "sent": "Thank you. Your response has arrived. heading level 2.",
    "failed": "The server did not take your response heading level 2.",
    "refused": "",
    "cleared": "This screen is clear heading level 2.",
    "closed": "Finished loading Campus.",
}
"""What a screen reader must say without being asked, in the state that the page has come into.

Of a tab in the background nothing is; a page that refuses as it loads is announced at most times, but not where Orca is
still busy with the load.
"""
