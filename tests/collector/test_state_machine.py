"""A machine that tries any order of what can happen to reports, against a model in plain Python.

Reports are sent, sent again, lost on the way there or back, changed under the same nonce; processes die between any two
statements; the clock jumps; surveys close; reports are counted, estimated and purged, beside a rehearsal that has the
same nonces. They come by invitation, several with the same one, and each invitation may let one in. Every report has a
mark of its own, one symbol of its group that no other has: so each of those totals must be 0 or 1, and equal the
model's, after every step. Whatever is released of the survey while it is open has whole steps of ten reports of each
group, and is a step behind: so any two releases of it are the same, or differ by ten reports of a group.

CANDOR_TEST_MACHINE=5000 runs it that often, with another beginning each time, and writes
docs/evidence/orders-of-events.md; what failed is tried first the next time.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from collector.designs import FEWEST_IN_GROUP, Design
from collector.designs.selectors import is_final, is_open
from collector.designs.services import close_design, freeze_design, reopen_design
from collector.endpoint import receiving
from collector.errors import Conflict, RequestRefused
from collector.invitations import batches
from collector.invitations.codes import check_symbol, hash_of
from collector.models import Invitation, Report, StoredReport, WaitingReport
from collector.reports import folding, purging, selectors, services
from collector.reports.steps import STEP, foldable
from estimator.models import Run
from estimator.runs import services as estimator
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.tools.provenance import of_run
from tests.tools.refusals import refuses

EXAMPLES = int(os.environ.get("CANDOR_TEST_MACHINE", "0"))
MARKS = 30
"""Positions of a report; two groups make twice as many reports that can be told apart."""
CODES = [f"{number:027d}" + check_symbol(f"{number:027d}") for number in range(60)]
SLUGS = "campus", "rehearsed"
PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "orders-of-events.md"
DONE: Counter[str] = Counter()
"""What was done in all orders, for the page."""
Mark = tuple[int, int]
"""The group, and the position at which it has its mark."""


class Killed(BaseException):
    """The process died; no `except Exception` sees it."""


class Kill:
    """Dies before or after the statement of this number."""

    def __init__(self, number: int, *, after: bool) -> None:
        self.left, self.after, self.dead = number, after, False

    def __call__(self, execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        # Where a transaction begins and ends is the connection's own affair: what dies is what is in it.
        if self.dead or "SAVEPOINT" in sql:
            return execute(sql, *given)
        self.left -= 1
        if self.left >= 0:
            return execute(sql, *given)
        self.dead = True
        if self.after:
            execute(sql, *given)
        raise Killed


def document(slug: str, *, rehearsal: bool) -> dict[str, Any]:
    """Yes/no questions, one for each mark, and two groups."""
    made = payloads.document(slug=slug, rehearsal=rehearsal)
    if not rehearsal:
        made["invitations"] = {"kind": "secret"}
    made["items"] = [made["items"][0] | {"key": f"mark-{position}"} for position in range(MARKS)]
    return made


class Model:
    """What must be so: which reports are stored, and which of them are counted."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.sent: dict[str, Mark] = {}
        """By nonce, whether it arrived or not."""
        self.codes: dict[str, str] = {}
        """The invitation of each nonce, where the survey asks for one."""
        self.stored: set[str] = set()
        self.counted: set[str] = set()
        self.shut = False
        """Whether it takes no reports."""
        self.closed = False
        """Whether that is final."""
        self.purged = False

    def body(self, nonce: str, report: Mark | None = None) -> bytes:
        stratum, position = report or self.sent[nonce]
        symbols = bytes(place == position for place in range(MARKS))
        invited = {"invitation": self.codes[nonce]} if nonce in self.codes else {}
        stratum_key = self.design.strata[stratum]
        return payloads.body(self.design, nonce=nonce, stratum=stratum_key, report=symbols.hex(), **invited)

    @property
    def used(self) -> set[str]:
        """The invitations with which reports came that are stored."""
        return {self.codes[nonce] for nonce in self.stored}

    @property
    def told(self) -> set[str]:
        """What may be told of: nothing that waits while it is open."""
        return self.stored if self.closed or self.design.rehearsal else self.counted

    def sizes(self, nonces: set[str]) -> list[int]:
        """How many reports of each group these are."""
        strata = Counter(self.sent[nonce][0] for nonce in nonces)
        return [strata[stratum] for stratum in range(2)]

    def totals(self, nonces: set[str]) -> list[list[list[int]]]:
        marks = Counter(self.sent[nonce] for nonce in nonces)
        sizes = [sum(marks[stratum, place] for place in range(MARKS)) for stratum in range(2)]
        return [[[sizes[one] - marks[one, at], marks[one, at]] for one in range(2)] for at in range(MARKS)]


class Machine(RuleBasedStateMachine):
    """Everything happens within a transaction that is taken back at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.whole = ExitStack()
        outer = transaction.atomic()
        outer._from_testcase = True  # what must be a transaction of its own may stand within it
        self.whole.enter_context(outer)
        now, self.passed = timezone.now, timedelta(0)
        self.whole.enter_context(patch.object(timezone, "now", lambda: now() + self.passed))
        self.whole.enter_context(patch.object(estimator, "wake", lambda run: None))
        self.left: set[int] = set()
        """Runs whose worker died."""
        self.nonces = 0

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.whole.close()
        DONE["orders of events"] += 1

    @initialize()
    def open(self) -> None:
        self.real = Model(freeze_design(document("campus", rehearsal=False)))
        batches.add(self.real.design.digest, [hash_of(code) for code in CODES], stratum=None, kind="file")
        self.rehearsed = Model(freeze_design(document("rehearsed", rehearsal=True)))
        self.models = {"campus": self.real, "rehearsed": self.rehearsed}

    # What a browser does

    @rule(stratum=st.integers(0, 1), code=st.sampled_from(CODES), arrives=st.booleans(), heard=st.booleans())
    def submit(self, stratum: int, code: str, arrives: bool, heard: bool) -> None:
        """A new report. Its request may be lost, and so may the answer: then the browser knows no more than before."""
        nonce = self._new(self.real, stratum, code)
        if nonce is not None and arrives:
            self._receive(nonce, heard=heard)

    @rule(stratum=st.integers(0, 1), count=st.integers(5, 25), first=st.integers(0, len(CODES) - 1))
    def submit_many(self, stratum: int, count: int, first: int) -> None:
        for place in range(count):
            self.submit(stratum, CODES[(first + place) % len(CODES)], arrives=True, heard=True)

    @precondition(lambda self: self.real.sent)
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        self._receive(data.draw(st.sampled_from(sorted(self.real.sent))))

    @precondition(lambda self: self.real.stored and not self.real.purged)
    @rule(data=st.data(), stratum=st.integers(0, 1), position=st.integers(0, MARKS - 1))
    def change_under_the_same_nonce(self, data: st.DataObject, stratum: int, position: int) -> None:
        nonce = data.draw(st.sampled_from(sorted(self.real.stored)))
        if (stratum, position) != self.real.sent[nonce]:
            with refuses(409):
                store_report(self.real.body(nonce, (stratum, position)))

    @rule(stratum=st.integers(0, 1), code=st.sampled_from(CODES), number=st.integers(0, 8), after=st.booleans())
    def submit_to_one_that_dies(self, stratum: int, code: str, number: int, after: bool) -> None:
        nonce = self._new(self.real, stratum, code)
        if nonce is not None and not self.real.shut:
            try:
                self._until_killed(number, after, lambda: store_report(self.real.body(nonce)))
            except RequestRefused as refusal:
                if refusal.status != 403:
                    raise
            found = self._held(WaitingReport) | self._held(Report)
            assert found - {nonce} == self.real.stored
            self.real.stored = found

    # What the workers do

    @rule(which=st.sampled_from(SLUGS), chunk=st.integers(1, 30))
    def fold(self, which: str, chunk: int) -> None:
        model = self.models[which]
        due, before = self._due(model), len(model.counted)
        assert folding.fold(model.design.digest, chunk=chunk) == due
        self._look_what_is_counted(model)
        assert len(model.counted) == before + due

    @precondition(lambda self: self.real.stored - self.real.counted)
    @rule(chunk=st.integers(1, 30), number=st.integers(0, 20), after=st.booleans())
    def fold_and_die(self, chunk: int, number: int, after: bool) -> None:
        self._until_killed(number, after, lambda: folding.fold(self.real.design.digest, chunk=chunk))
        self._look_what_is_counted(self.real)

    @rule(which=st.sampled_from(SLUGS))
    def estimate(self, which: str) -> None:
        model = self.models[which]
        due = self._due(model)
        run = estimator.run_now(model.design.digest)
        assert run.reports == len(model.counted) + due
        self._look_what_is_counted(model)
        self._check_run(run, model)

    @rule(number=st.integers(0, 20), after=st.booleans())
    def estimate_and_die(self, number: int, after: bool) -> None:
        asked = estimator.request_run(self.real.design.digest)
        self._until_killed(number, after, lambda: estimator.execute(asked.pk))
        self._look_what_is_counted(self.real)
        run = Run.objects.get(pk=asked.pk)
        if run.state == Run.State.DONE:
            self._check_run(run, self.real)
        else:
            self.left.add(run.pk)

    @precondition(lambda self: self.left)
    @rule()
    def take_up_what_was_left(self) -> None:
        """The lease of a dead worker runs out, however the clock was set meanwhile, and another does the job."""
        self.passed += timedelta(minutes=2)
        for number in estimator.resume_waiting():
            estimator.execute(number)
        self._look_what_is_counted(self.real)
        for run in Run.objects.filter(pk__in=self.left):
            self._check_run(run, self.real)
        self.left.clear()

    # What happens besides

    @rule(days=st.integers(-3, 3))
    def jump(self, days: int) -> None:
        self.passed += timedelta(days=days)

    @rule(which=st.sampled_from(SLUGS))
    def close(self, which: str) -> None:
        close_design(self.models[which].design.digest)
        self.models[which].shut = self.models[which].closed = True

    @rule(which=st.sampled_from(SLUGS))
    def close_undoably(self, which: str) -> None:
        """What is final stays so."""
        close_design(self.models[which].design.digest, undoable=True)
        self.models[which].shut = True

    @rule(which=st.sampled_from(SLUGS))
    def undo(self, which: str) -> None:
        model = self.models[which]
        if model.closed or not model.shut:
            with pytest.raises(ValueError, match="can still be reopened"):
                reopen_design(model.design.digest)
            return
        reopen_design(model.design.digest)
        model.shut = False

    @rule(number=st.integers(0, 2), after=st.booleans())
    def close_and_die(self, number: int, after: bool) -> None:
        """It is as it was then, or closed for good."""
        digest = self.real.design.digest
        self._until_killed(number, after, lambda: close_design(digest))
        assert not (self.real.closed and not is_final(digest))
        self.real.closed = is_final(digest)
        self.real.shut = self.real.shut or self.real.closed

    @precondition(lambda self: self.real.closed)
    @rule(chunk=st.integers(1, 4))
    def purge(self, chunk: int) -> None:
        """Every report goes; what was counted of them stays, and what had waited is counted before."""
        purging.purge(self.real.design.digest, chunk=chunk)
        self.real.counted, self.real.purged = set(self.real.stored), True

    @precondition(lambda self: self.real.closed)
    @rule(chunk=st.integers(1, 4), number=st.integers(0, 12), after=st.booleans())
    def purge_and_die(self, chunk: int, number: int, after: bool) -> None:
        digest = self.real.design.digest
        self._until_killed(number, after, lambda: purging.purge(digest, chunk=chunk))
        self._look_what_is_counted(self.real)
        try:
            selectors.recount(digest)
        except Conflict:
            assert self.real.counted == self.real.stored
            self.real.purged = True

    @rule(stratum=st.integers(0, 1))
    def rehearse(self, stratum: int) -> None:
        """Simulated reports under nonces that real ones may have; theirs is another survey."""
        nonce = self._new(self.rehearsed, stratum)
        if nonce is None:
            return
        try:
            receiving.receive_simulated([self.rehearsed.body(nonce)], slug="rehearsed")
        except RequestRefused as refusal:
            if refusal.status != 410:
                raise
            assert self.rehearsed.shut
        else:
            assert not self.rehearsed.shut
            self.rehearsed.stored.add(nonce)

    @rule()
    def forget_the_rehearsal(self) -> None:
        services.clear_rehearsal(self.rehearsed.design.digest)
        self.rehearsed.sent, self.rehearsed.stored, self.rehearsed.counted = {}, set(), set()

    # What must be so

    @invariant()
    def nothing_is_lost_and_nothing_twice(self) -> None:
        DONE["states in which everything was compared with the model"] += 1
        for model in getattr(self, "models", {}).values():
            digest = model.design.digest
            if model.purged:
                with pytest.raises(Conflict):
                    selectors.recount(digest)
            else:
                assert _plain(selectors.recount(digest)) == model.totals(model.told)
            assert _plain(selectors.totals(digest)) == model.totals(model.counted)
            assert all(table[stratum][1] in (0, 1) for table in model.totals(model.stored) for stratum in range(2))
            (counted,) = selectors.report_counts([digest]).values()
            assert (counted.folded, counted.stored) == (len(model.counted), len(model.told))
            assert (is_open(digest), is_final(digest)) == (not model.shut, model.closed)
            days = selectors.daily_counts(digest)
            assert sum(day.count for day in days) == len(model.counted)
            assert all(day.count >= folding.FEWEST for day in days[:-1])

    @invariant()
    def an_open_survey_is_released_in_steps(self) -> None:
        if not hasattr(self, "real") or self.real.closed:
            return
        for told, stored in zip(self.real.sizes(self.real.counted), self.real.sizes(self.real.stored), strict=True):
            assert told % STEP == 0
            assert not told or stored - told >= STEP
        days = selectors.daily_counts(self.real.design.digest)
        assert all(day.count % STEP == 0 for day in days)

    @invariant()
    def one_invitation_let_one_in(self) -> None:
        """What is stored came with as many; those are gone, and all others are there."""
        if hasattr(self, "real"):
            assert len(self.real.used) == len(self.real.stored)
            left = set() if self.real.purged else set(CODES) - self.real.used
            assert {bytes(one) for one in Invitation.objects.values_list("hash", flat=True)} == set(map(hash_of, left))

    def _new(self, model: Model, stratum: int, code: str = "") -> str | None:
        """The nonce of a report with a mark that no other has; None where all are used."""
        used = {position for held, position in model.sent.values() if held == stratum}
        free = [position for position in range(MARKS) if position not in used]
        if not free:
            return None
        DONE["reports"] += 1
        nonce = f"{len(model.sent):032x}"
        model.sent[nonce] = (stratum, free[0])
        if code:
            model.codes[nonce] = code
        return nonce

    def _receive(self, nonce: str, *, heard: bool = True) -> None:
        try:
            created = store_report(self.real.body(nonce))
        except RequestRefused as refusal:
            if refusal.status == 410:
                assert self.real.shut
                assert nonce not in self.real.stored or self.real.purged
                return
            if refusal.status != 403:
                raise
            assert self.real.codes[nonce] in self.real.used
            assert nonce not in self.real.stored
            return
        assert not heard or created is (nonce not in self.real.stored)
        assert nonce in self.real.stored or not self.real.shut
        self.real.stored.add(nonce)

    def _until_killed(self, number: int, after: bool, act: Callable[[], object]) -> None:
        try:
            with connection.execute_wrapper(Kill(number, after=after)):
                act()
        except Killed:
            DONE["deaths between two statements"] += 1

    def _look_what_is_counted(self, model: Model) -> None:
        """A worker that died may have counted any of those that waited, and none of those that it had."""
        found = self._marks(selectors.totals(model.design.digest), model)
        assert model.counted <= found <= model.stored
        model.counted = found

    def _due(self, model: Model) -> int:
        """How many reports are to be folded now."""
        waiting = model.sizes(model.stored - model.counted)
        return sum(map(foldable, waiting)) if model.told is model.counted else sum(waiting)

    def _held(self, table: type[StoredReport]) -> set[str]:
        """The nonces of the survey's reports in a table."""
        rows = table._default_manager.filter(design__digest=self.real.design.digest)
        return {bytes(nonce).hex() for nonce in rows.values_list("nonce", flat=True)}

    def _marks(self, totals: selectors.Totals, model: Model) -> set[str]:
        plain = _plain(totals)
        return {nonce for nonce, (stratum, position) in model.sent.items() if plain[position][stratum][1]}

    def _check_run(self, run: Run, model: Model) -> None:
        DONE["estimates"] += 1
        assert run.state == Run.State.DONE
        assert run.reports == len(model.counted)
        few = model is not self.rehearsed and len(model.counted) < FEWEST_IN_GROUP
        exact, sizes = model.totals(set() if few else model.counted), model.sizes(model.counted)
        assert run.tallies == [
            [[sum(row[g][v] for g in row_of) for v in (0, 1)] for row_of in run.groups] for row in exact
        ]
        told = [sum(sizes[group] for group in groups) for groups in run.groups]
        assert model is self.rehearsed or len(told) == 1 or min(told) >= FEWEST_IN_GROUP
        assert run.anytime is not model.closed or model is self.rehearsed


def _plain(totals: selectors.Totals) -> list[list[list[int]]]:
    return json.loads(json.dumps([table.tolist() for table in totals]))


@pytest.mark.django_db
def test_state_machine_any_order_keeps_counts_exact() -> None:
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=EXAMPLES or 12,
            stateful_step_count=30 if EXAMPLES else 15,
            derandomize=not EXAMPLES,
            print_blob=True,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    if EXAMPLES:
        PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Only a run that found nothing comes so far."""
    rows = "\n".join(f"| {name} | {count:,} |" for name, count in sorted(DONE.items(), key=lambda one: -one[1]))
    return f"""# Events in random order

*For engineers and reviewers.*

Written by `make audit-orders`; a change by hand is lost with the next run. {of_run()}

Reports were sent, sent again, lost on the way there or back and changed under the same nonce, with and without an
invitation that another had used up; processes died between two statements; the clock jumped; surveys closed; reports
were counted, estimated and purged beside a rehearsal with the same nonces - in random orders of at most 30 events each
(`tests/collector/test_state_machine.py`). After every event the database was compared with a model in plain Python:

- no report is lost, changed or counted twice; the totals are those of the reports, by group and by day;
- an invitation let at most one report in;
- what is released of an open survey has whole steps of ten reports of each group and stays a step behind;
- an estimate has the totals that were counted before it, and none of fewer than ten reports.

**Nothing disagreed.**

| done | times |
| --- | ---: |
{rows}
"""
