"""The dossier of a survey for an ethics board."""

from typing import Any

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from surveys.accounts.access import get_survey_or_404
from surveys.api.base import View, user_of
from surveys.api.exports import Whatever
from surveys.api.openapi import NOT_YET, parameter, read
from surveys.api.paging import one_of
from surveys.planning.dossier import LANGUAGES, dossier
from surveys.planning.group_warnings import expected_reports
from surveys.planning.parameters import MOST_RESPONDENTS
from surveys.respondent.stored_pages import attachment

EXPECTED = parameter(
    "expected", "Expected number of responses; default: those of the last version.", minimum=1, maximum=MOST_RESPONDENTS
)
LANGUAGE = parameter("language", "Language; default: the survey's main language.", enum=list(LANGUAGES))


class DossierView(View):
    """One PDF: the randomisation in words and tables, the expected precision, what is stored, pictures of the page."""

    content_negotiation_class = Whatever
    parameters = frozenset({"expected", "language"})

    @read("A survey's dossier", OpenApiTypes.BINARY, parameters=[EXPECTED, LANGUAGE], others=NOT_YET, streams=True)
    def get(self, request: Request, slug: str) -> Any:
        survey = get_survey_or_404(request.user, slug)
        expected = expected_reports(survey, request.query_params.get("expected", ""))
        language = one_of(request, "language", list(LANGUAGES))
        made = dossier(survey, expected=expected, today=timezone.now().date(), language=language, by=user_of(request))
        return attachment(made, "application/pdf", f"{survey.slug}-dossier.pdf")
