"""The form for a rehearsal: the truth of each question, how many people, how often; errors at their fields."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, assert_never

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext

from collector.designs import FEWEST_IN_GROUP, Design, Item
from collector.errors import InputError
from estimator.base.languages import filled
from surveys.models import Rehearsal, Survey
from surveys.planning.drafts import planned_question
from surveys.planning.question import AS_USUAL, PlannedQuestion
from surveys.planning.rehearsals import misreporting_form
from surveys.planning.rehearsals.misreporting_form import PercentField
from surveys.planning.rehearsals.population import Assumptions, Given
from surveys.planning.rehearsals.respondents import shares_of, spreads
from surveys.planning.rehearsals.services import LARGEST_SEED, new_seed

FEWEST, MOST = FEWEST_IN_GROUP, 20_000
MOST_REPETITIONS = 200
MOST_REPORTS = 200_000
"""Maximum responses of all repetitions together: some minutes."""
MOST_FIELDS = 500
OFF_BY = 0.051
"""Percentage points by which rounded shares may miss 100; they are then scaled."""


@dataclass(frozen=True)
class TruthEntry:
    """The truth of one question, of everybody or in one group: its fields, and what they say to begin with."""

    key: str
    item: Item
    group: str
    named: tuple[tuple[str, str, float | None], ...]
    """Of each field its name, its label and its value; None where it begins empty."""

    @property
    def mean(self) -> bool:
        return self.item.kind == "number"


@dataclass(frozen=True)
class EntryField:
    """An entry for display; `open` if there is a value for a group."""

    key: str
    wording: str
    hint: str
    fields: list[forms.BoundField]
    fault: str
    groups: "tuple[tuple[str, EntryField], ...]" = ()
    open: bool = False


class RehearsalForm(forms.Form):
    """Fields for every question of a design. `like` is an earlier rehearsal, which prefills them."""

    def __init__(
        self, design: Design, expected: dict[str, Given], data: QueryDict | None = None, like: Rehearsal | None = None
    ) -> None:
        super().__init__(data)
        self.design, self.language = design, design.language
        assumptions: Assumptions = like.assumptions if like else {"respondents": 500, "shares": {}}
        self._add_numbers(like, assumptions)
        self.entries = list(self._entries(expected, assumptions))
        for entry in self.entries:
            for name, label, value in entry.named:
                low, high = (None, None) if entry.mean else (0, 100)
                initial = None if value is None else f"{value:.6g}"
                kind = forms.FloatField if entry.mean else PercentField
                self.fields[name] = kind(
                    label=label, initial=initial, required=not entry.group, min_value=low, max_value=high
                )
        for name, field in self.fields.items():
            described = f"{self._entry_of(name)}-fault" if "-" in name else f"{name}-fault"
            step = "any" if name.startswith("q") else "1"
            field.widget.attrs = {"class": "candor-field", "step": step, "autocomplete": "off"}
            field.widget.attrs["aria-describedby"] = described
        self.misreporting_rows = misreporting_form.rows(design)
        self.fields.update(misreporting_form.fields_of(self.misreporting_rows, assumptions))

    @property
    def by_group(self) -> bool:
        """True if there is room for truths by group."""
        numbers = sum(_field_count(item) for item in self.design.items)
        return bool(self.design.groups) and numbers * (1 + len(self.design.groups)) <= MOST_FIELDS

    def questions(self) -> Iterator[EntryField]:
        """The questions in their order, each with the fields of every group."""
        overall = [entry for entry in self.entries if not entry.group]
        for entry in overall:
            groups = [one for one in self.entries if one.group and one.item is entry.item]
            labels = {group.key: group.label[self.language] for group in self.design.groups}
            shown = [(labels[one.group], self._shown(one)) for one in groups]
            entered = any(one.fault or any(field.value() for field in one.fields) for _, one in shown)
            yield replace(self._shown(entry), groups=tuple(shown), open=entered)

    def sizes(self) -> list[forms.BoundField]:
        """The fields for the number of people in each group."""
        return [self[f"size-{number}"] for number in range(len(self.design.groups))]

    @property
    def misreporting_columns(self) -> list[str]:
        """The headings of the fields for people who do not say what is true."""
        return misreporting_form.columns()

    def misreporting(self) -> list[misreporting_form.MisreportingRowFields]:
        """The fields for the shares of people who do not say what is true: of everybody, then of each group."""
        return misreporting_form.shown(self, self.misreporting_rows)

    @property
    def misreporting_open(self) -> bool:
        """True if a share is given, or wrong."""
        return any(field.value() not in (None, "") for row in self.misreporting() for field in row.fields)

    @property
    def sizes_open(self) -> bool:
        """True if a size is given."""
        return any(field.value() not in (None, "") for field in self.sizes())

    def clean(self) -> None:
        cleaned = self.cleaned_data
        people, often = cleaned.get("respondents"), cleaned.get("repetitions")
        if people and often and (fault := too_many(people, often)):
            self.add_error("repetitions", fault)
        self._check_sizes()
        self.assumptions: Assumptions = {"respondents": people or 0, "shares": {}}
        if all(cleaned.get(f"size-{n}") is not None for n in range(len(self.design.groups))) and self.design.groups:
            self.assumptions["sizes"] = [cleaned[f"size-{n}"] for n in range(len(self.design.groups))]
        self.assumptions |= misreporting_form.given(self, self.misreporting_rows)
        if misreporting_form.of_several_questions(self, self.misreporting_rows):
            self.add_error("at_random", gettext("Shares may differ between the answers to one question only."))
        for entry in self.entries:
            given = self._given(entry)
            if given is not None and entry.group:
                self.assumptions.setdefault("groups", {}).setdefault(entry.group, {})[entry.item.key] = given
            elif given is not None:
                self.assumptions["shares"][entry.item.key] = given

    def _add_numbers(self, like: Rehearsal | None, assumptions: Assumptions) -> None:
        whole = forms.IntegerField
        self.fields["respondents"] = whole(
            label=gettext("Respondents"),
            min_value=FEWEST,
            max_value=MOST,
            initial=min(assumptions["respondents"], MOST),
        )
        for number, group in enumerate(self.design.groups):
            sizes = assumptions.get("sizes")
            initial = sizes[number] if sizes else None
            label = group.label[self.language]
            self.fields[f"size-{number}"] = whole(
                label=label, min_value=0, max_value=MOST, required=False, initial=initial
            )
        self.fields["repetitions"] = whole(
            label=gettext("Repetitions"),
            min_value=1,
            max_value=MOST_REPETITIONS,
            initial=like.repetitions if like else 1,
        )
        seed = like.seed if like else new_seed()
        self.fields["seed"] = whole(label=gettext("Seed"), min_value=0, max_value=LARGEST_SEED, initial=seed)

    def _entries(self, expected: dict[str, Given], assumptions: Assumptions) -> Iterator[TruthEntry]:
        groups = [group.key for group in self.design.groups] if self.by_group else []
        for position, item in enumerate(self.design.items):
            known = _fitting(item, assumptions["shares"].get(item.key)) or expected[item.key]
            yield TruthEntry(f"q{position}", item, "", tuple(self._named(f"q{position}", item, known)))
            for number, group in enumerate(groups):
                there = _fitting(item, (assumptions.get("groups") or {}).get(group, {}).get(item.key))
                name = f"q{position}g{number}"
                yield TruthEntry(name, item, group, tuple(self._named(name, item, there)))

    def _named(self, name: str, item: Item, known: Given | None) -> Iterator[tuple[str, str, float | None]]:
        if item.kind == "number":
            for part, label in (("mean", gettext("Mean")), ("spread", gettext("Standard deviation"))):
                yield f"{name}-{part}", label, known.get(part) if isinstance(known, dict) else None
            return
        shares = _rounded(item, list(known)) if isinstance(known, list) else None
        for place in _places(item):
            label = item.choices[place][self.language]
            yield f"{name}-{place}", label, None if shares is None else shares[place]

    def _shown(self, entry: TruthEntry) -> EntryField:
        fields = [self[name] for name, _, _ in entry.named]
        faults = [str(fault) for field in fields for fault in field.errors]
        wording, fault = entry.item.wording[self.language], " ".join(dict.fromkeys(faults))
        return EntryField(entry.key, wording, self._hint(entry), fields, fault)

    def _hint(self, entry: TruthEntry) -> str:
        item = entry.item
        among = gettext(" Among those who are asked it.") if item.asked_if else ""
        if item.grid:
            return gettext("The mean, from {minimum} to {maximum}.{among}").format(
                minimum=item.grid.minimum, maximum=item.grid.maximum, among=among
            )
        if item.kind == "several_choices":
            most = (
                gettext(" Of those who tick more than {most}, so many are kept at random.").format(most=item.most)
                if item.most
                else ""
            )
            return gettext("The percentage who tick each.{most}{among}").format(most=most, among=among)
        return (
            gettext("Per cent of all; together 100.") if len(_places(item)) > 1 else gettext("Per cent of all.")
        ) + among

    def _entry_of(self, name: str) -> str:
        """The entry of a field's error: its question, or the sizes."""
        return name.split("-")[0]

    def _check_sizes(self) -> None:
        people = self.cleaned_data.get("respondents")
        sizes = [self.cleaned_data.get(f"size-{number}") for number in range(len(self.design.groups))]
        entered = [size for size in sizes if size is not None]
        if not entered or any(f"size-{number}" in self.errors for number in range(len(sizes))):
            return
        if len(entered) < len(sizes):
            self.add_error(f"size-{sizes.index(None)}", gettext("Enter a number for every group, or for none."))
        elif people and sum(entered) != people:
            self.add_error(
                "size-0",
                filled(
                    gettext("The groups have {entered:,} respondents together; above, {people:,} are entered."),
                    entered=sum(entered),
                    people=people,
                ),
            )

    def _given(self, entry: TruthEntry) -> Given | None:
        """The value given for a question; None if there is none, or it has an error."""
        names = [name for name, _, _ in entry.named]
        values = [self.cleaned_data.get(name) for name in names]
        if any(name in self.errors for name in names) or all(value is None for value in values):
            return None
        if None in values:
            self.add_error(names[values.index(None)], gettext("Fill in all of them for this group, or none."))
            return None
        try:
            given = self._mean(entry, values) if entry.mean else self._shares(entry.item, values)
            shares_of(entry.item, given)
        except InputError as fault:
            self.add_error(names[0], str(fault))
            return None
        return given

    def _mean(self, entry: TruthEntry, values: list[Any]) -> Given:
        mean, spread = values
        low, *_, high = map(float, entry.item.points)
        if not low <= mean <= high:
            raise InputError(
                "shares",
                filled(
                    gettext("The mean must be from {low:g} to {high:g}; it is {mean:g}."), low=low, high=high, mean=mean
                ),
            )
        least, most = spreads(entry.item, mean)
        if not least * 0.9995 <= spread <= most * 1.0005:
            around = filled(gettext("around a mean of {mean:g}"), mean=mean)
            raise InputError(
                "shares",
                filled(
                    gettext(
                        "The standard deviation must be from {least:.4g} to {most:.4g} {around}; it is {spread:g}."
                    ),
                    least=least,
                    most=most,
                    around=around,
                    spread=spread,
                ),
            )
        return {"mean": mean, "spread": spread}

    def _shares(self, item: Item, values: list[Any]) -> Given:
        if item.kind == "several_choices":
            return [value / 100 for value in values]
        if len(values) == 1:
            return [1 - values[0] / 100, values[0] / 100]
        total = sum(values)
        if abs(total - 100) > OFF_BY:
            raise InputError(
                "shares", filled(gettext("The shares must sum to 100 %; they sum to {total:.6g} %."), total=total)
            )
        return [value / total for value in values]


def too_many(people: int, often: int) -> str:
    """The reason why this many repetitions and respondents are too many; empty if they are not."""
    if people * often <= MOST_REPORTS:
        return ""
    return filled(
        gettext(
            "{often} times {people:,} respondents are too many: at most {most} repetitions are possible with so many."
        ),
        often=often,
        people=people,
        most=MOST_REPORTS // people,
    )


def expected_of(survey: Survey, design: Design) -> dict[str, Given]:
    """The planner's expectation for each question, as initial values."""
    plans = {item.key: planned_question(item) for item in survey.items.all()}
    return {item.key: _expected(item, plans.get(item.key)) for item in design.items}


def _expected(item: Item, question: PlannedQuestion | None) -> Given:
    match item.kind:
        case "several_choices":
            return [AS_USUAL.share] * item.answer_count
        case "number":
            low, *_, high = map(float, item.points)
            least, most = spreads(item, (low + high) / 2)
            return {"mean": (low + high) / 2, "spread": float(f"{max(least, most / 2):.3g}")}
        case "yes_no" | "one_choice" | "scale":
            alike = [1 / item.answer_count] * item.answer_count
            return alike if question is None else list(map(float, question.shares(AS_USUAL)))
        case _:
            assert_never(item.kind)


def _fitting(item: Item, given: Given | None) -> Given | None:
    """The value given for a question of that key; None if it does not fit this one."""
    try:
        table = None if given is None else shares_of(item, given)
    except InputError:
        return None
    return given if isinstance(given, dict) else None if item.kind == "number" else table


def _places(item: Item) -> list[int]:
    """The answers whose shares are asked: for two answers, one is enough."""
    single = item.kind != "several_choices" and len(item.choices) == 2
    return [1] if single else list(range(len(item.choices)))


def _rounded(item: Item, shares: list[float]) -> list[float]:
    """Percentages with as few digits as possible; if they sum to 100, the largest absorbs the rounding."""
    places = 1 if len(shares) <= 32 else 2
    rounded = [round(100 * share, places) for share in shares]
    if item.kind != "several_choices" and len(shares) > 2:
        rounded[rounded.index(max(rounded))] += 100 - sum(rounded)
    return rounded


def _field_count(item: Item) -> int:
    return 2 if item.kind == "number" else len(_places(item))
