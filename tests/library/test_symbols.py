"""Encodings as the browser draws them: exact by enumeration of every ticket, and the same in both languages."""

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from randomized_response import SubsetSelection, UnaryEncoding, draw_ticket
from randomized_response.symbols import read_symbols, ticket_boxes
from tests.tools.client import run_in_node

TAPES = 10_000
SCRIPT = """
import { readFileSync } from "node:fs";
const [{ drawTicket }, { checkedTable }, { single, oneHot, eachOption, subset }] = await Promise.all(
  ["random.js", "channel.js", "encoding.js"].map((name) => import(`${process.argv[1]}/${name}`)));
const make = { single, one_hot: oneHot, each_option: eachOption, subset };
const drawn = JSON.parse(readFileSync(0, "utf8")).map(({ encoding, weights, choices, size, answer, words }) => {
  const made = make[encoding](checkedTable(weights, 1), choices, encoding === "subset" ? size : undefined);
  let used = 0;
  const source = { size: 2 ** 32, next: () => words[used++] };
  const tickets = made.boxes.map((box) => drawTicket(source, box));
  const symbols = made.read(tickets, answer);
  return [made.boxes, symbols, used, symbols.length === made.symbols];
});
console.log(JSON.stringify(drawn));
"""


def counted(encoding, weights, choices, answer, size=0):
    """How often each report is sent, over every combination of tickets."""
    boxes = ticket_boxes(encoding, weights, choices)
    every = product(*map(range, boxes))
    sent = Counter(read_symbols(encoding, weights, tickets, answer, size=size) for tickets in every)
    return {report: Fraction(count, prod(boxes)) for report, count in sent.items()}


@pytest.mark.parametrize(
    ("k", "size", "truth"), [(2, 1, "3/4"), (3, 2, "4/5"), (4, 1, "2/3"), (4, 2, "5/8"), (5, 3, "7/9")]
)
def test_subset_tickets_give_full_channel(k, size, truth):
    encoding = SubsetSelection(k, size=size, truth=truth)
    channel, hit = encoding.channel(), encoding.hit
    weights = [[hit.denominator - hit.numerator, hit.numerator]]
    for answer in range(k):
        shares = counted("subset", weights, k, answer, size)
        expected = Counter(Fraction(weight, channel.denominator) for weight in channel.weights[answer])
        assert Counter(shares.values()) == expected
        assert all(sum(report) == size for report in shares)
        assert sum(share for report, share in shares.items() if report[answer]) == hit


def test_one_hot_tickets_give_each_row():
    encoding = UnaryEncoding(3, on="2/3", off="1/4")
    weights = [list(row) for row in encoding.bit.weights]
    for answer in range(3):
        for report, share in counted("one_hot", weights, 3, answer).items():
            rows = [encoding.bit.matrix[int(y == answer)] for y in range(3)]
            assert float(share) == pytest.approx(
                prod(row[bit] for row, bit in zip(rows, report, strict=True)), rel=1e-12
            )


def test_each_option_tickets_are_independent():
    shares = counted("each_option", [[3, 1], [1, 3]], 2, (1, 0))
    assert shares == {
        (1, 0): Fraction(9, 16),
        (1, 1): Fraction(3, 16),
        (0, 0): Fraction(3, 16),
        (0, 1): Fraction(1, 16),
    }


@pytest.mark.parametrize(("encoding", "answer"), [("two_hot", 0), ("each_option", 1), ("single", (0, 1))])
def test_read_symbols_other_kind_raises(encoding, answer):
    with pytest.raises(ValueError, match="must be"):
        read_symbols(encoding, [[3, 1], [1, 3]], [0, 0], answer)


def tapes():
    source = random.Random(1965)
    for _ in range(TAPES):
        encoding = source.choice(["single", "one_hot", "each_option", "subset"])
        choices = source.randint(2, 7)
        tickets = source.choice([source.randint(2, 12), source.randint(2, 2**32), source.randint(2**31, 2**31 + 9)])
        rows = {"single": choices, "subset": 1}.get(encoding, 2)
        columns = choices if encoding == "single" else 2
        cuts = [sorted(source.randint(0, tickets) for _ in range(columns - 1)) for _ in range(rows)]
        weights = [[b - a for a, b in zip([0, *cut], [*cut, tickets], strict=True)] for cut in cuts]
        ticked = [source.randint(0, 1) for _ in range(choices)]
        answer = ticked if encoding == "each_option" else source.randrange(choices)
        size = source.randint(1, choices - 1) if encoding == "subset" else 0
        words = [source.randrange(2**32) for _ in range(40)]
        given = {"encoding": encoding, "weights": weights, "choices": choices, "size": size}
        yield given | {"answer": answer, "words": words}


def drawn_here(tape):
    boxes = ticket_boxes(tape["encoding"], tape["weights"], tape["choices"])
    words = iter(tape["words"])
    tickets = [draw_ticket(box, words.__next__) for box in boxes]
    answer = tape["answer"]
    symbols = read_symbols(tape["encoding"], tape["weights"], tickets, answer, size=tape["size"])
    return [list(boxes), list(symbols), len(tape["words"]) - len(list(words)), True]


def test_symbols_equal_browser():
    given = list(tapes())
    there = run_in_node(SCRIPT, given)
    assert len(there) == TAPES
    assert there == [drawn_here(tape) for tape in given]
