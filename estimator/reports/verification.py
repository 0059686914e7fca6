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
            "Download report.json from the page of this report and install the library randomized_response in the "
            "version named below. The file has the frozen questions, the randomisation schemes and the totals of "
            "the randomised responses. This program checks the survey fingerprint and recomputes all shares and "
            "means:"
        )
    ]
    if known_shares(read.partition):
        found.append(_("Its estimates for all respondents are weighted by the known group sizes, as in this report."))
    if read.run.anytime:
        found.append(
            _(
                "Its estimates and standard errors match this report. Its intervals hold for a single look; those "
                "of this report were estimated while the survey was open, hold at every look, and are wider."
            )
        )
    return found
