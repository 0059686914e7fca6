"""A short run of the fuzzing; `make audit-fuzz` makes the long one."""

import pytest

from tests.fuzz import definitions
from tests.fuzz.cases import ENDPOINT, fuzz
from tests.fuzz.scene import set_up
from tests.fuzz.walking import walk

CASES = 160
"""Of the endpoint that takes reports; `make audit-fuzz` asks every operation."""


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_fuzzed_requests_answer_as_documented() -> None:
    tally = fuzz(set_up(), CASES, chance=3, only=ENDPOINT)
    assert "\n".join(f"{where}: {fault}" for where, fault in tally.faults.items()) == ""
    assert tally.cases >= CASES * 0.7 * 0.9
    answered = {status for _, _, status in tally.answers}
    assert {200, 201, 403, 404, 409, 410, 422} <= answered, "the cases reach every kind of answer"


@pytest.mark.long
@pytest.mark.django_db
def test_fuzzed_ids_reveal_nothing_to_strangers() -> None:
    walked = walk(set_up(), 100, chance=1)
    assert "\n".join(walked.faults) == ""
    assert walked.asked >= 75


@pytest.mark.long
@pytest.mark.django_db
def test_fuzzed_definitions_are_parsed_or_rejected() -> None:
    """`make audit-fuzz` makes 20,000 of them."""
    outcome = definitions.fuzz(100, seed=2)
    assert outcome.faults == {}
    assert outcome.files == 100
    assert 10 <= outcome.taken <= 90, "both whole ones and broken ones are made"
