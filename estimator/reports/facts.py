"""Facts in a report besides its estimates: summary, how to read it, privacy label, disclosures, limits."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

import numpy as np
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from collector.designs import FEWEST_IN_GROUP
from collector.models import FrozenDesign
from estimator.base import wording
from estimator.base.birthdays import by_birthdays
from estimator.base.languages import formatted
from estimator.base.measures import SHARE
from estimator.base.ways_in import way_in
from estimator.models import Disclosure
from estimator.reports import disclosures, retention
from estimator.reports.methods import confidence
from estimator.reports.privacy import PrivacyLabel
from estimator.reports.question_blocks import QuestionBlock
from estimator.runs import group_sizes, targets
from estimator.runs.estimation import collapsed, known_shares
from estimator.runs.groups import ENOUGH_TO_WEIGHT, epsilon_of, has_shares, is_protected
from estimator.runs.results import Results

DAY = {"en": "j F Y", "de": "j. F Y"}
MOMENT = {"en": "j F Y, H:i", "de": "j. F Y, H:i"}


@dataclass(frozen=True)
class Fact:
    """A titled text: the platform's `text`, and in `language` the author's (`written`).

    `missing`: the author wrote nothing where she alone knows.
    """

    title: str
    text: str
    written: str = ""
    language: str = ""
    missing: bool = False
    code: bool = False


class KeySentence(NamedTuple):
    """A sentence, with the question that it answers or without one."""

    question: str
    sentence: str


def day(date_: date | datetime) -> str:
    """Format a day in the report's language."""
    return formats.date_format(date_, DAY[formatted()])


def moment(time: datetime) -> str:
    """Format a time in UTC, to the minute."""
    return _("%(time)s UTC") % {"time": formats.date_format(time, MOMENT[formatted()])}


def key_sentences(
    read: Results, blocks: tuple[QuestionBlock, ...], *, simulated: bool, sampling: bool
) -> Iterator[KeySentence]:
    """The findings of the report, in sentences that can be quoted one by one."""
    counted = {"n": wording.count(read.run.reports or 0), "respondents": wording.respondents(simulated=simulated)}
    counted |= {"day": day(_snapshot(read))}
    yield KeySentence("", _("The reports of %(n)s %(respondents)s were counted on %(day)s.") % counted)
    for block in blocks:
        line = block.headline
        yield KeySentence(block.wording, line.sentence or f"{line.missing}.")
    those = _("These numbers are for %(target)s. The report claims nothing about anybody else.")
    declared = _(
        "The intervals in these sentences hold the chance of the tickets alone, for %(noise)s; the tables have those "
        "of a simple random sample too, as the author declares it, for %(target)s."
    )
    text, noise = declared if sampling else those, targets.of_all(read.partition, sampled=False)
    yield KeySentence("", text % {"noise": noise, "target": targets.of_all(read.partition, sampled=sampling)})


def how_to_read() -> str:
    return _(
        "Every answer was randomised by a ticket before it was sent, so that a single report says little about its "
        "sender. The odds of the tickets are known, so their effect is taken out of the totals again; what is left is "
        "an estimate, and its interval says how far chance may have moved it. “Needed if asked directly” is how many "
        "people a direct question would have had to reach, all of them honest, for the same standard error."
    )


def label_facts(read: Results, label: PrivacyLabel) -> Iterator[Fact]:
    """The privacy label, without its tables."""
    local = _("Local: an answer is randomised on the respondent’s own device, before anything is sent.")
    if read.run.coin_reports and by_birthdays(read.design):
        local = _("Local: an answer is randomised on the respondent’s own device or by a birthday before it is sent.")
    elif read.run.coin_reports:
        local = _(
            "Local: an answer is randomised on the respondent’s own device or with a coin of her own, before anything "
            "is sent."
        )
    yield Fact(_("Model"), local)
    waves = _("One person, all her answers: in this wave, and in all waves so far.")
    yield Fact(_("Unit"), waves if label.before else _("One person, all answers."))
    total = _(
        "Epsilon %(epsilon)s. Whatever anyone believed before, all of a person’s reports together multiply the odds "
        "between any two of her possible sets of answers by %(odds)s at most."
    )
    of_wave = _(
        "Epsilon %(epsilon)s. Whatever anyone believed before, all of a person’s reports of this wave together "
        "multiply the odds between any two of her possible sets of answers by %(odds)s at most."
    )
    total = of_wave if label.before else total
    yield Fact(_("Total"), total % {"epsilon": label.epsilon_text, "odds": label.odds_text})
    if label.before:
        yield Fact(_("All waves"), label.before.in_words)
    if label.reason:
        yield Fact(_("Above the ceiling"), label.ceilings_in_words, label.reason, read.language)
    if not read.design.rehearsal:
        yield Fact(_("Not counted"), label.uncounted)
        yield Fact(_("Who could answer"), str(label.way_in.protection))
    yield from _group_sizes(read)
    yield from _groups_together(read)
    yield Fact(_("Stored"), label.stored)
    if read.design.rehearsal:
        yield Fact(_("Retention"), _("The reports of simulated respondents are forgotten once they are estimated."))
    else:
        yield Fact(_("Retention"), retention.in_words(read.context.retention_days))
    yield Fact(_("Design"), label.digest, code=True)


def _group_sizes(read: Results) -> Iterator[Fact]:
    """The statement on group sizes, if these are released with noise."""
    epsilon = epsilon_of(read.design)
    if epsilon is None:
        return
    text = _(
        "How many people are in each group is released once, with discrete Laplace noise: epsilon %(epsilon)s for "
        "whether a person is in a group and %(twice)s for in which of two she is, beside that of her answers. Nothing "
        "else here depends on who is in which group, so nothing is estimated by group."
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
        text = f"{text} {_('They are drawn when the survey is closed.')}"
    yield Fact(_("Groups"), text)


def _groups_together(read: Results) -> Iterator[Fact]:
    """The statement on groups that are not released separately."""
    if not read.partition.is_suppressed:
        return
    other, fewest = read.partition.other, wording.count(FEWEST_IN_GROUP)
    if other is None:
        text = _("Nothing is told by group: too few of the groups have %(fewest)s reports.")
        if has_shares(read.design):
            text = _(
                "Nothing is told by group: that takes two groups of at least %(fewest)s reports and, as their shares "
                "of the population are known, %(enough)s reports in all."
            )
        yield Fact(_("Groups"), text % {"fewest": fewest, "enough": ENOUGH_TO_WEIGHT})
        return
    text = _(
        "Numbers are told of a group where at least %(fewest)s reports are of it. Smaller groups, and where they would "
        "be too few together the next larger one too, are told of together as “%(other)s”: %(names)s."
    )
    yield Fact(_("Groups"), text % {"fewest": fewest, "other": other.label, "names": ", ".join(other.names)})


def disclosed(read: Results, disclosure: Disclosure) -> Iterator[Fact]:
    """The disclosure items of AAPOR's Code: the author's, and those that the platform knows."""
    processing = _(
        "A report that has not the form of the design is refused as it arrives; every other one is counted, once. "
        "Nothing is left out, corrected or imputed afterwards."
    )
    ours = {"mode": mode(read), "weighting": _weighting(read), "processing": processing}
    for field in disclosures.FIELDS:
        text, language = disclosures.text_in(disclosure, field.name, formatted())
        known = ours.get(field.name, "")
        missing = not (known or text)
        yield Fact(str(field.title), _("Left empty by the author.") if missing else known, text, language, missing)
        if field.name == "sponsor":
            yield from _asked_by(read)
        if field.name == "population":
            yield Fact(_("Wording"), _("Word for word in this report: questions, choices, and what was explained."))
        if field.name == "mode":
            yield Fact(_("Dates"), _dates(read))
            yield Fact(_("Reports and precision"), _precision(read, disclosure))


def _asked_by(read: Results) -> Iterator[Fact]:
    """Who asked, as respondents were told."""
    titles = {"sender": _("Sender"), "institution": _("Institution"), "contact": _("Contact")}
    for name, title in (titles | {"data_protection": _("Data protection")}).items():
        if text := read.design.about.text(name, read.language):
            yield Fact(title, "", text, read.language)


def mode(read: Results) -> str:
    """The mode of response, and who could take part."""
    if read.design.rehearsal:
        return _("Simulated respondents, whose answers went the way of real ones.")
    way = way_in(read.design)
    if not read.run.coin_reports:
        return str(way.mode)
    text = ngettext(
        "%(count)s of the reports was randomised with a coin or a die of the person’s own, %(where)s.",
        "%(count)s of the reports were randomised with a coin or a die of the person’s own, %(where)s.",
        read.run.coin_reports,
    )
    if by_birthdays(read.design):
        text = ngettext(
            "%(count)s of the reports was randomised by a birthday that the person knows, %(where)s.",
            "%(count)s of the reports were randomised by a birthday that the person knows, %(where)s.",
            read.run.coin_reports,
        )
    return f"{way.mode} {text % {'count': wording.count(read.run.coin_reports), 'where': way.coin}}"


def _weighting(read: Results) -> str:
    shares = known_shares(read.partition)
    unused = has_shares(read.design) and not shares
    if unused and is_protected(read.design):
        return _(
            "None: each report counts alike. The known shares of the groups are not used, because a weighted number "
            "would tell how many people are in each."
        )
    if unused:
        text = _(
            "None: each report counts alike. The known shares of the groups are not used: that takes two groups of at "
            "least %(fewest)s reports, and %(enough)s reports in all."
        )
        return text % {"fewest": wording.count(FEWEST_IN_GROUP), "enough": ENOUGH_TO_WEIGHT}
    if not shares:
        return _("None: each report counts alike.")
    named = ", ".join(
        f"{part.label} {wording.percent(share, 1)}" for part, share in zip(read.partition.parts, shares, strict=True)
    )
    text = _("The groups are weighted by their known shares of the population: %(shares)s.") % {"shares": named}
    return " ".join([text, *_weighted_as_one(read)])


def _weighted_as_one(read: Results) -> Iterator[str]:
    """The groups of a rehearsal that share a weight, with their reports; otherwise the partition has them."""
    strata = np.stack(read.items[0].totals, axis=1)
    sizes = strata[:, 0].sum(axis=1)
    text = _(
        "Groups of fewer than %(fewest)s reports, and where they would be too few together the next larger one too, "
        "have one weight together: %(names)s."
    )
    for places in (places for places in collapsed(strata) if len(places) > 1):
        names = ", ".join(f"{read.partition.parts[place].label} ({wording.count(sizes[place])})" for place in places)
        yield text % {"fewest": wording.count(FEWEST_IN_GROUP), "names": names}


def _dates(read: Results) -> str:
    design = FrozenDesign.objects.only("opened_on", "closed_on").get(digest=read.design.digest)
    counted, opened = moment(_snapshot(read)), day(design.opened_on)
    if read.run.anytime or design.closed_on is None:
        days = {"opened": opened, "counted": counted}
        return _("Opened on %(opened)s, still open when it was counted on %(counted)s.") % days
    days = {"opened": opened, "closed": day(design.closed_on), "counted": counted}
    return _("Opened on %(opened)s, closed on %(closed)s, counted on %(counted)s.") % days


def _precision(read: Results, disclosure: Disclosure) -> str:
    sentences = [_("n = %(n)s.") % {"n": wording.count(read.run.reports or 0)}]
    level = confidence(read)
    margin = _widest(read, sampled=False)
    if margin is not None:
        text = _(
            "For %(target)s, the ends of the %(confidence)s intervals of all respondents’ shares are at most "
            "%(margin)s points from the estimate."
        )
        named = {"target": targets.of_all(read.partition, sampled=False), "margin": wording.points_up(margin)}
        sentences.append(text % {"confidence": level, **named})
    sampled = _widest(read, sampled=True) if disclosure.has_margin else None
    if sampled is not None:
        text = _("With the sampling error of a simple random sample, for %(target)s: at most %(margin)s points.")
        named = {"target": targets.of_all(read.partition, sampled=True), "margin": wording.points_up(sampled)}
        sentences.append(text % named)
    return " ".join([*sentences, *_no_margin(disclosure)])


def _no_margin(disclosure: Disclosure) -> Iterator[str]:
    """The reason why no margin of sampling error is stated."""
    if not disclosure.probability_sample:
        yield _("No margin of sampling error is stated, because the author has not declared a probability sample.")
    elif not disclosure.has_margin:
        yield _(
            "No margin of sampling error is stated: the author declares a probability sample, but not that everybody "
            "had the same chance of being drawn and each was drawn alone. Unequal chances and clusters change the "
            "error by a design effect, which cannot be computed from what is declared."
        )


def _widest(read: Results, *, sampled: bool) -> float | None:
    """The largest distance from a share of all respondents to an end of its interval; None if there is none."""
    found = []
    for cell in (cell for item in read.items for cell in item.shares if not cell.group_key):
        one = cell.estimate
        low, high = (one.low, one.high) if sampled else (one.noise_low, one.noise_high)
        if one.measure == SHARE and one.constrained is not None and low is not None and high is not None:
            found.append(max(one.constrained - low, high - one.constrained))
    return max(found, default=None)


def limits(read: Results, *, sampling: bool) -> Iterator[Fact]:
    """The limits of the numbers: as to respondents, answers and reports."""
    yield from _limits_of_respondents(read, sampling=sampling)
    yield from _limits_of_answers(read)
    if not read.design.rehearsal:
        yield Fact(_("False reports."), str(way_in(read.design).false_reports))
    small = _(
        "With fewer than %(minimum)s reports no estimate is shown, and none is quoted whose interval is wider than "
        "half of all that is possible. Of many intervals, some miss: at %(confidence)s about one in %(one_in)s."
    )
    numbers = {
        "minimum": FEWEST_IN_GROUP,
        "confidence": confidence(read),
        "one_in": round(1 / (1 - read.run.confidence)),
    }
    yield Fact(_("Small groups."), small % numbers)


def _limits_of_respondents(read: Results, *, sampling: bool) -> Iterator[Fact]:
    who = _(
        "The intervals are for %(target)s. They say nothing of a larger population: that the respondents are a simple "
        "random sample of one is not declared."
    )
    declared = _(
        "One of the intervals is for %(target)s. It is right as far as the respondents are a simple random sample of "
        "it, everybody with the same chance and each drawn alone, which the author declares and nobody else has "
        "checked. It takes the population as much larger than the sample; of a small one it is too wide."
    )
    text = declared if sampling else who
    yield Fact(_("Who took part."), text % {"target": targets.of_report(read.partition, sampled=sampling)})
    if not read.design.rehearsal:
        yield Fact(
            _("Who stayed away."),
            _(
                "People who refused, or left before sending, are not in these numbers, and nothing is known of them. "
                "Randomising answers may win some of them; it does not correct for the others."
            ),
        )


def _limits_of_answers(read: Results) -> Iterator[Fact]:
    yield Fact(
        _("Self-protective answers."),
        _(
            "Somebody who answers “No” whatever is true, out of caution, or who does not follow the instructions, "
            "pulls an estimate to one side (Clark & Desharnais, 1998). Neither a misunderstood question nor a faulty "
            "memory is corrected either. No interval here covers that."
        ),
    )
    if not read.run.coin_reports:
        return
    counted = {"coins": wording.count(read.run.coin_reports), "n": wording.count(read.run.reports)}
    if by_birthdays(read.design):
        text = _(
            "%(coins)s of the %(n)s reports were randomised by birthdays. Somebody may have taken a wrong one, or not "
            "have marked what it asks for. No interval here covers that."
        )
        yield Fact(_("Birthdays that were not obeyed."), text % counted)
        return
    text = _(
        "%(coins)s of the %(n)s reports were randomised by people with a coin or a die of their own. Somebody may "
        "not have tossed, or not have marked what the toss said. No interval here covers that."
    )
    yield Fact(_("Coins that were not obeyed."), text % counted)


def origin(read: Results) -> Iterator[Fact]:
    """The identifiers of this report and of its inputs."""
    yield Fact(_("Snapshot"), moment(_snapshot(read)))
    yield Fact(_("Version"), f"randomized_response {read.run.version}")
    yield Fact(_("Design"), read.design.digest, code=True)
    yield Fact(_("Input"), read.run.input_digest, code=True)
    yield Fact(_("Run"), read.run.key, code=True)


def _snapshot(read: Results) -> datetime:
    assert read.run.snapshot_at is not None
    return read.run.snapshot_at
