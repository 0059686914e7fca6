"""Models of runs and their estimates, analyses, exports and disclosures."""

from estimator.base.jobs import new_key  # migrations know it by this name
from estimator.models.analyses import LONGEST_NAME, Analysis
from estimator.models.disclosures import Disclosure
from estimator.models.exports import Export
from estimator.models.runs import Estimate, GroupSize, KnownShare, Run, Worker

__all__ = [
    "LONGEST_NAME",
    "Analysis",
    "Disclosure",
    "Estimate",
    "Export",
    "GroupSize",
    "KnownShare",
    "Run",
    "Worker",
    "new_key",
]
