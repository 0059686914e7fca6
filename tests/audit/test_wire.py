"""The quick wire audit: 30 submissions of one survey by a real browser in the gate, 4,200 of eight where it is long.

The full one is `make audit-wire`. What must be one value is so in 30 submissions or in none; the statistics of so few
see large faults alone. A sound client fails these tests about once in 2,000 runs of the long ones, and once in 20,000
of the gate: some 220 findings at 1e-6 against the tables, 80 conditional ones at 1e-6 with their repetition, 21 bounds
of epsilon at 1e-6, a tenth of them in the gate. Times are compared between answers in random order: a busy machine
makes them wide, but not different.
"""

import pytest

from tests.audit import auditing, leaving
from tests.audit.driving import Work, browsing
from tests.audit.findings import failed, table
from tests.audit.shelf import Shelves, fill_shelf
from tests.audit.surveys import ON_THE_DEVICE, WORK_BITS, YES_NO_FIRST
from tests.tools.gate import few

# Only one test here uses the database; the mark has pytest-django make it, for the pages.
pytestmark = pytest.mark.django_db


FEW = "audit-d", 30
"""In the gate: the survey with most kinds of questions, and with all that decides on the device what is asked."""

MANY = {
    "audit-a": 1_000,
    "audit-b": 700,
    "audit-c1": 600,
    "audit-c4": 600,
    "audit-d": 500,
    "audit-g": 600,
    "audit-h": 600,
    "audit-r": 200,
}
"""Submissions of each survey in `make test-long`."""


@pytest.mark.parametrize(("survey", "submissions"), few([FEW, *MANY.items()]))
def test_wire_submissions_follow_channel(work: Work, shelves: Shelves, survey: str, submissions: int) -> None:
    leaks = failed(auditing.audit(work, shelves[survey], submissions))
    assert not leaks, table(leaks)


@pytest.mark.parametrize(
    ("change", "caught_by"),
    few(
        [
            (("given[i])));", "given[i]) || i > 3));"), "strata that are not the cell"),
            (("taken.includes(given[i])", "taken.includes(given[i] ?? i)"), ""),
        ]
    ),
    ids=["a neighbouring cell is sent", "nothing changed"],
)
def test_wire_cell_that_is_not_what_was_told_is_caught(
    work: Work, shelves: Shelves, change: tuple[str, str], caught_by: str
) -> None:
    altered = shelves["audit-g"].altered("background.js", *change)
    names = [finding.feature for finding in failed(auditing.audit_restless(work, altered, 8))]
    assert any(name.startswith(caught_by) for name in names) if caught_by else not names, names


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "change", "caught_by"),
    [
        ("arms.js", ("placeOf(drawTicket(source, total(this.#arms)), this.#arms)", "0"), "first version drawn, all"),
        (
            "arms.js",
            (
                "this.#root.dataset.arm = explanation;",
                "this.#root.dataset.arm = explanation; document.cookie = explanation;",
            ),
            "",
        ),
        (
            "routing.js",
            ("return item.unasked;", "return answers.find((one) => one !== null) ?? item.unasked;"),
            "report to question 2",
        ),
        ("arms.js", ("this.ownCoin ? versions[this.place] : []", "versions[this.place]"), "report to question"),
    ],
    ids=[
        "always the first version",
        "the version is kept on the device",
        "what is not asked is sent as what is",
        "what tickets protect is sent as it is",
    ],
)
def test_wire_arm_that_is_not_drawn_or_leaks_is_caught(
    work: Work, shelves: Shelves, file: str, change: tuple[str, str], caught_by: str
) -> None:
    altered = shelves["audit-h"].altered(file, *change)
    names = [finding.feature for finding in failed(auditing.audit(work, altered, 200))]
    assert any(name.startswith(caught_by) for name in names), names


@pytest.mark.long
@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_wire_other_engines_send_the_same(shelves: Shelves, engine: str) -> None:
    """What has one value in Chromium has one there; `python -m tests.audit.engines` seeds the leaks."""
    with browsing(engine) as other:
        leaks = failed(auditing.audit_engine(other, shelves["audit-h"], 100))
    assert not leaks, table(leaks)


@pytest.mark.parametrize("submissions", few([15, 50]))
def test_wire_retry_sends_same_bytes(work: Work, shelves: Shelves, submissions: int) -> None:
    leaks = failed(auditing.audit_retries(work, shelves["audit-d"], submissions))
    assert not leaks, table(leaks)


EVERY_WAY = [(way, 1 if way == "reload" else 3) for way in leaving.WAYS]


@pytest.mark.long
@pytest.mark.parametrize(("way", "step"), EVERY_WAY)
def test_wire_any_server_response_sees_one_body(work: Work, shelves: Shelves, way: str, step: int) -> None:
    """After every third answer of the server, or every one."""
    assert len(work(leaving.bodies_by, shelves["audit-a"], leaving.ANSWERS[::step], way)) == 1


@pytest.mark.long
def test_wire_killed_browser_sends_one_body(work: Work, shelves: Shelves) -> None:
    assert len(work(leaving.bodies_killed, shelves["audit-a"], leaving.ANSWERS[-2:], restoring=False)) == 1


@pytest.mark.long
def test_wire_killed_and_restored_browser_sends_one_body(work: Work, shelves: Shelves) -> None:
    leaks = failed(auditing.audit_killed(work, shelves["audit-a"], 3))
    assert not leaks, table(leaks)


@pytest.mark.long
def test_wire_remembering_device_repeats_symbols(work: Work, shelves: Shelves) -> None:
    leaks = failed(auditing.audit_returning(work, shelves["audit-r"], 60))
    assert not leaks, table(leaks)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "caught_by"),
    [
        (("if (secret !== this.#secret) {", "if (secret) {"), "tickets derived after the first answer"),
        (("this.#find() ?? this.#own", "this.#own"), "reports to question 1"),
    ],
    ids=["tickets are derived after the answer", "fresh draws all the same"],
)
def test_wire_remembering_leak_is_caught(work: Work, shelves: Shelves, change: tuple[str, str], caught_by: str) -> None:
    altered = shelves["audit-r"].altered("remembered.js", *change)
    names = [finding.feature for finding in failed(auditing.audit_returning(work, altered, 30))]
    assert any(name.startswith(caught_by) for name in names), names


@pytest.mark.long
def test_wire_proof_of_work_reveals_nothing_else(work: Work) -> None:
    with_work = fill_shelf(ON_THE_DEVICE | {"slug": "audit-w"}, work_bits=WORK_BITS)
    leaks = failed(auditing.audit_work(work, with_work, 250, WORK_BITS))
    assert not leaks, table(leaks)


@pytest.mark.long
@pytest.mark.parametrize("survey", ["audit-b", "audit-d"])
def test_wire_unsubmitted_page_sends_nothing(work: Work, shelves: Shelves, survey: str) -> None:
    leaks = failed(auditing.audit_restless(work, shelves[survey], 40))
    assert not leaks, table(leaks)


@pytest.mark.long
def test_wire_collector_stores_sent_bytes(transactional_db: None, work: Work, shelves: Shelves) -> None:
    """With a page load for each of the submissions, which look like those of the quick way to the last byte."""
    leaks = failed(auditing.audit_collector(work, shelves["audit-a"], YES_NO_FIRST, 50))
    assert not leaks, table(leaks)
