"""Codes of invitations, sound and mistyped, as collector/invitations/codes.py sees them: `invitations.json`.

    python -m tests.vectors.make_invitations

Every sound code is given with one symbol changed at each place, which its check symbol must show.
"""

import json
import random
from pathlib import Path
from typing import Any

from collector.invitations.codes import ALPHABET, RANDOM_SYMBOLS, check_symbol, is_code

FILE = Path(__file__).with_name("invitations.json")
CODES = 12


def made() -> dict[str, Any]:
    source = random.Random(1954)
    drawn = ["".join(source.choices(ALPHABET, k=RANDOM_SYMBOLS)) for _ in range(CODES)]
    codes = [one + check_symbol(one) for one in [ALPHABET[0] * RANDOM_SYMBOLS, ALPHABET[-1] * RANDOM_SYMBOLS, *drawn]]
    mistyped = [_changed(code, place, source) for code in codes for place in range(len(code))]
    assert [is_code(code) for code in codes + mistyped] == [True] * len(codes) + [False] * len(mistyped)
    return {"codes": codes, "mistyped": mistyped}


def _changed(code: str, place: int, source: random.Random) -> str:
    other = source.choice(ALPHABET.replace(code[place], ""))
    return code[:place] + other + code[place + 1 :]


if __name__ == "__main__":
    FILE.write_text(json.dumps(made(), indent=1) + "\n", encoding="utf-8")
