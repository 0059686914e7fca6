"""The list of points is whole; and the audit that follows them finds a worker that counts twice."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import Error, connection
from django.utils import timezone

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.designs.services import close_design
from collector.models import WaitingReport
from collector.reports import folding
from estimator.runs import services as estimator
from surveys.lifecycle.services import close_survey, request_estimate, write_survey
from surveys.maintenance import backup, retention
from surveys.models import Survey, Version
from surveys.opening.services import open_survey, open_wave
from tests.chaos import acting, broken, checking, named, points, probing, striking
from tests.factories import payloads, runs
from tests.tools.backups import empty_database
from tests.tools.gate import few

pytestmark = pytest.mark.django_db(transaction=True)

NOBODY = ("elsewhere", "beat", "worker")
"""What no operation does, or another process than this one."""


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, None]]:
    """The points that this process comes by."""
    found: dict[str, None] = {}
    connection.close()
    with monkeypatch.context() as patch:
        striking.install(lambda point: found.setdefault(point), patch.setattr)
        yield found
    connection.close()


def test_kill_points_cover_every_operation(seen: dict[str, None], version: Version, tmp_path: Path) -> None:
    """An act that is not has no death before it; a point that nobody comes by is no point."""
    design, survey = get_design(version.design_id), version.survey
    for _ in range(2):
        runs.fill(design, count=20)
        folding.fold(design.digest)
    estimator.execute(request_estimate(survey).pk)
    retention.set_retention(survey, 30)
    runs.fill(design, count=3)
    estimator.execute(close_survey(survey).pk)
    Version.objects.update(closed_at=timezone.now() - timedelta(days=31))
    other = write_survey(payloads.definition(slug="other"), team=survey.team)
    runs.fill(get_design(open_survey(other).design_id), count=20)
    again = write_survey(payloads.definition(slug="again"), team=survey.team)
    open_survey(again)
    close_survey(again)
    open_wave(again)
    invited = write_survey(payloads.definition(slug="invited", invitations="secret"), team=survey.team)
    acting.invite(open_survey(invited))
    acting.answer("invited")
    retention.purge_due()
    backup.back_up(tmp_path / "candor.zip")
    empty_database()
    backup.restore(tmp_path / "candor.zip")
    mine = points.EMBEDDED if connection.vendor == "sqlite" else points.STACK
    listed = [point for point in points.names(mine) if not point.startswith(NOBODY)]
    assert [point for point in listed if point not in seen] == []
    found = [point for point in seen if not point.startswith((*NOBODY, "restoring"))]
    assert [point for point in found if point not in listed] == []
    empty_database()


class Death(BaseException):
    """The process dies."""


def asked(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall()


def test_probe_of_survey_and_run_gives_expected_state(survey: Survey, tmp_path: Path) -> None:
    assert probing.opened(asked, "campus") == named.DRAFT
    version = open_survey(survey)
    assert probing.opened(asked, "campus") == named.OPEN
    runs.fill(get_design(version.design_id), count=6, first=3)
    assert probing.run(asked, "campus") == "no run"
    run = request_estimate(survey)
    assert probing.run(asked, "campus") == "queued, 0 estimates"
    estimator.execute(run.pk)
    assert probing.run(asked, "campus") == named.DONE
    retention.set_retention(survey, 1)
    assert probing.closed(asked, "campus") == named.UNCLOSED
    estimator.execute(close_survey(survey).pk)
    assert probing.closed(asked, "campus") == named.CLOSED
    assert probing.kept(asked, "campus") == "6 reports, 0 entries"
    Version.objects.update(closed_at=timezone.now() - timedelta(days=2))
    retention.purge_due()
    assert probing.kept(asked, "campus") == named.PURGED
    assert probing.place(asked) == "a part: [1, 0, 10, 1]"
    assert probing.file(tmp_path / "candor.zip") == "no file"
    backup.back_up(tmp_path / "candor.zip")
    assert probing.file(tmp_path / "candor.zip") == "a whole file"
    empty_database()
    assert probing.place(asked) == "empty"


def test_probe_of_wave_and_invitation_gives_expected_state(survey: Survey) -> None:
    open_survey(survey)
    close_survey(survey)
    assert probing.opened(asked, "campus") == named.AGAIN
    open_wave(survey)
    assert probing.opened(asked, "campus") == named.WAVE
    acting.invite(open_survey(write_survey(payloads.definition(slug="one", invitations="secret"), team=survey.team)))
    assert probing.redeemed(asked, "one") == named.UNUSED
    for _ in range(2):
        acting.answer("one")
        assert probing.redeemed(asked, "one") == named.USED


@pytest.mark.parametrize("sound", few([True, False]))
def test_audit_finds_fold_that_counts_before_moving(
    design: Design, monkeypatch: pytest.MonkeyPatch, sound: bool
) -> None:
    """Who folds dies after every commit and statement in turn; with the honest one all is always well."""
    monkeypatch.setattr(folding, "_fold_chunk", folding._fold_chunk)
    if not sound:
        broken.install()
    always = True
    for number in range(12):
        runs.fill(design, count=10)
        left = iter(range(number))

        def die(point: str, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                assert connection.connection is not None
                connection.connection.close()  # as the database sees it, whatever else is cleared up on the way
                raise Death

        with monkeypatch.context() as patch:
            connection.close()
            striking.install(die, patch.setattr)
            with suppress(Death, Error):
                folding.fold(design.digest)
        connection.close()
        always = always and checking.fits(asked)
        folding.fold(design.digest)
        always = always and checking.fits(asked)
    close_design(design.digest)
    folding.fold(design.digest)
    assert (always and checking.fits(asked)) is sound
    assert not WaitingReport.objects.exists()
