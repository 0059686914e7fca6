"""Validation of a document before it is frozen as a design. All that is assumed of one is checked here."""

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from django.utils.translation import gettext

from collector.designs import appearance, background, entry, items
from collector.designs.arms import check_instead, check_marks
from collector.designs.background import Background
from collector.designs.checks import (
    decimal,
    distinct,
    exact_keys,
    fraction,
    key,
    listed,
    one_of,
    plain,
    require,
    text,
    whole,
)
from collector.designs.design import ABOUT, Design, Item, canonical
from collector.errors import Path, ValidationError

FORMAT = 1
MOST_SYMBOLS = 1024
MOST_GROUPS = 50
"""Groups are sent openly: with more of them, few respondents share one and could be identified."""

FEWEST_IN_GROUP = 10
"""Fewest reports of a group to release its numbers; a smaller group is combined with others. With fewer
in all nothing is told, and nothing estimated."""

LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")

MODULUS = re.compile(r"[89a-f][0-9a-f]{766}[13579bdf]")
"""The modulus of a 3,072-bit RSA key, in hex."""

SPENT = re.compile(r"[1-9][0-9]*/[1-9][0-9]*")

KEYS = {
    "format", "slug", "version", "rehearsal", "languages", "title", "introduction", "consent", "strata", "items",
}  # fmt: skip
OPTIONAL = {
    "about", "look", "ending", "sections", "invitations", "waves", "participation", "ceilings", "consent_statements",
    "screening", "background_questions",
}  # fmt: skip

LONGEST_REASON = 500


def check(value: object) -> Design:
    """Validate a document and return it as a design; raise ValidationError at the first error."""
    document = exact_keys(value, KEYS, ("design",), optional=OPTIONAL)
    version, rehearsal = document["format"], document["rehearsal"]
    require(version == FORMAT, ("format",), gettext("must be {format}; got {got!r}").format(format=FORMAT, got=version))
    key(document["slug"], ("slug",))
    whole(document["version"], ("version",), low=1)
    is_bool, message = isinstance(rehearsal, bool), gettext("must be true or false; got {rehearsal!r}")
    require(is_bool, ("rehearsal",), message.format(rehearsal=rehearsal))
    languages = _languages(document["languages"])
    for name in ("title", "introduction", "consent"):
        text(document[name], (name,), languages, empty=name != "title")
    if "consent_statements" in document:
        entry.check_statements(document["consent_statements"], languages)
    if "screening" in document:
        entry.check_screening(document["screening"], languages)
    _strata(document["strata"], languages)
    sections = _sections(document["sections"], languages) if "sections" in document else []
    asked = items.check_items(document["items"], languages, sections)
    if "background_questions" in document:
        _background(document, languages, asked)
    if "about" in document:
        _about(document["about"], languages, [item.key for item in asked], sections)
    if "look" in document:
        appearance.check_look(document["look"], languages)
    if "ending" in document:
        appearance.check_ending(document["ending"], languages)
    for name, check_part in FIELDWORK.items():
        if name in document:
            check_part(document[name])
    _encodable(document)
    design = Design.of(document)
    message = gettext("must need at most {most_symbols} symbols in total; got {symbols}")
    symbols = len(design.alphabets)
    require(symbols <= MOST_SYMBOLS, ("items",), message.format(most_symbols=MOST_SYMBOLS, symbols=symbols))
    return design


def _languages(value: object) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValidationError(
            ("languages",), gettext("must be a list of at least one language code; got {value!r}").format(value=value)
        )
    for code in value:
        fits = isinstance(code, str) and LANGUAGE.fullmatch(code)
        require(fits, ("languages",), gettext(": {code!r} is not a language code").format(code=code))
    require(
        len(set(value)) == len(value),
        ("languages",),
        gettext("must differ from each other; got {value!r}").format(value=value),
    )
    return list(value)


def check_released(value: object, path: Path) -> None:
    """Raise ValidationError unless this is an epsilon, as text, for released counts: above 0 and at most 8."""
    require(
        0 < decimal(value, path) <= 8,
        path,
        gettext("must be greater than 0 and at most 8; got {value!r}").format(value=value),
    )


def _strata(value: object, languages: list[str]) -> None:
    strata, place = exact_keys(value, {"wording", "groups"}, ("strata",)), ("strata", "groups")
    groups = strata["groups"]
    if not isinstance(groups, list) or len(groups) == 1:
        raise ValidationError(place, gettext("must have no group or at least 2; got one"))
    require(
        len(groups) <= MOST_GROUPS,
        place,
        gettext("must have at most {most_groups} groups; got {count}").format(
            most_groups=MOST_GROUPS, count=len(groups)
        ),
    )
    text(strata["wording"], ("strata", "wording"), languages, empty=not groups)
    for number, group in enumerate(groups):
        path = (*place, number)
        exact_keys(group, {"key", "label", "share"}, path)
        key(group["key"], (*path, "key"))
        text(group["label"], (*path, "label"), languages)
    distinct([group["key"] for group in groups], place)
    for first, second in pairwise(groups):
        require(
            len(first["key"]) == len(second["key"]),
            place,
            gettext(
                "must have keys of equal length, so that every request has the same size; got {first!r} and {second!r}"
            ).format(first=first["key"], second=second["key"]),
        )
    _shares([group["share"] for group in groups], place)


def _background(document: Mapping[str, object], languages: list[str], asked: list[Item]) -> None:
    """Validate the background questions; groups are another way to ask the same, and noise is for their sizes."""
    place = ("background_questions",)
    groups = document["strata"]["groups"]  # type: ignore[index]
    require(not groups, place, gettext("is only allowed where no question assigns groups; ask it as one of these"))
    noised = "participation" in document
    require(not noised, place, gettext("is not possible where exact group sizes are hidden; a cell is a group"))
    background.check_background(document["background_questions"], languages, [item.key for item in asked])
    arms = Background.of(document["background_questions"]).arms  # type: ignore[arg-type]
    remembers = document.get("waves", {}).get("repeats") == "remember"  # type: ignore[attr-defined]
    both = gettext("cannot have arms where devices remember their tickets: an arm is drawn at each visit")
    require(not (arms and remembers), (*place, "questions"), both)
    agreed = gettext("is only allowed together with consent_statements, which everybody agrees to")
    for number, arm in enumerate(arms):
        path = (*place, "questions", 0, "arms", number, "consent")
        require(not arm.consent or "consent_statements" in document, path, agreed)
    check_instead(asked, arms, (*place, "questions", 0, "arms"))
    check_marks(asked, arms, (*place, "questions", 0, "arms"))


def _shares(shares: list[object], path: Path) -> None:
    known = [share for share in shares if share is not None]
    if not known:
        return
    require(len(known) == len(shares), path, gettext(": either every group must have a share or none"))
    total = sum((fraction(share, (*path, number, "share")) for number, share in enumerate(shares)), Fraction(0))
    require(total == 1, path, gettext(": the shares must sum to 1; they sum to {total}").format(total=total))


def _sections(value: object, languages: list[str]) -> list[str]:
    """Validate the sections and return their keys."""
    if not isinstance(value, list) or not value:
        raise ValidationError(("sections",), gettext("must be a list of at least one section"))
    for number, section in enumerate(value):
        path = ("sections", number)
        exact_keys(section, {"key", "title", "introduction"}, path)
        key(section["key"], (*path, "key"))
        text(section["title"], (*path, "title"), languages)
        text(section["introduction"], (*path, "introduction"), languages, empty=True)
    keys = [section["key"] for section in value]
    distinct(keys, ("sections",))
    return keys


def _about(value: object, languages: list[str], items: list[str], sections: list[str]) -> None:
    """Validate the texts on who asks, and the places behind which the help line is shown."""
    about = exact_keys(value, (), ("about",), optional={*ABOUT, "help_after"})
    require(
        set(ABOUT) & set(about),
        ("about",),
        gettext("must have at least one of {names}").format(names=", ".join(ABOUT)),
    )
    for name in set(ABOUT) & set(about):
        text(about[name], ("about", name), languages)
    if "help_after" not in about:
        return
    place = ("about", "help_after")
    require("help_line" in about, place, gettext("is only allowed together with help_line"))
    after = exact_keys(about["help_after"], (), place, optional={"items", "sections"})
    require(after, place, gettext("must name at least one item or section"))
    for name, keys in {"items": items, "sections": sections}.items():
        if name in after:
            named = listed(after[name], (*place, name))
            proper = named and named == [key for key in keys if key in named]
            require(
                proper,
                (*place, name),
                gettext("must be some of {keys}, in this order; got {named!r}").format(
                    keys=", ".join(keys), named=named
                ),
            )


def _invitations(value: object) -> None:
    """Validate the invitations: codes, or blindly signed tokens of this modulus and exponent 65537."""
    blind = isinstance(value, dict) and value.get("kind") == "blind"
    parts = exact_keys(value, {"kind", "modulus"} if blind else {"kind"}, ("invitations",))
    one_of(parts["kind"], ("secret", "blind"), ("invitations", "kind"), "'secret' or 'blind'")
    if blind:
        modulus = parts["modulus"]
        fits = isinstance(modulus, str) and MODULUS.fullmatch(modulus)
        require(fits, ("invitations", "modulus"), gettext("must be an odd number of 3072 bits, as 768 hex digits"))


def _waves(value: object) -> None:
    """Validate the handling of repeated waves, and e^epsilon that a respondent may have spent before."""
    waves = exact_keys(value, {"repeats", "spent"}, ("waves",))
    one_of(waves["repeats"], ("fresh", "remember"), ("waves", "repeats"), "'fresh' or 'remember'")
    spent = waves["spent"]
    fits = isinstance(spent, str) and SPENT.fullmatch(spent) and Fraction(spent) >= 1
    require(
        fits,
        ("waves", "spent"),
        gettext("must be odds of at least 1 as a fraction, such as '3/1'; got {spent!r}").format(spent=spent),
    )


def _participation(value: object) -> None:
    """Validate the epsilon with which the sizes of groups are released."""
    check_released(exact_keys(value, {"epsilon"}, ("participation",))["epsilon"], ("participation", "epsilon"))


def _ceilings(value: object) -> None:
    """Validate the epsilon limits per question and in total, and the reason for opening above them."""
    ceilings = exact_keys(value, {"question", "total"}, ("ceilings",), optional={"reason"})
    for name in ("question", "total"):
        check_released(ceilings[name], ("ceilings", name))
    if "reason" in ceilings:
        check_reason(ceilings["reason"], ("ceilings", "reason"))


def check_reason(value: object, path: Path) -> None:
    """Raise ValidationError unless this is text of 1 to LONGEST_REASON characters."""
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_REASON or value != value.strip():
        got = gettext("{count} characters").format(count=len(value)) if isinstance(value, str) else repr(value)
        parts = gettext("must be text of 1 to {most} characters without spaces at the ends; got {got}").format(
            most=LONGEST_REASON, got=got
        )
        raise ValidationError(path, parts)
    plain(value, path)


def _encodable(document: object) -> None:
    try:
        canonical(document)
    except UnicodeEncodeError as error:
        raise ValidationError(
            (),
            gettext("the design contains text that is not Unicode: {text!r}").format(
                text=error.object[error.start : error.end]
            ),
        ) from None


FIELDWORK = {
    "invitations": _invitations, "waves": _waves, "participation": _participation, "ceilings": _ceilings,
}  # fmt: skip
"""The parts that are set at opening, with the validation of each."""
