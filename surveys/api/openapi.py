"""Documentation of the endpoints in /api/schema/: parameters, body, every status, the shape of each reply.

tests/config/test_openapi.py and the fuzzing hold what is really answered against it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from surveys.api.authentication import TokenAuthentication
from surveys.api.base import KEPT, LARGEST_BODY, LONGEST_KEY, once, without_idempotency
from surveys.api.problems import CONTENT_TYPE

Handler = Callable[..., Any]
Responses = dict[Any, OpenApiResponse]


class TokenScheme(OpenApiAuthenticationExtension):
    """Documentation of API tokens."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        description = "A token from the panel's page “Access tokens”; one that reads, or one that reads and writes."
        return {"type": "http", "scheme": "bearer", "description": description}


class ErrorSerializer(serializers.Serializer[Any]):
    """A field that cannot be used."""

    field = serializers.CharField(help_text="its place: a key of the body, a parameter or a header")
    message = serializers.CharField(help_text="a sentence with the bound")
    value = serializers.JSONField(required=False, help_text="what was sent, where it is short")
    line = serializers.IntegerField(required=False, help_text="of a definition in YAML, from 1")


class ProblemSerializer(serializers.Serializer[Any]):
    """A problem document of RFC 9457."""

    type = serializers.CharField(help_text="always about:blank: the status says what kind it is")
    title = serializers.CharField(help_text="the status in words")
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="what is wrong, in a sentence")
    errors = ErrorSerializer(many=True, required=False)  # type: ignore[assignment]


def problem(description: str) -> OpenApiResponse:
    return OpenApiResponse(ProblemSerializer, description)


TAG = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of the last answer.")
KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": f"^[!-~]{{1,{LONGEST_KEY}}}$"},
    OpenApiParameter.HEADER,
    description="Sent again with the same key and body, the request is not done again: the first answer comes again, "
    f"with Idempotency-Replayed: true. Kept for {KEPT.total_seconds() / 3600:g} hours.",
)
UNCHANGED = OpenApiResponse(None, "Nothing has changed since that ETag.")
REFUSED: Responses = {
    (400, CONTENT_TYPE): problem("A parameter, header or body that cannot be read, and why."),
    (401, CONTENT_TYPE): problem("Nobody is signed in, and there is no token that lets somebody in."),
    (403, CONTENT_TYPE): problem(
        "It takes a researcher, another role in the team, a token that writes, or the second factor."
    ),
    (404, CONTENT_TYPE): problem("There is none, or it belongs to a team of others. Nobody can tell which."),
    (406, CONTENT_TYPE): problem("The Accept header leaves out JSON."),
    (413, CONTENT_TYPE): problem(f"The body has more than {LARGEST_BODY:,} bytes."),
    (429, CONTENT_TYPE): problem("Too many requests; Retry-After says when to try again."),
    (503, CONTENT_TYPE): problem("The database is away; Retry-After says when to try again."),
}
NOT_YET: Responses = {(409, CONTENT_TYPE): problem("It is in no state for this, and why.")}
REFUSED_CHANGES: Responses = NOT_YET | {
    (415, CONTENT_TYPE): problem("The Content-Type is not application/json."),
    (422, CONTENT_TYPE): problem("What the body says cannot be, by field; or the Idempotency-Key was another's."),
}


def read(
    summary: str,
    shape: Any,
    *,
    name: str | None = None,
    parameters: Iterable[OpenApiParameter] = (),
    others: Mapping[Any, OpenApiResponse] | None = None,
    about_nothing: bool = False,
    streams: bool = False,
) -> Callable[[Handler], Handler]:
    """Document a GET and its reply; `about_nothing`: its URL names nothing that could be missing.

    `name` is that of the operation, where the address makes none of its own. What `streams` is a file of any type.
    """
    kind: Any = (200, "*/*") if streams else 200
    answered: Responses = {kind: OpenApiResponse(shape, "As it stands now."), 304: UNCHANGED}
    responses = answered | dict(others or {}) | _refused(about_nothing)
    if streams:
        del responses[406, CONTENT_TYPE]
    decorator: Callable[[Handler], Handler] = extend_schema(
        summary=summary, operation_id=name, parameters=[*parameters, TAG], responses=responses
    )
    return decorator


def change(
    summary: str,
    shape: Any,
    *,
    body: Any = None,
    status: int = 200,
    reply: str = "It is done.",
    parameters: Iterable[OpenApiParameter] = (),
    others: Mapping[Any, OpenApiResponse] | None = None,
    about_nothing: bool = False,
    replayable: bool = True,
) -> Callable[[Handler], Handler]:
    """Document a POST, PUT, PATCH or DELETE and its reply; a POST with an Idempotency-Key is done once.

    `replayable` is false where the answer of a POST may be kept nowhere: then it takes no such key.
    """
    responses = {status: OpenApiResponse(shape, reply)} | dict(others or {}) | _refused(about_nothing) | REFUSED_CHANGES

    def decorator(handler: Handler) -> Handler:
        posts = handler.__name__ == "post"
        documented: Handler = extend_schema(
            summary=summary,
            request=body,
            parameters=[*parameters, *([KEY] if posts and replayable else [])],
            responses=responses,
        )((once if replayable else without_idempotency)(handler) if posts else handler)
        return documented

    return decorator


def parameter(name: str, description: str, **schema: Any) -> OpenApiParameter:
    """A query parameter: a string, unless `schema` gives another type."""
    return OpenApiParameter(name, {"type": "string"} | schema, OpenApiParameter.QUERY, description=description)


def _refused(about_nothing: bool) -> Responses:
    return {key: description for key, description in REFUSED.items() if not about_nothing or key[0] != 404}
