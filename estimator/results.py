"""A run's numbers beside the words of its frozen design: what reports and exports are made from."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from collector import selectors as reports
from collector.designs import Design
from estimator import selectors
from estimator.computing import WEIGHTED, channel_of
from estimator.models import Estimate, Run
from randomized_response import Channel, epsilon_total


@dataclass(frozen=True)
class Cell:
    """One estimate with its words; `group` and `group_key` are empty where it speaks of all respondents."""

    estimate: Estimate
    choice: str
    group: str
    group_key: str
    truth: float | None

    @property
    def known(self) -> bool:
        """Whether there were reports enough for numbers."""
        return self.estimate.constrained is not None


@dataclass(frozen=True)
class Item:
    """A question of the design with its estimates: all respondents first, then each group; within them by choice."""

    key: str
    kind: str
    wording: str
    choices: tuple[str, ...]
    channel: Channel
    cells: tuple[Cell, ...]

    @property
    def shown(self) -> tuple[Cell, ...]:
        """The estimates that say something of their own: the share of No is what the share of Yes leaves."""
        return tuple(cell for cell in self.cells if self.kind != "yes_no" or cell.estimate.choice == 1)

    @property
    def n(self) -> int:
        """Reports in the snapshot."""
        return self.cells[0].estimate.n if self.cells else 0


@dataclass(frozen=True)
class Results:
    """A finished run: its design, and its items with their estimates."""

    run: Run
    design: Design
    items: tuple[Item, ...]

    @property
    def language(self) -> str:
        """The survey's own language; its words are quoted in it."""
        return str(self.design.document["languages"][0])

    @property
    def title(self) -> str:
        return str(self.design.document["title"][self.language])

    @cached_property
    def epsilon(self) -> float:
        """Of a person who answers every item."""
        return epsilon_total(item.channel for item in self.items)


def read(run: Run) -> Results:
    """Everything there is to tell about a finished run."""
    design = reports.get_design(run.design_id)
    truths = selectors.known_shares(run.design_id)
    language = design.document["languages"][0]
    groups = design.document["strata"]["groups"]
    labels = [(group["label"][language], group["key"]) for group in groups]
    estimates: dict[int, list[Estimate]] = {}
    for estimate in run.estimates.all():
        estimates.setdefault(estimate.position, []).append(estimate)
    return Results(
        run,
        design,
        tuple(
            _item(item, language, tuple(_cells(item, language, labels, estimates.get(position, []), truths)))
            for position, item in enumerate(design.document["items"])
        ),
    )


def _item(item: dict[str, Any], language: str, cells: tuple[Cell, ...]) -> Item:
    choices = tuple(choice[language] for choice in item["choices"])
    return Item(item["key"], item["kind"], item["wording"][language], choices, channel_of(item), cells)


def _cells(
    item: dict[str, Any],
    language: str,
    labels: list[tuple[str, str]],
    estimates: list[Estimate],
    truths: dict[tuple[int, int, int | None], float],
) -> Iterator[Cell]:
    # The database may put the rows without a stratum first or last; here all respondents come first.
    for estimate in sorted(estimates, key=lambda row: (-1 if row.stratum is None else row.stratum, row.choice)):
        group, key = ("", "") if estimate.stratum is None else labels[estimate.stratum]
        # A weighted estimate speaks of the population, not of those who took part; their share is not its truth.
        place = (estimate.position, estimate.choice, estimate.stratum)
        truth = None if WEIGHTED in estimate.flags else truths.get(place)
        yield Cell(estimate, item["choices"][estimate.choice][language], group, key, truth)
