"""docs/evidence/audit-wire.md: what was measured, in the order in which a doubter would ask."""

from collections.abc import Sequence

from tests.audit.checks import (
    ALPHA,
    ALPHA_EPSILON,
    ALPHA_EPSILON_FEW,
    ALPHA_GIVEN,
    ENOUGH,
    MEDIAN,
    SHARE_ENOUGH,
    SHARE_SOME,
    SOME,
    STANDARD_ERRORS,
)
from tests.audit.findings import Finding, failed, table
from tests.tools import provenance

TEXT = """# Wire audit

*For auditors, and for everybody who doubts that the true answer stays in the browser.*

Written by `make audit-wire`; a change by hand is lost with the next run. {run}

A real browser ({browser}) answered twelve surveys, {submissions} times in all, and everything that reached the server
was kept as raw bytes. The page, its scripts and its headers are those that the application serves. True answers were in
random order, every answer of a question equally often: {yes_no:,} times for each answer to a yes/no question of
`audit-a`, {others:,} times or more for the others.

- `audit-a` and `audit-b` have five questions each: between the two, yes/no and one choice of three, four or five stand
  at each place.
- `audit-c1` to `audit-c3` have the same three in three orders, each of them once at each place: one choice as one-hot
  and as a subset, several choices. `audit-c4` to `audit-c6` likewise: a scale, numbers by discrete Laplace and by one
  bit.
- `audit-d` has consent statements, a screening question, sections, shuffled choices, "prefer not to say" and questions
  that are asked only after some answers, so of fewer people. `audit-w` is the same and asks for work: a sum in one
  header more, which is computed again here from the nonce of its report and must be that one and no other.
- `audit-r` has every encoding and remembers: tickets come from a number of the device. Each submission is of another
  device there; in the part named "one device" it is the same one throughout.
- `audit-g` has six background questions, one of them a list. What is told there is random, any of it left out at times,
  whatever is answered; what is sent openly must be the cell of what was told, to the letter.
- `audit-h` has three versions of the page, drawn 3 to 1 to 1, of which the second asks one question with other tickets
  and a consent statement of its own, and the third has people toss a coin and sends what they mark. Nothing but the
  cell may tell which version it was, each must be drawn as often as its weight says, whatever was answered, and what a
  version does not ask must be sent by the row of its first answer.

The symbols of one question that arrive together are tested together, as one report with one exact table.

**{verdict}**

## How it is done
Most submissions are made in documents that are loaded once for 250 of them: each begins with a fresh copy of the body
as it was served and a new page object, with tickets of its own. The last part of the table does it the slow way, with
a page load for each submission and the real collector behind the recorder, and compares both to the last byte.
In the part named "restless", every fold was opened, every choice tried, wrong numbers written and the practice question
used before. In the part named "slowed", the browser's processor was six times slower, as on a small phone.
A server that takes no report (every status that the collector has for that, others, garbage, silence) sees one body of
a browser, six rounds long, whether it loads the page again, goes back, closes the tab, opens a second one or is killed.
Every stage is laid out before the next click, so a style that depends on an answer would have its effect.
A run that was cut off goes on where it was: a part is taken over from it where page, audit and browser are byte for
byte the same, so some parts may be of the days before the one above.

{tests}

Exactness is not measured here but enumerated: `tests/audit/exactness.py` and `tests/client` feed every sequence of
words of a small size to the shipped modules and compare with fractions.

## What was found
{findings}

## Tests of the tests
Each of these leaks was put into the shipped client, and the audit was run against it. A wait of 0.3 ms is looked for
again in more submissions where the machine was too busy to see it in the first ones.

{leaks}

## What this does not show
- Times are those of this browser on an idle or busy test machine; a difference below a few hundredths of a millisecond
  would not be seen.
- The network below the request (packets, encryption) is the browser's own and not recorded.
- One browser: Chromium. Another one runs the same scripts, but was not audited.
"""

TESTS = (
    ("one value only", "over all submissions there is one value, whatever is answered and drawn", "never"),
    (
        "chi-squared",
        "reports against the exact row of the table; two reports against the product of their rows",
        f"{ALPHA:g} each",
    ),
    (
        "Mann-Whitney (for more than two answers Kruskal-Wallis), KS, G",
        "times and nonces are independent of the answer given the report; repeated with new submissions on failure",
        f"{ALPHA_GIVEN:g} each, {ALPHA_GIVEN**2:g} with the repetition",
    ),
    (
        "median difference",
        f"no interval of the difference of two answers' median times, given the report, lies beyond {MEDIAN} ms; by "
        "order statistics, so whatever the distribution of times; the pair that comes nearest is shown",
        f"{ALPHA_GIVEN:g} each by Bonferroni, {ALPHA_GIVEN**2:g} with the repetition",
    ),
    (
        "Clopper-Pearson",
        "a lower bound of epsilon from the reports alone, over all pairs of answers and all sets of reports; it must "
        f"not exceed epsilon and reach {SHARE_ENOUGH:.0%} of it with {ENOUGH:,} an answer, {SHARE_SOME:.0%} with "
        f"{SOME:,}",
        f"{ALPHA_EPSILON:g} a question by Bonferroni; {ALPHA_EPSILON_FEW:g} with fewer",
    ),
    (
        "logistic regression",
        "learns on one half from the time and all bytes that vary, and guesses the other half no better than "
        f"e^epsilon / (k - 1 + e^epsilon) + {STANDARD_ERRORS} standard errors",
        "3e-5 each, 1e-9 with the repetition",
    ),
)


def document(found: Sequence[Finding], leaks: str, browser: str, submissions: int, yes_no: int, others: int) -> str:
    """The page as Markdown; `yes_no` and `others` are submissions for each answer."""
    verdict = f"{len(found)} findings, nothing leaks." if not failed(found) else f"{len(failed(found))} LEAKS."
    tests = "\n".join(
        f"| {' | '.join(row)} |" for row in (("test", "what it says", "false alarm"), ("---",) * 3, *TESTS)
    )
    texts = {"findings": table(found), "leaks": leaks, "browser": browser, "verdict": verdict, "tests": tests}
    texts["run"] = provenance.of_run()
    return TEXT.format(**texts, submissions=f"{submissions:,}", yes_no=yes_no, others=others)
