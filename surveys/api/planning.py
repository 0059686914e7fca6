"""The planner for programs, and for the script of its pages: numbers, curves and sentences."""

from rest_framework.request import Request
from rest_framework.response import Response

from surveys.accounts.access import get_survey_or_404
from surveys.api.base import View, serialized
from surveys.api.openapi import read
from surveys.api.plan_serializers import PlanSerializer, SurveyPlanSerializer, described
from surveys.planning import parameters, survey_plan
from surveys.planning.parameters import ABOUT_A_FREE_QUESTION, ABOUT_A_SURVEY
from surveys.planning.presentation import present


class PlanView(View):
    """One question that is in no survey."""

    parameters = None

    @read("Plan a question", PlanSerializer, parameters=described(ABOUT_A_FREE_QUESTION), about_nothing=True)
    def get(self, request: Request) -> Response:
        question, wanted = parameters.free(request.query_params)
        return serialized(PlanSerializer, present(question, wanted))


class SurveyPlanView(View):
    """The questions of one's own survey, one of them with its slider, and all of them together."""

    parameters = None

    @read("Plan a survey", SurveyPlanSerializer, parameters=described(ABOUT_A_SURVEY))
    def get(self, request: Request, slug: str) -> Response:
        found = get_survey_or_404(request.user, slug)
        return serialized(SurveyPlanSerializer, survey_plan.plan_of(found, request.query_params))
