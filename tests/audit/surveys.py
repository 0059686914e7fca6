"""The surveys that are audited.

Two short ones have yes/no and one-choice questions, each of them between the two at every one of five places. The
others have every other kind of question and encoding: three of them in three orders, so that each stands once at each
place, and three others; and one with everything that decides on the device what is asked.
"""

from typing import Any

from surveys.definition.definitions import complete

FORCED = {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
STRONGER = {"name": "forced_response", "truth": "2/3", "yes": "1/2"}


def _item(key: str, channel: dict[str, str], choices: int) -> dict[str, Any]:
    labels = ("No", "Yes") if choices == 2 else ("Never", "Once", "Twice or more", "Often", "Every day")[:choices]
    return {
        "key": key,
        "kind": "yes_no" if choices == 2 else "one_choice",
        "wording": {"en": f"Question {key}?"},
        "choices": [{"en": label} for label in labels],
        "channel": channel,
    }


def _yes_no(key: str, channel: dict[str, str] = FORCED) -> dict[str, Any]:
    return _item(key, channel, 2)


def _one_of(choices: int, key: str, truth: str = "1/2") -> dict[str, Any]:
    return _item(key, {"name": "k_ary", "truth": truth}, choices)


def _definition(slug: str, items: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return complete(
        {
            "slug": slug,
            "rehearsal": False,
            "languages": ["en"],
            "title": {"en": "Audit"},
            "introduction": {"en": "Some questions."},
            "consent": {"en": "You may leave at any time."},
            # The group is sent as it is, so it would be one more thing to condition on; tests/browser covers its shape.
            "strata": {"wording": {"en": ""}, "groups": []},
            "items": items,
            **more,
        }
    )


YES_NO_FIRST = _definition(
    "audit-a", [_yes_no("a1"), _one_of(3, "a2"), _yes_no("a3", STRONGER), _one_of(5, "a4", "1/3"), _yes_no("a5")]
)
"""Yes/no first, in the middle and last."""

ONE_CHOICE_FIRST = _definition(
    "audit-b", [_one_of(3, "b1"), _yes_no("b2"), _one_of(4, "b3"), _yes_no("b4", STRONGER), _one_of(3, "b5")]
)
"""One choice of k first, in the middle and last."""


def _of_kind(kind: str, choices: tuple[str, ...], channel: dict[str, Any], **more: Any) -> dict[str, Any]:
    key = f"{kind}-{channel['name']}".replace("_", "-")
    texts = [{"en": choice} for choice in choices]
    return {"key": key, "kind": kind, "wording": {"en": f"{key}?"}, "choices": texts, "channel": channel, **more}


OTHER_KINDS = (
    _of_kind("one_choice", ("Red", "Green", "Blue"), {"name": "unary", "on": "1/2", "off": "1/4"}),
    _of_kind("one_choice", ("North", "East", "South", "West"), {"name": "subset", "size": 2, "truth": "3/4"}),
    _of_kind("several_choices", ("Tea", "Coffee", "Beer"), {"name": "forced_response", "truth": "1/5"}, most=1),
    _of_kind("scale", ("1 – Low", "2", "3", "4 – High"), {"name": "discrete_laplace", "epsilon": "0.7"}),
    _of_kind("number", (), {"name": "discrete_laplace", "epsilon": "0.7"}, minimum="0", maximum="3", step="1"),
    _of_kind("number", (), {"name": "one_bit", "truth": "1/2"}, minimum="0", maximum="1.5", step="0.5"),
)
"""No question has more than four answers or eight reports."""

EVERY_PLACE = tuple(
    _definition(f"audit-c{3 * half + first + 1}", [*kinds[first:], *kinds[:first]])
    for half, kinds in enumerate((OTHER_KINDS[:3], OTHER_KINDS[3:]))
    for first in range(3)
)
"""Each of the other kinds first, in the middle and last."""

ON_THE_DEVICE = _definition(
    "audit-d",
    [
        _yes_no("d1") | {"section": "first"},
        _one_of(4, "d2", "2/5") | {"section": "first", "asked_if": {"item": "d1", "answers": [1]}, "unasked": 0},
        _of_kind("one_choice", ("Home", "Away"), {"name": "k_ary", "truth": "2/5"},
                 section="second", shuffle=True, prefer_not=True),
        _of_kind("several_choices", ("Tea", "Beer"), {"name": "forced_response", "truth": "1/5"},
                 section="second", shuffle=True, prefer_not=True, most=1),
        _of_kind("number", (), {"name": "one_bit", "truth": "1/2"}, minimum="0", maximum="2", step="1",
                 section="second", asked_if={"item": "several-choices-forced-response", "answers": [1]}, unasked=0),
    ],
    sections=[{"key": "first", "title": {"en": "First"}, "introduction": {"en": ""}},
              {"key": "second", "title": {"en": "Second"}, "introduction": {"en": ""}}],
    consent_statements=[{"en": "I am at least 18 years old."}, {"en": "I have read the text above."}],
    screening={"wording": {"en": "Do you live here?"}, "ends": [2], "text": {"en": "Thank you."},
               "choices": [{"en": "Yes"}, {"en": "Sometimes"}, {"en": "No"}]},
)  # fmt: skip
"""Consent statements, screening, sections, questions asked only after some answers, shuffled, "prefer not to say"."""

REMEMBERED = _definition(
    "audit-r",
    [
        _yes_no("r1"),
        _of_kind("one_choice", ("North", "East", "South", "West"), {"name": "subset", "size": 2, "truth": "3/4"}),
        _of_kind("several_choices", ("Tea", "Coffee", "Beer"), {"name": "forced_response", "truth": "1/5"}, most=1),
        _of_kind("one_choice", ("Red", "Green", "Blue"), {"name": "unary", "on": "1/2", "off": "1/4"}),
        _of_kind("number", (), {"name": "discrete_laplace", "epsilon": "0.7"}, minimum="0", maximum="3", step="1"),
    ],
    repeats="remember",
)
"""Every encoding, with tickets that are derived from a number of the device."""


def _about_you(wording: str, *choices: str) -> dict[str, Any]:
    return {"wording": wording, "choices": list(choices)}


TOLD_OPENLY = _definition(
    "audit-g",
    [_yes_no("g1"), _one_of(3, "g2"), _of_kind("number", (), {"name": "one_bit", "truth": "1/2"}, minimum="0",
                                                maximum="2", step="1")],
    background_questions={
        "expected_responses": 40_000,
        "smallest_cell": 10,
        "questions": [
            _about_you("In which year did you begin?", *map(str, range(2010, 2025))),
            _about_you("Where do you live?", "North", "South", "East", "West"),
            _about_you("How old are you?", "18–29", "30–44", "45–59", "60 or older"),
            _about_you("What is your gender?", "Woman", "Man", "Another"),
            _about_you("Do you have a job?", "Yes", "No"),
            _about_you("Do you have children?", "Yes", "No"),
        ],
    },
)  # fmt: skip
"""Six background questions, one of them a list: told openly, as far as forty thousand responses allow."""

ARMS = _definition(
    "audit-h",
    [_yes_no("h1"), _yes_no("h1-less", STRONGER), _one_of(3, "h2"), _yes_no("h3")],
    consent_statements=[{"en": "I am at least 18 years old."}],
    background_questions={
        "questions": [
            {
                "arms": [
                    {"explanation": "before", "weight": 3},
                    {
                        "explanation": "after",
                        "weight": 1,
                        "instead": {"h1": "h1-less"},
                        "consent": {"en": "I agree to fewer tickets."},
                    },
                    {"explanation": "own_coin", "weight": 1},
                ]
            },
            _about_you("Do you have a job?", "Yes", "No"),
        ],
    },
)
"""Three versions of the page, drawn 3 to 1 to 1: which one is sent openly with the answer to a background question. The
second asks one question with tickets of its own, the third has people toss a coin.
"""

WORK_BITS = 6
"""Of the sum in a survey that asks for work: 64 tries for each report."""
