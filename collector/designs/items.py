"""The items of a frozen design: their kinds, encodings from answers to symbols, and valid channels.

An **encoding** says how many symbols an answer makes and which row of the table each of them is drawn from:

- `single`: one symbol from the row of the answer.
- `one_hot`: a symbol 0 or 1 for each choice; row 1 for the choice that is the answer, row 0 for the others.
- `subset`: a symbol 0 or 1 for each choice, exactly `size` of them 1: a set that holds the answer as often as the one
  row of the table says.
- `each_option`: a symbol 0 or 1 for each option; row 1 where the option is ticked, row 0 where it is not.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import assert_never

from django.utils.translation import gettext

from collector.designs.blocks import check_before, check_choice_pictures
from collector.designs.checks import decimal, distinct, exact_keys, fraction, key, listed, one_of, require, text, whole
from collector.designs.design import Encoding, Grid, Item, Kind
from collector.errors import Path, ValidationError

LARGEST_DENOMINATOR = 2**32
MOST_ITEMS = 256
MOST_ANSWERS = 256

KEYS = {"key", "kind", "wording", "choices", "encoding", "channel"}
MOST_COLUMNS = 12
"""Choices of the rows of a matrix: eleven points and "prefer not to say"; more are unreadable side by side."""

OPTIONAL_KEYS = {
    "prefer_not", "required", "shuffle", "keep_last", "dropdown", "heading", "section", "asked_if", "unasked", "grid",
    "most", "before", "choice_pictures", "known_share",
}  # fmt: skip
"""Each key is present only where it is needed, so that a design has one canonical form."""

ENCODINGS: Mapping[Kind, tuple[Encoding, ...]] = {
    "yes_no": ("single",),
    "one_choice": ("single", "one_hot", "subset"),
    "several_choices": ("each_option",),
    "scale": ("single",),
    "number": ("single",),
}
"""The encodings that each kind of question may have."""

CHANNEL_KEYS = {"name", "weights"}
OPTIONAL_CHANNEL_KEYS = {"truth", "yes", "on", "off", "prevalence", "epsilon", "size"}


def check_items(value: object, languages: list[str], sections: list[str]) -> list[Item]:
    """Validate the questions and return them."""
    items: list[Item] = []
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_ITEMS:
        raise ValidationError(("items",), gettext("must be 1 to {most} questions").format(most=MOST_ITEMS))
    for number, item in enumerate(value):
        items.append(_item(item, ("items", number), languages, sections, items))
    distinct([item.key for item in items], ("items",))
    order = [section for section, _ in groupby(item.section for item in items)]
    orders = gettext("in the order {sections}; got {order}").format(
        sections=", ".join(sections), order=", ".join(map(str, order))
    )
    require(
        not sections or order == sections,
        ("items",),
        gettext("must be grouped by section, {orders}").format(orders=orders),
    )
    return items


def _item(value: object, path: Path, languages: list[str], sections: list[str], earlier: Sequence[Item]) -> Item:
    item = exact_keys(value, KEYS, path, optional=OPTIONAL_KEYS)
    key(item["key"], (*path, "key"))
    kind = one_of(
        item["kind"], ENCODINGS, (*path, "kind"), gettext("one of {names}").format(names=", ".join(ENCODINGS))
    )
    allowed = ENCODINGS[kind]
    encoding = one_of(
        item["encoding"],
        allowed,
        (*path, "encoding"),
        gettext("{allowed} for {kind}").format(allowed=" or ".join(allowed), kind=kind),
    )
    text(item["wording"], (*path, "wording"), languages)
    _options(item, kind, path)
    answers = _choices(item, kind, path, languages)
    _channel(item["channel"], kind, encoding, answers, (*path, "channel"))
    _section(item, path, sections)
    if "heading" in item:
        _row(item, kind, path, languages, earlier)
    if "choice_pictures" in item:
        _choice_pictures(item, kind, answers, path, languages)
    if "before" in item:
        check_before(item["before"], languages, (*path, "before"))
    _asked_if(item, kind, answers, path, earlier)
    return Item.of(item)


def _options(item: Mapping[str, object], kind: Kind, path: Path) -> None:
    """Validate the options for this kind of question; defaults must be left out."""
    rules: dict[str, tuple[bool, tuple[Kind, ...]]] = {
        "prefer_not": (True, ("yes_no", "one_choice", "several_choices", "scale")),
        "required": (False, ("yes_no", "one_choice", "several_choices", "scale")),
        "shuffle": (True, ("one_choice", "several_choices")),
        "keep_last": (True, ("one_choice", "several_choices")),
        "dropdown": (True, ("one_choice", "scale")),
    }
    for name, (value, kinds) in rules.items():
        if name in item:
            message = gettext("must be {written}; got {given!r}").format(written=str(value).lower(), given=item[name])
            require(item[name] is value, (*path, name), message)
            require(
                kind in kinds,
                (*path, name),
                gettext("is for {kinds}; got {kind}").format(kinds=", ".join(kinds), kind=kind),
            )
    blank = "required" not in item or "prefer_not" in item or kind == "several_choices"
    require(
        blank,
        (*path, "required"),
        gettext("can be false only if prefer_not is true: a blank is sent as that choice"),
    )
    require(
        ("grid" in item) == (kind == "number"),
        (*path, "grid"),
        gettext("is required for kind number, and only allowed there"),
    )
    require(
        "keep_last" not in item or "shuffle" in item,
        (*path, "keep_last"),
        gettext("is only allowed together with shuffle"),
    )
    if "known_share" in item:
        _known_share(item, kind, (*path, "known_share"))
    require(
        "most" not in item or kind == "several_choices",
        (*path, "most"),
        gettext("is for several_choices; got {kind}").format(kind=kind),
    )


def _known_share(item: Mapping[str, object], kind: Kind, path: Path) -> None:
    """Validate the known share of yes of a control question."""
    share = fraction(item["known_share"], path)
    fits = kind == "yes_no" and "prefer_not" not in item
    require(fits, path, gettext("is for yes/no questions without prefer_not"))
    told = gettext("must not be 1/2: people who answer at random say yes as often, so it would tell nothing of them")
    require(share != Fraction(1, 2), path, told)


def _choices(item: Mapping[str, object], kind: Kind, path: Path, languages: list[str]) -> int:
    """Validate the choices, or the grid of a number, and return how many answers there are."""
    place = (*path, "choices")
    choices = listed(item["choices"], place)
    if kind == "number":
        require(not choices, place, gettext("must be empty for a number; got {count}").format(count=len(choices)))
        return len(check_grid(item["grid"], (*path, "grid")).points)
    least = 3 if "prefer_not" in item else 2
    require(
        least <= len(choices) <= MOST_ANSWERS,
        place,
        gettext("must be a list of {least} to {most} texts").format(least=least, most=MOST_ANSWERS),
    )
    for number, choice in enumerate(choices):
        text(choice, (*place, number), languages)
    what = gettext("no, yes and prefer not to say") if least == 3 else gettext("no and yes")
    fits = kind != "yes_no" or len(choices) == least
    require(
        fits,
        place,
        gettext("of a yes/no question must be {least}, {what}; got {count}").format(
            least=least, what=what, count=len(choices)
        ),
    )
    shuffled = len(choices) - ("prefer_not" in item) - 1
    fits = "keep_last" not in item or shuffled >= 2
    require(
        fits,
        (*path, "keep_last"),
        gettext("must leave at least 2 choices to shuffle; got {shuffled}").format(shuffled=shuffled),
    )
    if "most" in item:
        whole(item["most"], (*path, "most"), low=1, high=len(choices) - 1)
    return len(choices)


def _choice_pictures(item: Mapping[str, object], kind: Kind, answers: int, path: Path, languages: list[str]) -> None:
    place = (*path, "choice_pictures")
    require(kind != "number", place, gettext("is for a question with choices; got number"))
    for name in ("dropdown", "heading"):
        require(
            name not in item,
            place,
            gettext("is not allowed together with {name}: its choices have no room for pictures").format(name=name),
        )
    check_choice_pictures(item["choice_pictures"], answers, languages, place)


def _row(item: Mapping[str, object], kind: Kind, path: Path, languages: list[str], earlier: Sequence[Item]) -> None:
    """Validate a row of a matrix: consecutive questions of a section with one heading have the same choices."""
    text(item["heading"], (*path, "heading"), languages)
    kinds = ("yes_no", "one_choice", "scale")
    require(
        kind in kinds,
        (*path, "heading"),
        gettext("is for {kinds}; got {kind}").format(kinds=", ".join(kinds), kind=kind),
    )
    for name in ("shuffle", "dropdown"):
        require(
            name not in item,
            (*path, name),
            gettext("is not allowed together with heading: the rows of a matrix share their columns"),
        )
    count = len(listed(item["choices"], (*path, "choices")))
    require(
        count <= MOST_COLUMNS,
        (*path, "choices"),
        gettext("of a matrix must be at most {most_columns}; got {count}").format(
            most_columns=MOST_COLUMNS, count=count
        ),
    )
    above = earlier[-1] if earlier else None
    if above and (above.heading, above.section) == (item["heading"], item.get("section")):
        same = above.kind == kind and above.prefer_not == ("prefer_not" in item)
        require(
            same and [*above.choices] == item["choices"],
            (*path, "choices"),
            gettext("must be those of {key}, the question before it under the same heading").format(key=above.key),
        )


def check_grid(value: object, path: Path) -> Grid:
    """Validate the range of a number: exact decimals, in whole steps, with at most 256 points."""
    written = exact_keys(value, {"minimum", "maximum", "step"}, path)
    low, high, step = (decimal(written[name], (*path, name)) for name in ("minimum", "maximum", "step"))
    require(step > 0, (*path, "step"), gettext("must be greater than 0; got {written}").format(written=written["step"]))
    given = f"{written['minimum']} to {written['maximum']}"
    require(low < high, (*path, "maximum"), gettext("must be greater than minimum; got {given}").format(given=given))
    steps = (high - low) / step
    require(
        steps.denominator == 1,
        (*path, "maximum"),
        gettext("must be a whole number of steps above the minimum; got {steps}").format(steps=steps),
    )
    require(
        steps < MOST_ANSWERS,
        path,
        gettext("must have at most {most} points; got {points}").format(most=MOST_ANSWERS, points=steps + 1),
    )
    return Grid(*(str(written[name]) for name in ("minimum", "maximum", "step")))


def _section(item: Mapping[str, object], path: Path, sections: list[str]) -> None:
    if sections:
        named = item.get("section")
        require(
            named in sections,
            (*path, "section"),
            gettext("must be one of {sections}; got {named!r}").format(sections=", ".join(sections), named=named),
        )
    else:
        require("section" not in item, (*path, "section"), gettext("names a section, but the design has none"))


def _asked_if(item: Mapping[str, object], kind: Kind, count: int, path: Path, earlier: Sequence[Item]) -> None:
    """Validate a conditional question: earlier answers that show it, and `unasked`, the answer sent otherwise."""
    ticked = kind == "several_choices"  # unasked, none of its options is ticked
    fits = ("unasked" in item) == ("asked_if" in item and not ticked)
    require(
        fits,
        (*path, "unasked"),
        gettext(
            "is only allowed together with asked_if, and not for several_choices, which is sent with nothing ticked"
        ),
    )
    if "asked_if" not in item:
        return
    place = (*path, "asked_if")
    condition = exact_keys(item["asked_if"], {"item", "answers"}, place)
    named = condition["item"]
    found = [one for one in earlier if one.key == named and one.kind != "number"]
    require(
        found,
        (*place, "item"),
        gettext("must be an earlier question that does not ask for a number; got {named!r}").format(named=named),
    )
    size, written = found[0].answer_count, listed(condition["answers"], (*place, "answers"))
    answers = [whole(answer, (*place, "answers"), low=0, high=size - 1) for answer in written]
    proper = 1 <= len(answers) < size and answers == sorted(set(answers))
    require(
        proper,
        (*place, "answers"),
        gettext("must be some, but not all, of 0 to {last}, in order; got {answers}").format(
            last=size - 1, answers=answers
        ),
    )
    if not ticked:
        whole(item["unasked"], (*path, "unasked"), low=0, high=count - 1)


def _channel(channel: object, kind: Kind, encoding: Encoding, answers: int, path: Path) -> None:
    value = exact_keys(channel, CHANNEL_KEYS, path, optional=OPTIONAL_CHANNEL_KEYS)
    key(value["name"], (*path, "name"))
    for name in {"truth", "yes", "on", "off", "prevalence"} & set(value):
        fraction(value[name], (*path, name))
    if "epsilon" in value:
        decimal(value["epsilon"], (*path, "epsilon"))
    require(
        ("size" in value) == (encoding == "subset"),
        (*path, "size"),
        gettext("is required for a subset, and only allowed there"),
    )
    place = (*path, "weights")
    match encoding:
        case "subset":
            _subset(value, path, answers=answers)
        case "single":
            _table(value["weights"], place, rows=answers, columns=None if kind == "number" else answers)
        case "one_hot" | "each_option":
            (_, off), (_, on) = _table(value["weights"], place, rows=2, columns=2)
            require(
                off < on,
                place,
                gettext("must send 1 more often in row 1 than in row 0; got {on} and {off}").format(on=on, off=off),
            )
        case _:
            assert_never(encoding)


def _subset(value: Mapping[str, object], path: Path, *, answers: int) -> None:
    """Validate a subset's row: tickets leaving the answer out, tickets putting it in."""
    size = whole(value["size"], (*path, "size"), low=1, high=answers - 1)
    place = (*path, "weights")
    ((lacks, holds),) = _table(value["weights"], place, rows=1, columns=2)
    require(
        lacks > 0,
        place,
        gettext("must sometimes leave the answer out; got {lacks} tickets for that").format(lacks=lacks),
    )
    more = Fraction(holds, lacks + holds) > Fraction(size, answers)
    require(
        more, place, gettext("must include the answer more often than size / choices; got {holds}").format(holds=holds)
    )


def _table(value: object, path: Path, *, rows: int, columns: int | None) -> list[list[int]]:
    if not isinstance(value, list) or len(value) != rows:
        raise ValidationError(path, gettext("must have {rows} rows").format(rows=rows))
    width = columns or (len(value[0]) if isinstance(value[0], list) else 0)
    require(
        2 <= width <= MOST_ANSWERS,
        path,
        gettext("must have 2 to {most} columns; got {width}").format(most=MOST_ANSWERS, width=width),
    )
    table: list[list[int]] = []
    for x, row in enumerate(value):
        written = listed(row, (*path, x))
        require(
            len(written) == width,
            (*path, x),
            gettext("must have {width} entries, one for each response; got {count}").format(
                width=width, count=len(written)
            ),
        )
        table.append(
            [n if type(n) is int and n >= 0 else whole(n, (*path, x, y), low=0) for y, n in enumerate(written)]
        )
        require(
            sum(table[x]) == sum(table[0]),
            (*path, x),
            gettext("must sum to {first}; got {total}").format(first=sum(table[0]), total=sum(table[x])),
        )
    denominator = sum(table[0])
    require(
        1 <= denominator <= LARGEST_DENOMINATOR,
        path,
        gettext("must sum to between 1 and 2**32; got {denominator}").format(denominator=denominator),
    )
    for y, column in enumerate(zip(*table, strict=True)):
        # A report that one answer can send and another cannot would give an answer away: epsilon is infinite.
        require(
            min(column) > 0 or max(column) == 0, path, gettext(": response {y} would rule out an answer").format(y=y)
        )
    return table
