"""What a survey's page shows: where it stands, what comes next, what came of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from collector import selectors as reports
from estimator import report, wording
from estimator import selectors as estimates
from estimator.models import Run
from estimator.privacy import ItemLabel, item_label
from surveys import lifecycle, links, selectors
from surveys.definitions import total_epsilon
from surveys.mechanisms import mechanism_of
from surveys.models import Item, Survey, Version
from surveys.questions import frozen_item

NEWEST_RUNS = 10

DRAFT, OPEN, CLOSED = Survey.State.DRAFT, Survey.State.OPEN, Survey.State.CLOSED
STATUS = {DRAFT: ("now", "later", "later"), OPEN: ("done", "now", "later"), CLOSED: ("done", "done", "done")}
WRITE: dict[str, str] = {DRAFT: "Ready to open.", OPEN: "The design is frozen.", CLOSED: "The design is frozen."}
COLLECT: dict[str, str] = {
    DRAFT: "Not open yet.",
    OPEN: "Respondents can answer.",
    CLOSED: "No more reports are taken.",
}


@dataclass(frozen=True)
class Step:
    """A step of the life cycle, with what is to know about it now. `status` is done, now or later."""

    title: str
    status: str
    sentence: str


@dataclass(frozen=True)
class Question:
    """An item of a draft; `fault` says why its mechanism cannot be used."""

    item: Item
    wording: str
    label: ItemLabel | None
    fault: str

    @property
    def facts(self) -> str:
        """What kind of question it is and what it has besides, in a line."""
        item, words = self.item, [self.item.get_kind_display()]
        words += [f"{item.minimum} to {item.maximum} in steps of {item.step}"] if item.kind == Item.Kind.NUMBER else []
        words += [f"at most {item.most}"] if item.most else []
        words += ["“prefer not to say” offered"] if item.prefer_not else []
        words += [] if item.required else ["may be left blank"]
        words += ["shuffled"] if item.shuffle else []
        words += [f"asked only after some answers to {item.asked_if['item']}"] if item.asked_if else []
        return " · ".join([*words, *([f"section {item.section}"] if item.section else [])])


@dataclass(frozen=True)
class VersionLine:
    """One opening of the survey."""

    version: Version
    reports: str
    last_done: Run | None
    page_digests: dict[str, str]


def overview(survey: Survey) -> dict[str, Any]:
    """The context of a survey's page."""
    version = selectors.latest_version(survey)
    missing = selectors.what_is_missing(survey) if survey.state == Survey.State.DRAFT else ""
    pending = estimates.last_run(version.design_id) if version else None
    done = estimates.last_done(version.design_id) if version else None
    coin_reports = reports.coin_report_count(version.design_id) if version else 0
    context = {
        "survey": survey,
        "version": version,
        "link": links.respondent_link(version) if version and takes_answers(survey) else "",
        "coin_link": links.coin_link(version) if version and takes_answers(survey) else "",
        "sheet_links": links.sheet_links(version) if version and takes_answers(survey) else {},
        "missing": missing,
        "epsilon": epsilon_of(survey),
        "count": wording.count(selectors.report_count(survey)),
        "coin_count": wording.count(coin_reports) if coin_reports else "",
        "steps": list(steps(survey, missing, done)),
        "moves": lifecycle.moves_from(survey.state),
        "questions": list(questions(survey)),
        "pending": pending if pending and pending.state in (Run.State.QUEUED, Run.State.RUNNING) else None,
        "failed": pending if pending and pending.state == Run.State.FAILED else None,
        "done": done,
        "public_link": links.report_link(done) if done and done.published else "",
        "versions": [_version_line(line) for line in survey.versions.select_related("design")],
        "runs": runs_of(survey),
    }
    return context | (report.context(done) if done else {})


def takes_answers(survey: Survey) -> bool:
    """Whether there is somebody to share its link with."""
    return survey.state == Survey.State.OPEN and not survey.rehearsal


def steps(survey: Survey, missing: str, done: Run | None) -> Iterator[Step]:
    """Write, plan, collect, close, report: each with a word on where it stands."""
    status = STATUS[Survey.State(survey.state)]
    ready = "later" if missing else status[0]
    written = "done" if ready == "now" else status[0]
    yield Step("Write", written, WRITE[survey.state] if not missing else "Not ready yet; see what is missing.")
    yield Step("Plan", ready, "What protection costs in respondents.")
    yield Step("Collect", status[1], COLLECT[survey.state])
    closed = survey.state == Survey.State.CLOSED
    yield Step("Close", status[2], "The totals are final." if closed else "Ends the collection.")
    if done is None:
        yield Step("Report", "now" if closed else "later", "There are no estimates yet.")
    elif done.published:
        yield Step("Report", "done", "Public, for whoever has its link.")
    else:
        yield Step("Report", "now" if closed else "later", "Only you can see it.")


def questions(survey: Survey) -> Iterator[Question]:
    """The survey's items with their protection, as they are written now."""
    return (question_of(item) for item in survey.items.all())


def question_of(item: Item) -> Question:
    """An item in its survey's own language, with its protection or what is wrong with its mechanism."""
    language, written = item.survey.language, selectors.item_of(item)
    text = str(item.wording.get(language, ""))
    try:
        mechanism_of(written)  # says what is wrong in words about the mechanism alone
        return Question(item, text, item_label(frozen_item(written, item.key), language), "")
    except KeyError as missing:
        return Question(item, text, None, f"The mechanism must have {missing.args[0]}.")
    except (ValueError, TypeError) as error:
        return Question(item, text, None, str(error))


def epsilon_of(survey: Survey) -> str:
    """Total epsilon of the survey as it is written now; a dash where an item's mechanism is not complete."""
    try:
        return wording.epsilon(total_epsilon(selectors.definition_of(survey)))
    except (ValueError, TypeError, KeyError):
        return "–"


def runs_of(survey: Survey) -> list[tuple[Version, Run]]:
    """The newest runs of every version, the newest first."""
    versions = {version.design_id: version for version in survey.versions.all()}
    newest = Run.objects.filter(design__in=versions)[:NEWEST_RUNS]
    return [(versions[run.design_id], run) for run in newest]


def _version_line(version: Version) -> VersionLine:
    count = wording.count(reports.report_count(version.design_id))
    last_done = estimates.last_done(version.design_id)
    return VersionLine(version, count, last_done, selectors.page_digests(version))
