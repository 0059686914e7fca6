"""How long making invitations takes, as CSV, as cards and by mail: the table in docs/evidence/invitations.md.

python -m benchmarks.inviting
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator

from benchmarks._pages import put

TIMES = ((10_000, "csv"), (100_000, "csv"), (500, "cards"), (5_000, "cards"))
MAILS = 2_000
WORDS = {"csv": "as CSV", "cards": "as cards", "mail": "mailed, to a server on the same machine"}


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-inviting-") as folder:
        os.environ |= {"CANDOR_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        put("evidence/invitations.md", "inviting.py", "\n".join(lines()))


def lines() -> Iterator[str]:
    yield "| invitations | | by processor | by the clock | size |"
    yield "|---|---|---|---|---|"
    yield from (f"| {count:,} | {WORDS[form]} | {_said(*found)} |" for count, form, found in measured())


def measured() -> Iterator[tuple[int, str, tuple[float, float, int]]]:
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from surveys.accounts.teams import home_team
    from surveys.lifecycle.services import write_survey
    from surveys.models import Survey
    from surveys.opening.services import open_survey
    from surveys.outreach import invitation_files, mail_delivery, mailing
    from tests.factories import payloads
    from tests.tools.mailbox import mail_server

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    team = home_team(User.objects.create_user("alice", is_staff=True))
    open_survey(write_survey(payloads.definition(invitations="secret"), team=team))
    survey = Survey.objects.get()

    def made(count: int, form: str) -> int:
        return len(invitation_files.make(survey, count, form, group="", by=None).content)

    def mailed() -> int:
        said = mailing.Wording("invitation", "You are invited", "Here: {link}")
        people = [f"person{number}@example.org" for number in range(MAILS)]
        mail_delivery.execute(mailing.request(survey, said, people, by=None).pk)
        return 0

    for count, form in TIMES:
        yield count, form, _timed(lambda count=count, form=form: made(count, form))  # type: ignore[misc]
    with mail_server(settings):
        yield MAILS, "mail", _timed(mailed)


def _timed(work: Callable[[], int]) -> tuple[float, float, int]:
    """Seconds of the processor and of the clock, and what the work says."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    said = work()
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, said


def _said(processor: float, wall: float, size: int) -> str:
    return f"{processor:.1f} s | {wall:.1f} s | {f'{size / 1e6:.1f} MB' if size else ''}"


if __name__ == "__main__":
    main()
