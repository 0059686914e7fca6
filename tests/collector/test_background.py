"""Background questions in a frozen design: cells that hold each combination of answers exactly once."""

import copy
import itertools
from typing import Any

import pytest

from collector.designs import check
from collector.designs.arms import asked_in, tossed_items
from collector.endpoint.own_coin import preview
from collector.errors import RequestRefused, ValidationError
from surveys.definition.own_coin.instructions import instructions_for, require_tossable
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


ARM = {"key": "arm", "wording": {"en": "Version"}, "choices": [{"en": "Before"}, {"en": "After"}]}
BOTH = [{"explanation": "before", "weight": 1}, {"explanation": "after", "weight": 3}]


def with_arms(arms: Any = BOTH, cells: Any = None, **changes: Any) -> dict[str, Any]:
    """Two versions of the page, and a job of which the first version tells nothing."""
    job = {"key": "job", "wording": {"en": "job?"}, "choices": [{"en": "Yes"}, {"en": "No"}, PREFER]}
    cells = cells or [[[0], None], [[1], [0]], [[1], [1, 2]]]
    return document(questions=[ARM | {"arms": arms} | changes, job], cells=cells)


def test_arms_are_answers_that_nobody_is_asked_for() -> None:
    design = check(with_arms())
    assert [arm.explanation for arm in design.background.arms] == ["before", "after"]
    assert [str(share) for share in design.background.questions[0].shares] == ["1/4", "3/4"]
    assert [one.key for one in design.background.asked] == ["job"]
    assert [question.offered for question in design.background.questions] == [(0, 1), (0, 1)]
    assert check(document()).background.arms == ()


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"arms": BOTH[:1]}, r"questions\[0\].arms must be 2 to 4 arms; got 1"),
        ({"arms": [BOTH[0], BOTH[1] | {"weight": 0}]}, r"arms\[1\].weight must be an integer from 1 to 100; got 0"),
        ({"arms": [BOTH[0], BOTH[1] | {"explanation": "never"}]}, r"must be before, after or own_coin; got 'never'"),
        ({"arms": [BOTH[0], BOTH[1] | {"introduction": {"de": "Hallo"}}]}, r"arms\[1\].introduction must have exactly"),
        ({"arms": [*BOTH, BOTH[0]]}, r"choices must have a name for each of the 3 arms; got 2"),
        ({"shares": ["0.5", "0.5"]}, r"shares are the weights of the arms; leave them out"),
        ({"cells": [[[0], [0]], [[0], [1, 2]], [[1], None]], "arms": [BOTH[1], BOTH[1]]}, ""),
        ({"cells": [[None, [0]], [None, [1, 2]]]}, "question 1 never does"),
    ],
)  # fmt: skip
def test_arms_that_do_not_fit_are_refused(changed: dict[str, Any], fault: str) -> None:
    if not fault:
        assert check(with_arms(**changed)).background.arms
        return
    with pytest.raises(ValidationError, match=fault):
        check(with_arms(**changed))


def test_arms_stand_first_apart_and_without_remembered_tickets() -> None:
    two = document()["background_questions"]["questions"]
    behind = [two[0], ARM | {"arms": BOTH}]
    with pytest.raises(ValidationError, match="questions may have arms in the first question alone"):
        check(document(questions=behind, cells=[[[0], [0]], [[0], [1]], [[1, 2], None]]))
    three = ARM | {"arms": [*BOTH, BOTH[0]], "choices": [*ARM["choices"], {"en": "Again"}]}  # type: ignore[misc]
    with pytest.raises(ValidationError, match="must be so few that each is expected to fill a cell"):
        check(document(questions=[three, two[0]], cells=[[[0, 2], None], [[1], [0]], [[1], [1, 2]]]))
    remembering = with_arms() | {"waves": {"repeats": "remember", "spent": "1/1"}}
    with pytest.raises(ValidationError, match="cannot have arms where devices remember their tickets"):
        check(remembering)


def test_arms_have_no_page_for_a_coin() -> None:
    assert instructions_for(check(document())) is not None
    assert instructions_for(check(with_arms())) is None


def with_instead(instead: Any, *more: dict[str, Any], first: Any = None, **changes: Any) -> dict[str, Any]:
    """Two versions, of which the second asks this instead; the design has the two usual questions and `more`."""
    one = BOTH[0] | ({"instead": first} if first is not None else {})
    made = with_arms([one, BOTH[1] | {"instead": instead}])
    return made | {"items": [*made["items"], *more]} | changes


def copied(key: str, place: int = 0, **changes: Any) -> dict[str, Any]:
    """A question with the answers of the usual one at this place."""
    return copy.deepcopy(payloads.document()["items"][place]) | {"key": key} | changes


def test_version_asks_a_question_instead_of_another() -> None:
    design = check(with_instead({"cheated": "direct"}, copied("direct"), copied("other", 1)))
    assert design.versions == ((0, 1, 3), (1, 2, 3))
    assert [asked_in(design, cell) for cell in range(3)] == [(0, 1, 3), (1, 2, 3), (1, 2, 3)]
    assert len(design.alphabets) == 4, "a report has the symbols of all questions"
    assert check(with_arms()).versions == ((0, 1), (0, 1))
    assert check(document()).versions == ((0, 1),)


AFTER = {"asked_if": {"item": "cheated", "answers": [1]}, "unasked": 0}


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (with_instead({}), r"arms\[1\].instead must name a question for each that is left out; got {}"),
        (with_instead({"cheated": 1}), r"instead must name a question for each"),
        (with_instead({"cheated": "none"}), r"must name questions of the survey; there is no 'none'"),
        (with_instead({"cheated": "mood"}), r"a question of its kind with its choices; mood has others"),
        (with_instead({"cheated": "cheated"}), r"cheated has others"),
        (with_instead({"cheated": "a"}, copied("a"), first={"cheated": "a"}), r"arms\[0\].instead is for the versions"),
        (with_instead({"cheated": "a", "b": "a"}, copied("a"), copied("b")), r"instead of one question alone"),
        (with_instead({"cheated": "a", "a": "b"}, copied("a"), copied("b")), r"must not leave out a question that is"),
        (with_instead({"cheated": "a"}, copied("a"), copied("b", **AFTER)), r"must ask cheated too, as b is asked"),
    ],
)  # fmt: skip
def test_questions_of_a_version_that_do_not_fit_are_refused(document: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        check(document)


COIN = {"explanation": "own_coin", "weight": 1}


def test_version_with_a_coin_asks_what_can_be_tossed() -> None:
    design = check(with_arms([BOTH[0], COIN]))
    assert [arm.own_coin for arm in design.background.arms] == [False, True]
    assert tossed_items(design) == {"cheated", "mood"}
    assert tossed_items(check(with_arms())) == set()
    require_tossable(design)
    less = copied("less")
    less["channel"] = {"name": "forced_response", "weights": [[4, 1], [1, 4]]}
    other = check(
        with_arms([BOTH[0], COIN | {"instead": {"cheated": "less"}}]) | {"items": [*document()["items"], less]}
    )
    with pytest.raises(
        ValidationError, match=r"explanation own_coin needs tables .*; that of less has 5 tickets a row"
    ):
        require_tossable(other)


@pytest.mark.parametrize(
    "item",
    [
        copied("often", 1, asked_if={"item": "cheated", "answers": [1]}, unasked=0),
        copied("often", 1, dropdown=True),
    ],
    ids=["of some people", "a list that unfolds"],
)
def test_version_with_a_coin_asks_everybody_for_one_mark(item: dict[str, Any]) -> None:
    made = with_arms([BOTH[0], COIN])
    with pytest.raises(ValidationError, match="that everybody answers with a mark of a few; got often"):
        check(made | {"items": [*made["items"], item]})


def test_consent_of_a_version_goes_with_statements_for_everybody() -> None:
    made = with_arms([BOTH[0], BOTH[1] | {"consent": {"en": "I agree to less."}}])
    with pytest.raises(ValidationError, match=r"arms\[1\].consent is only allowed together with consent_statements"):
        check(made)
    agreed = check(made | {"consent_statements": [{"en": "I am 18."}]})
    assert [arm.consent for arm in agreed.background.arms] == [{}, {"en": "I agree to less."}]
