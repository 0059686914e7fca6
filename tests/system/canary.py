"""An answer that no chance can produce, and a survey wide enough for it."""

from surveys.definition import definitions

ITEMS, CHOICES = 8, 128
CANARY = bytes([0x43, 0x5A, 0x11, 0x2E, 0x77, 0x68, 0x1D, 0x34])
NEEDLES = [CANARY, CANARY.hex().encode(), ",".join(map(str, CANARY)).encode(), str(list(CANARY)).encode()]


def survey(slug: str, *, rehearsal: bool) -> str:
    items = [
        {
            "key": f"q{number}",
            "kind": "one_choice",
            "wording": f"Question {number}?",
            "choices": [f"choice {choice}" for choice in range(CHOICES)],
            "channel": {"name": "k_ary", "truth": "1/300"},
        }
        for number in range(ITEMS)
    ]
    return definitions.dump({"slug": slug, "title": "Wide", "rehearsal": rehearsal, "items": items})
