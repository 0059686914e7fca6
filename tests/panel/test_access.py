"""Every address of the panel, every method, everybody: owners alone see, a stranger's survey looks like none."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from estimator.models import Run
from surveys.models import Survey, Version

pytestmark = pytest.mark.django_db

SURVEY = "panel:survey", "panel:definition", "panel:survey-plan"
ACTS = "panel:open", "panel:close", "panel:revise", "panel:estimate", "panel:duplicate", "panel:paper-pile", "panel:use"
PAPER = "panel:paper"
RUN = "panel:report", "panel:report-csv", "panel:report-json"
FORMS = "admin:surveys_survey_change", "admin:surveys_survey_delete", "admin:surveys_survey_history"
OPEN_TO_STAFF = (
    "panel:index",
    "panel:upload",
    "panel:new",
    "panel:templates",
    "panel:plan",
    "api:plan",
    "admin:surveys_survey_changelist",
    "admin:surveys_survey_add",
)


def names_of(patterns: list[URLPattern | URLResolver], namespace: str) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names_of(pattern.url_patterns, pattern.namespace or namespace)
        elif pattern.name:
            yield f"{namespace}:{pattern.name}"


def test_every_address_of_the_panel_is_in_this_file() -> None:
    ours = {name for name in names_of(get_resolver().url_patterns, "") if name.startswith(("panel:", "api:"))}
    assert ours == {*SURVEY, *ACTS, PAPER, *RUN, "panel:publish", *OPEN_TO_STAFF[:6], "api:run", "api:survey-plan"}
    forms = {name for name in names_of(get_resolver().url_patterns, "") if name.startswith("admin:surveys_")}
    assert forms == {*FORMS, "admin:surveys_survey_changelist", "admin:surveys_survey_add"}


def test_nothing_of_the_collector_can_be_edited() -> None:
    known = {name for name in names_of(get_resolver().url_patterns, "") if name.startswith("admin:")}
    assert not [name for name in known if re.match(r"admin:(collector|estimator)_", name)]


def addresses(survey: Survey, run: Run) -> dict[str, list[str]]:
    """Every address that is about somebody's survey, by the method it answers."""
    return {
        "GET": [
            *(reverse(name, args=[survey.slug]) for name in (*SURVEY, PAPER, "api:survey-plan")),
            *(reverse(name, args=[run.key]) for name in (*RUN, "api:run")),
            *(reverse(name, args=[survey.pk]) for name in FORMS),
        ],
        "POST": [
            *(reverse(name, args=[survey.slug]) for name in (*ACTS, PAPER)),
            reverse("panel:publish", args=[run.key]),
            *(reverse(name, args=[survey.pk]) for name in FORMS[:2]),
        ],
    }


def missing(address: str, survey: Survey, run: Run) -> str:
    """The same address of something that is not there."""
    return address.replace(survey.slug, "no-such").replace(run.key, "0" * 32).replace(f"/{survey.pk}/", "/987654/")


@pytest.mark.parametrize("who", ["bob", "carol"])
def test_a_strangers_survey_looks_like_a_missing_one(
    run: Run, survey: Survey, who: str, request: pytest.FixtureRequest, sign_in: object
) -> None:
    client: Client = sign_in(request.getfixturevalue(who))  # type: ignore[operator]
    for method, found in addresses(survey, run).items():
        for address in found:
            theirs = client.generic(method, address)
            none = client.generic(method, missing(address, survey, run))
            assert (address, theirs.status_code) == (address, 404)
            assert theirs.content == none.content, f"{method} {address} tells whether it is there"
    survey.refresh_from_db()
    assert survey.state == Survey.State.OPEN


def test_the_owner_gets_each_page(run: Run, survey: Survey, her: Client) -> None:
    found = addresses(survey, run)["GET"]
    statuses = {address: her.get(address).status_code for address in found}
    frozen = {reverse(FORMS[0], args=[survey.pk]): 302, reverse(FORMS[1], args=[survey.pk]): 403}
    assert statuses == dict.fromkeys(found, 200) | frozen
    assert [her.get(reverse(name)).status_code for name in OPEN_TO_STAFF] == [302, *[200] * 7]


@pytest.mark.parametrize("who", [None, "dave"])
def test_who_is_not_on_the_staff_is_asked_to_sign_in(
    run: Run, survey: Survey, who: str | None, request: pytest.FixtureRequest, sign_in: object
) -> None:
    client: Client = sign_in(request.getfixturevalue(who) if who else None)  # type: ignore[operator]
    for method, found in addresses(survey, run).items():
        for address in (*found, *map(reverse, OPEN_TO_STAFF)):
            answer = client.generic(method, address)
            if address.startswith("/api/"):
                assert answer.status_code == 403
            else:
                assert (address, answer.status_code) == (address, 302)
                assert answer["Location"].startswith("/panel/login/?next=")


def test_an_act_is_a_post(run: Run, survey: Survey, her: Client) -> None:
    for name in ACTS:
        assert her.get(reverse(name, args=[survey.slug])).status_code == 405
    assert her.get(reverse("panel:publish", args=[run.key])).status_code == 405
    for name in SURVEY:
        assert her.post(reverse(name, args=[survey.slug])).status_code == 405
    for name in RUN:
        assert her.post(reverse(name, args=[run.key])).status_code == 405
    for address in (reverse("api:run", args=[run.key]), reverse("api:survey-plan", args=[survey.slug])):
        assert her.post(address).status_code in (403, 405)
    assert her.post(reverse("panel:plan")).status_code == 405


def test_a_post_from_elsewhere_is_refused(run: Run, survey: Survey, alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    for address in addresses(survey, run)["POST"]:
        assert client.post(address).status_code == 403
    assert client.post(reverse("panel:upload"), {"text": "slug: x"}).status_code == 403


def test_the_list_holds_ones_own_surveys_alone(version: Version, alice: User, bob: User, sign_in: object) -> None:
    address = reverse("admin:surveys_survey_changelist")
    hers, his = (sign_in(user).get(address).content.decode() for user in (alice, bob))  # type: ignore[operator]
    assert "Campus" in hers
    assert "Campus" not in his
    assert "/s/campus/" in hers


def test_researchers_alone_do_not_manage_accounts(her: Client) -> None:
    assert her.get(reverse("admin:auth_user_changelist")).status_code == 403
    assert "Researchers" not in her.get(reverse("admin:surveys_survey_changelist")).content.decode()


def test_how_far_a_run_is(run: Run, her: Client) -> None:
    answer = her.get(reverse("api:run", args=[run.key])).json()
    assert answer == {
        "key": run.key, "state": "done", "progress": 100, "fault": "", "reports": 90,
        "snapshot_at": run.snapshot_at.isoformat().replace("+00:00", "Z"),  # type: ignore[union-attr]
    }  # fmt: skip
