"""Runs, their estimates row by row, and publishing."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.errors import Conflict
from estimator.base.verdict import Verdict
from estimator.exports.estimates import json_rows
from estimator.models import Run
from estimator.runs import results
from estimator.serializers import RunSerializer
from surveys.accounts import access
from surveys.accounts.access import Role, get_run_or_404, get_survey_or_404
from surveys.accounts.audit_log import record_event
from surveys.api import paging
from surveys.api.base import View, serialized, user_of
from surveys.api.openapi import NOT_YET, change, read
from surveys.api.paging import page_of, page_shape
from surveys.api.requests import NothingBody, PublishBody, read_body
from surveys.lifecycle import links, services
from surveys.models import Version


def _number(**more: Any) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, **more)


class EstimateSerializer(serializers.Serializer[Any]):
    """One estimate, as a row of estimates.csv; docs/reference/report.md says what each column is."""

    item = serializers.CharField()
    wording = serializers.CharField()
    measure = serializers.ChoiceField(choices=["share", "mean"])
    choice = serializers.IntegerField()
    choice_label = serializers.CharField(allow_blank=True)
    stratum = serializers.CharField(allow_blank=True, help_text="key of the group; empty for all respondents")
    stratum_label = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField(help_text="responses")
    sent = serializers.IntegerField(allow_null=True, help_text="randomised responses, not true answers")
    estimate_unclipped = _number()
    estimate = _number()
    estimate_method = serializers.CharField()
    standard_error = _number()
    low = _number(help_text="of the interval with sampling, for a population; not the main one")
    high = _number(help_text="of the same")
    interval_method = serializers.CharField()
    target = serializers.CharField(help_text="of whom low and high speak: population or population_weighted")
    noise_standard_error = _number()
    noise_low = _number(help_text="of the main interval, from randomisation alone, for those who took part")
    noise_high = _number(help_text="of the same")
    noise_interval_method = serializers.CharField()
    noise_target = serializers.CharField(
        help_text="of whom noise_low and noise_high speak: respondents or respondents_weighted"
    )
    confidence = serializers.FloatField()
    interval_holds = serializers.ChoiceField(choices=["every_look", "one_look"])
    direct_question_n = _number(help_text="equivalent direct answers: honest ones with the same standard error")
    truth_probability = serializers.CharField(allow_null=True)
    epsilon = _number()
    flags = serializers.ListField(child=serializers.CharField())
    known_truth = _number(help_text="among the simulated respondents of a rehearsal; of real ones nobody knows it")
    design = serializers.CharField()
    estimator_version = serializers.CharField()
    snapshot_at = serializers.CharField()
    half_width = _number(help_text="half of the main interval")
    verdict = serializers.ChoiceField(
        choices=["", *Verdict], help_text="how precise the estimate is; empty where there are no numbers"
    )


class EstimatesSerializer(serializers.Serializer[Any]):
    """Every estimate of a finished run."""

    run = RunSerializer()
    estimates = EstimateSerializer(many=True)


class PublishedSerializer(serializers.Serializer[Any]):
    published = serializers.BooleanField()
    link = serializers.CharField(allow_blank=True, help_text="link of the report")


class RunsView(View):
    """The runs of all versions of a survey, the newest first."""

    parameters = paging.NAMES

    @read("The runs of a survey", page_shape(RunSerializer), parameters=paging.PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug)
        digests = Version.objects.filter(survey=survey).values("design")
        return page_of(request, Run.objects.filter(design__in=digests).defer("tallies"), RunSerializer)

    @change("Ask for an estimate", RunSerializer, body=NothingBody, status=202, reply="The run, which is on its way.")
    def post(self, request: Request, slug: str) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.ANALYST)
        read_body(NothingBody, request)
        run = services.request_estimate(survey, by=user_of(request))
        return serialized(RunSerializer, run, status=202)


class RunView(View):
    """State, progress and fault of a run of one's own survey, or of one of its rehearsals."""

    @read("How far a run is", RunSerializer)
    def get(self, request: Request, key: str) -> Response:
        return serialized(RunSerializer, get_run_or_404(request.user, key))


class EstimatesView(View):
    """The rows of estimates.csv. It is an export, so it stands in the log."""

    @read("The estimates of a run", EstimatesSerializer, others=NOT_YET)
    def get(self, request: Request, key: str) -> Response:
        run = get_run_or_404(request.user, key, Role.ANALYST)
        if run.state != Run.State.DONE:
            raise Conflict(f"The run is {run.state}; its estimates are there when it is done.")
        rows = json_rows(results.read(run))
        record_event(user_of(request), "exported", survey=access.survey_of(run), detail=f"run {run.key}, by the API")
        return serialized(EstimatesSerializer, {"run": run, "estimates": rows})


class PublishView(View):
    """Publish a run's report for anyone with the link, or withdraw it."""

    @change("Publish a report or withdraw it", PublishedSerializer, body=PublishBody)
    def post(self, request: Request, key: str) -> Response:
        run = get_run_or_404(request.user, key, Role.OWNER)
        published = read_body(PublishBody, request)["published"]
        services.publish_run(run, published=published, by=user_of(request))
        link = links.report_link(run) if published else ""
        return serialized(PublishedSerializer, {"published": published, "link": link})
