"""The tests of a run, each as a list of findings. Every test states its rate of false alarms.

Rates below are for one finding in a sound client. Conditional tests are run again on new submissions where they fail,
so theirs is the square of ALPHA_GIVEN.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from collector.designs import Background
from tests.audit import statistics
from tests.audit.classifier import accuracy
from tests.audit.driving import Run
from tests.audit.features import DEMANDED, INVARIANTS, NONCE_BITS, nonce_bits, values
from tests.audit.findings import Finding
from tests.audit.items import linked
from tests.audit.recording import Submission
from tests.audit.shelf import Shelf
from tests.vectors.make_work import smallest

ALPHA = 1e-6
"""Of a test against the exact table: once in a million."""

ALPHA_GIVEN = 1e-3
"""Of a conditional test; with its repetition once in a million."""

ALPHA_EPSILON, ALPHA_EPSILON_FEW = 0.01, 1e-6
"""Of the confidence limits of the epsilon audit, Bonferroni over all pairs, events and both sides of one item.

The second is for fewer than ENOUGH reports an answer, so that the quick audit, which runs often, has no false alarms.
"""

ENOUGH, SHARE_ENOUGH = 10_000, 0.88
"""With so many reports an answer the bound shows this share of epsilon."""

SOME, SHARE_SOME = 2_000, 0.2
"""With so many it shows this share; with fewer, nothing can be demanded of it."""

MEDIAN = 0.2
"""Milliseconds that the medians of two answers may lie apart, given the report: no interval may lie beyond."""

FEWEST_LEARNED = 10
"""Submissions that a classifier learns from at least."""

STANDARD_ERRORS = 4
"""How far the classifier may exceed the best guess: by chance 3 times in 100,000."""


def invariants(run: Run, survey: str) -> list[Finding]:
    """One value only. No statistics: a sound client never fails."""
    found = [_one_value(feature, run.submissions, survey) for feature in INVARIANTS]
    sent = [one.fields["nonce"] for one in run.submissions if one.posts]
    found.append(_counted("kinds of requests seen in the page", len(_kinds(run)), 1, survey))
    found.append(_counted("databases, caches and workers left", run.left, 0, survey))
    found.append(_counted("words in the console", len(run.faults), 0, survey))
    found.append(_counted("nonces used twice", len(sent) - len(set(sent)), 0, survey))
    return found


def _kinds(run: Run) -> set[str]:
    """What the page itself saw leave in each document, together with the one thing that may: the report."""
    report = {f"fetch {post.target}" for one in run.submissions for post in one.posts}
    return set(run.around) | report if run.around else set()


def _one_value(feature: str, submissions: list[Submission], survey: str) -> Finding:
    seen = set(values(feature, submissions))
    passed = len(seen) == 1 and seen <= {DEMANDED.get(feature, *seen)}
    return Finding(survey, feature, "one value only", f"{len(seen)} in {len(submissions):,}", passed)


def _counted(feature: str, seen: int, allowed: int, survey: str) -> Finding:
    return Finding(survey, feature, f"at most {allowed}", str(seen), seen <= allowed)


def strata(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """What is sent openly is the cell of what was told openly, nothing where nothing is asked. Never a false alarm."""
    background = Background.of(shelf.design.get("background_questions", {}))

    def expected(told: list[int | None]) -> str:
        if not background:
            return ""
        given = [
            question.everyone[-1 if one is None else one]
            for question, one in zip(background.questions, told, strict=True)
        ]
        return background.keys[background.cell_of(given)]

    sent = [(one.fields["stratum"], expected(one.note["told"])) for one in run.submissions if one.posts]
    others = sum(stratum != cell for stratum, cell in sent)
    shown = f"{others} in {len(sent):,}"
    return [Finding(survey, "strata that are not the cell of what was told", "0 only", shown, others == 0)]


def arms(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """Each version of the page is drawn as often as its weight says, whatever was answered to a question of both.

    Exact binomial tests against the first version's share, of all submissions and of those with each answer: ALPHA.
    """
    background = Background.of(shelf.design.get("background_questions", {}))
    if not background.arms:
        return []
    place = next(place for place in range(len(shelf.items)) if all(place in asked for asked in shelf.versions))
    share, answers = float(background.questions[0].shares[0]), columns(run, shelf)[0][:, place]
    first = np.array([one.note["told"][0] == 0 for one in run.submissions])
    parts = {"all": np.ones(len(first), dtype=bool)}
    parts |= {f"answer {answer} to question {place + 1}": answers == answer for answer in np.unique(answers)}
    found = []
    for name, chosen in parts.items():
        drawn, n = int(first[chosen].sum()), int(chosen.sum())
        shown = f"{drawn:,} of {n:,}"
        passed = binomtest(drawn, n, share).pvalue >= ALPHA
        found.append(Finding(survey, f"first version drawn, {name}", f"as {share:g} of all", shown, passed))
    return found


def work(run: Run, survey: str, bits: int) -> list[Finding]:
    """What is sent for work is the one sum of the report's own nonce: no room in it for anything else."""
    sent = [(one.fields, str(post.header("Candor-Work"))) for one in run.submissions for post in one.posts]
    others = sum(made != smallest(said["design"], bytes.fromhex(said["nonce"]), bits) for said, made in sent)
    shown = f"{others} in {len(sent):,}"
    return [Finding(survey, "sums that are not the nonce's smallest", "0 only", shown, bool(sent) and others == 0)]


def retries(run: Run, survey: str, tries: int) -> list[Finding]:
    """A server that loses every first try of a report sees the same bytes again. A sound client never fails."""
    counts = {len(one.posts) for one in run.submissions}
    changed = sum(len({post.head + post.body for post in one.posts}) > 1 for one in run.submissions)
    number = f"{len(run.submissions):,} reports"
    return [
        Finding(survey, "tries of each report", "one value only", f"{sorted(counts)} in {number}", counts == {tries}),
        Finding(survey, "reports whose tries differ in a byte", "0 only", f"{changed} in {number}", changed == 0),
    ]


def one_body(seen: Mapping[str, int], survey: str, answers: int) -> list[Finding]:
    """How many bodies a server saw of one browser, by the way that it left. A sound client never fails."""
    named = {way: f"bodies of one browser that leaves by {way}" for way in seen}
    shown = f"after {answers} answers that take nothing"
    return [Finding(survey, named[way], "1 only", f"{count} {shown}", count == 1) for way, count in seen.items()]


def recalled(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """On one device an answer is sent as the same symbols each time, whatever is answered to the other questions."""
    answers, reports = columns(run, shelf)
    found = []
    for place, one in enumerate(shelf.items):
        given = {(answer, report) for answer, report in zip(answers[:, place], reports[:, place], strict=True)}
        name = f"reports to question {place + 1} ({one.name}) for each of its answers"
        again = len(given) - len(set(answers[:, place]))
        found.append(Finding(survey, name, "one value only", f"{again} more in {len(answers):,}", again == 0))
    return found


def columns(run: Run, shelf: Shelf) -> tuple[NDArray, NDArray]:
    """Answers and reports by their places, a row for each submission and a column for each item."""
    reports = [[one.code(sent.symbols) for one in shelf.items] for sent in run.submissions]
    return np.array([one.answers for one in run.submissions]), np.array(reports)


def _asked(run: Run, shelf: Shelf, place: int) -> NDArray:
    """Of which submissions the version of the page asks the question at this place."""
    return np.array([place in shelf.version(one.note["told"]) for one in run.submissions])


def channel(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """Report given answer: the exact row, at every place and for every answer."""
    answers, reports = columns(run, shelf)
    found = []
    for place, one in enumerate(shelf.items):
        for x, row in enumerate(one.table):
            statistic, p = statistics.fit(reports[answers[:, place] == x, place], row)
            name = f"report to question {place + 1} ({one.name}) given answer {x}, row {row}"
            found.append(Finding(survey, name, "chi-squared", f"{statistic:.2f}, p = {p:.2g}", p > ALPHA))
    return found


def pairs(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """The reports of two questions are independent given both answers: each has a ticket of its own."""
    answers, reports = columns(run, shelf)
    found = []
    for pair in combinations(range(answers.shape[1]), 2):
        tables = [shelf.items[place].table for place in pair]
        statistic, p = statistics.pair_fit(reports[:, pair], answers[:, pair], tables)
        name = f"reports to questions {pair[0] + 1} and {pair[1] + 1} given both answers"
        found.append(Finding(survey, name, "chi-squared", f"{statistic:.1f}, p = {p:.2g}", p > ALPHA))
    return found


def conditional(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """Time and nonce are independent of each answer given its report, among those who were asked."""
    answers, reports = columns(run, shelf)
    every_time = np.array([one.delay for one in run.submissions])
    every_bit = np.array([nonce_bits(one) for one in run.submissions]).T
    found = []
    for place in range(answers.shape[1]):
        asked = _asked(run, shelf, place)
        times, bits = every_time[asked], every_bit[:, asked]
        given = (answers[asked, place], reports[asked, place])
        named = f"answer {place + 1} given its report"
        for test, function in (("Mann-Whitney", statistics.ranks_given), ("KS", statistics.shapes_given)):
            statistic, p = function(times, *given)
            shown = f"{statistic:.3g}, p = {p:.2g}"
            found.append(Finding(survey, f"click to request and {named}", test, shown, p > ALPHA_GIVEN))
        found.append(_medians(times, *given, f"median time and {named}", survey))
        p = min(1.0, NONCE_BITS * min(statistics.categories_given(bit, *given)[1] for bit in bits))
        found.append(Finding(survey, f"nonce and {named}", "G, 128 bits", f"p = {p:.2g}", p > ALPHA_GIVEN))
    return found


def _medians(times: NDArray, answers: NDArray, reports: NDArray, feature: str, survey: str) -> Finding:
    """No difference of medians that is above MEDIAN for certain; the interval of the one furthest from it is shown."""
    found = statistics.medians_given(times, answers, reports, ALPHA_GIVEN)
    nothing = (0.0, -np.inf, np.inf)
    difference, low, high = max(found, key=lambda one: max(one[1], -one[2]), default=nothing)
    shown = f"{difference:.3f} ms ({low:.3f} to {high:.3f})"
    return Finding(survey, feature, f"median difference <= {MEDIAN} ms", shown, max(low, -high) <= MEDIAN)


def epsilon(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """The lower bound that the reports prove never exceeds epsilon, and comes near it: the test is not blind."""
    answers, reports = columns(run, shelf)
    found = []
    for place, one in enumerate(shelf.items):
        table = one.table
        exact, each = statistics.epsilon_of(table), np.bincount(answers[:, place]).min()
        alpha = ALPHA_EPSILON if each >= ENOUGH else ALPHA_EPSILON_FEW
        share = SHARE_ENOUGH if each >= ENOUGH else SHARE_SOME if each >= SOME else 0
        bound = statistics.epsilon_shown(answers[:, place], reports[:, place], table, alpha)
        floor = exact * share
        name = f"epsilon of question {place + 1}, {each:,} an answer"
        passed = bound <= exact and (share == 0 or floor <= bound)
        shown = f"{floor:.3f} <= {bound:.3f} <= {exact:.3f}" if share else f"{bound:.3f} <= {exact:.3f}"
        found.append(Finding(survey, name, "Clopper-Pearson", shown, passed))
    return found


def classified(run: Run, shelf: Shelf, survey: str) -> list[Finding]:
    """A classifier that learns from all that varies guesses no better than the report alone allows."""
    answers, _ = columns(run, shelf)
    found = []
    for place, one in enumerate(shelf.items):
        if one.item["key"] in linked(shelf.items):
            continue  # another question's report tells of it, and rightly
        asked = _asked(run, shelf, place)
        answered = [one for one, asks in zip(run.submissions, asked, strict=True) if asks]
        if len(answered) < FEWEST_LEARNED:
            continue  # of a version of the page that few have drawn
        share, tested = accuracy(answered, answers[asked, place])
        best = statistics.guess_limit(one.table)
        limit = best + STANDARD_ERRORS * (best * (1 - best) / tested) ** 0.5
        shown = f"{share:.4f} <= {limit:.4f}"
        found.append(Finding(survey, f"answer {place + 1} guessed", "logistic regression", shown, share <= limit))
    return found
