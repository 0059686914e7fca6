"""Averaging over repeated waves: the gain of a guess at an unchanged answer, into docs/evidence/repeated-waves.md.

    python -m benchmarks.averaging [--people 20000]

The attacker sees every report of one person, knows that her answer stays the same and holds all answers to be equally
likely. The best guess is the likeliest answer (with these tables, the one that was reported most often). How often it
is right is computed exactly, over every count of reports that there can be, and simulated, seeded.
"""

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks._pages import DOCS, put
from benchmarks._svg import COLOURS, Panel, picture
from randomized_response import Channel, k_ary

WAVES = (1, 3, 9, 25)
FRESH, REMEMBERED, NONE = "fresh draws in every wave", "remembered draws", "no report at all"


@dataclass(frozen=True)
class Question:
    name: str
    said: str
    """Its epsilon, in words."""
    channel: Channel


QUESTIONS = (
    Question("yes or no, two coins", "ln 3", k_ary(2, truth="1/2")),
    Question("yes or no", "ln 5/3", k_ary(2, truth="1/4")),
    Question("one of five", "ln 3", k_ary(5, truth="2/7")),
)


def best_guess(channel: Channel, draws: int) -> float:
    """How often the likeliest answer is the true one, after so many independent draws of it; exact but for rounding.

    Parameters
    ----------
    channel : Channel
        With a weight above 0 for every report to every answer.
    draws : int
        From 1. Every way to share them among the reports is gone through, so with many reports it must be small.
    """
    logs = np.log(np.array(channel.weights) / channel.denominator)
    total = 0.0
    for counts in _shared(draws, channel.reports):
        ways = math.lgamma(draws + 1) - sum(math.lgamma(count + 1) for count in counts)
        total += math.exp(ways + (logs @ np.array(counts)).max())
    return total / channel.answers


def limit(channel: Channel, spends: int) -> float:
    """No guess among equally likely answers is right more often, after so many times epsilon of the channel."""
    odds = math.exp(spends * channel.epsilon)
    return odds / (channel.answers - 1 + odds)


def simulated(channel: Channel, waves: int, people: int, generator: np.random.Generator, *, remember: bool) -> float:
    """The share of people whose answer is guessed from `waves` reports; one of equally likely answers at random.

    Where tickets are remembered, every wave brings the report of the first one again.
    """
    logs = np.log(np.array(channel.weights) / channel.denominator)
    answers = generator.integers(channel.answers, size=people)
    drawn = generator.integers(channel.denominator, size=(people, 1 if remember else waves))
    ends = np.cumsum(np.array(channel.weights), axis=1)
    reports = (drawn[:, :, None] >= ends[answers][:, None, :]).sum(axis=2)
    seen = np.broadcast_to(reports, (people, waves)) if remember else reports
    likelihoods = logs.T[seen].sum(axis=1)
    # Sums in another order differ by rounding: answers that are as likely as the likeliest share the guess.
    likeliest = np.isclose(likelihoods, likelihoods.max(axis=1, keepdims=True), rtol=0, atol=1e-9)
    guesses = (likeliest * generator.random(likeliest.shape)).argmax(axis=1)
    return float((guesses == answers).mean())


def _shared(draws: int, reports: int) -> Iterator[tuple[int, ...]]:
    if reports == 1:
        yield (draws,)
        return
    for first in range(draws + 1):
        for rest in _shared(draws - first, reports - 1):
            yield (first, *rest)


def rows(people: int) -> Iterator[str]:
    """The table of the document."""
    yield f"| question | waves | {FRESH} | simulated | {REMEMBERED} | simulated |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    generator = np.random.default_rng(3)
    for question in QUESTIONS:
        for waves in WAVES:
            shares = [best_guess(question.channel, waves), best_guess(question.channel, 1)]
            seen = [simulated(question.channel, waves, people, generator, remember=one) for one in (False, True)]
            name = f"{question.name}, epsilon {question.said}"
            yield f"| {name} | {waves} | {shares[0]:.3f} | {seen[0]:.3f} | {shares[1]:.3f} | {seen[1]:.3f} |"


def drawn(people: int) -> str:
    generator = np.random.default_rng(4)
    legend = {FRESH: COLOURS[1], NONE: COLOURS[5], REMEMBERED: COLOURS[0]}
    panels = [_panel(question, people, generator, legend) for question in QUESTIONS]
    title = "How often an unchanged answer is guessed from its reports in 1 to 25 waves: lines exact, dots simulated"
    return picture(panels, 3, legend, title)


def _panel(question: Question, people: int, generator: np.random.Generator, legend: dict[str, str]) -> Panel:
    chance = 1 / question.channel.answers
    panel = Panel(
        f"{question.name}, \u03b5 = {question.said}",
        (1, 25),
        (0, 1),
        {waves: str(waves) for waves in WAVES},
        {0.0: "0%", chance: f"{chance:.0%}", 0.75: "75%", 1.0: "100%"},
    )
    waves = range(1, 26)
    panel.curve([(1, chance), (25, chance)], legend[NONE], dash="2 3")
    panel.curve([(one, best_guess(question.channel, one)) for one in waves], legend[FRESH])
    panel.curve([(one, best_guess(question.channel, 1)) for one in (1, 25)], legend[REMEMBERED])
    for one in WAVES:
        for remember, name in ((False, FRESH), (True, REMEMBERED)):
            share = simulated(question.channel, one, people, generator, remember=remember)
            panel.dot(one, share, legend[name], 3)
    return panel


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=20_000, help="simulated for each number (20,000)")
    people = parser.parse_args(arguments).people
    put("evidence/repeated-waves.md", "averaging.py", "\n".join(rows(people)))
    (DOCS / "images" / "averaging.svg").write_text(drawn(people), encoding="utf-8")


if __name__ == "__main__":
    main()
