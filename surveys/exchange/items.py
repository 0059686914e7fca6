"""One question of another tool as questions of a definition: its kind, its wording, its options."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from django.utils.translation import gettext, gettext_lazy

from collector.designs import Kind
from collector.designs.items import MOST_ANSWERS, MOST_COLUMNS
from estimator.base.languages import filled
from surveys.definition.classes import choices_of
from surveys.definition.keys import key_from
from surveys.definition.parts import ItemPart
from surveys.definition.questions import YES_NO, prefer_not, yes_no
from surveys.exchange.dates import OTHERWISE, proposed_classes
from surveys.exchange.numbers import grid_of
from surveys.exchange.source import Option, Question, shown
from surveys.exchange.words import first_text, mark_special, says_never, yes_and_no

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from surveys.exchange.building import Texts

CODED = gettext_lazy("Ask it with fixed options: the answers that you expect, and “Something else”.")
LEFT_OUT: dict[str, tuple["StrOrPromise", "StrOrPromise"]] = {
    "text": (gettext_lazy("Free text cannot be randomised, and can identify who wrote it."), CODED),
    "file": (
        gettext_lazy("Files cannot be randomised, and can identify who made them."),
        gettext_lazy("Ask what you want to learn from it as choices."),
    ),
    "ranking": (
        gettext_lazy("An order of options has too many answers to be randomised as a whole."),
        gettext_lazy("Ask which comes first as one choice, or have each option rated on a scale."),
    ),
    "place": (
        gettext_lazy("A place on the map identifies people."),
        gettext_lazy("Ask for regions as choices, or as a group."),
    ),
    "computed": (
        gettext_lazy("It is computed from answers, which only the device knows."),
        gettext_lazy("Compute it from the estimates."),
    ),
    "metadata": (gettext_lazy("It records who answered, when or on which device, which Candor never stores."), ""),
    "unknown": (gettext_lazy("Candor has no such kind of question."), CODED),
}
"""Kinds of the source that no question can be made of: the reason, and what to ask instead."""

KINDS: dict[str, Kind] = {"one": "one_choice", "several": "several_choices", "scale": "scale", "yes_no": "yes_no"}
LONG = 20
"""Options above which a list unfolds from one field."""

OTHER = gettext_lazy("The free text of the option “{}” is left out: words cannot be randomised.")


@dataclass
class MadeItem:
    """A question of the definition, with what later conditions and the report need of it."""

    place: str
    name: str
    shown: str
    item: ItemPart
    codes: dict[str, int] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    suggestion: str = ""
    stored: dict[str, object] = field(default_factory=dict)
    """The parts that Candor itself wrote into the file."""
    never: int | None = None
    """The answer of those who are not asked, where an option says so."""

    def say(self, sentence: str) -> None:
        if sentence not in self.said:
            self.said.append(sentence)


class ItemMaker:
    """Makes the questions of one question of the source: one, or one for each row of a grid."""

    def __init__(self, texts: "Texts", question: Question, made: Mapping[str, MadeItem]) -> None:
        self.texts, self.question = texts, question
        self.taken = {one.item["key"] for one in made.values()}

    def items(self) -> Iterator[MadeItem]:
        question = self.question
        if not question.rows:
            yield self._made(question.name, question.place, None)
            return
        for number, row in enumerate(question.rows, start=1):
            name = row.code if "rows" in question.stored else f"{question.name}_{row.code}"
            yield self._made(name, gettext("{place}, row {number}").format(place=question.place, number=number), row)

    def _made(self, name: str, place: str, row: Option | None) -> MadeItem:
        question, said = self.question, list[str]()
        heading = self._heading(row, said)
        wording = self.texts.take(row.words, said) if row and any(heading.values()) else self._wording(row, said)
        own = next(filter(None, (wording[self.texts.own], *wording.values())), name)
        key = key_from(name if name and not name.isdigit() else own, self.taken, "question")
        self.taken.add(key)
        item = cast("ItemPart", {"key": key, "kind": "number", "wording": wording, "choices": []})
        made = MadeItem(place, name, shown(own), item, said=said)
        made.stored = self._stored(name)
        if any(heading.values()):
            item["heading"] = heading
            self._missing_languages(heading, made, "heading")
        elif row is not None:
            made.say(
                gettext("A row of a grid ({tool_kind}): it is now a separate question, randomised by itself.").format(
                    tool_kind=question.tool_kind
                )
            )
        self._missing_languages(wording, made)
        if question.kind == "number":
            self._number(made)
        elif question.kind in ("date", "time"):
            self._classes(made)
        else:
            self._choices(made)
        return made

    def _stored(self, name: str) -> dict[str, object]:
        rows = self.question.stored.get("rows")
        found = rows.get(name) if isinstance(rows, dict) else self.question.stored
        return found if isinstance(found, dict) else {}

    def _heading(self, row: Option | None, said: list[str]) -> dict[str, str]:
        """The heading of the grid whose row this is; empty where the rows stand as questions of their own."""
        question = self.question
        fits = question.kind in ("one", "scale", "yes_no") and len(question.options) < MOST_COLUMNS
        if not fits or (row is None and not question.heading):
            return dict.fromkeys(self.texts.languages, "")
        words = self.texts.take(question.words if row else question.heading, said)
        help_text = self.texts.take(question.help if row else {}, said)
        return {code: "\n".join(filter(None, (words[code], help_text[code]))) for code in words}

    def _wording(self, row: Option | None, said: list[str]) -> dict[str, str]:
        wording = self.texts.take(self.question.words, said)
        if row is not None:
            words = self.texts.take(row.words, said)
            wording = {code: " – ".join(filter(None, (wording[code], words[code]))) for code in wording}
        help_text = self.texts.take(self.question.help, said)
        if any(help_text.values()):
            said.append(gettext("The help text is shown below the wording."))
            wording = {code: "\n".join(filter(None, (wording[code], help_text[code]))) for code in wording}
        return wording

    def _missing_languages(self, wording: dict[str, str], made: MadeItem, name: str = "wording") -> None:
        gone = [code for code, words in wording.items() if not words]
        if len(gone) == len(wording):
            made.say(gettext("It has no {name}: write one.").format(name=name))
        elif gone:
            made.say(gettext("The {name} is missing in {languages}.").format(name=name, languages=", ".join(gone)))

    def _number(self, made: MadeItem) -> None:
        grid, said = grid_of(self.question)
        made.item.update(cast("ItemPart", grid))
        for sentence in said:
            made.say(sentence)
        if not self.question.required:
            made.say(gettext("A number cannot be left blank: everybody must enter one."))
            made.suggestion = gettext("Ask first, in a yes/no question, whether people want to tell it.")

    def _classes(self, made: MadeItem) -> None:
        """A date or a time of day as one of its classes."""
        classes, said = proposed_classes(self.question)
        made.item["kind"] = "one_choice"
        made.item["choices"] = choices_of(classes, self.texts.languages, ("classes",))
        for sentence in said:
            made.say(sentence)
        made.suggestion = str(OTHERWISE)
        self._withhold([], made)
        self._settings(made)

    def _choices(self, made: MadeItem) -> None:
        question, item = self.question, made.item
        options = [*question.options] if question.stored else mark_special([*question.options])
        withheld = [one for one in options if one.special == "prefer_not"]
        options = [one for one in options if one.special != "prefer_not"]
        item["kind"] = KINDS[question.kind]
        if question.kind == "several" and not question.stored:
            options = self._without_none(options, made)
        pair = yes_and_no(options) if question.kind in ("one", "yes_no") else None
        if pair or (question.kind == "yes_no" and not options):
            item["kind"], options = "yes_no", list(pair or ())
        elif question.kind == "yes_no":
            item["kind"] = "one_choice"
        self._label(options, made)
        self._withhold(withheld, made)
        self._settings(made, [one.code in question.fixed for one in options])
        self._usable(made)

    def _without_none(self, options: list[Option], made: MadeItem) -> list[Option]:
        none = [one for one in options if says_never(one)]
        for one in none:
            words = first_text(one.words, one.code)
            made.say(
                gettext("The option “{words}” is left out: ticking nothing says the same.").format(words=shown(words))
            )
        return [one for one in options if one not in none]

    def _label(self, options: list[Option], made: MadeItem) -> None:
        """The choices with their texts; options without text show their code."""
        labels = yes_no(self.texts.languages) if made.item["kind"] == "yes_no" and not options else []
        if labels:
            made.codes = {code: place for place, codes in enumerate(_YES_NO_CODES) for code in codes}
        for place, option in enumerate(options):
            label = {code: " ".join(words.split()) for code, words in self.texts.take(option.words, made.said).items()}
            if not any(label.values()):
                label = dict.fromkeys(label, shown(option.code))
                if not option.code:
                    made.say(gettext("Option {number} has no text: write one.").format(number=place + 1))
            elif made.item["kind"] == "yes_no":
                label = {code: words or YES_NO[code][place] for code, words in label.items()}
            if gone := [code for code, words in label.items() if not words]:
                made.say(
                    gettext("The option “{label}” has no text in {languages}.").format(
                        label=first_text(label, option.code), languages=", ".join(gone)
                    )
                )
            labels.append(label)
            made.codes.setdefault(option.code, place)
            if option.special == "other":
                made.say(OTHER.format(first_text(label, option.code)))
            if made.never is None and says_never(option):
                made.never = place
        made.item["choices"] = labels
        if made.item["kind"] == "yes_no":
            made.never = 0

    def _withhold(self, withheld: list[Option], made: MadeItem) -> None:
        question, item = self.question, made.item
        if withheld:
            own = prefer_not(self.texts.languages)
            label = self.texts.take(withheld[0].words)
            item["prefer_not"] = {code: " ".join(words.split()) or own[code] for code, words in label.items()}
            for one in withheld:
                made.codes.setdefault(one.code, len(item["choices"]))
            for one in withheld[1:]:
                made.say(
                    gettext("The option “{shown}” was merged with the other one of its kind.").format(
                        shown=shown(first_text(one.words, one.code))
                    )
                )
        if not question.required:
            item["required"] = False
            if not withheld and item["kind"] != "several_choices":
                item["prefer_not"] = prefer_not(self.texts.languages)
                made.say(gettext("It can be left blank, so “prefer not to say” was added: a blank is sent as that."))

    def _settings(self, made: MadeItem, fixed: Sequence[bool] = ()) -> None:
        """What the tool sets besides; `fixed`: for each option whether the tool keeps it in its place."""
        question, item = self.question, made.item
        if item["kind"] in ("one_choice", "scale") and "heading" not in item:
            self._unfold(made)
        if question.shuffle:
            self._shuffle(made, fixed)
        if question.most and item["kind"] == "several_choices":
            count = len(item["choices"]) + ("prefer_not" in item)
            try:
                most = int(Fraction(question.most))
            except (ValueError, ZeroDivisionError):
                most = 0
            if 1 <= most < count:
                item["most"] = most
            elif most < 1:
                made.say(
                    gettext("The maximum number of options to tick could not be read: {most}.").format(
                        most=shown(question.most)
                    )
                )

    def _shuffle(self, made: MadeItem, fixed: Sequence[bool]) -> None:
        """Shuffle the options; of those that the tool keeps in their places the last one stays last."""
        item, last = made.item, any(fixed[-1:])
        shuffled = len(item["choices"]) - last >= 2 and "heading" not in item
        if not shuffled or item["kind"] not in ("one_choice", "several_choices"):
            made.say(gettext("The order of its options is not shuffled."))
            return
        item["shuffle"] = True
        if last:
            item["keep_last"] = True
        if sum(fixed) > last:
            made.say(gettext("Only its last option stays last; the others are shuffled."))

    def _unfold(self, made: MadeItem) -> None:
        """A list that unfolds, where the tool has one or the list is long."""
        if self.question.dropdown:
            made.item["dropdown"] = True
        elif len(made.item["choices"]) > LONG and not self.question.stored:
            made.item["dropdown"] = True
            made.say(gettext("Its {count} options fold out from one field.").format(count=len(made.item["choices"])))

    def _usable(self, made: MadeItem) -> None:
        """Say what keeps a question from being asked: too few options or too many."""
        count = len(made.item["choices"])
        if count < 2:
            made.say(gettext("It has {count} options, but a question needs 2: add some.").format(count=count))
            made.suggestion = str(CODED)
        if count > MOST_ANSWERS - 1:
            kept = MOST_ANSWERS - 1
            made.item["choices"] = made.item["choices"][:kept]
            made.codes = {code: place for code, place in made.codes.items() if place < kept}
            made.say(
                filled(gettext("It has {count:,} options; the first {kept} were imported."), count=count, kept=kept)
            )
            made.suggestion = gettext("Ask for a coarser classification.")


_YES_NO_CODES = (("0", "N", "no", "No", "false", "2"), ("1", "Y", "yes", "Yes", "true"))
