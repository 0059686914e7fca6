"""The control questions that the editor offers: whole in every language, and opened with their known shares."""

from fractions import Fraction

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from surveys.accounts.teams import home_team
from surveys.definition.control_questions import CONTROL_QUESTIONS, ControlQuestion
from surveys.lifecycle import selectors
from surveys.lifecycle.services import write_survey
from tests.factories import payloads


@pytest.mark.parametrize("one", CONTROL_QUESTIONS, ids=lambda one: one.name)
def test_control_question_is_written_in_every_language(one: ControlQuestion) -> None:
    assert set(one.wording) == {code for code, _name in settings.LANGUAGES}
    assert len(set(one.wording.values())) == len(one.wording)
    assert Fraction(one.known_share) != Fraction(1, 2)


@pytest.mark.django_db
def test_control_questions_are_in_the_frozen_design(alice: User) -> None:
    channel = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
    items = [
        {"key": one.name, "kind": "yes_no", "wording": {"en": one.wording["en"]}, "known_share": one.known_share}
        | {"choices": [{"en": "No"}, {"en": "Yes"}], "channel": channel}
        for one in CONTROL_QUESTIONS
    ]
    survey = write_survey(payloads.definition(items=items), team=home_team(alice))
    design, _report = selectors.design_to_open(survey)
    assert [item.known_share for item in design.items] == ["1", "0", "1", "120/365"]
