"""The cast signed in, and alice's survey in each state."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collector.designs.selectors import get_design
from estimator.models import Run
from estimator.runs import services as estimator
from surveys.models import Version
from tests.factories.runs import fill_open, run_of

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
def run(version: Version) -> Run:
    """A finished run of alice's open survey."""
    design = get_design(version.design_id)
    fill_open(design)
    return run_of(design, final=False)
