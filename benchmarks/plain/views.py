"""The two views."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework import generics, serializers

from benchmarks.plain.models import PlainReport


class PlainSerializer(serializers.ModelSerializer[PlainReport]):
    nonce = serializers.RegexField(r"^[0-9a-f]{32}$")
    report = serializers.RegexField(r"^([0-9a-f]{2})+$", max_length=2048)

    class Meta:
        model = PlainReport
        fields = ("design", "nonce", "stratum", "report")


class PlainView(generics.CreateAPIView[PlainReport]):
    queryset = PlainReport.objects.all()
    serializer_class = PlainSerializer
    authentication_classes = ()
    permission_classes = ()


def empty(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("empty", empty), path("reports", PlainView.as_view())]
