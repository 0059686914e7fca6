"""The version of a page that has people toss a coin of their own, by ear: what to toss is heard before the choices."""

import json
import re

import pytest
from django.contrib.auth.models import User

from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.models import Version
from surveys.opening.services import open_survey
from tests.browser.screen_reader.spoken import plain, unspoken
from tests.browser.visit import Visit
from tests.factories import background
from tests.tools.capture import Capture
from tests.tools.orca import Orca

pytestmark = pytest.mark.long
IN_ORDER = (
    "Your true answer stays with you.",
    "You need 2 coins and one die",
    "Have you cheated?",
    "Toss two coins where nobody sees them.",
    "Two heads: mark “No”, whatever your answer is.",
    "One head and one tail: mark your true answer.",
    "No not selected radio button",
)


@pytest.fixture
def version(alice: User) -> Version:
    definition = background.definition(background.OWN_COIN, background.AGE)
    return open_survey(write_survey(definition, team=home_team(alice)))


def test_version_with_a_coin_is_answered_by_ear(visit: Visit, site: Capture, reader: Orca) -> None:
    visit.open_arm("own_coin")
    read = reader.read_all()
    assert unspoken(visit.page, read) == []
    heard = plain(read)
    places = [heard.index(plain(one)) for one in IN_ORDER]
    assert places == sorted(places)
    assert "ticket" not in heard
    visit.choose(1, "Yes").choose(2, "Low").press("Review your answers").stage("review")
    read = reader.read_all()
    assert unspoken(visit.page, read) == []
    assert "Your toss decided this. It is sent unchanged." in re.sub(r"\s+", " ", read)
    visit.press("Send").stage("sent")
    assert unspoken(visit.page, reader.read_all()) == []
    (post,) = site.posts()
    assert json.loads(post.body)["report"] == "0102"
