"""The OpenAPI document at /api/schema/: the panel's API and the respondents' endpoint."""

from functools import lru_cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from collector.endpoint import openapi
from randomized_response import __version__
from surveys.api.openapi import REFUSED
from surveys.api.problems import CONTENT_TYPE

Schema = dict[str, Any]
"""A part of the document, as the framework makes it."""


def with_report_endpoint(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """Add the report endpoint, which is no view of the framework, and the version."""
    result["info"]["version"] = __version__
    result["paths"][openapi.ADDRESS] = openapi.path_item()
    result["components"]["schemas"] |= openapi.SCHEMAS
    return result


@lru_cache(maxsize=1)
def document() -> Schema:
    """The complete document, generated once since it is the same for all users."""
    from drf_spectacular.generators import SchemaGenerator  # only here: most processes are never asked for it

    made: Schema = SchemaGenerator().get_schema(request=None, public=True)
    return made


class SchemaView(APIView):
    """This document. Nobody has to say who she is, and nobody is asked."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        summary="This document",
        responses={200: OpenApiTypes.OBJECT}
        | {(status, CONTENT_TYPE): REFUSED[status, CONTENT_TYPE] for status in (406, 503)},
    )
    def get(self, request: Request) -> Response:
        return Response(document())
