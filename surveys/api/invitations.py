"""Invitations: create a batch, whose codes are in this one reply, list the batches, and revoke one."""

from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from collector.errors import Conflict, InputError
from surveys.accounts.access import Role, get_survey_or_404
from surveys.api.base import View, serialized, user_of
from surveys.api.openapi import change, read
from surveys.api.requests import BatchBody, read_body
from surveys.lifecycle import selectors
from surveys.outreach import invitation_files
from surveys.outreach import invitations as making


class BatchSerializer(serializers.Serializer[Any]):
    """A batch of the newest version's invitations. How many of it were used is told nobody."""

    number = serializers.IntegerField()
    kind = serializers.CharField(help_text="how they are handed out: csv, cards, mail or api")
    group = serializers.CharField(
        source="stratum", allow_null=True, help_text="key of their group; null: chosen by respondents"
    )
    count = serializers.IntegerField(help_text="number of invitations")
    made_on = serializers.DateField()
    withdrawn_on = serializers.DateField(allow_null=True)


class InvitationSerializer(serializers.Serializer[Any]):
    link = serializers.CharField()
    code = serializers.CharField(help_text="28 symbols")


class MadeSerializer(serializers.Serializer[Any]):
    """A new batch with its codes, which are answered this once."""

    number = serializers.IntegerField()
    invitations = InvitationSerializer(many=True)


AS_CSV = OpenApiResponse(OpenApiTypes.BINARY, "The same as CSV if `format` is csv.")


class BatchesView(View):
    """The batches of a survey by invitation, the first one first."""

    @read("The batches of invitations", BatchSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        version = selectors.latest_version(get_survey_or_404(request.user, slug))
        return serialized(BatchSerializer, making.batches(version) if version else [], many=True)

    @change(
        "Create invitations",
        MadeSerializer,
        body=BatchBody,
        status=201,
        reply="The codes. Only their hashes are stored, so the codes cannot be retrieved again.",
        others={(201, "*/*"): AS_CSV},
        replayable=False,
    )
    def post(self, request: Request, slug: str) -> Any:
        survey = get_survey_or_404(request.user, slug, Role.EDITOR)
        body = read_body(BatchBody, request)
        try:
            made = making.make(survey, body["count"], group=body.get("group", ""), kind="api", by=user_of(request))
        except InputError as fault:
            if fault.field == "survey":
                raise Conflict(str(fault)) from None
            raise
        headers = {"Cache-Control": "no-store"}
        if body["format"] == "csv":
            return HttpResponse(
                invitation_files.table(made),
                status=201,
                content_type=invitation_files.FORMS["csv"].content_type,
                headers=headers,
            )
        pairs = zip(made.links(), made.codes, strict=True)
        batch = {"number": made.batch, "invitations": [{"link": link, "code": code} for link, code in pairs]}
        return serialized(MadeSerializer, batch, status=201, headers=headers)


class BatchView(View):
    """One batch."""

    @change("Withdraw a batch", None, status=204, reply="Unused codes are deleted; responses are kept.")
    def delete(self, request: Request, slug: str, number: int) -> Response:
        survey = get_survey_or_404(request.user, slug, Role.EDITOR)
        try:
            making.withdraw(survey, number, by=user_of(request))
        except InputError:
            raise Http404("There is no such survey.") from None
        return Response(status=204)
