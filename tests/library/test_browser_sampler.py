"""The browser's sampler and the library's read the same 10,000 tapes of words and send the same reports."""

import random

from randomized_response import Channel, draw_ticket, read_ticket
from tests.tools.client import run_in_node

TAPES = 10_000
SCRIPT = """
import { readFileSync } from "node:fs";
const [{ drawTicket }, { checkedTable, readTicket }] = await Promise.all(
  ["random.js", "channel.js"].map((name) => import(`${process.argv[1]}/${name}`)));
const drawn = JSON.parse(readFileSync(0, "utf8")).map(({ weights, answer, words }) => {
  const table = checkedTable(weights);
  let used = 0;
  const ticket = drawTicket({ size: 2 ** 32, next: () => words[used++] }, table.tickets);
  return [ticket, readTicket(table.weights[answer], ticket), used];
});
console.log(JSON.stringify(drawn));
"""


def tapes():
    """Random tables of 2 to 6 answers and 2 to 9 reports; denominators small, any, and where half are rejected."""
    source = random.Random(97)
    for _ in range(TAPES):
        denominator = source.choice([source.randint(1, 12), source.randint(1, 2**32), source.randint(2**31, 2**31 + 9)])
        reports = source.randint(2, 9)
        cuts = [sorted(source.randint(0, denominator) for _ in range(reports - 1)) for _ in range(source.randint(2, 6))]
        weights = [[b - a for a, b in zip([0, *cut], [*cut, denominator], strict=True)] for cut in cuts]
        words = [source.randrange(2**32) for _ in range(6)] + [0]
        yield {"weights": weights, "answer": source.randrange(len(weights)), "words": words}


def drawn_here(tape):
    channel, words = Channel(tape["weights"]), iter(tape["words"])
    ticket = draw_ticket(channel.denominator, words.__next__)
    return [ticket, read_ticket(ticket, channel.weights[tape["answer"]]), len(tape["words"]) - len(list(words))]


def test_sampler_equals_browser():
    given = list(tapes())
    there = run_in_node(SCRIPT, given)
    assert len(there) == TAPES
    assert there == [drawn_here(tape) for tape in given]
    assert len({used for _, _, used in there}) > 3
