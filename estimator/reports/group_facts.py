"""What a report says of its groups: how they were asked, which are told together, and noise on their sizes."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from collector.designs import FEWEST_IN_GROUP
from estimator.base import wording
from estimator.runs import group_sizes
from estimator.runs.groups import ENOUGH_TO_WEIGHT, epsilon_of, has_shares
from estimator.runs.results import Results

Titled = tuple[str, str]


def of(read: Results) -> Iterator[Titled]:
    """The statements on groups with their titles, where there are any."""
    yield from _group_sizes(read)
    yield from _background(read)
    yield from _groups_together(read)


def _group_sizes(read: Results) -> Iterator[Titled]:
    """The statement on group sizes, if these are released with noise."""
    epsilon = epsilon_of(read.design)
    if epsilon is None:
        return
    text = _(
        "Group sizes are released once, with discrete Laplace noise: epsilon %(epsilon)s for whether a person is "
        "in a group and %(twice)s for which of two groups they are in, in addition to that of their answers. "
        "Nothing else in this report depends on group membership, so there are no estimates by group."
    ) % {"epsilon": wording.epsilon(float(epsilon)), "twice": wording.epsilon(float(2 * epsilon))}
    sizes = group_sizes.released(read.run, read.design)
    labels = [group.label[read.language] for group in read.design.groups]
    if sizes:
        named = "; ".join(
            _("%(group)s: about %(count)s") % {"group": label, "count": wording.count(size)}
            for label, size in zip(labels, sizes, strict=True)
        )
        text = f"{text} {named}."
    else:
        text = f"{text} {_('The noisy sizes are drawn when the survey closes.')}"
    yield (_("Groups"), text)


def _background(read: Results) -> Iterator[Titled]:
    """The statement on background questions: how coarse their answers are, and how many responses tell each."""
    background = read.design.background
    if not background:
        return
    text = _(
        "Asked openly, without randomisation: %(questions)s Each response names one of %(cells)s combinations of "
        "answers, made for at least %(smallest)s of %(expected)s expected respondents each; rarer ones are put "
        "together. Groups by an answer hold the responses that tell it by itself: %(kept)s."
    ) % {
        "questions": " ".join(_ended(question.wording[read.language]) for question in background.questions),
        "cells": wording.count(len(background.cells)),
        "smallest": wording.count(background.smallest_cell),
        "expected": wording.count(background.expected_responses),
        "kept": _kept(read),
    }
    if read.run.anytime:
        text = f"{text} {_('While the survey is open, nothing is estimated by group.')}"
    yield (_("Background questions"), text)


def _ended(wording: str) -> str:
    """A question, with a full stop where it ends in nothing else."""
    return wording if wording.endswith(("?", "؟", "!", ".", ":", "…")) else f"{wording}."


def _kept(read: Results) -> str:
    """For each background question, the share of responses that tell an answer by itself."""
    sizes = read.items[0].totals[0].sum(axis=1)
    told: dict[str, float] = {question.key: 0 for question in read.design.background.questions}
    for group in read.partition.groups:
        told[group.key.partition("=")[0]] += float(sizes[list(group.rows)].sum())
    total = max(float(sizes.sum()), 1.0)
    named = zip(read.design.background.questions, told.values(), strict=True)
    return "; ".join(f"{one.wording[read.language]} {wording.percent(n / total, 0)}" for one, n in named)


def _groups_together(read: Results) -> Iterator[Titled]:
    """The statement on groups that are not released separately."""
    if read.design.background or not read.partition.is_suppressed:
        return
    other, fewest = read.partition.other, wording.count(FEWEST_IN_GROUP)
    if other is None:
        text = _("No estimates by group: too few groups have %(fewest)s responses.")
        if has_shares(read.design):
            text = _(
                "No estimates by group: they take at least two groups of %(fewest)s responses and, since the "
                "groups’ population shares are known, %(enough)s responses in total."
            )
        yield (_("Groups"), text % {"fewest": fewest, "enough": ENOUGH_TO_WEIGHT})
        return
    text = _(
        "A group is shown if it has at least %(fewest)s responses. Smaller groups (and, if these are still too "
        "few together, the next larger one) are combined as “%(other)s”: %(names)s."
    )
    yield (_("Groups"), text % {"fewest": fewest, "other": other.label, "names": ", ".join(other.names)})
