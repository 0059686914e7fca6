"""Commands for analyses: request, repeat, compute."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, assert_never

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from collector.designs import Design, canonical, selectors
from collector.errors import Conflict
from collector.reports import selectors as store
from estimator.analyses import (
    adjusted,
    areas,
    calibrated,
    cross_tables,
    logistic,
    requests,
    scores,
    snapshots,
    strata,
    versions,
)
from estimator.analyses.quantities import AnalysisError
from estimator.base import jobs
from estimator.base.lease import LeaseRenewal
from estimator.models import Analysis
from randomized_response import __version__

Kind = Analysis.Kind
COUNTED_IN_A_SECOND = 5_000
"""Reports per second that even a busy machine counts in pairs; its one statement reports no progress."""


def request(kind: str, fields: Mapping[str, str], designs: Sequence[Design]) -> Analysis:
    """Create an analysis of the newest design and wake a worker after the commit.

    `fields` are the fields of a form, `designs` the survey's, the newest first. Raises AnalysisError.
    """
    parameters, name = requests.parameters(kind, fields, designs), requests.name_of(fields)
    return _queue(kind=kind, name=name, parameters=parameters, design_id=designs[0].digest)


def repeat(analysis: Analysis) -> Analysis:
    """Ask the same of the totals as they are now; the first one stays as it is. Raises AnalysisError."""
    requests.require_all_released(analysis.parameters, selectors.get_design(analysis.design_id))
    return _queue(
        kind=analysis.kind,
        name=analysis.name,
        parameters=analysis.parameters,
        design_id=analysis.design_id,
        repeats_id=analysis.pk,
    )


def keep(analysis: Analysis, *, name: str, published: bool) -> None:
    """Name an analysis, and show it in reports or not. Raises AnalysisError.

    Published are finished ones of all responses: those of an open survey would look at it again and again.
    """
    if published and (analysis.state != Analysis.State.DONE or analysis.while_open):
        raise AnalysisError(gettext("Only a finished analysis of a closed survey can be published in its report."))
    analysis.name, analysis.published = requests.name_of({"name": name}), published
    analysis.save(update_fields=["name", "published"])


def wake(analysis_id: int) -> None:
    jobs.wake("estimator.execute_analysis", analysis_id)


def resume_waiting() -> list[int]:
    """Wake workers for the analyses that no worker is computing."""
    return jobs.resume(Analysis, wake)


def execute(analysis_id: int) -> Analysis:
    """Compute an analysis, unless another worker holds it or it is finished."""
    jobs.perform(Analysis, analysis_id, _compute)
    return Analysis.objects.get(pk=analysis_id)


def result_of(kind: str, parameters: Mapping[str, Any], design: Design, inputs: Mapping[str, Any]) -> dict[str, object]:
    """Compute the result from the inputs; the same inputs give the same numbers, bit for bit."""
    match Kind(kind):
        case Kind.COMPARISON:
            compare = calibrated.weighted_comparison if "weighting" in parameters else strata.comparison
            return compare(design, parameters, inputs)
        case Kind.WEIGHTING:
            weight = calibrated.weighting if "margins" in parameters else strata.weighting
            return weight(design, parameters, inputs)
        case Kind.CROSS_TABLE:
            return cross_tables.cross_table(design, parameters, inputs)
        case Kind.SCORES:
            return scores.scores(design, parameters, inputs)
        case Kind.REGRESSION:
            regress = adjusted.adjusted_regression if "predictors" in parameters else logistic.regression
            return regress(design, parameters, inputs)
        case Kind.AREAS:
            return areas.small_areas(design, parameters, inputs)
        case Kind.VERSIONS:
            designs = [selectors.get_design(digest) for digest in parameters["designs"]]
            return versions.comparison(designs, parameters, inputs)
        case unknown:
            assert_never(unknown)


def _queue(**fields: Any) -> Analysis:
    kind, parameters, digest = fields["kind"], fields["parameters"], fields["design_id"]
    if kind == Kind.SCORES or snapshots.needs_pairs(kind, parameters, selectors.get_design(digest)):
        try:
            store.require_reports(digest)
        except Conflict as reason:
            raise AnalysisError(str(reason)) from None
    analysis = Analysis.objects.create(**fields)
    transaction.on_commit(lambda: wake(analysis.pk))
    return analysis


def _compute(analysis_id: int, lease: str) -> None:
    analysis = Analysis.objects.get(pk=analysis_id)
    design, parameters = selectors.get_design(analysis.design_id), analysis.parameters
    seconds = store.report_count(design.digest) / COUNTED_IN_A_SECOND
    with LeaseRenewal(Analysis, analysis_id, lease, silence=seconds) as heart:
        heart.watch(0.1)
        snapshot = snapshots.take(analysis.kind, parameters, design)
        heart.watch(0.7)
        result = result_of(analysis.kind, parameters, design, snapshot.inputs)
    jobs.acquire_lease(
        Analysis,
        analysis_id,
        lease,
        state=Analysis.State.DONE,
        progress=100,
        finished_at=timezone.now(),
        snapshot_at=snapshot.at,
        while_open=snapshot.while_open,
        reports=snapshot.reports,
        inputs=snapshot.inputs,
        input_digest=snapshots.digest_of(analysis.kind, parameters, design, snapshot.inputs),
        result=result,
        result_digest=sha256(canonical(result)).hexdigest(),
        version=__version__,
    )
