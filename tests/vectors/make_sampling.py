"""Write `sampling.json`: tables, answers and words with the report that every implementation must draw from them.

    python tests/vectors/make_sampling.py

Seeded, so that a second run writes the same bytes (a test compares them). The rules are stated here a second time,
apart from the library: a word is accepted below floor(2**32 / D) * D, the ticket is its remainder, the report is the
first whose cumulative weight exceeds the ticket. `words` may hold more words than are used.

`malformed` holds tables that every implementation must refuse. JSON has no NaN and no infinity: the texts "NaN" and
"Infinity" stand for those numbers; the text "3" stands for itself and must be refused too.
"""

import json
import random
from itertools import accumulate
from pathlib import Path
from typing import Any

WORDS = 2**32
TARGET = Path(__file__).with_name("sampling.json")

TABLES = {
    "two coins": [[3, 1], [1, 3]],
    "forced yes": [[1, 1], [0, 2]],
    "three of k": [[4, 1, 1], [1, 4, 1], [1, 1, 4]],
    "more reports than answers": [[5, 2, 0], [0, 2, 5]],
    "D = 1": [[1, 0], [0, 1]],
    "D = 2**32": [[2**31, 2**31], [1, 2**32 - 1]],
    "D = 2**32 - 1": [[2**32 - 2, 1], [0, 2**32 - 1]],
    "D = 2**31 + 1, half of the words rejected": [[2**31, 1], [1, 2**31]],
    "D = 3, one word rejected": [[2, 1], [1, 2]],
    "zero in the middle": [[3, 0, 4], [1, 5, 1], [0, 0, 7]],
    "256 reports": [[2 if x == y else 1 for y in range(256)] for x in (0, 255)],
    "crosswise, a birthday in 3 of 12 months": [[1, 3], [3, 1]],
    "triangular, the same birthday and a coin in one of two": [[5, 3], [2, 6]],
}

MALFORMED = [
    ([[-1, 5], [1, 3]], "negative weight"),
    ([[1.5, 2.5], [1, 3]], "fractional weight"),
    ([["NaN", 4], [1, 3]], "weight is not a number"),
    ([["Infinity", 4], [1, 3]], "weight is not finite"),
    ([["3", 1], [1, 3]], "weight is text"),
    ([[True, 3], [1, 3]], "weight is a boolean"),
    ([[None, 4], [1, 3]], "weight is missing"),
    ([[3, 1], [1, 4]], "row sums differ"),
    ([[2**32, 1], [1, 2**32]], "denominator above 2**32"),
    ([[2**53, 1], [1, 2**53]], "denominator above 2**32"),
    ([[0, 0], [0, 0]], "denominator 0"),
    ([[3, 1], [1, 2, 1]], "ragged rows"),
    ([[3, 1], [4]], "ragged rows"),
    ([[3, 1]], "one row"),
    ([], "no rows"),
    ([[4], [4]], "one column"),
    ([[], []], "no columns"),
]


def case(weights: list[list[int]], answer: int, words: list[int]) -> dict[str, object]:
    denominator = sum(weights[answer])
    limit = WORDS // denominator * denominator
    used = next(place for place, word in enumerate(words) if word < limit) + 1
    ticket = words[used - 1] % denominator
    report = next(y for y, end in enumerate(accumulate(weights[answer])) if end > ticket)
    return {
        "weights": weights, "answer": answer, "words": words, "ticket": ticket, "report": report, "words_used": used,
    }  # fmt: skip


def edge_cases(weights: list[list[int]]) -> list[dict[str, object]]:
    """First and last ticket of the box, the last word that is accepted, the first that is not, the largest."""
    denominator = sum(weights[0])
    limit = WORDS // denominator * denominator
    firsts = {0, denominator - 1, limit - 1, limit, WORDS - 1}
    answers = {0, len(weights) - 1}
    return [case(weights, x, [word, limit - 1]) for x in sorted(answers) for word in sorted(firsts) if word < WORDS]


def boundaries(weights: list[list[int]]) -> list[dict[str, object]]:
    """The tickets on both sides of every step of the cumulative weights (of the first four answers and reports)."""
    cases = []
    for x, row in enumerate(weights[:4]):
        ends = list(accumulate(row))[:4]
        cases += [case(weights, x, [ticket]) for end in ends for ticket in (end - 1, end) if 0 <= ticket < sum(row)]
    return [entry for entry in cases if entry["words_used"] == 1]


def random_cases(source: random.Random, number: int) -> list[dict[str, object]]:
    cases = []
    for _ in range(number):
        answers, reports = source.randint(2, 6), source.randint(2, 6)
        denominator = source.choice([source.randint(1, 100), source.randint(1, WORDS), source.randint(2**31, WORDS)])
        cuts = [sorted(source.randint(0, denominator) for _ in range(reports - 1)) for _ in range(answers)]
        weights = [[b - a for a, b in zip([0, *cut], [*cut, denominator], strict=True)] for cut in cuts]
        words = [source.randrange(WORDS) for _ in range(source.randint(1, 4))] + [source.randrange(denominator)]
        cases.append(case(weights, source.randrange(answers), words))
    return cases


def document() -> dict[str, Any]:
    source = random.Random(20240229)
    cases = [entry for weights in TABLES.values() for entry in edge_cases(weights) + boundaries(weights)]
    return {
        "about": "written by make_sampling.py; the rules and the meaning of the fields are stated there",
        "word_size": WORDS,
        "cases": cases + random_cases(source, 200),
        "malformed": [{"weights": weights, "reason": reason} for weights, reason in MALFORMED],
    }


def text() -> str:
    content = document()
    head = f'{{"about": {json.dumps(content["about"])},\n"word_size": {content["word_size"]},\n'
    cases, malformed = one_per_line(content["cases"]), one_per_line(content["malformed"])
    return f'{head}"cases": [\n{cases}\n],\n"malformed": [\n{malformed}\n]}}\n'


def one_per_line(entries: list[dict[str, object]]) -> str:
    return ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
