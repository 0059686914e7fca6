"""The report of a run: every number with its interval, in words, charts and tables, and what a reader needs
to judge them. A page and a PDF are made of it; both say the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from estimator.base import charts, wording
from estimator.base.languages import LANGUAGES, direction, formatted
from estimator.models import Disclosure, Run
from estimator.reports import disclosures, facts, privacy, reading
from estimator.reports import question_blocks as blocks
from estimator.reports import verification as verifying
from estimator.reports.arms_check import check_of_arms
from estimator.reports.coin_check import check_of_coins
from estimator.reports.facts import Fact
from estimator.reports.methods import Methods, confidence, methods
from estimator.reports.nonresponse import check_of_nonresponse
from estimator.reports.protection_check import ProtectionCheck, check_of_controls
from estimator.reports.published_analyses import PublishedAnalysis, published
from estimator.reports.question_blocks import NumberFormat, QuestionBlock
from estimator.reports.references import cited_in, listed
from estimator.reports.trends import EstimateChange, change_sentence, changes
from estimator.runs import results, targets
from estimator.runs.estimation import known_shares
from estimator.runs.results import NOTHING_KNOWN, ReportContext, Results


@dataclass(frozen=True)
class ReportSection:
    """Questions under one title; all of them, under none, where the design has no sections."""

    title: str
    introduction: str
    blocks: tuple[QuestionBlock, ...]

    @property
    def deeper(self) -> int:
        """The number of levels that its questions' headings are below those without a section."""
        return 1 if self.title else 0


@dataclass(frozen=True)
class EstimateReport:
    """What a report says, in the language that was spoken when it was built; read it while that is spoken."""

    results: Results
    disclosure: Disclosure
    language: str
    blocks: tuple[QuestionBlock, ...]
    changes: tuple[EstimateChange, ...] = ()
    analyses: tuple[PublishedAnalysis, ...] = ()
    protection: tuple[ProtectionCheck, ...] = ()
    nonresponse: tuple[ProtectionCheck, ...] = ()

    @cached_property
    def sections(self) -> list[ReportSection]:
        """The questions in order, under the titles of the design."""
        sections, language = self.results.design.sections, self.results.language
        if not sections:
            return [ReportSection("", "", self.blocks)]
        return [
            ReportSection(
                section.title[language],
                section.introduction[language],
                tuple(block for block in self.blocks if block.section == section.key),
            )
            for section in sections
        ]

    @property
    def run(self) -> Run:
        return self.results.run

    @cached_property
    def label(self) -> privacy.PrivacyLabel:
        return privacy.label(self.results)

    @property
    def in_all_waves(self) -> str:
        """Epsilon with all earlier waves, as text; empty if nothing was spent before."""
        before = self.label.before
        if before is None or before.spent == 1:
            return ""
        return _("in all waves so far: at most %(epsilon)s") % {"epsilon": wording.epsilon(before.epsilon_together)}

    @property
    def introduction(self) -> str:
        return self.results.design.introduction[self.results.language]

    @property
    def strata_wording(self) -> str:
        return self.results.design.strata_wording[self.results.language]

    @property
    def simulated(self) -> bool:
        return self.results.design.rehearsal

    @property
    def sampling(self) -> bool:
        """True if the interval for a larger population is shown: if the author declares a simple random sample."""
        return self.disclosure.has_margin

    @property
    def confidence(self) -> str:
        return confidence(self.results)

    @cached_property
    def in_short(self) -> list[facts.KeySentence]:
        return list(facts.key_sentences(self.results, self.blocks, simulated=self.simulated, sampling=self.sampling))

    @cached_property
    def methods(self) -> Methods:
        return methods(self.results, sampling=self.sampling)

    @cached_property
    def references(self) -> list[str]:
        """The works that the report cites."""
        poisoned = {"cheu"} if not self.simulated else set()
        changed = {"zou_waves"} if any(change.series.choice is not None for change in self.changes) else set()
        bounded = {"manski", "imbens"} if self.nonresponse else set()
        coins = {"moshagen"} if sum(arm.own_coin for arm in self.results.design.background.arms) > 1 else set()
        analysed = cited_in(method for analysis in self.analyses for method in analysis.methods)
        return listed({*self.methods.cited, "clark", "aapor", *poisoned, *changed, *bounded, *coins, *analysed})

    @cached_property
    def label_facts(self) -> list[Fact]:
        return list(facts.label_facts(self.results, self.label))

    @cached_property
    def disclosed(self) -> list[Fact]:
        return list(facts.disclosed(self.results, self.disclosure))

    @property
    def left_empty(self) -> str:
        return disclosures.left_empty(self.disclosure)

    @cached_property
    def limits(self) -> list[Fact]:
        return list(facts.limits(self.results, sampling=self.sampling))

    @cached_property
    def origin(self) -> list[Fact]:
        return list(facts.origin(self.results))

    @property
    def verifying(self) -> list[str]:
        return verifying.steps(self.results)

    @property
    def code(self) -> str:
        return verifying.code(self.results)

    @property
    def how_to_read(self) -> list[str]:
        return reading.how_to_read(self.label, sampling=self.sampling)

    @property
    def warning(self) -> str:
        """A warning about weak protection; empty if there is none."""
        return reading.warning(self.label)

    @property
    def assumption(self) -> str:
        """A sentence on the meaning of the intervals of changes."""
        return change_sentence(self.changes, sampling=self.sampling)

    @property
    def counted_on(self) -> str:
        assert self.run.snapshot_at is not None
        return facts.day(self.run.snapshot_at)

    @property
    def every_look(self) -> str:
        """A sentence on the intervals of a run made before closing; empty for one made after."""
        return str(wording.EVERY_LOOK) if self.run.anytime else ""

    @property
    def reports(self) -> str:
        return wording.count(self.run.reports)

    @property
    def coin_reports(self) -> str:
        """The number of reports from a real coin or die, as text; empty if there are none."""
        return wording.count(self.run.coin_reports) if self.run.coin_reports else ""

    @property
    def _with_coin(self) -> str:
        birthdays = self.label.birthdays
        return (
            _("of which randomised by a birthday: %(count)s")
            if birthdays
            else _("of which randomised with a real coin: %(count)s")
        )

    @cached_property
    def truth_marked(self) -> bool:
        return _truth_marked(self.results)

    @cached_property
    def coverage(self) -> str:
        """A sentence on how many intervals contain the known truth; empty if that is unknown."""
        marked = [c for item in self.results.items for c in item.shown if c.known and c.truth is not None]
        if not marked:
            return ""
        counts = {"all": len(marked), "confidence": self.confidence}
        counts["noise"] = sum(blocks.reports_with_answer(cell, sampling=False) for cell in marked)
        counts["sampled"] = sum(blocks.reports_with_answer(cell, sampling=True) for cell in marked)
        text = _("%(noise)s of %(all)s main intervals contain the true value; about %(confidence)s are expected to.")
        if self.sampling:
            text = _(
                "%(noise)s of %(all)s main intervals (randomisation alone) contain the true value, and "
                "%(sampled)s of %(all)s intervals with sampling. About %(confidence)s of the former are expected "
                "to."
            )
        return text % counts

    @cached_property
    def words(self) -> dict[str, str]:
        """The report's headings and short texts, for all its formats."""
        return self._headings | self._notes | self.legend

    @property
    def _headings(self) -> dict[str, str]:
        return {
            "kind": _("Simulation report") if self.simulated else _("Survey report"),
            "reports": _("Responses"),
            "counted": _("Counted on"),
            "intervals": _("Confidence level"),
            "epsilon": _("Privacy loss in total (epsilon)"),
            "in_short": _("Summary"),
            "in_sentences": _("In sentences"),
            "contents": _("Contents"),
            "estimate": _("Estimate"),
            "interval": _("%(confidence)s confidence interval (CI)") % {"confidence": self.confidence},
            "precision": _("Precision"),
            "results_part": _("Results by question"),
            "how": _("How to read the numbers"),
            "question": _("Question"),
            "by_group": _("By group"),
            "group_chart": _("Chart by group"),
            "group_sentences": _("Sentences by group"),
            "group_numbers": _("Numbers and sentences by group"),
            "methods": _("Methods"),
            "references": _("References"),
            "label": _("Privacy label"),
            "disclosed": _("Survey disclosure"),
            "changes": _("Change from earlier waves"),
            "analyses": _("Further analyses"),
            "protection": _("Did the protection work?"),
            "nonresponse": _("If those who did not answer differ"),
            "limits": _("Limits"),
            "verify": _("Verification"),
        }

    @property
    def _notes(self) -> dict[str, str]:
        return {
            "with_coin": self._with_coin % {"count": self.coin_reports},
            "poison": _("If some responses were false:"),
            "groups_asked": _("Groups were asked for directly, without randomisation: “%(wording)s”")
            % {"wording": self.strata_wording},
            "disclosed_by": _("The items follow the AAPOR Code (2021)."),
            "to_results": _("Skip to the results"),
            "downloads": _("Downloads"),
            "languages": _("Languages"),
            "not_published": _("This report is not published; only your team can see it."),
            "simulated": _("Simulated respondents."),
            "simulated_how": _(
                "Their true answers are known, so the true value is marked beside each estimate. Each answer was "
                "randomised and collected like a real one."
            ),
            "made_with": _(
                "Made with Candor. True answers stay on the respondents’ devices; only randomised responses are "
                "collected."
            ),
            "csv": _("Estimates, CSV"),
            "json": _("All data, JSON"),
            "page": _("Page %(page)s of %(pages)s"),
        }

    @property
    def contents(self) -> list[tuple[str, str]]:
        """The id and title of each chapter of the page; the summary leads to the questions."""
        words = self.words
        chapters = {"sentences": "in_sentences", "how-to-read": "how"}
        found = [(name, words[key]) for name, key in chapters.items()]
        if self.blocks:
            found.append((self.blocks[0].anchor, words["results_part"]))
        rest = {"methods": "methods", "privacy-label": "label", "disclosed": "disclosed", "limits": "limits"}
        more = {
            "protection": self.protection,
            "nonresponse": self.nonresponse,
            "changes": self.changes,
            "analyses": self.analyses,
        }
        rest = {name: name for name, there in more.items() if there} | rest | {"verify": "verify"}
        return found + [(name, words[key]) for name, key in rest.items()]

    @property
    def legend(self) -> dict[str, str]:
        """The meaning of the symbols in the charts."""
        noise, whole = (
            {"confidence": self.confidence, "target": targets.of_report(self.results.partition, sampled=sampled)}
            for sampled in (False, True)
        )
        marks = {
            "mark_estimate": _("estimate"),
            "mark_noise": _("%(confidence)s interval from randomisation alone, for %(target)s (main interval)") % noise,
        }
        if self.sampling:
            text = _("%(confidence)s interval with sampling, for %(target)s (simple random sample)")
            marks["mark_whole"] = text % whole
        if self.truth_marked:
            text = _("true value of the simulated respondents")
            if known_shares(self.results.partition):
                text = _("true value of the simulated respondents, weighted like the estimates")
            marks["mark_truth"] = text
        return marks


def build(run: Run, known: ReportContext = NOTHING_KNOWN, *, most: int | None = None) -> EstimateReport:
    """Build the report of a finished run; only of its first questions if `most` gives their number."""
    read = results.read(run, known, most=most)
    disclosure = disclosures.of(read.design.slug)
    manner = NumberFormat(
        confidence=confidence(read),
        sampling=disclosure.has_margin,
        truth=_truth_marked(read),
        simulated=read.design.rehearsal,
        anytime=run.anytime,
    )
    made = tuple(blocks.block(item, number, manner) for number, item in enumerate(read.items))
    # The first questions alone are wanted for a glance at what was found, not for what it was before.
    if most is not None:
        return EstimateReport(read, disclosure, formatted(), made)
    made_checks = (check_of_controls(read), check_of_arms(read), check_of_coins(read))
    checks = tuple(one for one in made_checks if one is not None)
    others = check_of_nonresponse(read, disclosure.asked)
    more = changes(read, manner), published(run), checks, () if others is None else (others,)
    return EstimateReport(read, disclosure, formatted(), made, *more)


class ReportPage(TypedDict):
    """What the templates of a report need; `survey_lang` are the attributes of an element with the survey's words."""

    report: EstimateReport
    words: dict[str, str]
    marks: dict[str, SafeString]
    languages: Mapping[str, str]
    direction: str
    survey_lang: str


def context(run: Run, known: ReportContext, *, most: int | None = None) -> ReportPage:
    """The template context of a report, on its page and in the panel; `most` as for `build`."""
    report = build(run, known, most=most)
    return {
        "report": report,
        "words": report.words,
        "marks": charts.legends(),
        "languages": LANGUAGES,
        "direction": direction(),
        # The words of the survey are in its language, whatever the language of the page.
        "survey_lang": format_html(' lang="{}" dir="auto"', report.results.language),
    }


def _truth_marked(read: Results) -> bool:
    return any(cell.truth is not None for item in read.items for cell in item.shown)
