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
from estimator.reports import disclosures, group_facts, retention
from estimator.reports.methods import confidence
from estimator.reports.privacy import PrivacyLabel
from estimator.reports.question_blocks import QuestionBlock
from estimator.runs import targets
from estimator.runs.estimation import collapsed, known_shares
from estimator.runs.groups import ENOUGH_TO_WEIGHT, has_shares, is_protected
from estimator.runs.results import Results

DAY = {"en": "j F Y", "de": "j. F Y", "es": r"j \d\e F \d\e Y", "fr": "j F Y", "ar": "j F Y"}
"""How a day is written in each language of reports."""


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
    return _("%(time)s UTC") % {"time": formats.date_format(time, f"{DAY[formatted()]}, H:i")}


def key_sentences(
    read: Results, blocks: tuple[QuestionBlock, ...], *, simulated: bool, sampling: bool
) -> Iterator[KeySentence]:
    """The findings of the report, in sentences that can be quoted one by one."""
    counted = {"n": wording.count(read.run.reports or 0), "respondents": wording.respondents(simulated=simulated)}
    counted |= {"day": day(_snapshot(read))}
    yield KeySentence("", _("Responses of %(n)s %(respondents)s were counted on %(day)s.") % counted)
    for block in blocks:
        yield KeySentence(block.wording, block.headline.sentence)
    those = _("The estimates are for %(target)s. This report claims nothing about anyone else.")
    declared = _(
        "The main intervals, used here, cover randomisation alone and are for %(noise)s. The tables also have "
        "intervals with sampling, for %(target)s, because the author declares a simple random sample."
    )
    text, noise = declared if sampling else those, targets.of_all(read.partition, sampled=False)
    yield KeySentence("", text % {"noise": noise, "target": targets.of_all(read.partition, sampled=sampling)})


def label_facts(read: Results, label: PrivacyLabel) -> Iterator[Fact]:
    """The privacy label, without its tables."""
    local = _("Local: each answer is randomised on the respondent’s own device before anything is sent.")
    if read.run.coin_reports and by_birthdays(read.design):
        local = _(
            "Local: each answer is randomised on the respondent’s own device, or by a birthday, before anything is "
            "sent."
        )
    elif read.run.coin_reports:
        local = _(
            "Local: each answer is randomised on the respondent’s own device, or with their own coin, before "
            "anything is sent."
        )
    yield Fact(_("Model"), local)
    waves = _("One person, all answers: in this wave, and in all waves so far.")
    yield Fact(_("Unit of privacy"), waves if label.before else _("One person, all answers."))
    yield Fact(_("Total"), _total(label))
    if label.before:
        yield Fact(_("All waves"), label.before.in_words)
    if label.reason:
        yield Fact(_("Above the ceiling"), label.ceilings_in_words, label.reason, read.language)
    if not read.design.rehearsal:
        yield Fact(_("Not included"), label.uncounted)
        yield Fact(_("Who could answer"), str(label.way_in.protection))
    yield from (Fact(*titled) for titled in group_facts.of(read))
    yield Fact(_("Stored data"), label.stored)
    if read.design.rehearsal:
        yield Fact(_("Retention"), _("Responses of simulated respondents are deleted once the estimates are made."))
    else:
        yield Fact(_("Retention"), retention.in_words(read.context.retention_days))
    yield Fact(_("Survey fingerprint"), label.digest, code=True)


def _total(label: PrivacyLabel) -> str:
    """The sentence on the privacy loss of all answers of a person."""
    total = _(
        "Privacy loss (epsilon) %(epsilon)s: all responses of one person together change the odds between any two "
        "possible sets of their answers by a factor of at most %(odds)s, whatever is already known about them."
    )
    of_wave = _(
        "Privacy loss (epsilon) %(epsilon)s: all responses of one person in this wave together change the odds "
        "between any two possible sets of their answers by a factor of at most %(odds)s, whatever is already "
        "known about them."
    )
    text = of_wave if label.before else total
    return text % {"epsilon": label.epsilon_text, "odds": label.odds_text}


def disclosed(read: Results, disclosure: Disclosure) -> Iterator[Fact]:
    """The disclosure items of AAPOR's Code: the author's, and those that the platform knows."""
    processing = _(
        "Responses that do not match the survey’s format are rejected on arrival; every other response is counted "
        "once. Nothing is excluded, corrected or imputed afterwards."
    )
    ours = {"mode": mode(read), "weighting": _weighting(read), "processing": processing}
    for field in disclosures.FIELDS:
        text, language = disclosures.text_in(disclosure, field.name, formatted())
        known = ours.get(field.name, "")
        missing = not (known or text)
        yield Fact(str(field.title), _("Not stated by the author.") if missing else known, text, language, missing)
        if field.name == "sponsor":
            yield from _asked_by(read)
        if field.name == "population":
            yield Fact(_("Wording"), _("Verbatim in this report: questions, response options and explanations."))
        if field.name == "mode":
            yield Fact(_("Dates"), _dates(read))
            yield Fact(_("Responses and precision"), _precision(read, disclosure))


def _asked_by(read: Results) -> Iterator[Fact]:
    """Who asked, as respondents were told."""
    titles = {"sender": _("Sender"), "institution": _("Institution"), "contact": _("Contact")}
    for name, title in (titles | {"data_protection": _("Data protection")}).items():
        if text := read.design.about.text(name, read.language):
            yield Fact(title, "", text, read.language)


def mode(read: Results) -> str:
    """The mode of response, and who could take part."""
    if read.design.rehearsal:
        return _("Simulated respondents whose answers were processed like real ones.")
    way = way_in(read.design)
    if not read.run.coin_reports:
        return str(way.mode)
    text = ngettext(
        "%(count)s response was randomised with the respondent’s own coin or die, %(where)s.",
        "%(count)s responses were randomised with the respondents’ own coin or die, %(where)s.",
        read.run.coin_reports,
    )
    if by_birthdays(read.design):
        text = ngettext(
            "%(count)s response was randomised by a birthday that the respondent knows, %(where)s.",
            "%(count)s responses were randomised by a birthday that the respondent knows, %(where)s.",
            read.run.coin_reports,
        )
    return f"{way.mode} {text % {'count': wording.count(read.run.coin_reports), 'where': way.coin}}"


def _weighting(read: Results) -> str:
    shares = known_shares(read.partition)
    unused = has_shares(read.design) and not shares
    if unused and is_protected(read.design):
        return _(
            "None: all responses have equal weight. The known group sizes are not used because a weighted "
            "estimate would reveal how many respondents are in each group."
        )
    if unused:
        text = _(
            "None: all responses have equal weight. The known group sizes are not used: weighting takes at least "
            "two groups of %(fewest)s responses, and %(enough)s responses in total."
        )
        return text % {"fewest": wording.count(FEWEST_IN_GROUP), "enough": ENOUGH_TO_WEIGHT}
    if not shares:
        return _("None: all responses have equal weight.")
    named = ", ".join(
        f"{part.label} {wording.percent(share, 1)}" for part, share in zip(read.partition.parts, shares, strict=True)
    )
    text = _("Groups are weighted by their known population shares: %(shares)s.") % {"shares": named}
    return " ".join([text, *_weighted_as_one(read)])


def _weighted_as_one(read: Results) -> Iterator[str]:
    """The groups of a rehearsal that share a weight, with their reports; otherwise the partition has them."""
    strata = np.stack(read.items[0].totals, axis=1)
    sizes = strata[:, 0].sum(axis=1)
    text = _(
        "Groups of fewer than %(fewest)s responses (and, if these are still too few together, the next larger "
        "one) share one weight: %(names)s."
    )
    for places in (places for places in collapsed(strata) if len(places) > 1):
        names = ", ".join(f"{read.partition.parts[place].label} ({wording.count(sizes[place])})" for place in places)
        yield text % {"fewest": wording.count(FEWEST_IN_GROUP), "names": names}


def _dates(read: Results) -> str:
    design = FrozenDesign.objects.only("opened_on", "closed_on").get(digest=read.design.digest)
    counted, opened = moment(_snapshot(read)), day(design.opened_on)
    if read.run.anytime or design.closed_on is None:
        days = {"opened": opened, "counted": counted}
        return _("Opened on %(opened)s; still open when counted on %(counted)s.") % days
    days = {"opened": opened, "closed": day(design.closed_on), "counted": counted}
    return _("Opened on %(opened)s, closed on %(closed)s, counted on %(counted)s.") % days


def _precision(read: Results, disclosure: Disclosure) -> str:
    sentences = [_("n = %(n)s.") % {"n": wording.count(read.run.reports or 0)}]
    level = confidence(read)
    margin = _widest(read, sampled=False)
    if margin is not None:
        text = _(
            "Main intervals (%(confidence)s, randomisation alone, for %(target)s): at most ± %(margin)s "
            "percentage points for shares of all respondents."
        )
        named = {"target": targets.of_all(read.partition, sampled=False), "margin": wording.points_up(margin)}
        sentences.append(text % {"confidence": level, **named})
    sampled = _widest(read, sampled=True) if disclosure.has_margin else None
    if sampled is not None:
        text = _("With sampling (simple random sample, for %(target)s): at most ± %(margin)s percentage points.")
        named = {"target": targets.of_all(read.partition, sampled=True), "margin": wording.points_up(sampled)}
        sentences.append(text % named)
    return " ".join([*sentences, *_no_margin(disclosure)])


def _no_margin(disclosure: Disclosure) -> Iterator[str]:
    """The reason why no margin of sampling error is stated."""
    if not disclosure.probability_sample:
        yield _("No margin of sampling error is stated because the author has not declared a probability sample.")
    elif not disclosure.has_margin:
        yield _(
            "No margin of sampling error is stated: the author declares a probability sample, but not one with "
            "equal selection probabilities and without clusters. Those change the error by a design effect, which "
            "cannot be computed from what is declared."
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
        yield Fact(_("False responses."), str(way_in(read.design).false_reports))
    small = _(
        "With fewer than %(minimum)s responses no estimate is shown, and one that is too imprecise to report is "
        "not quoted. Of many %(confidence)s intervals, about one in %(one_in)s misses the true value."
    )
    numbers = {
        "minimum": FEWEST_IN_GROUP,
        "confidence": confidence(read),
        "one_in": round(1 / (1 - read.run.confidence)),
    }
    yield Fact(_("Small groups."), small % numbers)


def _limits_of_respondents(read: Results, *, sampling: bool) -> Iterator[Fact]:
    who = _(
        "The intervals are for %(target)s. They say nothing about a larger population, since the author has not "
        "declared a simple random sample."
    )
    declared = _(
        "The intervals with sampling are for %(target)s. They are valid if the respondents are a simple random "
        "sample of it (equal selection probabilities, no clusters), which the author declares and no one else has "
        "checked. They assume a population much larger than the sample; for a small one they are too wide."
    )
    text = declared if sampling else who
    yield Fact(_("Who took part."), text % {"target": targets.of_report(read.partition, sampled=sampling)})
    if not read.design.rehearsal:
        yield Fact(
            _("Non-response."),
            _(
                "People who refused, or left before sending, are not in these numbers, and nothing is known about "
                "them. Randomised answers may persuade some to take part; they do not correct for the others."
            ),
        )


def _limits_of_answers(read: Results) -> Iterator[Fact]:
    yield Fact(
        _("Self-protective answers."),
        _(
            "Respondents who answer “No” out of caution, whatever is true, or who do not follow the instructions "
            "bias an estimate (Clark & Desharnais, 1998). Misunderstood questions and faulty memories are not "
            "corrected either. No interval here covers such bias."
        ),
    )
    if not read.run.coin_reports:
        return
    counted = {"coins": wording.count(read.run.coin_reports), "n": wording.count(read.run.reports)}
    if by_birthdays(read.design):
        text = _(
            "%(coins)s of the %(n)s responses were randomised by birthdays. Some respondents may have used a "
            "wrong date or not marked what it required. No interval here covers that."
        )
        yield Fact(_("Birthdays used wrongly."), text % counted)
        return
    text = _(
        "%(coins)s of the %(n)s responses were randomised with the respondents’ own coin or die. Some may not "
        "have tossed it, or not marked what it required. No interval here covers that."
    )
    yield Fact(_("Coins used wrongly."), text % counted)


def origin(read: Results) -> Iterator[Fact]:
    """The identifiers of this report and of its inputs."""
    yield Fact(_("Counted at"), moment(_snapshot(read)))
    yield Fact(_("Software version"), f"randomized_response {read.run.version}")
    yield Fact(_("Survey fingerprint"), read.design.digest, code=True)
    yield Fact(_("Input hash"), read.run.input_digest, code=True)
    yield Fact(_("Run key"), read.run.key, code=True)


def _snapshot(read: Results) -> datetime:
    assert read.run.snapshot_at is not None
    return read.run.snapshot_at
