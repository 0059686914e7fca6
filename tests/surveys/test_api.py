"""The API does what the panel does: a survey from its definition to its report, by a program."""

import base64
import math
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from collector.designs.selectors import get_design
from estimator.exports import services as exports
from estimator.exports.estimates import COLUMNS
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.teams import home_team, make_team
from surveys.definition import definitions
from surveys.exchange.formats import EXPORTS, convert
from surveys.lifecycle import selectors, services
from surveys.lifecycle.exports import execute_export
from surveys.lifecycle.services import write_survey
from surveys.models import Appointment, AuditEntry, Survey, Version
from surveys.planning.rehearsals import services as rehearsals
from tests.exchange import samples
from tests.factories import payloads
from tests.factories.runs import fill, fill_open
from tests.tools.api import Program

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    for service in (estimator, rehearsals, exports):
        monkeypatch.setattr(service, "wake", lambda job_id: None)


@pytest.fixture
def hers(alice: User) -> Program:
    return Program(alice)


def field_of(problem: dict[str, Any]) -> str:
    return str(problem["errors"][0]["field"])


def test_api_import_makes_draft_and_reports_each_element(hers: Program) -> None:
    content = base64.b64encode(samples.content("form.csv")).decode()
    made = hers.post("imports/", {"content": content, "filename": "form.csv"})
    assert (made["survey"]["slug"], made["survey"]["state"], made["tool"]) == ("smoke-test", "draft", "XLSForm")
    assert {"taken over", "changed", "left out"} == {one["outcome"] for one in made["report"]}
    again = hers.post("imports/", {"content": content, "filename": "form.csv"})
    assert again["survey"]["slug"] == "smoke-test-2"


def test_api_import_names_field_and_bound(hers: Program) -> None:
    refused = hers.refused(422, "POST", "imports/", {"content": "no base64!"})
    assert field_of(refused) == "content"
    refused = hers.refused(422, "POST", "imports/", {"content": base64.b64encode(b'{"a": 1}').decode()})
    assert "neither from Qualtrics" in refused["detail"]
    assert not Survey.objects.exists()


@pytest.mark.parametrize("form", EXPORTS)
def test_api_questionnaire_is_read_back(hers: Program, form: str) -> None:
    hers.post("surveys/", {"definition": payloads.definition()})
    answer = hers("GET", f"surveys/campus/questionnaire/?format={form}")
    assert answer["Content-Disposition"] == f'attachment; filename="campus{EXPORTS[form]}"'
    made = convert(answer.content, filename=f"a{EXPORTS[form]}")
    assert made.definition == selectors.exported(Survey.objects.get())
    assert field_of(hers.refused(400, "GET", "surveys/campus/questionnaire/?format=docx")) == "format"


def test_api_definition_to_report_logs_each_act(hers: Program, alice: User) -> None:
    made = hers.post("surveys/", {"definition": payloads.definition()})
    assert (made["slug"], made["state"], made["team"]["role"]) == ("campus", "draft", "owner")
    assert [move["name"] for move in made["moves"]] == ["open"]
    ahead = hers.get("surveys/campus/next-design/")
    assert ahead["version"] == 1
    opened = hers.post("surveys/campus/open/", {"digest": ahead["digest"]})
    assert (opened["state"], opened["version"], opened["design"]) == ("open", 1, ahead["digest"])
    assert opened["link"].endswith(f"/s/campus/#{ahead['digest']}")
    design = get_design(ahead["digest"])
    assert hers.get(f"designs/{design.digest}/") == ahead["design"] == design.document
    fill_open(design)
    run = hers.post("surveys/campus/runs/")
    assert (run["state"], run["design"]) == ("queued", design.digest)
    assert hers.refused(409, "GET", f"runs/{run['key']}/estimates/")["detail"].startswith("The run is queued")
    estimator.execute(Run.objects.get(key=run["key"]).pk)
    assert hers.get(f"runs/{run['key']}/")["reports"] == 90
    rows = hers.get(f"runs/{run['key']}/estimates/")["estimates"]
    assert {frozenset(row) for row in rows} == {frozenset(COLUMNS)}
    assert {(row["item"], row["stratum"]) for row in rows} == {
        (item, group) for item in ("cheated", "mood") for group in ("", "y1", "y2")
    }
    link = hers.post(f"runs/{run['key']}/publish/", {"published": True})["link"]
    assert link.endswith(f"/reports/{run['key']}/")
    assert hers.post(f"runs/{run['key']}/publish/", {"published": False}) == {"published": False, "link": ""}
    closed = hers.post("surveys/campus/close/")
    assert (closed["survey"]["state"], closed["run"]) == ("closed", None)
    assert closed["survey"]["undo_until"] is not None
    assert {move["missing"][:11] for move in closed["survey"]["moves"]} == {"Its closing"}
    undone = hers.post("surveys/campus/undo-close/")
    assert (undone["state"], undone["undo_until"]) == ("open", None)
    hers.refused(409, "POST", "surveys/campus/undo-close/")
    assert hers.post("surveys/campus/close/")["run"] is None
    closed = hers.post("surveys/campus/close/", {"now": True})
    assert (closed["survey"]["state"], closed["run"]["trigger"]) == ("closed", "closing")
    hers.refused(409, "POST", "surveys/campus/undo-close/")  # it is final
    hers.refused(409, "POST", "surveys/campus/archive/")  # while the final estimate is being made
    estimator.execute(Run.objects.get(key=closed["run"]["key"]).pk)
    assert hers.post("surveys/campus/archive/")["state"] == "archived"
    assert hers.post("surveys/campus/restore/")["state"] == "closed"
    assert hers.post("surveys/campus/revise/")["state"] == "draft"
    assert [one["version"] for one in hers.get("surveys/campus/versions/")["results"]] == [1]
    assert [one["key"] for one in hers.get("surveys/campus/runs/")["results"]] == [closed["run"]["key"], run["key"]]
    acts = list(AuditEntry.objects.filter(survey__slug="campus", name="alice").values_list("act", flat=True))[::-1]
    assert acts == [
        "created", "opened", "requested an estimate", "exported", "published a report", "unpublished a report",
        "closed", "undid the closing", "closed", "made the closing final", "archived", "restored", "revised",
    ]  # fmt: skip


def test_api_wave_and_privacy_budget(hers: Program, version: Version) -> None:
    services.close_survey(version.survey)
    assert [move["name"] for move in hers.get("surveys/campus/")["moves"]] == ["wave", "revise", "archive"]
    ahead = hers.get("surveys/campus/next-design/")
    assert (ahead["version"], ahead["design"]["items"]) == (2, payloads.document()["items"])
    hers.refused(409, "POST", "surveys/campus/wave/", {"digest": "0" * 64})
    assert hers.get("surveys/campus/")["state"] == "closed"
    assert hers.post("surveys/campus/wave/", {"digest": ahead["digest"]})["state"] == "open"
    assert "only a closed survey" in hers.refused(409, "POST", "surveys/campus/wave/", {"digest": "0" * 64})["detail"]
    told = hers.get("surveys/campus/ledger/")
    assert [(one["name"], one["same_questions"], one["reports"]) for one in told["waves"]] == [
        ("wave 1", False, 0),
        ("wave 2", True, 0),
    ]
    assert told["waves"][0]["spent"] is None, "nobody answered it"
    spent = told["waves"][1]["spent"]
    assert [(one["item"], one["odds"]) for one in spent["items"]] == [("cheated", "3"), ("mood", "4")]
    assert told["total"]["odds"] == "12"
    assert (round(told["ceiling"], 4), told["next"]) == (7.9997, None)


def test_api_opens_only_the_confirmed_digest(hers: Program, survey: Survey) -> None:
    ahead = hers.get("surveys/campus/next-design/")["digest"]
    assert field_of(hers.refused(422, "POST", "surveys/campus/open/", {})) == "digest"
    hers.done("PATCH", "surveys/campus/definition/", {"title": "Another"})
    assert "has changed since" in hers.refused(409, "POST", "surveys/campus/open/", {"digest": ahead})["detail"]
    late = (timezone.now() + timedelta(days=1)).isoformat()
    early = (timezone.now() - timedelta(days=1)).isoformat()
    ahead = hers.get("surveys/campus/next-design/")["digest"]
    bad = {"digest": ahead, "closes_at": early}
    assert field_of(hers.refused(422, "POST", "surveys/campus/open/", bad)) == "closes_at"
    waiting = hers.post("surveys/campus/open/", {"digest": ahead, "opens_at": late, "cap": 500})
    assert waiting["state"] == "draft"
    assert Appointment.objects.filter(state="waiting").count() == 2
    assert hers.post("surveys/campus/open/", {"digest": ahead})["state"] == "open"


def test_api_draft_is_replaced_and_patched(hers: Program, survey: Survey) -> None:
    answer = hers("GET", "surveys/campus/definition/")
    definition, tag = answer.json(), answer["ETag"]
    changed = hers.done("PATCH", "surveys/campus/definition/", {"consent": "As you like."}, If_Match=tag)
    assert changed == definition | {"consent": {"en": "As you like."}}
    assert "changed since" in hers.refused(412, "PUT", "surveys/campus/definition/", definition, If_Match=tag)["detail"]
    fresh = hers("GET", "surveys/campus/definition/")["ETag"]
    assert hers.done("PUT", "surveys/campus/definition/", definition, If_Match=fresh) == definition
    assert field_of(hers.refused(422, "PATCH", "surveys/campus/definition/", {"slug": "other"})) == "slug"
    item = definition["items"][0] | {"channel": {"name": "forced_response", "truth": "5/4", "yes": "1/2"}}
    refused = hers.refused(422, "PATCH", "surveys/campus/definition/", {"items": [item]})
    assert field_of(refused).startswith("definition.items[0]")
    assert "less than 1; got 5/4" in refused["errors"][0]["message"]
    assert hers.get("surveys/campus/definition/") == definition
    hers.post("surveys/campus/open/", {"digest": hers.get("surveys/campus/next-design/")["digest"]})
    for method in ("PUT", "PATCH"):
        assert "only a draft" in hers.refused(409, method, "surveys/campus/definition/", definition)["detail"]
    assert "was opened" in hers.refused(409, "DELETE", "surveys/campus/")["detail"]


def test_api_yaml_definition_error_names_line(hers: Program, bob: User, alice: User) -> None:
    source = definitions.dump(payloads.definition())
    second = make_team(alice, "Second")
    assert hers.post("surveys/", {"yaml": source, "team": second.pk})["team"]["name"] == "Second"
    assert {team["name"]: team["role"] for team in hers.get("teams/")}["Second"] == "owner"
    broken = source.replace("slug: campus", "slug: other").replace("truth: 1/2", "truth: 5/4", 1)
    refused = hers.refused(422, "POST", "surveys/", {"yaml": broken})
    assert refused["errors"][0]["line"] == 1 + broken[: broken.index("truth: 5/4")].count("\n")
    assert field_of(hers.refused(422, "POST", "surveys/", {"yaml": source, "definition": {}})) == "body"
    elsewhere = {"yaml": source.replace("campus", "mine"), "team": home_team(bob).pk}
    theirs = hers.refused(422, "POST", "surveys/", elsewhere)
    missing = hers.refused(422, "POST", "surveys/", elsewhere | {"team": 987654})
    assert theirs["errors"][0]["message"] == missing["errors"][0]["message"]
    assert "taken" in hers.refused(409, "POST", "surveys/", {"yaml": source})["detail"]
    assert "taken" in Program(bob).refused(409, "POST", "surveys/", {"yaml": source})["detail"]
    assert Survey.objects.count() == 1


def test_api_draft_is_copied_and_deleted(hers: Program, survey: Survey) -> None:
    assert hers.post("surveys/campus/duplicate/", {"slug": "copy"})["slug"] == "copy"
    assert "taken" in hers.refused(409, "POST", "surveys/campus/duplicate/", {"slug": "copy"})["detail"]
    assert field_of(hers.refused(422, "POST", "surveys/campus/duplicate/", {"slug": "No!"})) == "slug"
    assert hers.done("DELETE", "surveys/copy/") is None
    hers.refused(404, "GET", "surveys/copy/")
    assert AuditEntry.objects.filter(act="deleted", slug="copy").exists()


def test_api_rehearsal_from_request_to_deletion(hers: Program, survey: Survey) -> None:
    asked = {"respondents": 120, "repetitions": 2, "seed": 5, "shares": {"cheated": [0.3]}}
    asked |= {"denial": 0.1, "misreporting_groups": {"y2": {"misunderstanding": 0.2}}}
    made = hers.post("surveys/campus/rehearsals/", asked)
    assert (made["number"], made["state"], made["run"]) == (1, "queued", None)
    assert "so far" in hers.refused(409, "GET", "surveys/campus/rehearsals/1/findings/")["detail"]
    rehearsals.execute(survey.rehearsals.get().pk, seconds=math.inf)
    done = hers.get("surveys/campus/rehearsals/1/")
    assert (done["state"], done["progress"]) == ("done", 100)
    found = hers.get("surveys/campus/rehearsals/1/findings/")["findings"]
    yes = next(one for one in found if one["item"] == "cheated" and one["choice"] == 1 and not one["stratum"])
    assert (yes["truth"], yes["repetitions"]) == (0.3, 2)
    rows = hers.get(f"runs/{done['run']}/estimates/")["estimates"]
    assert all(row["known_truth"] is not None for row in rows)
    hers.post("surveys/campus/rehearsals/", asked)
    assert hers.post("surveys/campus/rehearsals/2/stop/")["state"] == "done"
    assert [one["number"] for one in hers.get("surveys/campus/rehearsals/")["results"]] == [2, 1]
    assert hers.done("DELETE", "surveys/campus/rehearsals/2/") is None
    assert [one["number"] for one in hers.get("surveys/campus/rehearsals/")["results"]] == [1]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"respondents": 3}, "respondents"),
        ({"repetitions": 201}, "repetitions"),
        ({"respondents": 20_000, "repetitions": 200}, "repetitions"),
        ({"shares": {"cheated": [0.5, 0.6]}}, "shares"),
        ({"shares": {"cheated": "often"}}, "shares.cheated"),
        ({"shares": {"none": [0.5]}}, "shares"),
        ({"sizes": [1, 2]}, "sizes"),
        ({"groups": {"y9": {}}}, "groups.y9"),
        ({"respondants": 5}, "respondants"),
        ({"misunderstanding": 1.5}, "misunderstanding"),
        ({"misreporting_groups": {"y9": {"denial": 0.1}}}, "misreporting_groups"),
        ({"misreporting_groups": {"y2": {"deniall": 0.1}}}, "misreporting_groups.y2.deniall"),
    ],
)
def test_api_impossible_rehearsal_answers_422(
    hers: Program, survey: Survey, changes: dict[str, Any], field: str
) -> None:
    refused = hers.refused(422, "POST", "surveys/campus/rehearsals/", {"respondents": 100, **changes})
    assert field_of(refused) == field
    assert not survey.rehearsals.exists()


def test_api_export_is_made_downloaded_and_deleted(
    hers: Program, version: Any, django_capture_on_commit_callbacks: Any
) -> None:
    from tests.factories.runs import run_of

    design = get_design(version.design_id)
    fill(design)
    key = run_of(design).key
    formats = {one["name"]: one for one in hers.get("formats/")}
    assert formats["csv"]["content_type"] == "text/csv; charset=utf-8"
    made = hers.post(f"runs/{key}/exports/", {"format": "csv"})
    assert (made["state"], made["ready"], made["run"]) == ("queued", False, key)
    hers.refused(404, "GET", f"exports/{made['key']}/file/")
    execute_export(exports.Export.objects.get(key=made["key"]).pk)
    assert hers.post(f"runs/{key}/exports/", {"format": "csv"})["ready"] is True
    taken = hers("GET", f"exports/{made['key']}/file/")
    assert b"".join(taken.streaming_content).startswith(b"\xef\xbb\xbfitem,wording")  # type: ignore[attr-defined]
    again = hers("GET", f"exports/{made['key']}/file/", If_None_Match=taken["ETag"])
    assert again.status_code == 304
    assert AuditEntry.objects.filter(act="exported", name="alice").count() == 1
    assert field_of(hers.refused(422, "POST", f"runs/{key}/exports/", {"format": "doc"})) == "format"
    rows = next(name for name, one in formats.items() if one["microdata"])
    assert field_of(hers.refused(422, "POST", f"runs/{key}/exports/", {"format": rows})) == "microdata"
    assert [one["key"] for one in hers.get("surveys/campus/exports/")["results"]] == [made["key"]]
    with django_capture_on_commit_callbacks(execute=True):
        hers.done("DELETE", f"exports/{made['key']}/")
    hers.refused(404, "GET", f"exports/{made['key']}/")


def test_api_pages_are_stable_while_surveys_change(hers: Program, alice: User) -> None:
    team = home_team(alice)
    for number in range(7):
        write_survey(payloads.definition(slug=f"s{number}"), team=team)
    first = hers.get("surveys/?limit=3")
    assert [one["slug"] for one in first["results"]] == ["s6", "s5", "s4"]
    write_survey(payloads.definition(slug="s7"), team=team)
    Survey.objects.get(slug="s5").delete()
    second = hers.get(f"surveys/?limit=3&cursor={first['next']}")
    third = hers.get(f"surveys/?limit=3&cursor={second['next']}")
    assert [one["slug"] for one in second["results"] + third["results"]] == ["s3", "s2", "s1", "s0"]
    assert third["next"] is None
    by_slug = hers.get("surveys/?ordering=slug&limit=2")
    rest = hers.get(f"surveys/?ordering=slug&cursor={by_slug['next']}")
    assert [one["slug"] for one in by_slug["results"] + rest["results"]] == ["s0", "s1", "s2", "s3", "s4", "s6", "s7"]
    assert [one["slug"] for one in hers.get("surveys/?search=7&state=draft")["results"]] == ["s7"]
    assert hers.get("surveys/?state=open")["results"] == []
    elsewhere = f"surveys/?ordering=slug&cursor={first['next']}"
    for query in ("limit=0", "limit=101", "limit=x", "cursor=!", "state=gone", "ordering=title", "color=red"):
        refused = hers.refused(400, "GET", f"surveys/?{query}")
        assert field_of(refused) == query.split("=")[0]
    assert field_of(hers.refused(400, "GET", elsewhere)) == "cursor"


def test_api_list_query_count_is_constant(
    hers: Program, alice: User, survey: Survey, django_assert_num_queries: Any
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    hers.get("surveys/")
    with CaptureQueriesContext(connection) as few:
        hers.get("surveys/")
    for number in range(5):
        write_survey(payloads.definition(slug=f"s{number}"), team=home_team(alice))
    with CaptureQueriesContext(connection) as many:
        assert len(hers.get("surveys/")["results"]) == 6
    assert len(many) == len(few)


def test_api_unchanged_answers_304_without_body(hers: Program, survey: Survey) -> None:
    for path in ("surveys/", "surveys/campus/", "surveys/campus/definition/", "surveys/campus/watch/", "formats/"):
        answer = hers("GET", path)
        again = hers("GET", path, If_None_Match=answer["ETag"])
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", answer["ETag"]), path
    hers.done("PATCH", "surveys/campus/definition/", {"title": "New"})
    assert hers("GET", "surveys/campus/", If_None_Match=answer["ETag"]).status_code == 200
