"""What somebody learns who holds every stored response and knows four background facts of a person who took part.

Two things are to be learnt: her randomised answers, of which the odds bound everything whatever her cell is; and the
two open facts that he does not know yet, which cells keep coarse. Populations are seeded.
"""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.designs import Design
from tests.factories import background

PEOPLE = 10_000
LOOKED = 300
"""People of whom four facts are known."""

Row = tuple[tuple[int, ...], ...]


@pytest.fixture(scope="module")
def design() -> Design:
    return background.design(*background.SIX, expected=PEOPLE)


def population(*, alike: float, seed: int) -> NDArray[np.intp]:
    """Six answers of each person, by the shares that the author expects; where `alike`, the last follow the first."""
    random = np.random.default_rng(seed)
    columns = []
    for question in background.SIX:
        shares = np.array([float(share) for share in question["shares"]]) if "shares" in question else None
        count = len(question["choices"])
        told = random.choice(count, size=PEOPLE, p=shares if shares is not None else np.full(count, 1 / count))
        columns.append(np.where(random.random(PEOPLE) < 1 / 20, count, told))
    follows = random.random(PEOPLE) < alike
    for place in (4, 5):
        size = len(background.SIX[place]["choices"])
        columns[place] = np.where(follows, columns[1] % size, columns[place])
    return np.stack(columns, axis=1)


def learnt(rows: list[Row], people: NDArray[np.intp], known: tuple[int, ...]) -> tuple[float, float]:
    """Who knows these facts of a person: how often her response is the only one that fits, or another fact is certain.

    `rows` are what each response says: the answers that it takes to each question.
    """
    kinds = list(Counter(rows).items())
    other = [place for place in range(people.shape[1]) if place not in known]
    alone = certain = 0
    for answers in people[:LOOKED]:
        fits = [(row, n) for row, n in kinds if all(answers[place] in row[place] for place in known)]
        alone += sum(n for _, n in fits) == 1
        certain += any(len({answer for row, _ in fits for answer in row[place]}) == 1 for place in other)
    return alone / LOOKED, certain / LOOKED


@pytest.mark.long
@pytest.mark.parametrize("alike", [0.0, 0.9])
def test_cells_hide_who_knows_four_facts(design: Design, alike: float) -> None:
    """Whichever four he knows; beside it the same attack where each answer is stored as it was given."""
    people = population(alike=alike, seed=7)
    asked = design.background
    cells = [asked.cells[asked.cell_of(answers)] for answers in people.tolist()]
    finest: list[Row] = [tuple((answer,) for answer in answers) for answers in people.tolist()]
    by_cell, by_answer = (
        np.array([learnt(rows, people, known) for known in combinations(range(6), 4)]) for rows in (cells, finest)
    )
    assert by_cell[:, 0].max() == 0
    assert by_cell[:, 1].max() <= 0.01
    assert by_answer[:, 0].max() >= 0.01
    assert by_answer[:, 1].max() >= (0.1 if alike else 0.01)


def test_person_is_rarely_alone_in_a_cell(design: Design) -> None:
    """The bound of the documentation: with k expected in each cell, e^-k (n - 1) / n at most; here k = 10."""
    people = population(alike=0.0, seed=11)
    held = Counter(design.background.cell_of(answers) for answers in people.tolist())
    alone = sum(n == 1 for n in held.values())
    assert alone == 0, "of 10,000 people 0.45 are expected at most"
    assert min(held.values()) >= 2


def test_randomised_answers_keep_their_odds_in_every_cell(design: Design) -> None:
    """A report is drawn by the table alone, whatever the cell: also of somebody alone in it, of whom much is known."""
    for item, factor in zip(design.items, (3, 4), strict=True):
        table = [[Fraction(tickets, sum(row)) for tickets in row] for row in item.channel.weights]
        for prior in (Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)):
            for sent in range(len(table)):
                for answer in range(len(table)):
                    others = [table[one][sent] for one in range(len(table)) if one != answer]
                    rest = sum(others, Fraction(0)) / len(others) * (1 - prior)
                    gain = table[answer][sent] * prior / rest / (prior / (1 - prior))
                    assert Fraction(1, factor) <= gain <= factor
