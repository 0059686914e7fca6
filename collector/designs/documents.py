"""Validation of a document before it is frozen as a design. All that is assumed of one is checked here."""

import re
from fractions import Fraction
from itertools import pairwise

from collector.designs import appearance, entry, items
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
from collector.designs.design import ABOUT, Design, canonical
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
    "screening",
}  # fmt: skip

LONGEST_REASON = 500


def check(value: object) -> Design:
    """Validate a document and return it as a design; raise ValidationError at the first error."""
    document = exact_keys(value, KEYS, ("design",), optional=OPTIONAL)
    require(document["format"] == FORMAT, ("format",), f"must be {FORMAT}; got {document['format']!r}")
    key(document["slug"], ("slug",))
    whole(document["version"], ("version",), low=1)
    rehearsal = document["rehearsal"]
    require(isinstance(rehearsal, bool), ("rehearsal",), f"must be true or false; got {rehearsal!r}")
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
    if "about" in document:
        _about(document["about"], languages, [item.key for item in asked], sections)
    if "look" in document:
        appearance.check_look(document["look"], languages)
    if "ending" in document:
        appearance.check_ending(document["ending"], languages)
    if "invitations" in document:
        _invitations(document["invitations"])
    if "waves" in document:
        _waves(document["waves"])
    if "participation" in document:
        participation = exact_keys(document["participation"], {"epsilon"}, ("participation",))
        check_released(participation["epsilon"], ("participation", "epsilon"))
    if "ceilings" in document:
        _ceilings(document["ceilings"])
    _encodable(document)
    design = Design.of(document)
    symbols = len(design.alphabets)
    require(symbols <= MOST_SYMBOLS, ("items",), f"must produce at most {MOST_SYMBOLS} symbols in total; got {symbols}")
    return design


def _languages(value: object) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValidationError(("languages",), f"must be a list of at least one code; got {value!r}")
    for code in value:
        fits = isinstance(code, str) and LANGUAGE.fullmatch(code)
        require(fits, ("languages",), f": {code!r} is not a language code")
    require(len(set(value)) == len(value), ("languages",), f"must differ from each other; got {value!r}")
    return list(value)


def check_released(value: object, path: Path) -> None:
    """Raise ValidationError unless this is an epsilon, as text, for released counts: above 0 and at most 8."""
    require(0 < decimal(value, path) <= 8, path, f"must be above 0 and at most 8; got {value!r}")


def _strata(value: object, languages: list[str]) -> None:
    strata, place = exact_keys(value, {"wording", "groups"}, ("strata",)), ("strata", "groups")
    groups = strata["groups"]
    if not isinstance(groups, list) or len(groups) == 1:
        raise ValidationError(place, "must have no groups or at least 2; got 1")
    require(len(groups) <= MOST_GROUPS, place, f"must have at most {MOST_GROUPS} groups; got {len(groups)}")
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
            "must have keys of equal length, so that all requests have the same size; "
            f"got {first['key']!r} and {second['key']!r}",
        )
    _shares([group["share"] for group in groups], place)


def _shares(shares: list[object], path: Path) -> None:
    known = [share for share in shares if share is not None]
    if not known:
        return
    require(len(known) == len(shares), path, ": shares must be given for all groups or for none")
    total = sum((fraction(share, (*path, number, "share")) for number, share in enumerate(shares)), Fraction(0))
    require(total == 1, path, f": the shares must sum to 1; they sum to {total}")


def _sections(value: object, languages: list[str]) -> list[str]:
    """Validate the sections and return their keys."""
    if not isinstance(value, list) or not value:
        raise ValidationError(("sections",), "must be a list of at least one section if present")
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
    require(set(ABOUT) & set(about), ("about",), f"must have at least one of {', '.join(ABOUT)} if present")
    for name in set(ABOUT) & set(about):
        text(about[name], ("about", name), languages)
    if "help_after" not in about:
        return
    place = ("about", "help_after")
    require("help_line" in about, place, "is required with help_line, and allowed only with it")
    after = exact_keys(about["help_after"], (), place, optional={"items", "sections"})
    require(after, place, "must name at least one item or section if present")
    for name, keys in {"items": items, "sections": sections}.items():
        if name in after:
            named = listed(after[name], (*place, name))
            proper = named and named == [key for key in keys if key in named]
            require(proper, (*place, name), f"must be some of {', '.join(keys)}, in this order; got {named!r}")


def _invitations(value: object) -> None:
    """Validate the invitations: codes, or blindly signed tokens of this modulus and exponent 65537."""
    blind = isinstance(value, dict) and value.get("kind") == "blind"
    parts = exact_keys(value, {"kind", "modulus"} if blind else {"kind"}, ("invitations",))
    one_of(parts["kind"], ("secret", "blind"), ("invitations", "kind"), "'secret' or 'blind'")
    if blind:
        modulus = parts["modulus"]
        fits = isinstance(modulus, str) and MODULUS.fullmatch(modulus)
        require(fits, ("invitations", "modulus"), "must be an odd number of 3072 bits, as 768 hex digits")


def _waves(value: object) -> None:
    """Validate the handling of repeated waves, and e^epsilon that a respondent may have spent before."""
    waves = exact_keys(value, {"repeats", "spent"}, ("waves",))
    one_of(waves["repeats"], ("fresh", "remember"), ("waves", "repeats"), "'fresh' or 'remember'")
    spent = waves["spent"]
    fits = isinstance(spent, str) and SPENT.fullmatch(spent) and Fraction(spent) >= 1
    require(fits, ("waves", "spent"), f"must be odds of at least 1 as a fraction, such as '3/1'; got {spent!r}")


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
        got = f"{len(value)} characters" if isinstance(value, str) else repr(value)
        parts = f"must be text of 1 to {LONGEST_REASON} characters without spaces at either end; got {got}"
        raise ValidationError(path, parts)
    plain(value, path)


def _encodable(document: object) -> None:
    try:
        canonical(document)
    except UnicodeEncodeError as error:
        raise ValidationError(
            (), f"the design holds text that is not Unicode: {error.object[error.start : error.end]!r}"
        ) from None
