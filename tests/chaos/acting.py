"""`python -m tests.chaos.acting`: somebody at the panel, as a process of its own that can be killed.

It reads what to do as lines of JSON, a name and its arguments, and answers each with a line.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from collector.errors import Conflict


def draft(slug: str) -> None:
    from surveys.accounts.teams import home_team
    from surveys.lifecycle import services
    from tests.factories import payloads

    services.write_survey(payloads.definition(slug=slug), team=home_team(_researcher()))


def open_survey(slug: str) -> None:
    from surveys.opening import services

    services.open_survey(_survey(slug))


def closable(slug: str) -> None:
    """An open survey with reports."""
    from collector.designs.selectors import get_design
    from surveys.opening import services
    from tests.factories import runs

    draft(slug)
    version = services.open_survey(_survey(slug))
    runs.fill(get_design(version.design_id), count=6, first=3)


def again(slug: str) -> None:
    """A closed survey that may be asked once more."""
    closable(slug)
    close_survey(slug)


def open_wave(slug: str) -> None:
    from surveys.opening import services

    services.open_wave(_survey(slug), reason="The same people agreed to be asked again.")


def invited(slug: str) -> None:
    """An open survey by codes, of which there are ten."""
    from surveys.accounts.teams import home_team
    from surveys.lifecycle.services import write_survey
    from surveys.opening import services
    from tests.factories import payloads

    survey = write_survey(payloads.definition(slug=slug, invitations="secret"), team=home_team(_researcher()))
    invite(services.open_survey(survey))


def invite(version: Any) -> None:
    from collector.invitations import batches
    from collector.invitations.codes import hash_of

    batches.add(version.design_id, [hash_of(code) for code in _codes()], stratum=None, kind="list")


def answer(slug: str) -> None:
    """With the first code, and with the same bytes each time."""
    from collector.designs.selectors import get_design
    from tests.factories import payloads
    from tests.factories.reports import store_report

    design = get_design(_survey(slug).versions.get().design_id)
    store_report(payloads.body(design, nonce="1" * 32, invitation=_codes()[0]), slug=slug)


def close_survey(slug: str) -> None:
    from surveys.lifecycle import services

    services.close_survey(_survey(slug))


def fold(slug: str) -> None:
    from collector.reports import folding

    folding.fold(_survey(slug).versions.get().design_id)


def due(slug: str) -> None:
    """A closed survey whose reports are to go."""
    from django.utils import timezone

    from surveys.maintenance import retention
    from surveys.models import Version

    closable(slug)
    retention.set_retention(_survey(slug), 1)
    close_survey(slug)
    Version.objects.filter(survey__slug=slug).update(closed_at=timezone.now() - timedelta(days=2))


def ask(slug: str) -> None:
    """Ask for an estimate, as the panel's button does, once none is on its way that the schedule asked for."""
    from surveys.lifecycle import services

    for _ in range(300):
        with suppress(Conflict):
            services.request_estimate(_survey(slug))
            return
        time.sleep(0.5)
    raise RuntimeError("an estimate is on its way for too long")


def send(task: str) -> None:
    """Wake the workers."""
    from celery import current_app

    current_app.send_task(task)


def back_up(file: str) -> None:
    from surveys.maintenance import backup

    backup.back_up(Path(file))


def restore(file: str) -> None:
    from surveys.maintenance import backup
    from tests.tools.backups import signed_by

    backup.restore(Path(file), signed_by=signed_by(Path(file)))


ACTS: dict[str, Callable[..., None]] = {
    act.__name__: act
    for act in (
        draft, open_survey, closable, close_survey, again, open_wave, invited, answer, fold, due, ask, send, back_up,
        restore,
    )
}  # fmt: skip


def _codes() -> list[str]:
    from collector.invitations.codes import check_symbol

    return [f"{number:027d}" + check_symbol(f"{number:027d}") for number in range(10)]


def _survey(slug: str) -> Any:
    from surveys.models import Survey

    return Survey.objects.get(slug=slug)


def _researcher() -> Any:
    from django.contrib.auth.models import User

    return User.objects.filter(is_staff=True).order_by("pk")[0]


def main() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    for line in sys.stdin:
        name, given = json.loads(line)
        try:
            ACTS[name](**given)
            said = ""
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
