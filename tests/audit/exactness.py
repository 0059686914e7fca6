"""Exact, where sampling is blind: every sequence of words of a small size through the client, compared with fractions.

A ticket that is drawn says nothing about how many words were rejected before it. So among the sequences that are long
enough, each report has exactly the share that the table gives it: an equation of integers, without tolerance.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from randomized_response import forced_response, k_ary, warner
from tests.client.test_node import node

CLIENT = Path(__file__).parents[2] / "surveys" / "static" / "surveys" / "client"
SCRIPT = Path(__file__).with_name("enumeration.mjs")

SINGLE = (
    forced_response(truth="1/2"),
    forced_response(truth="1/2", yes="1/4"),
    forced_response(truth="2/3", yes="1/2"),
    forced_response(truth="2/5", yes="1/3"),
    warner(truth="3/4"),
    warner(truth="2/7"),
    k_ary(3, truth="1/2"),
    k_ary(4, truth="1/5"),
    k_ary(5, truth="1/3"),
    k_ary(6, truth="3/8"),
)
"""Each alone: words of 8 bits, every sequence of two."""

TOGETHER = (
    (forced_response(truth="1/2"), k_ary(3, truth="1/2")),
    (k_ary(5, truth="1/3"), forced_response(truth="2/3", yes="1/2")),
    (forced_response(truth="1/2"), forced_response(truth="1/2"), warner(truth="2/3")),
)
"""Several questions: words of 4 bits, every sequence of four."""


def cases() -> Iterator[dict[str, Any]]:
    sized = [((channel,), 256, 2) for channel in SINGLE] + [(channels, 16, 4) for channels in TOGETHER]
    for channels, size, depth in sized:
        for answers in product(*(range(channel.answers) for channel in channels)):
            tables = [channel.weights for channel in channels]
            yield {"tables": tables, "answers": answers, "size": size, "depth": depth}


def differences(client: Path) -> list[str]:
    """One text for each table whose reports have not exactly its probabilities in the client of that folder."""
    given = list(cases())
    command = [node(), str(SCRIPT), client.as_uri()]
    run = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, timeout=120, check=True)
    counted = json.loads(run.stdout)
    pairs = zip(given, counted, strict=True)
    return [
        f"enumeration of {case['tables']}, answers {case['answers']}" for case, seen in pairs if not exact(case, seen)
    ]


def exact(case: dict[str, Any], seen: dict[str, int]) -> bool:
    unresolved, total = seen.pop("open"), case["size"] ** case["depth"]
    rows = [table[answer] for table, answer in zip(case["tables"], case["answers"], strict=True)]
    shares = {bytes(report).hex(): share(rows, report) for report in product(*(range(len(row)) for row in rows))}
    if set(seen) > set(shares) or unresolved * 2 > total:
        return False
    return all(seen.get(report, 0) == share * (total - unresolved) for report, share in shares.items())


def share(rows: Sequence[Sequence[int]], report: Sequence[int]) -> Fraction:
    return prod((Fraction(row[y], sum(row)) for row, y in zip(rows, report, strict=True)), start=Fraction(1))


def altered_client(folder: Path, changes: Sequence[tuple[str, str, str]]) -> Path:
    """A copy of the client with some texts changed; KeyError where a text is not there."""
    shutil.copytree(CLIENT, folder, dirs_exist_ok=True)
    for name, old, new in changes:
        text = (folder / name).read_text(encoding="utf-8")
        if old not in text:
            raise KeyError(f"{name} has no {old!r}")
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")
    return folder
