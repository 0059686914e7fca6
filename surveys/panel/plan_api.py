"""The planner for programs, and for the script of its pages: the numbers, the curves, the sentences."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from surveys.access import get_survey_or_404
from surveys.panel.described import (
    ABOUT_A_FREE_QUESTION,
    ABOUT_A_QUESTION,
    BAD_PARAMETER,
    ITEM,
    PlanSerializer,
    SurveyPlanSerializer,
    described,
)
from surveys.planning import parameters, survey
from surveys.planning.parameters import BadParameter
from surveys.planning.showing import show


class PlanView(APIView):
    """One question that is in no survey."""

    @described(
        "Plan a question",
        PlanSerializer,
        parameters=[*ABOUT_A_FREE_QUESTION, *ABOUT_A_QUESTION],
        others={400: BAD_PARAMETER},
        about_nothing=True,
    )
    def get(self, request: Request) -> Response:
        try:
            asked, wanted = parameters.free(request.query_params)
        except BadParameter as error:
            return _refused(error)
        return Response(show(asked, wanted).to_dict())


class SurveyPlanView(APIView):
    """The questions of one's own survey, one of them with its slider, and all of them together."""

    @described("Plan a survey", SurveyPlanSerializer, parameters=[ITEM, *ABOUT_A_QUESTION], others={400: BAD_PARAMETER})
    def get(self, request: Request, slug: str) -> Response:
        found = get_survey_or_404(request.user, slug)
        try:
            return Response(survey.plan_of(found, request.query_params).to_dict())
        except BadParameter as error:
            return _refused(error)


def _refused(error: BadParameter) -> Response:
    """400 with the field, and a sentence with the bound and the value."""
    return Response({"error": {"field": error.field, "message": str(error)}}, status=400)
