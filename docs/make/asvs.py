"""OWASP ASVS 5.0, levels 1 and 2: each requirement with the tests that it rests on, or why it does not apply.

asvs.txt has a row for each requirement: its number, its level, what it asks in our words, and the answer. An answer is
names of tests; or after `=` what it is met by, after `-` why it does not apply, after `!` what is missing.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from docs.make.markdown import TEST, evidence, page, table

ROWS = Path(__file__).with_suffix(".txt")
KINDS = {"": "tested", "=": "met", "-": "does not apply", "!": "missing"}

ABOUT = """\
The [Application Security Verification Standard](https://owasp.org/www-project-application-security-verification-standard/) 5.0.0 has {whole} requirements of levels 1 and 2, in short words here; look up its own by their numbers. {tested} rest on
tests, {met} are met by what is named, {absent} do not apply, and {missing} are not met: {share} % have a passing test or a reason. A test fails where a named test or page is gone. Level 3 was not gone through.

What the proxy does, TLS above all, is in the hands of who runs an installation; [Harden](../how-to/harden.md) and [Deploy](../how-to/deploy.md) say how.
"""


@dataclass(frozen=True)
class Requirement:
    """A requirement and the answer to it."""

    number: str
    level: str
    what: str
    answer: str

    @property
    def kind(self) -> str:
        """A key of KINDS."""
        mark = self.answer[0]
        return mark if mark in KINDS else ""

    @property
    def tests(self) -> list[str]:
        return TEST.findall(self.answer)


def requirements() -> list[Requirement]:
    return [Requirement(*line.split("|")) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def text() -> str:
    found = requirements()
    counts = Counter(one.kind for one in found)
    share = 100 * (len(found) - counts["!"]) / len(found)
    about = ABOUT.format(
        whole=len(found),
        tested=counts[""],
        met=counts["="],
        absent=counts["-"],
        missing=counts["!"],
        share=f"{share:.0f}",
    )
    rows = [(one.number, one.level, one.what, KINDS[one.kind], _answer(one)) for one in found]
    missing = [(one.number, one.what, _answer(one)) for one in found if one.kind == "!"]
    return page(
        "Application security",
        "For security reviewers and IT departments.",
        about,
        "## Not met",
        table(("Number", "Requirement", "How it is"), missing),
        "## All",
        table(("Number", "Level", "Requirement", "", "Rests on"), rows),
    )


def _answer(one: Requirement) -> str:
    return evidence(one.answer.removeprefix(one.kind).strip())
