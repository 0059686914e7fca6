"""Background questions in a frozen design: cells that hold each combination of answers exactly once."""

import copy
import itertools
from typing import Any

import pytest

from collector.designs import check
from collector.endpoint.own_coin import preview
from collector.errors import RequestRefused, ValidationError
from tests.factories import background, payloads

PREFER = {"en": "Prefer not to say"}


def document(**changes: Any) -> dict[str, Any]:
    """Two questions with two choices each: the second is told only of those who say yes to the first."""
    questions = [
        {"key": name, "wording": {"en": f"{name}?"}, "choices": [{"en": "Yes"}, {"en": "No"}, PREFER]}
        for name in ("job", "children")
    ]
    cells = [[[0], [0]], [[0], [1, 2]], [[1, 2], None]]
    asked = {"questions": questions, "cells": cells, "expected_responses": 100, "smallest_cell": 10} | changes
    return payloads.document(strata={"wording": {"en": ""}, "groups": []}, background_questions=asked)


def test_cells_are_the_strata() -> None:
    design = check(document())
    assert design.strata == ("c0001", "c0002", "c0003")
    assert design.groups == ()
    assert [design.background.cell_of(answers) for answers in ((0, 0), (0, 2), (1, 0), (2, 2))] == [0, 1, 2, 2]
    assert design.silent_stratum == "c0003"
    labels = [design.background.label(cell, "en") for cell in range(3)]
    assert labels == ["Yes · Yes", "Yes · No / Prefer not to say", "No / Prefer not to say"]


def test_each_combination_is_in_one_cell() -> None:
    design = background.design(*background.SIX, expected=20_000)
    sizes = [len(question.choices) for question in design.background.questions]
    places = [design.background.cell_of(answers) for answers in itertools.product(*map(range, sizes))]
    assert set(places) == set(range(len(design.background.cells)))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"cells": [[[0], [0]], [[0], [1, 2]]]}, "cells must hold each combination"),
        ({"cells": [[[0], None], [[0], [1]], [[1, 2], None]]}, "cells must hold each combination"),
        ({"cells": [[[0], None], [[1, 2], None]]}, r"cells must tell something .*; question 2 never does"),
        ({"cells": [[None, None]]}, "cells must be 2 to 4096 cells; got 1"),
        ({"cells": [[[0, 1, 2], [0]], [[0], [1, 2]]]}, r"cells\[0\]\[0\] must be null for every answer"),
        ({"cells": [[[2, 1], [0]], [[0], [1, 2]]]}, r"cells\[0\]\[0\] must be null .* or some of 0 to 2"),
        ({"cells": [[[3], [0]], [[0], [1, 2]]]}, r"cells\[0\]\[0\] must be an integer from 0 to 2; got 3"),
        ({"cells": [[[0]], [[0], [1, 2]]]}, r"cells\[0\] must have an entry for each of the 2 questions; got 1"),
        ({"smallest_cell": 24}, "cells must be expected to hold 24 responses each; one holds 22.6"),
        ({"questions": []}, "questions must be 1 to 6 questions; got 0"),
        ({"smallest_cell": 4}, "smallest_cell must be an integer of at least 5; got 4"),
        ({"expected_responses": 0}, "expected_responses must be an integer of at least 1; got 0"),
    ],
)
def test_fault_names_the_place(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=f"background_questions.{fault}"):
        check(document(**changes))


def test_faults_of_a_question_are_named() -> None:
    for name, value, fault in (
        ("choices", [{"en": "Yes"}, PREFER], '2 to 40 choices, and "prefer not to say" last; got 2 in all'),
        ("choices", [{"en": "Yes"}, {"en": "Yes"}, PREFER], "'Yes' is there twice"),
        ("wording", {"en": " "}, "must not be empty"),
        ("key", "cheated", "cheated is used more than once"),
    ):
        wrong = copy.deepcopy(document())
        wrong["background_questions"]["questions"][0][name] = value
        with pytest.raises(ValidationError, match=fault):
            check(wrong)


def test_groups_and_noised_sizes_exclude_background_questions() -> None:
    with pytest.raises(ValidationError, match="only allowed where no question assigns groups"):
        check(document() | {"strata": payloads.document()["strata"]})
    with pytest.raises(ValidationError, match="not possible where exact group sizes are hidden"):
        check(document() | {"participation": {"epsilon": "1"}})


def test_coin_form_names_no_cell() -> None:
    """Without a script nothing could make its answers coarse before they are sent."""
    design = check(document())
    fields = {"design": design.digest, "item-1": "0", "item-2": "0"}
    assert preview(fields, design).stratum == "c0003"
    with pytest.raises(RequestRefused, match="1 fields that this survey does not have"):
        preview(fields | {"stratum": "c0001"}, design)
