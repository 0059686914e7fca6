"""What an operation has left of its subject, in a few words read from the tables."""

import sqlite3
import zipfile
from pathlib import Path

from tests.chaos.checking import Ask

VERSION = "surveys_survey s JOIN surveys_version v ON v.survey_id = s.id"
RUNS = (
    "SELECT r.state, (SELECT count(*) FROM estimator_estimate e WHERE e.run_id = r.id) FROM estimator_run r "
    "WHERE r.\"trigger\" = '{trigger}' AND r.design_id IN "
    f"(SELECT v.design_id FROM {VERSION} WHERE s.slug = '{{slug}}')"
)
OPENED = (
    "SELECT s.state, (SELECT count(*) FROM surveys_version v WHERE v.survey_id = s.id), "
    "(SELECT count(*) FROM surveys_page p JOIN surveys_version v ON v.id = p.version_id WHERE v.survey_id = s.id), "
    '(SELECT count(*) FROM collector_frozendesign d WHERE d.document LIKE \'%"slug":"{slug}"%\') '
    "FROM surveys_survey s WHERE s.slug = '{slug}'"
)
DESIGN = f"FROM {VERSION} JOIN collector_frozendesign d ON d.digest = v.design_id WHERE s.slug = '{{slug}}'"
CLOSED = f"SELECT s.state, d.closed_on {DESIGN}"
KEPT = (
    "SELECT (SELECT count(*) FROM collector_report r WHERE r.design_id = d.number) + "
    "(SELECT count(*) FROM collector_waitingreport w WHERE w.design_id = d.number), "
    "(SELECT count(*) FROM surveys_auditentry a WHERE a.survey_id = s.id AND a.act = 'deleted the responses'), "
    f"d.purged_on, v.purged_at, d.rewritten_on {DESIGN}"
)
REDEEMED = (
    "SELECT (SELECT count(*) FROM collector_report r WHERE r.design_id = d.number) + "
    "(SELECT count(*) FROM collector_waitingreport w WHERE w.design_id = d.number), "
    f"(SELECT count(*) FROM collector_invitation i WHERE i.design_id = d.number) {DESIGN}"
)


def run(ask: Ask, slug: str, trigger: str = "demand") -> str:
    """The state of each run, and how many estimates it has."""
    rows = ask(RUNS.format(slug=slug, trigger=trigger))
    return "; ".join(f"{state}, {estimates} estimates" for state, estimates in rows) or "no run"


def opened(ask: Ask, slug: str) -> str:
    ((state, versions, pages, designs),) = ask(OPENED.format(slug=slug))
    return f"{state}, {versions} versions, {designs} designs, {pages} pages"


def redeemed(ask: Ask, slug: str) -> str:
    ((reports, codes),) = ask(REDEEMED.format(slug=slug))
    return f"{reports} reports, {codes} codes"


def closed(ask: Ask, slug: str) -> str:
    ((state, day),) = ask(CLOSED.format(slug=slug))
    return f"{state}, design {'closed' if day else 'open'}, {run(ask, slug, 'closing')}"


def kept(ask: Ask, slug: str) -> str:
    """What is left of reports that are to go."""
    ((left, entries, *days),) = ask(KEPT.format(slug=slug))
    marks = [word for word, day in zip(("marked", "purged", "rewritten"), days, strict=True) if day]
    return ", ".join([f"{left} reports", *marks, f"{entries} entries"])


def file(path: Path) -> str:
    if not path.exists():
        return "no file"
    with zipfile.ZipFile(path) as archive:
        return "a whole file" if archive.testzip() is None and "manifest.json" in archive.namelist() else "half a file"


def place(ask: Ask) -> str:
    """What is in a place that was to be restored into."""
    counts = [
        ask(f"SELECT count(*) FROM {table}")[0][0]
        for table in ("collector_frozendesign", "collector_report", "collector_tally", "surveys_survey")
    ]
    return "empty" if not any(counts) else "all of it" if all(counts) else f"a part: {counts}"


def sqlite(path: Path) -> Ask:
    def ask(sql: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return connection.execute(sql).fetchall()

    return ask
