"""Verification of a report by its reader, with the JSON file and the library."""

from django.utils.translation import gettext as _

from estimator.runs.estimation import known_shares
from estimator.runs.results import Results

FILE = "report.json"

CODE = """from randomized_response import load_bundle

report = load_bundle("{file}")
assert report.digest == "{digest}"
for key, item in report.items.items():
    if item.question.reports_shares:
        found = report.estimate_population(key, confidence={confidence!r})
        print(key, found.constrained, found.noise_low, found.noise_high)
    if item.question.reports_mean:
        found = report.estimate_population_mean(key, confidence={confidence!r})
        print(key, found.constrained, found.noise_low, found.noise_high)
"""


def code(read: Results) -> str:
    """A program that recomputes the shown estimates of all respondents, weighted where they are."""
    return CODE.format(file=FILE, digest=read.design.digest, confidence=read.run.confidence)


def steps(read: Results) -> list[str]:
    """The steps of the verification, and what else can be compared."""
    found = [
        _(
            "Take report.json from the place where this report was, and the library randomized_response of the version "
            "named here. The file holds the frozen questions and tables, and the totals of the randomised reports. The "
            "program checks that they have the digest of this report, and computes all shares and means again:"
        )
    ]
    if known_shares(read.partition):
        found.append(
            _("What it prints of all respondents is weighted by the known sizes of the groups, as it is here.")
        )
    if read.run.anytime:
        found.append(
            _(
                "Its estimates and standard errors are those of this report. Its intervals are for one look; those of "
                "this report, made while the survey was open, hold at every look and are wider."
            )
        )
    return found
