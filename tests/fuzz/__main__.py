"""The fuzzing: `python -m tests.fuzz [CASES]` writes docs/evidence/fuzz.md, and fails where an answer is wrong.

CASES requests are made of the OpenAPI document, 20,400 if not said, and half as many ids are walked by a stranger. A
few operations run out of different requests, so that it makes a little less.
"""

import argparse
import sys
import time
from pathlib import Path

from tests.audit.standalone import standalone

TARGET = Path(__file__).parents[2] / "docs" / "evidence" / "fuzz.md"
CASES = next((int(word) for word in sys.argv[1:] if word.isdigit()), 20_400)
SEED = 20_261_121


def main() -> bool:
    # Only here: these need Django's settings.
    from tests.fuzz import report
    from tests.fuzz.cases import fuzz
    from tests.fuzz.scene import set_up
    from tests.fuzz.walking import walk

    scene, begun = set_up(), time.monotonic()
    tally = fuzz(scene, CASES, chance=SEED, told=lambda words: print(words, flush=True))
    walked = walk(scene, CASES // 2, chance=SEED)
    print(f"{walked.asked:,} ids walked, {len(walked.faults)} faults", flush=True)
    TARGET.write_text(report.document(tally, walked, time.monotonic() - begun, SEED), encoding="utf-8")
    for where, fault in tally.faults.items():
        print(where, fault, flush=True)
    for fault in walked.faults:
        print(fault, flush=True)
    return not tally.faults and not walked.faults


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="?", type=int, help="how many requests")
    parser.parse_args()
    with standalone():
        sound = main()
    sys.exit(0 if sound else 1)
