"""A finding: one test of one feature, and whether it passed."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    survey: str
    feature: str
    test: str
    statistic: str
    passed: bool
    retried: bool = False
    """Failed once and passed on new submissions; the false-alarm rates count with that."""

    @property
    def verdict(self) -> str:
        if not self.passed:
            return "**LEAK**"
        return "passed, second run" if self.retried else "passed"


def failed(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.passed]


def table(findings: Iterable[Finding]) -> str:
    """As Markdown."""
    rows = [(one.survey, one.feature, one.test, one.statistic, one.verdict) for one in findings]
    head = [("survey", "feature", "test", "statistic", "verdict"), ("---",) * 5]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in head + rows)
