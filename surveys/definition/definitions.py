"""Survey definitions: a plain document, read from and written to YAML, and the design frozen from it.

A definition is what an author writes; the design is what everybody else relies on. The design holds the integer table
of each item, made here from the name and the exact fractions of its mechanism.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import yaml
from django.conf import settings
from django.utils.translation import gettext

from collector import designs
from collector.designs.checks import listed
from collector.errors import Path, ValidationError
from estimator.base.extras import lacking_package
from estimator.base.languages import filled
from randomized_response import epsilon_total
from surveys.definition import about, appearance, background, ceilings, yaml_positions
from surveys.definition.bounds import SURVEY, require_plain
from surveys.definition.ceilings import require_budget
from surveys.definition.keys import even_keys, key_from
from surveys.definition.languages import require_every_language
from surveys.definition.mechanisms import mechanism_of
from surveys.definition.numerals import plain_decimal
from surveys.definition.own_coin.instructions import require_tossable
from surveys.definition.parts import BUDGET, SAME_PEOPLE, Definition, FieldworkPart, ItemPart
from surveys.definition.picture_files import encoded, read_pictures
from surveys.definition.pictures import CleanPicture
from surveys.definition.privacy_budget import epsilon_of, priced
from surveys.definition.questions import complete_item, frozen_item
from surveys.definition.validation import exact, known_keys, text

TEXTS = ("title", "introduction", "consent")
BROWSER_LIMIT = 2980
"""e^epsilon above which the respondent's page refuses a survey whatever an installation allows (client/channel.js)."""

MOST_NUMBERS = 2**17
"""Maximum numbers in a survey's tables: two questions with 256 answers, or twelve with a hundred each."""

TO_FILL_IN = re.compile(r"\[\[[^\[\]\n]+\]\]")
"""A placeholder for a template's author to fill in, like a help line's number."""

FIELDWORK_OPTIONS = {"invitations": ("secret", "blind"), "repeats": ("fresh", "remember"), "participation": ()}
"""Settings with one value each, and the allowed values; `participation` is a number, the epsilon."""

SURVEY_KEYS = {
    SAME_PEOPLE, BUDGET, "slug", "rehearsal", "languages", *TEXTS, "consent_statements", "screening", "about", "look",
    "ending", "strata", "background_questions", *FIELDWORK_OPTIONS, "sections", "items", "pictures",
}  # fmt: skip

UNFROZEN = (SAME_PEOPLE, BUDGET, "pictures")
"""Parts of a definition that no design has: what it shows of a picture stands with its question."""

AT_OPENING = ("invitations", "waves", "participation", "ceilings")
"""Keys of a design that are set at opening."""

NO_KEY = "f" * 768
"""Placeholder for the key of blind invitations until there is one: a number that is nobody's key."""


@dataclass(frozen=True)
class OpeningOptions:
    """Values that are known only at opening: the modulus of the key for blind invitations, e^epsilon of the most that a
    person may have spent in it before, and the reason for a survey above a ceiling."""

    modulus: str = NO_KEY
    spent: Fraction = Fraction(1)
    reason: str = ""


FIRST = OpeningOptions()


class _Writer(yaml.SafeDumper):
    """YAML dumper whose texts survive a round trip: PyYAML folds these line ends into spaces where unquoted."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write each part in full, even where two are identical."""
        return True


def _written(writer: yaml.SafeDumper, words: str) -> yaml.ScalarNode:
    quoted = bool(set(words) & set("\x85\u2028\u2029"))
    return writer.represent_scalar("tag:yaml.org,2002:str", words, style='"' if quoted else None)


_Writer.add_representer(str, _written)


def load(source: str) -> Definition:
    """Parse a definition from YAML (docs/reference/survey-file.md) and complete it. Errors name the line."""
    return _read(source, for_good=False)


def load_checked(source: str) -> Definition:
    """As `load`, but also reject what would prevent the definition from being opened, with its line."""
    return _read(source, for_good=True)


def take_checked(raw: object) -> Definition:
    """As `load_checked`, for an already parsed document like JSON; errors name only the place."""
    return _taken(raw, for_good=True)


def dump(definition: Definition) -> str:
    """Write a definition as YAML; `load` gives the same definition back."""
    return yaml.dump(definition, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100)


def complete(raw: object) -> Definition:
    """Fill in optional parts: languages, empty texts, strata, yes and no, plain text for one language."""
    raw = known_keys(raw, SURVEY_KEYS, SURVEY)
    languages = raw.get("languages", ["en"])
    if not isinstance(languages, list) or not languages or not all(isinstance(code, str) for code in languages):
        raise ValidationError(
            ("languages",), gettext("must be a list of language codes; got {languages!r}").format(languages=languages)
        )
    strata = known_keys(raw.get("strata") or {}, {"wording", "groups"}, ("strata",))
    groups = [_group(one, languages, n) for n, one in enumerate(listed(strata.get("groups", []), ("strata", "groups")))]
    pictures = read_pictures(raw["pictures"]) if raw.get("pictures") else {}
    sections = [_section(one, languages, n) for n, one in enumerate(listed(raw.get("sections") or [], ("sections",)))]
    definition = {
        "slug": raw.get("slug", ""),
        "rehearsal": raw.get("rehearsal", False),
        "languages": languages,
        **{name: text(raw.get(name, ""), languages) for name in TEXTS},
        **_entry(raw, languages),
        **about.complete_about(raw.get("about") or {}, languages),
        **appearance.complete_look(raw.get("look") or {}, languages, pictures),
        **appearance.complete_ending(raw.get("ending") or {}, languages),
        "strata": {
            "wording": text(strata.get("wording", ""), languages),
            "groups": _evened(groups),
        },
        **background.complete_background(raw.get("background_questions"), languages),
        **_fieldwork_options(raw),
        **({SAME_PEOPLE: raw[SAME_PEOPLE]} if raw.get(SAME_PEOPLE) else {}),
        **_budget(raw),
        **({"sections": sections} if sections else {}),
        "items": _items(raw.get("items", []), languages, pictures),
        **({"pictures": encoded(pictures.values())} if pictures else {}),
    }
    return cast("Definition", definition)


def design_of(definition: Definition, *, version: int, opening: OpeningOptions = FIRST) -> designs.Design:
    """The design that opening this definition would freeze, checked in full.

    Raises
    ------
    ValidationError
        Naming the first thing that keeps it from being opened.
    """
    design = drawn_items(definition, version=version, opening=opening)
    require_every_language(definition)
    appearance.require_contrast(design.look)
    require_tossable(design)
    _filled_in({name: part for name, part in definition.items() if name != "slug"}, ())
    _within_ceiling(design, opening, gettext("Lower the truth probability of a question, or ask fewer questions."))
    return design


def next_wave_design(frozen: designs.Design, *, version: int, opening: OpeningOptions) -> designs.Design:
    """The design of the next wave: the same questions under the next number, with what only opening tells.

    Raises
    ------
    ValidationError
        Where a person could have spent more than the ceiling after it.
    """
    fieldwork: FieldworkPart = {
        "rehearsal": frozen.rehearsal,
        "invitations": frozen.invitations,
        "repeats": frozen.repeats,
        "participation": frozen.participation,
    }
    content = {name: value for name, value in frozen.document.items() if name not in AT_OPENING}
    design = designs.check({**content, **_frozen_fieldwork(fieldwork, opening), "version": version})
    _within_ceiling(design, opening, gettext("A revised version could ask fewer questions."))
    return design


def drawn_items(definition: Definition, *, version: int, opening: OpeningOptions = FIRST) -> designs.Design:
    """The design of a complete definition, openable or not; raises ValidationError if it is incomplete."""
    document = {
        **{name: part for name, part in definition.items() if name not in {*UNFROZEN, *FIELDWORK_OPTIONS}},
        **_frozen_fieldwork(definition, opening),
        **about.frozen_about(definition),
        "format": designs.FORMAT,
        "version": version,
        "items": _frozen_items(definition["items"]),
        **background.frozen_part(definition),
    }
    return designs.check(document)


def _frozen_items(items: list[ItemPart]) -> list[Mapping[str, Any]]:
    """The items with tables of up to 65,536 numbers each; raises at the first that exceeds the total allowed."""
    frozen: list[Mapping[str, Any]] = []
    numbers = 0
    for number, item in enumerate(items):
        frozen.append(frozen_item(item, ("items", number)))
        numbers += sum(map(len, frozen[-1]["channel"]["weights"]))
        if numbers > MOST_NUMBERS:
            raise ValidationError(
                ("items", number),
                filled(
                    gettext(
                        ": the tables of the questions up to here have {numbers:,} numbers; at most {most:,} "
                        "are allowed. Offer fewer answers or a larger step"
                    ),
                    numbers=numbers,
                    most=MOST_NUMBERS,
                ),
            )
    return frozen


def total_epsilon(definition: Definition) -> float:
    """Epsilon of a respondent who answers every item that her version of the page asks."""
    mechanisms = [mechanism_of(item) for item in definition["items"]]
    return max(epsilon_total(mechanisms[place] for place in asked) for asked in background.versions_in(definition))


def _read(source: str, *, for_good: bool) -> Definition:
    raw, node = yaml_positions.read(source)
    try:
        return _taken(raw, for_good=for_good)
    except ValidationError as fault:
        raise yaml_positions.located(fault, node) from None


def _taken(raw: object, *, for_good: bool) -> Definition:
    require_plain({name: part for name, part in raw.items() if name != "pictures"} if isinstance(raw, dict) else raw)
    definition = complete(raw)
    if for_good:
        design_of(definition, version=1)
    return definition


def _filled_in(value: Any, path: Path) -> None:
    """Reject a text whose author has not filled in a placeholder in double brackets."""
    if isinstance(value, dict):
        for name, part in value.items():
            _filled_in(part, (*path, str(name)))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            _filled_in(part, (*path, number))
    elif isinstance(value, str) and (blank := TO_FILL_IN.search(value)):
        raise ValidationError(path, gettext("has a placeholder to fill in: {blank}").format(blank=blank[0]))


def _fieldwork_options(raw: dict[str, object]) -> dict[str, object]:
    """What is said of invitations, waves and participation; what is said by saying nothing is left out."""
    options = {name: raw[name] for name in FIELDWORK_OPTIONS if raw.get(name) not in (None, "")}
    for name, words in FIELDWORK_OPTIONS.items():
        if words and options.get(name, words[0]) not in words:
            raise ValidationError(
                (name,),
                gettext("must be {words}; got {given!r}").format(words=" or ".join(words), given=options[name]),
            )
    if "participation" in options:
        options["participation"] = exact(options["participation"], plain_decimal)
    return {name: value for name, value in options.items() if (name, value) != ("repeats", "fresh")}


def _budget(raw: dict[str, object]) -> dict[str, object]:
    """The total epsilon that the author keeps to, as text; nothing where it is the usual one."""
    if raw.get(BUDGET) in (None, ""):
        return {}
    budget = exact(raw[BUDGET], plain_decimal)
    require_budget(budget)
    return {BUDGET: budget}


def _frozen_fieldwork(definition: FieldworkPart, opening: OpeningOptions) -> dict[str, object]:
    """The same as the design says it. A rehearsal has none of it: nobody is invited to one, or spends anything."""
    if definition["rehearsal"]:
        return {}
    frozen: dict[str, object] = {}
    if kind := definition.get("invitations"):
        frozen["invitations"] = {"kind": kind} | ({"modulus": opening.modulus} if kind == "blind" else {})
    repeats = definition.get("repeats", "fresh")
    if repeats == "remember" or opening.spent > 1:
        spent = f"{opening.spent.numerator}/{opening.spent.denominator}"
        frozen["waves"] = {"repeats": repeats, "spent": spent}
    if epsilon := definition.get("participation"):
        if missing := lacking_package("opendp", "noise"):
            raise ValidationError(
                ("participation", "epsilon"),
                gettext(": the noise is drawn by OpenDP, and {missing}").format(missing=missing),
            )
        frozen["participation"] = {"epsilon": epsilon}
    return frozen | {"ceilings": ceilings.of_an_opening(reason=opening.reason)}


def _within_ceiling(design: designs.Design, opening: OpeningOptions, advice: str) -> None:
    """Reject a design with which a respondent could exceed the ceiling, in this wave and all before it.

    The wave counts in full, also where devices remember: one that has forgotten draws everything anew. It is the sum
    that browsers make of the design by themselves.
    """
    ceilings.require_consent(design)
    total = epsilon_of(opening.spent * priced(design).ratio)
    # A rehearsal is answered by no browser, so the browsers' own limit does not bind it.
    ceiling = ceiling_of(rehearsal=design.rehearsal)
    if total > ceiling:
        words = filled(
            gettext("the questions together have epsilon {total:.4f}; at most {ceiling:.4f} per person is allowed"),
            total=total,
            ceiling=ceiling,
        )
        if opening.spent > 1:
            before = epsilon_of(opening.spent)
            words = filled(
                gettext(
                    "after this wave the privacy loss of a person could be epsilon {total:.4f}, "
                    "{before:.4f} of it from earlier waves; at most {ceiling:.4f} per person is allowed"
                ),
                total=total,
                before=before,
                ceiling=ceiling,
            )
        raise ValidationError((), f"{words}. {advice}", keys=["items"])


def ceiling_of(*, rehearsal: bool = False) -> float:
    """The most epsilon that a respondent may spend in a survey, over all waves."""
    return min(settings.CANDOR_EPSILON_CEILING, math.inf if rehearsal else math.log(BROWSER_LIMIT))


def _items(raw: object, languages: list[str], pictures: Mapping[str, CleanPicture]) -> list[ItemPart]:
    """The complete items; one that says no key gets it from its wording."""
    given, items = listed(raw, ("items",)), list[ItemPart]()
    taken = {str(item["key"]) for item in given if isinstance(item, dict) and "key" in item}
    for number, item in enumerate(given):
        made = complete_item(item, languages, ("items", number), items, pictures)
        if isinstance(item, dict) and "key" not in item:
            made["key"] = key_from(str(made["wording"].get(languages[0], "")), taken, "question")
            taken.add(made["key"])
        items.append(made)
    return items


def _entry(raw: dict[str, object], languages: list[str]) -> dict[str, object]:
    """The consent statements and the screening question, where there are any."""
    found: dict[str, object] = {}
    if statements := listed(raw.get("consent_statements") or [], ("consent_statements",)):
        found["consent_statements"] = [text(statement, languages) for statement in statements]
    if raw.get("screening"):
        screening = known_keys(raw["screening"], {"wording", "choices", "ends", "text"}, ("screening",))
        choices = listed(screening.get("choices", []), ("screening", "choices"))
        found["screening"] = {
            **{name: text(screening.get(name, ""), languages) for name in ("wording", "text")},
            "choices": [text(exact(choice), languages) for choice in choices],
            "ends": screening.get("ends", []),
        }
    return found


def _section(raw: object, languages: list[str], number: int) -> dict[str, object]:
    section = known_keys(raw, {"key", "title", "introduction", "help_after"}, ("sections", number))
    texts = {name: text(section.get(name, ""), languages) for name in ("title", "introduction")}
    helped = {"help_after": section["help_after"]} if section.get("help_after", False) is not False else {}
    return {"key": section.get("key", ""), **texts, **helped}


def _evened(groups: list[dict[str, object]]) -> list[dict[str, object]]:
    keys = [group["key"] for group in groups]
    if not all(isinstance(key, str) for key in keys):
        return groups
    return [group | {"key": key} for group, key in zip(groups, even_keys(list(map(str, keys))), strict=True)]


def _group(raw: object, languages: list[str], number: int) -> dict[str, object]:
    group = known_keys(raw, {"key", "label", "share"}, ("strata", "groups", number))
    share = group.get("share")
    return {
        "key": group.get("key", ""),
        "label": text(group.get("label", ""), languages),
        "share": None if share is None else exact(share),
    }
