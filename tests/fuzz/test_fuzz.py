"""A short run of the fuzzing; `make audit-fuzz` makes the long one."""

import pytest

from collector.endpoint import openapi
from tests.fuzz import definitions
from tests.fuzz.cases import fuzz
from tests.fuzz.scene import set_up
from tests.fuzz.walking import walk

CASES = 400


@pytest.mark.django_db(transaction=True)
def test_fuzzed_requests_answer_as_documented() -> None:
    tally = fuzz(set_up(), CASES, chance=1)
    assert "\n".join(f"{where}: {fault}" for where, fault in tally.faults.items()) == ""
    assert tally.cases >= CASES * 0.9
    answered = {status for operation, _, status in tally.answers if operation == f"POST {openapi.ADDRESS}"}
    assert {200, 201, 403, 404, 409, 410, 422} <= answered, "the cases reach every kind of answer"


@pytest.mark.django_db
def test_fuzzed_ids_reveal_nothing_to_strangers() -> None:
    walked = walk(set_up(), 400, chance=1)
    assert "\n".join(walked.faults) == ""
    assert walked.asked >= 300


@pytest.mark.django_db
def test_fuzzed_definitions_are_parsed_or_rejected() -> None:
    """`make audit-fuzz` makes 20,000 of them."""
    outcome = definitions.fuzz(300, seed=2)
    assert outcome.faults == {}
    assert outcome.files == 300
    assert 30 <= outcome.taken <= 270, "both whole ones and broken ones are made"
