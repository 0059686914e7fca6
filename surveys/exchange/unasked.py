"""Conditions of the source on questions of the definition: which earlier answers, and what is sent without asking."""

from django.utils.translation import gettext

from collector.errors import ValidationError
from surveys.exchange.conditions import OTHERWISE
from surveys.exchange.items import MadeItem
from surveys.exchange.source import Condition, Question, Wanted, shown


def _unfit(reason: str) -> ValidationError:
    """The error for a condition that does not fit the questions that were taken over."""
    return ValidationError((), reason)


def with_condition(made: MadeItem, question: Question, known: dict[str, MadeItem], withheld: dict[str, str]) -> None:
    """Give a question the condition of its own and of its section, as far as one earlier question can say it."""
    own = [question.condition] if question.condition else []
    conditions = [*(question.section.conditions if question.section else []), *own]
    parts: list[tuple[Condition, MadeItem, list[int]]] = []
    for one in conditions:
        try:
            if one.wanted is None:
                raise _unfit(one.problem)
            parts += [(one, *_places(wanted, known)) for wanted in one.wanted]
        except ValidationError as reason:
            _lose(made, one, str(reason))
    if not parts:
        return
    order = list(known.values())
    last = max(parts, key=lambda part: order.index(part[1]))
    for part in parts:
        if part is not last and not _implied(part, last, known):
            _lose(made, part[0], gettext("it is combined with another condition, and Candor uses one earlier question"))
    made.item["asked_if"] = {"item": last[1].item["key"], "answers": last[2]}
    if "unasked" not in made.stored:
        _send_without_asking(made, withheld)


def _lose(made: MadeItem, condition: Condition, reason: str) -> None:
    made.say(
        gettext("Its condition {written} is left out: {reason}.").format(
            written=shown(condition.written), reason=reason
        )
    )
    made.suggestion = made.suggestion or f"{OTHERWISE[:1].upper()}{OTHERWISE[1:]}."


def _places(wanted: Wanted, known: dict[str, MadeItem]) -> tuple[MadeItem, list[int]]:
    """The earlier question of a part of a condition, and the places of its answers."""
    found, codes = known.get(wanted.name), wanted.codes
    if found is None and "_" in wanted.name:  # an option of several choices, as LimeSurvey names it
        name, code = wanted.name.rsplit("_", 1)
        if (found := known.get(name)) and codes <= {"Y", "N", "1", "0", "true", "false"}:
            negated = wanted.negated != (codes <= {"N", "0", "false"})
            wanted, codes = Wanted(name, frozenset([code]), negated), frozenset([code])
    if found is None:
        raise _unfit(gettext("there is no earlier question {name} that was imported").format(name=shown(wanted.name)))
    if found.item["kind"] == "number":
        raise _unfit(f"{found.item['key']} is a number")
    unknown = [code for code in codes if code not in found.codes]
    if unknown:
        raise _unfit(gettext("{item} has no answer {shown}").format(item=found.item["key"], shown=shown(unknown[0])))
    places = sorted({found.codes[code] for code in codes})
    count = len(found.item["choices"]) + ("prefer_not" in found.item)
    if wanted.negated:
        if found.item["kind"] == "several_choices":
            raise _unfit(gettext("it asks whether an option is not ticked"))
        places = [place for place in range(count) if place not in places]
    if not 0 < len(places) < count:
        raise _unfit(gettext("it is true for all answers or for none"))
    return found, places


def _implied(
    part: tuple[Condition, MadeItem, list[int]],
    last: tuple[Condition, MadeItem, list[int]],
    known: dict[str, MadeItem],
) -> bool:
    """Whether the last question is asked only where the other part holds, or is that part."""
    by_key = {one.item["key"]: one for one in known.values()}
    wanted = {"item": part[1].item["key"], "answers": part[2]}
    if wanted == {"item": last[1].item["key"], "answers": last[2]}:
        return True
    step: MadeItem | None = last[1]
    while step is not None and (condition := step.item.get("asked_if")):
        if condition == wanted:
            return True
        step = by_key.get(condition["item"])
    return False


def _send_without_asking(made: MadeItem, withheld: dict[str, str]) -> None:
    """The answer that is sent for those who are not asked, so that nobody sees who was."""
    item = made.item
    if item["kind"] == "several_choices":
        return
    if item["kind"] == "number":
        item["unasked"] = item["minimum"]
        said = item["minimum"]
    elif made.never is not None:
        item["unasked"] = made.never
        said = next(filter(None, item["choices"][made.never].values()), "")
    else:
        item.setdefault("prefer_not", withheld)
        item["unasked"] = len(item["choices"])
        said = next(filter(None, item["prefer_not"].values()), "")
    made.say(gettext("For those who are not asked, “{said}” is sent.").format(said=said))
