"""What the cases find: an open survey with a run, an analysis and a rehearsal, a closed one, and who is signed in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from collector.designs import Design, selectors
from estimator.analyses import services as analyses
from estimator.exports import services as exports
from surveys.accounts import tokens
from surveys.accounts.teams import home_team
from surveys.lifecycle.exports import execute_export
from surveys.lifecycle.services import close_survey, write_survey
from surveys.opening.services import open_survey
from surveys.planning.rehearsals.services import request_rehearsal
from tests.factories import payloads
from tests.factories.reports import store_report
from tests.factories.runs import fill, run_of


@dataclass(frozen=True)
class Scene:
    """`ids` says by name of a parameter what is there; `cookies` and `headers` who asks; `stored` is a report that is.

    The owner comes with a token that writes, the stranger with a session.
    """

    opened: Design
    closed: Design
    stored: Mapping[str, Any]
    ids: Mapping[str, str | int]
    cookies: Mapping[str, dict[str, str]]
    headers: Mapping[str, dict[str, str]]


def set_up() -> Scene:
    alice, bob = (User.objects.create_user(name, is_staff=True) for name in ("alice", "bob"))
    team = home_team(alice)
    home_team(bob)
    survey = write_survey(payloads.definition(), team=team)
    opened = selectors.get_design(open_survey(survey).design_id)
    over = write_survey(payloads.definition(slug="over"), team=team)
    closed = selectors.get_design(open_survey(over).design_id)
    close_survey(over)
    fill(opened)
    stored = payloads.report(opened, stratum="y2", report="0102")
    store_report(json.dumps(stored).encode())
    run = run_of(opened, final=False)
    asked = {"quantity": "cheated:1", "against": "pairs"}
    analysis = analyses.execute(analyses.request("comparison", asked, [opened]).pk)
    rehearsal = request_rehearsal(survey, {"respondents": 60, "shares": {}}, repetitions=1, seed=1)
    export, _ = exports.request(run, "csv")
    execute_export(export.pk)
    ids = {"slug": "campus", "run": run.key, "analysis": analysis.key, "number": rehearsal.number}
    ids |= {"export": export.key, "digest": opened.digest}
    cookies = {"owner": {}, "stranger": _signed_in(bob), "nobody": {}}
    token = tokens.make(alice, "the fuzzing", scope="write")[1]
    headers = {"owner": {"Authorization": f"Bearer {token}"}, "stranger": {}, "nobody": {}}
    return Scene(opened, closed, stored, ids, cookies, headers)


def _signed_in(user: User) -> dict[str, str]:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return {"sessionid": client.cookies["sessionid"].value}
