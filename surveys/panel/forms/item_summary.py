"""A question of a draft in one line: its kind, its options, and its protection."""

from django.utils.translation import gettext

from estimator.base import wording
from estimator.base.mechanisms import PARAMETERS
from surveys.definition.mechanisms import mechanism_of
from surveys.labels import translated
from surveys.lifecycle import selectors
from surveys.models import Item

SUMMARISED = {name for name, parameter in PARAMETERS.items() if parameter.in_summary}


def facts_of(item: Item) -> str:
    """The kind of a question and its options."""
    words = [translated(item.get_kind_display())]
    words += (
        [
            gettext("{minimum} to {maximum} in steps of {step}").format(
                minimum=item.minimum, maximum=item.maximum, step=item.step
            )
        ]
        if item.kind == Item.Kind.NUMBER
        else []
    )
    words += [gettext("at most {most}").format(most=item.most)] if item.most else []
    words += [gettext("“prefer not to say” offered")] if item.prefer_not else []
    words += [] if item.required else [gettext("optional")]
    words += [gettext("dropdown")] if item.dropdown else []
    words += [gettext("row of a grid")] if item.heading else []
    words += [gettext("shuffled, except the last") if item.keep_last else gettext("shuffled")] if item.shuffle else []
    words += (
        [gettext("asked only after some answers to {asked_if}").format(asked_if=item.asked_if["item"])]
        if item.asked_if
        else []
    )
    return " · ".join([*words, *([gettext("section {section}").format(section=item.section)] if item.section else [])])


def protection_of(item: Item) -> str:
    """Its truth probability, if it has one, and its epsilon; no epsilon while its mechanism is unusable."""
    definition = selectors.item_of(item)
    given = [f"{name} {value}" for name, value in definition["channel"].items() if name in SUMMARISED]
    try:
        epsilon = [gettext("epsilon {epsilon}").format(epsilon=wording.epsilon(mechanism_of(definition).epsilon))]
    except (KeyError, TypeError, ValueError):
        epsilon = []
    return ", ".join([*given, *epsilon])
