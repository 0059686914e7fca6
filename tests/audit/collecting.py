"""The whole site behind the recorder: what the browser sent is what the collector stored."""

from typing import Any

from django.contrib.auth.models import User

from collector.models import WaitingReport
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.opening.services import open_survey
from tests.audit.driving import Run, Work, plan, visit
from tests.audit.findings import Finding
from tests.audit.shelf import Shelf
from tests.tools.capture import Request, forward_to
from tests.tools.running import running_site


def collected(work: Work, shelf: Shelf, definition: dict[str, Any], submissions: int) -> Run:
    """Visits with a page load each, through the real collector."""
    owner = User.objects.create_user(f"auditor-of-{shelf.survey}")
    version = open_survey(write_survey(definition, team=home_team(owner)), reason="It is a test.")
    with running_site() as url:
        rows = plan(shelf.items, submissions, seed=4)
        return work(visit, f"/s/{version.survey.slug}/", shelf.items, rows, forward_to(url))


def stored(run: Run, survey: str) -> list[Finding]:
    """The collector has each report as it was sent, and nothing else."""
    digests = {one.fields["design"] for one in run.submissions}
    rows = WaitingReport.objects.filter(design__digest__in=digests)
    kept = sorted((bytes(one.nonce).hex(), bytes(one.report).hex()) for one in rows)
    sent = sorted((one.fields["nonce"], one.fields["report"]) for one in run.submissions)
    shown = f"{len(kept)} stored, {len(sent)} sent"
    return [Finding(survey, "nonces and reports in the database", "equal to those sent", shown, kept == sent)]


def same_heads(run: Run, other: Run, survey: str) -> list[Finding]:
    """Answering many times in one document sends what a fresh page load sends, but for the server's port."""
    submissions = run.submissions + other.submissions
    heads = {head_without_port(post) for one in submissions for post in one.posts}
    shown = f"{len(heads)} in {len(submissions):,}"
    return [Finding(survey, "heads of slow and quick submissions", "one value only", shown, len(heads) == 1)]


def head_without_port(post: Request) -> bytes:
    return post.head.replace(str(post.header("Host")).encode(), b"host")
