"""Rehearsals: start one, follow its progress, read its results, stop and delete it."""

from typing import Any, cast

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.designs import Design
from collector.errors import Conflict
from estimator.base.jobs import Job
from surveys.accounts.access import Role, get_rehearsal_or_404, get_survey_or_404
from surveys.api import paging
from surveys.api.base import FiniteField, View, serialized, user_of
from surveys.api.openapi import NOT_YET, change, read
from surveys.api.paging import page_of, page_shape
from surveys.api.problems import Problem, error
from surveys.api.requests import NothingBody, RehearsalBody, read_body
from surveys.planning.rehearsals import services
from surveys.planning.rehearsals.findings import Finding, findings
from surveys.planning.rehearsals.form import too_many
from surveys.planning.rehearsals.population import Assumptions


class RehearsalSerializer(serializers.Serializer[Any]):
    """What was asked for, how far it is, and why it failed where it did."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Job.State.choices)
    progress = serializers.IntegerField(min_value=0, max_value=100, help_text="per cent")
    fault = serializers.CharField(allow_blank=True)
    respondents = serializers.IntegerField()
    repetitions = serializers.IntegerField()
    seed = serializers.IntegerField()
    design = serializers.CharField(source="design_id", help_text="digest")
    run = serializers.CharField(
        source="run.key", allow_null=True, help_text="key of the run of the first repetition, once it is there"
    )


class MeasureField(FiniteField):
    """A measure over the repetitions; null where there are none, too."""

    def get_attribute(self, instance: Finding) -> float | None:
        return super().get_attribute(instance) if instance.times else None


class HeldField(serializers.IntegerField):
    """In how many repetitions the interval held the truth."""

    def get_attribute(self, instance: Finding) -> int:
        return int(instance.held.sum())


class FindingSerializer(serializers.Serializer[Any]):
    """What came of one estimate over the repetitions in which there was one."""

    item = serializers.CharField(source="item.key")
    measure = serializers.ChoiceField(choices=["share", "mean"], source="cell.estimate.measure")
    choice = serializers.IntegerField(source="cell.estimate.choice")
    choice_label = serializers.CharField(source="cell.choice", allow_blank=True)
    stratum = serializers.CharField(source="cell.group_key", allow_blank=True)
    truth = serializers.FloatField(help_text="of the simulated respondents")
    repetitions = serializers.IntegerField(source="times", help_text="with enough responses for an estimate")
    held = HeldField(help_text="how many intervals held the truth")
    confidence = serializers.FloatField(help_text="how many were promised")
    bias = MeasureField(allow_null=True, help_text="mean of the unbiased estimate less the truth")
    bias_error = MeasureField(allow_null=True, help_text="standard error of the bias")
    width = MeasureField(allow_null=True, help_text="mean width of the intervals")


class FindingsSerializer(serializers.Serializer[Any]):
    rehearsal = RehearsalSerializer()
    findings = FindingSerializer(many=True)


class RehearsalsView(View):
    """The rehearsals of a survey, the newest first."""

    parameters = paging.NAMES

    @read(
        "The rehearsals of a survey",
        page_shape(RehearsalSerializer),
        name="surveys_rehearsals_list",
        parameters=paging.PARAMETERS,
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = get_survey_or_404(request.user, slug).rehearsals.select_related("run")
        return page_of(request, rows, RehearsalSerializer)

    @change("Rehearse a survey", RehearsalSerializer, body=RehearsalBody, status=202, reply="It is on its way.")
    def post(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.EDITOR)
        body = read_body(RehearsalBody, request)
        design = services.design_to_rehearse(survey, 1)
        repetitions, seed = body.pop("repetitions"), body.pop("seed", None)
        _require_fitting(design, body, repetitions)
        seed = services.new_seed() if seed is None else seed
        body.setdefault("shares", {})
        rehearsal = services.request_rehearsal(
            survey, cast("Assumptions", body), repetitions=repetitions, seed=seed, by=user_of(request)
        )
        return serialized(RehearsalSerializer, rehearsal, status=202)


class RehearsalView(View):
    """A rehearsal of one's own survey."""

    @read("How far a rehearsal is", RehearsalSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        return serialized(RehearsalSerializer, get_rehearsal_or_404(get_survey_or_404(request.user, slug), number))

    @change("Delete a rehearsal", None, status=204, reply="It is gone, with everything that was made for it.")
    def delete(self, request: Request, slug: str, number: int) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.EDITOR)
        services.delete(get_rehearsal_or_404(survey, number), by=user_of(request))
        return Response(status=204)


class FindingsView(View):
    """How well the estimates held the truth that was given to the simulated respondents."""

    @read("What a rehearsal found", FindingsSerializer, others=NOT_YET)
    def get(self, request: Request, slug: str, number: int) -> Response:
        rehearsal = get_rehearsal_or_404(get_survey_or_404(request.user, slug), number)
        found = findings(rehearsal)
        if found is None:
            raise Conflict(f"The rehearsal is {rehearsal.state}; nothing is found so far.")
        instance = {"rehearsal": rehearsal, "findings": [one for block in found.blocks for one in block.findings]}
        return serialized(FindingsSerializer, instance)


class StopView(View):
    """It ends with the repetitions that are done."""

    @change("Stop a rehearsal", RehearsalSerializer, body=NothingBody)
    def post(self, request: Request, slug: str, number: int) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.EDITOR)
        rehearsal = get_rehearsal_or_404(survey, number)
        read_body(NothingBody, request)
        services.stop(rehearsal)
        return serialized(RehearsalSerializer, get_rehearsal_or_404(survey, number))


def _require_fitting(design: Design, body: dict[str, Any], repetitions: int) -> None:
    """Reject more responses than a rehearsal may have, unknown groups, and sizes that do not sum up."""
    people = body["respondents"]
    if fault := too_many(people, repetitions):
        raise Problem(422, fault, [error("repetitions", fault, value=repetitions)])
    strata = [stratum for stratum in design.strata if stratum]
    if unknown := sorted(set(body.get("groups", {})) - set(strata)):
        fault = f"groups must be among {', '.join(strata) or 'none: the survey has none'}"
        raise Problem(422, fault, [error(f"groups.{name[:100]}", fault) for name in unknown[:20]])
    sizes = body.get("sizes")
    if sizes is not None and (len(sizes) != len(design.strata) or sum(sizes) != people):
        fault = f"sizes must be {len(design.strata)} numbers that sum to {people}; they sum to {sum(sizes)}"
        raise Problem(422, fault, [error("sizes", fault)])
