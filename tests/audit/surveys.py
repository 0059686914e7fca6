"""The surveys that are audited: yes/no and one-choice questions, between them each at every one of five places."""

from typing import Any

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


def _definition(slug: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "slug": slug,
        "rehearsal": False,
        "languages": ["en"],
        "title": {"en": "Audit"},
        "introduction": {"en": "Five questions."},
        "consent": {"en": "You may leave at any time."},
        # The group is sent as it is, so it would be one more thing to condition on; tests/browser covers its shape.
        "strata": {"wording": {"en": ""}, "groups": []},
        "items": items,
    }


YES_NO_FIRST = _definition(
    "audit-a", [_yes_no("a1"), _one_of(3, "a2"), _yes_no("a3", STRONGER), _one_of(5, "a4", "1/3"), _yes_no("a5")]
)
"""Yes/no first, in the middle and last."""

ONE_CHOICE_FIRST = _definition(
    "audit-b", [_one_of(3, "b1"), _yes_no("b2"), _one_of(4, "b3"), _yes_no("b4", STRONGER), _one_of(3, "b5")]
)
"""One choice of k first, in the middle and last."""
