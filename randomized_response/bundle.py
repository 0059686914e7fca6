"""Reading of exported reports, the only file access: questions and counts to compute with."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from randomized_response.means import MeanEstimate, mean_of_shares
from randomized_response.questions import Mechanism, Question, question_of
from randomized_response.results import ProportionEstimate
from randomized_response.strata import collapse_strata, combine_means, combine_strata

EVERYONE = ""
"""The key of the stratum of all respondents in the export."""

FEWEST_WEIGHTED = 10
"""Groups with fewer reports are combined for weighting, as in the report (`collapse_strata`)."""


class _Group(TypedDict):
    """What counts are told of."""

    stratum: str
    label: str
    share: str | None
    rows: NotRequired[list[str]]


class _Cell(TypedDict):
    """What a row of the counts says of the background questions."""

    stratum: str
    answers: dict[str, list[str]]


class _Stratum(TypedDict):
    """A group of the design."""

    key: str
    label: dict[str, str]
    share: str | None


class _Strata(TypedDict):
    groups: list[_Stratum]


class _AskedItem(TypedDict):
    """Of an item of the design what is read here; `question_of` reads the rest."""

    key: str
    wording: dict[str, str]
    heading: NotRequired[dict[str, str]]
    choices: list[dict[str, str]]


class _Design(TypedDict):
    languages: list[str]
    title: dict[str, str]
    strata: _Strata
    items: list[_AskedItem]
    participation: NotRequired[dict[str, str]]


class _Tally(TypedDict):
    """How often each value of a symbol was sent in a stratum."""

    item: str
    stratum: str
    symbol: int
    counts: list[int]


@dataclass(frozen=True)
class Item:
    """One question of an exported survey.

    Attributes
    ----------
    key, wording : str
        Its name as a variable, and the question as it was asked (in the survey's own language).
    choices : tuple of str
        The answers, in the order of their codes; none where a number was asked for.
    question : Question
        Its kind, the mechanism that every report was drawn from, and the numbers that its answers stand for.
    counts : mapping of str to array (symbols, m)
        For each symbol of a report how often each of its m values was sent: by stratum key, and under "" for all
        respondents.
    """

    key: str
    wording: str
    choices: tuple[str, ...]
    question: Question
    counts: Mapping[str, NDArray[np.int64]]

    @property
    def mechanism(self) -> Mechanism:
        """Channel, UnaryEncoding, SubsetSelection or EachOption."""
        return self.question.mechanism

    def estimate(self, stratum: str = EVERYONE, **options: Any) -> ProportionEstimate:
        """Estimate the shares of the answers in one stratum, or in all.

        `options` are those of `estimate_proportions`, or of the encoding's `estimate`.
        """
        return self.question.estimate(self._counts(stratum), **options)

    def estimate_mean(self, stratum: str = EVERYONE, **options: Any) -> MeanEstimate:
        """Estimate the mean of a scale or a number, in one stratum or all. `options` as for `estimate`."""
        return self.question.estimate_mean(self._counts(stratum), **options)

    def _counts(self, stratum: str) -> NDArray[np.int64]:
        if stratum not in self.counts:
            raise ValueError(f"stratum must be one of {list(self.counts)}; got {stratum!r}")
        return self.counts[stratum]


@dataclass(frozen=True)
class Bundle:
    """An exported survey: its questions with their mechanisms and counts.

    Attributes
    ----------
    title, digest : str
        Of the survey; the SHA-256 of its frozen design.
    items : mapping of str to Item
        By key, in the order in which they were asked.
    strata : mapping of str to str
        Labels of the groups by key; empty where the survey has none, or nothing is told by group. Groups of few
        reports are together in one, "other groups".
    shares : mapping of str to Fraction
        The groups' known shares of the population by key; empty where they are not known.
    cells : mapping of str to mapping of str to tuple of str
        Of a survey with background questions: for each row of counts, by key, the answers that it takes to each
        question, by key; several where too few people shared a finer one. Groups (`strata`) are then those by one
        answer, and those of different questions overlap.

    Examples
    --------
    >>> bundle = load_bundle("docs/examples/redbook-1974.report.json")
    >>> list(bundle.items), bundle.strata["religion=4"]
    (['affair', 'rating'], 'How religious are you? Strongly')
    """

    title: str
    digest: str
    items: Mapping[str, Item]
    strata: Mapping[str, str]
    shares: Mapping[str, Fraction]
    cells: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def estimate_population(self, key: str, **options: Any) -> ProportionEstimate:
        """Estimate the shares of one question's answers as shown first in the report: weighted if it is.

        Parameters
        ----------
        key : str
            Of the question, in `items`.
        **options
            Those of `Item.estimate`.

        Returns
        -------
        ProportionEstimate
            Where `shares` are known the groups weighted by them (`combine_strata`), groups of fewer than 10 reports as
            one; else of all reports alike, as `items[key].estimate()`. A report shows none of fewer than 10 reports.

        Raises
        ------
        ValueError
            Where there is no such question, or it is not one of shares.

        Examples
        --------
        >>> bundle = load_bundle("docs/examples/redbook-1974.report.json")
        >>> bundle.shares, bundle.estimate_population("affair").constrained.round(4)
        (mappingproxy({}), array([0.6659, 0.3341]))
        """
        item, weights = self._item(key), self._weights(key)
        estimates = [item.question.estimate(counts, **options) for counts, _ in weights]
        return combine_strata(estimates, [weight for _, weight in weights]) if self.shares else estimates[0]

    def estimate_population_mean(self, key: str, **options: Any) -> MeanEstimate:
        """Estimate the mean of a scale or a number as shown first in the report: weighted if it is.

        Of a scale it is the mean of the weighted shares, of a number the weighted mean (`combine_means`). Parameters
        and errors are those of `estimate_population`.
        """
        item, weights = self._item(key), self._weights(key)
        if item.question.fits_shares:
            return mean_of_shares(self.estimate_population(key, **options), item.question.values)
        means = [item.question.estimate_mean(counts, **options) for counts, _ in weights]
        return combine_means(means, [weight for _, weight in weights]) if self.shares else means[0]

    def _item(self, key: str) -> Item:
        if key not in self.items:
            raise ValueError(f"key must be one of {list(self.items)}; got {key!r}")
        return self.items[key]

    def _weights(self, key: str) -> list[tuple[NDArray[np.int64], float]]:
        """The counts to weight, and their weights: all reports as one if no shares are known."""
        counts, strata = self.items[key].counts, list(self.shares)
        if not strata:
            return [(counts[EVERYONE], 1.0)]
        sizes = [int(counts[stratum][0].sum()) for stratum in strata]
        members = ([strata[place] for place in places] for places in collapse_strata(sizes, FEWEST_WEIGHTED))
        return [
            (np.sum([counts[one] for one in together], axis=0), float(sum(self.shares[one] for one in together)))
            for together in members
        ]


def load_bundle(path: str | Path) -> Bundle:
    """Read the JSON export of a report (`report.json`).

    Counts are of randomised reports, not of true answers; every estimate of the report can be computed again from them.

    Parameters
    ----------
    path : path of the file

    Returns
    -------
    Bundle

    Raises
    ------
    ValueError
        Where the file is no such export, or where its design does not have the digest that it names: then it was
        changed after the survey opened.

    Examples
    --------
    >>> bundle = load_bundle("docs/examples/redbook-1974.report.json")
    >>> print(bundle.items["affair"].estimate())
    6366 reports; 95 % intervals: feldman_cousins
    answer  estimate  std. error     low    high  unbiased
         0    0.6659      0.0124  0.6416  0.6901    0.6659
         1    0.3341      0.0124  0.3099  0.3584    0.3341
    """
    design, digest, rows, groups, cells = _read(Path(path))
    language = design["languages"][0]
    if groups is None:
        groups = _groups(design, language)
    tallies = _tallies(rows)
    sums = {group["stratum"]: group["rows"] for group in groups if "rows" in group}
    items = (_item(item, tallies[item["key"]], sums, language) for item in design["items"])
    return Bundle(
        title=design["title"][language],
        digest=digest,
        items=MappingProxyType({item.key: item for item in items}),
        strata=MappingProxyType({group["stratum"]: group["label"] for group in groups}),
        shares=MappingProxyType({group["stratum"]: Fraction(group["share"]) for group in groups if group["share"]}),
        cells=MappingProxyType({cell["stratum"]: _frozen(cell["answers"]) for cell in cells}),
    )


def _frozen(answers: dict[str, list[str]]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({key: tuple(taken) for key, taken in answers.items()})


def _groups(design: _Design, language: str) -> list[_Group]:
    """The groups that counts are given for in older exports: the design's."""
    # Of a design with `participation` the export tells nothing by group: docs/reference/formats.md.
    groups = [] if "participation" in design else design["strata"]["groups"]
    return [{"stratum": one["key"], "label": one["label"][language], "share": one["share"]} for one in groups]


def _read(path: Path) -> tuple[_Design, str, list[_Tally], list[_Group] | None, list[_Cell]]:
    """The design with its digest, the counts, the groups of estimates (None in older exports) and the cells."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"path must name the JSON export of a report; {path} is not JSON") from None
    match document:
        case {"format": 1, "design": design, "design_digest": named, "tallies": tallies}:
            canonical = json.dumps(design, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            digest = hashlib.sha256(canonical.encode()).hexdigest()
            if digest != named:
                raise ValueError(f"the design in {path} has the digest {digest}; it names {named}")
            return design, digest, tallies, document.get("groups"), document.get("cells", [])
    raise ValueError(f"path must name the JSON export of a report, format 1; {path} is something else")


def _tallies(rows: list[_Tally]) -> dict[str, dict[str, list[list[int]]]]:
    """The counts of each symbol, in its order, by item and stratum."""
    tallies: dict[str, dict[str, list[list[int]]]] = {}
    for row in sorted(rows, key=lambda row: row["symbol"]):
        tallies.setdefault(row["item"], {}).setdefault(row["stratum"], []).append(row["counts"])
    return tallies


def _wording(item: _AskedItem, language: str) -> str:
    """All that is asked: of a row of a matrix the heading, then the row's own words."""
    heading = item.get("heading")
    own = item["wording"][language]
    return f"{heading[language]} – {own}" if heading else own


def _item(item: _AskedItem, tallies: dict[str, list[list[int]]], sums: Mapping[str, list[str]], language: str) -> Item:
    """The question with its counts; `sums` names the rows of each group that is made of several."""
    counts = {stratum: np.array(table, dtype=np.int64) for stratum, table in tallies.items()}
    groups = {group: np.sum([counts[row] for row in rows], axis=0) for group, rows in sums.items()}
    counts = {EVERYONE: np.sum(list(counts.values()), axis=0)} | counts | groups
    for table in counts.values():
        table.setflags(write=False)
    choices = tuple(choice[language] for choice in item["choices"])
    return Item(item["key"], _wording(item, language), choices, question_of(item), MappingProxyType(counts))
