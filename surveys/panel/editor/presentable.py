"""A draft filled in as far as its page needs it, so that the preview shows what is there while the rest is written."""

import json
from collections.abc import Mapping
from typing import Any, cast

from django.conf import settings
from django.utils.translation import gettext

from collector.designs import Design
from collector.designs.background import check_background
from collector.designs.items import MOST_ANSWERS
from collector.errors import ValidationError
from surveys.definition import bounds, ceilings, definitions, shape
from surveys.definition.background import frozen_background, versions_in
from surveys.definition.definitions import OpeningOptions, drawn_items
from surveys.definition.mechanisms import mechanism_of
from surveys.definition.parts import AppearancePart, ArmPart, Definition, EndingPart, ItemPart, LookPart, Text
from surveys.definition.questions import frozen_item
from surveys.planning.draft_prices import GRID, plannable

SLUG = "preview"
REASON = "Here stands the reason that you give when you open it."
"""Of a draft above a ceiling: without a reason its page would ask nothing."""

TRIES = 8
"""Faults of questions that are put aside one after another; a draft with more shows the list of them."""

OPTIONAL = ("asked_if", "unasked", "section", "most", "shuffle", "keep_last", "dropdown", "heading", "required")


def presentable(definition: Definition) -> Design:
    """The design of a draft whose gaps are filled. Raises ValidationError where that is not enough."""
    draft = _filled(answerable(definition))
    for _ in range(TRIES):
        try:
            opening = OpeningOptions(reason=REASON if _is_above_a_ceiling(draft) else "")
            design = drawn_items(draft, version=1, opening=opening)
            if any(ceilings.excesses(design)) == bool(design.reason):
                return design
            return ceilings.without_reason(design) if design.reason else ceilings.with_reason(design, REASON)
        except ValidationError as error:
            fault = error
            if not _put_aside(draft, error):
                raise
    raise fault


def answerable(definition: Definition) -> Definition:
    """The definition as one that people answer: no browser shows a page whose respondents are all simulated."""
    return {**definition, "rehearsal": False}


def with_needed_reason(design: Design) -> Design:
    """The design with a reason where it is above a ceiling: without one its page would ask nothing."""
    return ceilings.with_reason(design, REASON) if any(ceilings.excesses(design)) else design


def _is_above_a_ceiling(draft: Definition) -> bool:
    """As good as certain, and known before the design, which is then made once: it takes most of the time."""
    losses = [mechanism_of(item).epsilon for item in draft["items"]]
    return sum(losses) > float(ceilings.TOTAL) or max(losses) > float(settings.CANDOR_EPSILON_CEILING_QUESTION)


def parsed_definition(text: str) -> Definition:
    """A definition in the form in which the script has it. Raises ValidationError."""
    try:
        raw = json.loads(text)
    except ValueError:
        raise ValidationError((), gettext("the definition must be JSON")) from None
    bounds.require_plain(raw)
    definition = definitions.complete(raw)
    shape.require_shape(definition)
    return definition


def _filled(definition: Definition) -> Definition:
    codes = definition["languages"]
    strata = definition["strata"]
    groups = [{**group, "label": _text(group["label"], codes, "…")} for group in strata["groups"]]
    about = {name: _text(text, codes, "…") for name, text in definition.get("about", {}).items()}
    if any(part.get("help_after") for part in (*definition["items"], *definition.get("sections", []))):
        about.setdefault("help_line", _text({}, codes, "…"))
    sections = [
        {**one, "title": _text(one["title"], codes, "…"), "introduction": _text(one["introduction"], codes, "")}
        for one in definition.get("sections", [])
    ]
    items = [_item(item, codes) for item in definition["items"]] or [_item(_first(), codes)]
    left_out = ("invitations", "participation", "ending", "background_questions")
    filled = {name: value for name, value in definition.items() if name not in left_out} | {
        "slug": SLUG,
        "title": _text(definition["title"], codes, "…"),
        "introduction": _text(definition["introduction"], codes, ""),
        "consent": _text(definition["consent"], codes, ""),
        **_entry(definition, codes),
        **({"about": about} if about else {}),
        **_look(definition, codes),
        **_ending(definition, codes),
        "strata": {"wording": _text(strata["wording"], codes, "…" if groups else ""), "groups": groups},
        "items": items,
    }
    if background := _background(definition, codes):
        filled["background_questions"] = background
        _agree(cast("Definition", filled), codes)
    return cast("Definition", filled | ({"sections": sections} if sections else {}))


def _entry(definition: Definition, codes: list[str]) -> dict[str, object]:
    """The consent statements, and the screening question with two answers of which the last ends the survey."""
    made: dict[str, object] = {}
    if statements := definition.get("consent_statements"):
        made["consent_statements"] = [_text(statement, codes, "…") for statement in statements]
    if screening := definition.get("screening"):
        choices = [*screening["choices"], {}, {}][: max(2, len(screening["choices"]))]
        ends = sorted({end for end in screening["ends"] if 0 <= end < len(choices)})
        made["screening"] = {
            **{name: _text(screening[name], codes, "…") for name in ("wording", "text")},
            "choices": [_text(choice, codes, f"({place})") for place, choice in enumerate(choices, start=1)],
            "ends": ends if 0 < len(ends) < len(choices) else [len(choices) - 1],
        }
    return made


def _background(definition: Definition, codes: list[str]) -> object:
    """The background questions; none while they make no cells, or where there are groups."""
    asked = definition.get("background_questions")
    if not asked or definition["strata"]["groups"]:
        return None
    questions: Any = [
        {
            **one,
            "wording": _text(one["wording"], codes, "…"),
            "choices": [_text(choice, codes, f"({place})") for place, choice in enumerate(one["choices"], start=1)],
            **({"prefer_not": _text(one["prefer_not"], codes, "–")} if "prefer_not" in one else {}),
            **({"arms": [_arm(arm, codes) for arm in one["arms"]]} if "arms" in one else {}),
        }
        for one in asked["questions"]
    ]
    made: Any = {**asked, "questions": questions}
    try:
        check_background(frozen_background(made), codes, [])
    except ValidationError:
        return None
    return made


def _arm(arm: ArmPart, codes: list[str]) -> Mapping[str, object]:
    texts: Any = {name: _text(arm[name], codes, "…") for name in ("introduction", "consent") if name in arm}
    return {**arm, **texts}


def _agree(filled: Definition, codes: list[str]) -> None:
    """Put consent statements where versions of the page need them: without one the page would refuse to ask."""
    asked = filled["background_questions"]["questions"][0]
    losses = [mechanism_of(item).epsilon for item in filled["items"]]
    totals = [sum(losses[place] for place in version) for version in versions_in(filled)]
    for arm, total in zip(asked.get("arms", ()), totals, strict=False):
        if total > min(totals) and "consent" not in arm:
            arm["consent"] = _text({}, codes, "…")
    if any("consent" in arm for arm in asked.get("arms", ())):
        filled.setdefault("consent_statements", [_text({}, codes, "…")])


def _look(definition: Definition, codes: list[str]) -> AppearancePart:
    """Colours, typeface and logo, the latter with its alternative text in every language."""
    look = definition.get("look", {})
    return {"look": cast("LookPart", {**look, "logo": _shown(look["logo"], codes)})} if "logo" in look else {}


def _ending(definition: Definition, codes: list[str]) -> AppearancePart:
    """The end with its texts in every language; a link without an address is not shown yet."""
    written = definition.get("ending", {})
    ending: EndingPart = {}
    if "text" in written:
        ending["text"] = _text(written["text"], codes, "…")
    if "link" in written and (address := written["link"]["address"]):
        ending["link"] = {"label": _text(written["link"]["label"], codes, "…"), "address": address}
    if "completion" in written:
        ending["completion"] = written["completion"]
    return {"ending": ending} if ending else {}


def _item(item: ItemPart, codes: list[str]) -> ItemPart:
    made: Any = {**plannable(item), "wording": _text(item["wording"], codes, "…")}
    most = MOST_ANSWERS - ("prefer_not" in item)
    made["choices"] = (
        [_text(choice, codes, f"({place})") for place, choice in enumerate(made["choices"][:most], start=1)]
        if item["kind"] != "number"
        else []
    )
    if "heading" in item:
        made["heading"] = _text(item["heading"], codes, "…")
    if "before" in item:
        made["before"] = {name: _shown(part, codes) for name, part in made["before"].items()}
    if "choice_pictures" in item:
        made["choice_pictures"] = _pictures(item, codes)
    if "prefer_not" in item:
        made["prefer_not"] = _text(item["prefer_not"], codes, "…")
    whole = cast("ItemPart", made)
    try:
        frozen_item(whole, ())
    except ValidationError:
        made["channel"] = _any_channel(whole)
        if item["kind"] == "number":
            made |= GRID
    return whole


def _pictures(item: ItemPart, codes: list[str]) -> list[object]:
    """As many pictures of choices as there are choices."""
    shown = [picture and _shown(picture, codes) for picture in item["choice_pictures"]]
    count = max(2, len(item["choices"]))
    return [*shown, *[None] * count][:count]


def _shown(part: Any, codes: list[str]) -> object:
    """A text, or a picture with its alternative text."""
    if "digest" in part:
        return {**part, "alternative": _text(part["alternative"], codes, "…")}
    return _text(part, codes, "…")


def _any_channel(item: ItemPart) -> Mapping[str, str]:
    kind = item["kind"]
    if kind == "number":
        return {"name": "discrete_laplace", "epsilon": "1"}
    return (
        {"name": "forced_response", "truth": "1/2", "yes": "1/2"}
        if kind == "several_choices"
        else {
            "name": "k_ary",
            "truth": "1/2",
        }
    )


def _text(text: Text, codes: list[str], otherwise: str) -> Text:
    """The text in each language: its own words, else another language's."""
    some = next((words for words in text.values() if words.strip()), otherwise)
    return {code: text.get(code, "").strip() or some for code in codes}


def _first() -> ItemPart:
    return {
        "key": "first",
        "kind": "yes_no",
        "wording": {},
        "choices": [],
        "channel": {"name": "k_ary", "truth": "1/2"},
    }


def _put_aside(draft: Definition, error: ValidationError) -> bool:
    """Take out of a question what the design refuses; False if the error is of no question."""
    match error.path:
        case ("items", int(place), *_) if place < len(draft["items"]):
            item: Any = dict(draft["items"][place])
            removed = [item.pop(name) for name in OPTIONAL if name in item]
            draft["items"][place] = cast("ItemPart", item)
            return bool(removed)
        case ("background_questions", "questions", 0, "arms", int(place), "instead"):
            draft["background_questions"]["questions"][0]["arms"][place].pop("instead", None)
            return True
        case ("background_questions", "questions", 0, "arms", int(place), "explanation"):
            draft["background_questions"]["questions"][0]["arms"][place]["explanation"] = "before"
            return True
        case ("look" | "ending" as name, *_):
            draft.pop(name, None)
            return True
        case ("items",) if error.code == "duplicate":
            for place, one in enumerate(draft["items"]):
                one["key"] = f"q{place}"
            return True
    return False
