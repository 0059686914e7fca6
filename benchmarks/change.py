"""How often the intervals of a change between two waves hold, and their length: table into docs/evidence/change.md.

    python -m benchmarks.change [--rounds 2000]

Two waves of 500 people and two coins, 0 to 500 of them in both, whose answers go together as written; seeded.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from randomized_response import ProportionEstimate, change_of_shares, estimate_proportions, forced_response

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "change.md"
BEGIN, END = "<!-- written by benchmarks/change.py -->\n", "<!-- until here -->"
COINS = forced_response(truth="1/2")
PEOPLE = 500
PANELS = {
    "nobody returns": (0, [[0.65, 0.05], [0.05, 0.25]]),
    "half return, few change": (250, [[0.65, 0.05], [0.05, 0.25]]),
    "all return, nobody changes": (500, [[0.7, 0.0], [0.0, 0.3]]),
    "all return, few change": (500, [[0.65, 0.05], [0.05, 0.25]]),
    "all return, many change": (500, [[0.45, 0.25], [0.2, 0.1]]),
    "all return, nobody stays with yes": (500, [[0.4, 0.3], [0.3, 0.0]]),
}
"""How many return, and the shares of pairs of answers: rows no and yes in the first wave, columns in the second."""


def waves(
    generator: np.random.Generator, returned: int, table: list[list[float]], *, remembered: bool
) -> tuple[list[ProportionEstimate], float]:
    """Two waves as they are estimated, and by how much the share of yes changed among those who took part."""
    cells = generator.choice(4, size=2 * PEOPLE - returned, p=np.ravel(table))
    answers = [cells[:PEOPLE] // 2, cells[PEOPLE - returned :] % 2]
    reports = [(generator.random(PEOPLE) < COINS.matrix[each, 1]).astype(int) for each in answers]
    stay = answers[0][PEOPLE - returned :] == answers[1][:returned]
    if remembered:
        reports[1][:returned][stay] = reports[0][PEOPLE - returned :][stay]
    found = [estimate_proportions([PEOPLE - each.sum(), each.sum()], COINS) for each in reports]
    return found, float(answers[1].mean() - answers[0].mean())


def rows(rounds: int) -> Iterator[str]:
    for name, (returned, table) in PANELS.items():
        true = sum(table[x][1] - table[1][x] for x in (0, 1))
        for remembered in (False, True):
            generator = np.random.default_rng(8)
            drawn = (waves(generator, returned, table, remembered=remembered) for _ in range(rounds))
            seen = [_one(found, returned, true, remembered=remembered) for found in drawn]
            means: NDArray[np.float64] = np.mean(seen, axis=0)
            numbers = " | ".join(f"{100 * mean:.1f} %" for mean in means[:3])
            spread = float(np.std([each[5] for each in seen]))
            lengths = " | ".join(f"{100 * mean:.1f}" for mean in (spread, means[3], means[4]))
            yield f"| {name} | {'remembered' if remembered else 'fresh'} | {numbers} | {lengths} |"


def _one(
    found: tuple[list[ProportionEstimate], float], returned: int, true: float, *, remembered: bool
) -> tuple[float, ...]:
    (first, second), among = found
    known = change_of_shares(first, second, COINS, remembered=remembered, returned=returned)
    unknown = change_of_shares(first, second, COINS, remembered=remembered)
    return (
        known.low[1] <= true <= known.high[1],
        known.noise_low[1] <= among <= known.noise_high[1],
        unknown.low[1] <= true <= unknown.high[1],
        float(known.standard_error[1]),
        float(known.narrowest_standard_error[1]),
        float(known.unbiased[1]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    head = (
        "| who took part | draws | holds | for those who took part | holds, not knowing who returned "
        "| standard deviation | standard error | narrowest |\n|---|---|---|---|---|---|---|---|\n"
    )
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    table = head + "\n".join(rows(parser.parse_args().rounds)) + "\n"
    PAGE.write_text(f"{before}{BEGIN}{table}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
