"""Definitions that a grammar makes, whole and broken in every way, put through the entrance of files and of programs.

`python -m tests.fuzz.definitions [FILES]` writes docs/evidence/fuzz-definitions.md, and fails where something else than
a definition or a refusal in words comes out, where reading takes too long, or where what was stored does not come back.
"""

import copy
import json
import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "docs" / "evidence" / "fuzz-definitions.md"
FILES = 20_000
SEED = 20_261_122
SECONDS = 1.0
"""Of the processor, for reading one file."""

LONGEST = 1_200
"""Characters of a refusal."""

Definition = dict[str, Any]

WORDS = (
    "Yes",
    "no",
    "A: b",
    "- x",
    "#",
    "'",
    '"',
    "ä",
    "سؤال",
    "1_000",
    "0x1F",
    "1e9",
    "null",
    "~",
    "[a]",
    "{b}",
    "%",
    "@",
    "|",
)
FRACTIONS = ("1/2", "2/3", "0.4", "3/10", "0.75", "1/3")
UNFIT: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**19, 10**25, 10**4000, 1.5, 1e300, 1e-300, "", "x" * 25_000, "\0", "\u202e", "a\x1bb",
    "0x" + "f" * 5_000, "1e999999999", "1" + ":59" * 3_000, "9" * 5_000, "1/0", "1/" + "9" * 20, "0." + "0" * 30 + "1",
    "<b>x</b>", "[[fill in]]", "[[" * 5_000, "<" + " " * 9_000, [], {}, [[]], [1] * 300, {"en": 1},
    {"en": "x", "de": 2},
    {f"k{n}": n for n in range(300)}, "²", "٣", "\ufeff",
)  # fmt: skip
JUNK = (
    "\t", "&a ", "*a", "!!python/object:os.system ", "!x ", "<<: ", "? ", "- ", "[", "]", "{", "}", ": ", "\n---\n",
    "\n...\n",
    "%YAML 1.1\n", "#", "'", '"', "|\n", ">-\n", "\0", "\x07", "\u2028", "\ufeff", "\ud800", "\r", "  ", "[" * 40,
    "{a: " * 40,
    "\\", "`", "@",
)  # fmt: skip


@dataclass
class Outcome:
    """What came of the files; `faults` are the first of each kind."""

    taken: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> int:
        return self.taken + self.refused.total()


class Grammar:
    """Definitions by chance; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def file(self) -> tuple[Definition, str]:
        """A document, and as a text that may be broken further."""
        from surveys.definition import definitions

        document = self._definition()
        for _ in range(self.chance.choice((0, 0, 1, 1, 2))):
            self._spoil(document)
        try:
            text = definitions.dump(document)
        except ValueError:  # a number of more digits than Python writes
            text = "slug: x\nitems: " + "9" * 5_000
        for _ in range(self.chance.choice((0, 0, 0, 1, 2))):
            text = self._broken(text)
        return document, text

    def _definition(self) -> Definition:
        languages = self.chance.choice((["en"], ["en", "de"], ["fr"]))
        items: list[Any] = []
        for number in range(self.chance.randint(1, 4)):
            items.append(self._item(f"q{number}", languages))
        made = {"slug": f"s{self.chance.randrange(10**6)}", "languages": languages, "title": self._text(languages)}
        if self.chance.random() < 0.4:
            keys = [f"g{n}" for n in range(self.chance.randint(2, 4))]
            groups = [{"key": key, "label": self._text(languages)} for key in keys]
            if len(keys) == 2 and self.chance.random() < 0.5:
                groups = [group | {"share": "1/2"} for group in groups]
            made["strata"] = {"wording": self._text(languages), "groups": groups}
        for name, values in (
            ("invitations", ("secret", "blind")),
            ("repeats", ("remember",)),
            ("participation", (1, "0.5")),
        ):
            if self.chance.random() < 0.1:
                made[name] = self.chance.choice(values)
        return made | {"items": items}

    def _item(self, key: str, languages: list[str]) -> Definition:
        kind = self.chance.choice(("yes_no", "one_choice", "several_choices", "scale", "number"))
        item: Definition = {"key": key, "kind": kind, "wording": self._text(languages)}
        if kind in ("one_choice", "several_choices"):
            item["choices"] = [self._text(languages) for _ in range(self.chance.randint(2, 6))]
        elif kind == "scale":
            item["points"] = self.chance.randint(2, 9)
        elif kind == "number":
            item |= {"minimum": 0, "maximum": self.chance.choice((4, "10", 20)), "step": self.chance.choice((1, "0.5"))}
        truth = self.chance.choice(FRACTIONS)
        names = {"yes_no": "forced_response", "several_choices": "forced_response", "number": "one_bit"}
        item["channel"] = {"name": names.get(kind, "k_ary"), "truth": truth}
        if kind == "one_choice" and self.chance.random() < 0.4:
            item["channel"] = {"name": self.chance.choice(("unary", "subset")), "epsilon": "1.5"}
        if kind == "number" and self.chance.random() < 0.4:
            item["channel"] = {"name": "discrete_laplace", "epsilon": 2}
        return item

    def _text(self, languages: list[str]) -> dict[str, str]:
        return {code: " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 4))) for code in languages}

    def _spoil(self, document: Definition) -> None:
        """Change one part: another type, something huge or hidden, nothing, twice, or far within itself."""
        place: Any = document
        while True:
            key = self.chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not (isinstance(place[key], dict | list) and place[key]) or self.chance.random() < 0.3:
                break
            place = place[key]
        match self.chance.randrange(5):
            case 0:
                del place[key]
            case 1 if isinstance(place, dict):
                place[self.chance.choice(("", "x", "quota", "a" * 200, "\0", "en"))] = place[key]
            case 2:
                for _ in range(self.chance.choice((2, 15, 60))):
                    place[key] = [place[key]]
            case _:
                place[key] = copy.deepcopy(self.chance.choice(UNFIT))  # it may be spoilt in its turn

    def _broken(self, text: str) -> str:
        at = self.chance.randrange(len(text) + 1)
        lines = text.splitlines(keepends=True)
        match self.chance.randrange(5):
            case 0:
                return text[:at]
            case 1:
                return text[:at] + text[at + self.chance.randint(1, 20) :]
            case 2:
                self.chance.shuffle(lines)
                return "".join(lines)
            case 3:
                return "".join(lines + lines * self.chance.choice((1, 40)))
        return text[:at] + self.chance.choice(JUNK) + text[at:]


def fuzz(files: int, *, seed: int, told: Callable[[str], None] = lambda words: None) -> Outcome:
    """Put so many files through; the same ones for the same seed. Nothing of them stays in the database."""
    grammar, outcome = Grammar(seed), Outcome()
    for number in range(files):
        document, text = grammar.file()
        begun = time.thread_time()
        definition = _read(text, outcome)
        outcome.slowest = max(outcome.slowest, time.thread_time() - begun)
        _take(document, outcome)
        if definition is not None:
            _store(definition, outcome)
        if number % 2_000 == 1_999:
            told(f"{number + 1:,} files, {outcome.taken:,} taken, {len(outcome.faults)} faults")
    return outcome


def _read(text: str, outcome: Outcome) -> Definition | None:
    from collector.errors import ValidationError
    from surveys.definition import definitions

    try:
        definition = definitions.load_checked(text)
    except ValidationError as refusal:
        said = str(refusal)
        outcome.refused["with its line" if refusal.line else "as a whole"] += 1
        whole = ("a definition must have at most", "this is not text", "this is not YAML", "survey must be an object")
        if not refusal.line and not said.startswith(whole):
            outcome.faults.setdefault("a refusal without a line", f"{said[:300]} of {text[:300]!r}")
        if len(said) > LONGEST:
            outcome.faults.setdefault("a refusal that is too long", f"{len(said)} characters")
        return None
    except Exception as error:  # which is what is looked for
        outcome.refused["by an error of the program"] += 1
        outcome.faults.setdefault(f"{type(error).__name__} for a file", f"{error!s:.300} of {text[:300]!r}")
        return None
    outcome.taken += 1
    return definition


def _take(document: Definition, outcome: Outcome) -> None:
    """The same document as programs send it."""
    from collector.errors import ValidationError
    from surveys.definition import definitions

    try:
        definitions.take_checked(json.loads(json.dumps(document)))
    except ValidationError:
        pass
    except ValueError as error:
        if "4300" not in str(error):  # JSON's own reader refuses so long a number, with 400
            outcome.faults.setdefault("ValueError for a document", str(error)[:300])
    except Exception as error:
        outcome.faults.setdefault(f"{type(error).__name__} for a document", str(error)[:300])


def _store(definition: Definition, outcome: Outcome) -> None:
    """Write it, and read the file that is made of what was written."""
    from django.contrib.auth.models import User
    from django.db import transaction

    from surveys.accounts.teams import home_team
    from surveys.definition import definitions
    from surveys.lifecycle import selectors, services

    try:
        with transaction.atomic():
            owner = User.objects.get_or_create(username="fuzz", is_staff=True)[0]
            stored = selectors.definition_of(services.write_survey(definition, team=home_team(owner)))
            again = definitions.load_checked(definitions.dump(stored))
            if not definition == stored == again:
                outcome.faults.setdefault("another definition came back", repr(definition)[:500])
            transaction.set_rollback(True)
    except Exception as error:
        outcome.faults.setdefault(f"{type(error).__name__} in storing", f"{error!s:.300} of {definition!r:.300}")


TEXT = """# Fuzzing of survey definitions

*For security reviewers and engineers.*

Written by `make audit-fuzz`; a change by hand is lost with the next run.

{files} definitions were made by a grammar (`tests/fuzz/definitions.py`, seed {seed}): whole ones, and ones with parts
that were left out, doubled, nested, replaced by other types, huge numbers and texts, hidden characters, or cut,
shuffled and mixed with what YAML means something by. Each was read as a file and taken as a JSON document. What was
taken was frozen, written to the database ({vendor}) and read again from the file that is made of it.

**{verdict}**

| | files |
|---|---|
| taken, stored, and the same again from their own file | {taken} |
{refused}

The slowest took {slowest:.2f} s of the processor to be read; {bound:g} s would be a fault. Python {python}.

A refusal has the line that it is about, and at most {longest:,} characters; one that is about the file as a whole (it
is too large, or nothing) has none.
{faults}"""


def page(outcome: Outcome, vendor: str) -> str:
    """What came of it, as Markdown."""
    faults = "\n".join(f"- {kind}: {words}" for kind, words in outcome.faults.items())
    return TEXT.format(
        files=f"{outcome.files:,}",
        seed=SEED,
        vendor=vendor,
        verdict=f"{len(outcome.faults)} kinds of faults."
        if faults
        else "No error of the program, and nothing was lost.",
        taken=f"{outcome.taken:,}",
        refused="\n".join(f"| refused {how} | {count:,} |" for how, count in sorted(outcome.refused.items())),
        slowest=outcome.slowest,
        bound=SECONDS,
        python=platform.python_version(),
        longest=LONGEST,
        faults=f"\n## Faults\n{faults}\n" if faults else "",
    )


def main(files: int) -> bool:
    from django.db import connection

    outcome = fuzz(files, seed=SEED, told=lambda words: print(words, flush=True))
    if outcome.slowest > SECONDS:
        outcome.faults["slow"] = f"{outcome.slowest:.2f} s"
    TARGET.write_text(page(outcome, connection.vendor), encoding="utf-8")
    for kind, words in outcome.faults.items():
        print(kind, words, flush=True)
    return not outcome.faults


if __name__ == "__main__":
    from tests.audit.standalone import standalone

    with standalone():
        sound = main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES)
    sys.exit(0 if sound else 1)
