"""Write `work.json`: designs and nonces with the sum that the page must send and the door must take.

    python tests/vectors/make_work.py

Seeded, so that a second run writes the same bytes (a test compares them). The rule is stated here a second time, apart
from page and door: SHA-256 of a text of 80 characters, 16 bytes of nonce and 8 of counter, with `bits` zero bits first.
"""

import json
import random
from hashlib import sha256
from itertools import count
from pathlib import Path

TARGET = Path(__file__).with_name("work.json")
BITS = (1, 2, 5, 8, 8, 11, 12, 13)


def smallest(digest: str, nonce: bytes, bits: int) -> str:
    start = sha256(f"candor work 1\n{digest}\n".encode() + nonce)
    for counter in count():
        whole = start.copy()
        whole.update(counter.to_bytes(8, "big"))
        if format(int(whole.hexdigest(), 16), "0256b").startswith("0" * bits):
            return f"{counter:016x}"
    raise AssertionError


def vectors() -> str:
    source = random.Random(18)
    cases = []
    for bits in BITS:
        digest, nonce = source.randbytes(32).hex(), source.randbytes(16)
        cases.append({"digest": digest, "nonce": nonce.hex(), "bits": bits, "sum": smallest(digest, nonce, bits)})
    return json.dumps(cases, indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(vectors(), encoding="utf-8")
