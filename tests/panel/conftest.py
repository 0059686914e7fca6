"""The cast signed in, and alice's survey in each state."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from collector.designs.selectors import get_design
from estimator.analyses import services as analyses
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.accounts.access import Role
from surveys.accounts.invitations import invite
from surveys.accounts.teams import add_directory_group
from surveys.lifecycle.pictures import add_picture
from surveys.lifecycle.services import write_survey
from surveys.models import Membership, Survey, Version
from surveys.outreach.webhooks import services as webhooks
from surveys.planning.rehearsals.services import request_rehearsal
from tests.factories import payloads
from tests.factories.runs import fill_open, run_of
from tests.panel.access import ANALYST, EDITOR, VIEWER, Cast, batch_of, export_of, mailing_of
from tests.tools.openid_provider import CLIENT, SECRET, Provider, provider
from tests.tools.picture_files import png

SignIn = Callable[[User | None], Client]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Wake-ups are written down here in place of a broker."""
    messages: list[int] = []
    monkeypatch.setattr(estimator, "wake", messages.append)
    return messages


@pytest.fixture
def carol(db: None) -> User:
    """On the staff, with no survey."""
    return User.objects.create_user("carol", password="a long passphrase", is_staff=True)


@pytest.fixture
def dave(db: None) -> User:
    """Has an account but is not on the staff."""
    return User.objects.create_user("dave", password="a long passphrase")


@pytest.fixture
def sign_in() -> SignIn:
    def signed_in(user: User | None) -> Client:
        client = Client()
        if user is not None:
            client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return signed_in


@pytest.fixture
def her(alice: User, sign_in: SignIn) -> Client:
    """alice's browser."""
    return sign_in(alice)


@pytest.fixture
def idp(settings: Any) -> Iterator[Provider]:
    """The institution's provider, which the installation is told of."""
    cache.clear()
    with provider() as found:
        settings.CANDOR_OIDC_ISSUER, settings.CANDOR_INSTITUTION_NAME = found.issuer, "Analytical University"
        settings.CANDOR_OIDC_CLIENT_ID, settings.CANDOR_OIDC_CLIENT_SECRET = CLIENT, SECRET
        yield found


@pytest.fixture
def run(version: Version) -> Run:
    """A finished run of alice's open survey."""
    design = get_design(version.design_id)
    fill_open(design)
    return run_of(design, final=False)


@pytest.fixture
def cast(
    run: Run, survey: Survey, alice: User, bob: User, dave: User, sign_in: Callable[[User | None], Client]
) -> Cast:
    team = survey.team
    draft = write_survey(payloads.definition(slug="draft"), team=team)
    asked = {"quantity": "cheated:1", "against": "pairs"}
    analysis = analyses.execute(analyses.request("comparison", asked, [get_design(run.design_id)]).pk)
    people: dict[str, User | None] = {"nobody": None, "no staff": dave, "stranger": bob}
    for role in (VIEWER, ANALYST, EDITOR):
        member = User.objects.create_user(role.label, is_staff=True)
        Membership.objects.create(team=team, user=member, role=role)
        people[role.label] = member
    people |= {"owner": alice, "superuser": User.objects.create_superuser("root")}
    held = {role.label: role for role in Role}
    rehearsal = request_rehearsal(survey, {"respondents": 60, "shares": {}}, repetitions=1, seed=1)
    delivery = webhooks.send_test(webhooks.add(survey, "https://example.org/", ["closed"], [])[0])
    places: dict[str, tuple[list[Any], list[Any]]] = {
        "": ([], []),
        "survey": ([survey.slug], ["no-such"]),
        "run": ([run.key], ["0" * 32]),
        "rehearsal": ([survey.slug, rehearsal.number], ["no-such", 1]),
        "analysis": ([analysis.key], ["0" * 32]),
        "batch": ([batch_of(team).slug, 1], ["no-such", 1]),
        "mailing": ([survey.slug, mailing_of(survey).key], ["no-such", "0" * 32]),
        "webhook": ([survey.slug, delivery.webhook.key], ["no-such", "0" * 32]),
        "delivery": ([survey.slug, delivery.webhook.key, delivery.key], ["no-such", "0" * 32, "0" * 32]),
        "export": ([export_of(run).key], ["0" * 32]),
        "draft": ([draft.pk], [987654]),
        "question": ([draft.slug, draft.items.all()[0].pk], [draft.slug, 987654]),
        "user": ([alice.pk], [987654]),
        "team": ([team.pk], [987654]),
        "member": ([team.pk, team.memberships.get(user=alice).pk], [987654, 987654]),
        "directory group": ([team.pk, add_directory_group(team, "staff", Role.VIEWER, by=alice).pk], [987654, 987654]),
        "invitation": ([team.pk, invite(team, Role.VIEWER, by=alice)[0].pk], [987654, 987654]),
        "design": ([run.design_id], ["0" * 64]),
        "template": (["tax"], ["no-such"]),
        "picture": ([survey.slug, f"{add_picture(survey, png()).digest}.png"], ["no-such", f"{'0' * 64}.png"]),
    }
    return Cast({name: sign_in(user) for name, user in people.items()}, {**dict.fromkeys(people), **held}, places)
