"""Request bodies. Unknown fields are rejected, because a misspelt one would silently do nothing."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, TypeVar

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from collector.designs import FEWEST_IN_GROUP, LONGEST_REASON
from estimator.models import LONGEST_NAME, Analysis
from surveys.definition import bounds
from surveys.exchange import formats as exchange
from surveys.models import KEY_VALIDATOR
from surveys.opening.schedules import MOST_REPORTS
from surveys.outreach.invitations import FEWEST as FEWEST_INVITED
from surveys.outreach.invitations import MOST as MOST_INVITED
from surveys.planning.rehearsals.form import FEWEST, MOST, MOST_REPETITIONS
from surveys.planning.rehearsals.services import LARGEST_SEED

DIGEST = r"^[0-9a-f]{64}$"


class Body(serializers.Serializer[Any]):
    """The body of a request."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(set(data) - set(self.fields)) if isinstance(data, Mapping) else []
        if unknown:
            known = f"there are: {', '.join(self.fields)}" if self.fields else "there are none"
            raise serializers.ValidationError(
                {name[:100]: [f"This field is not known here; {known}."] for name in unknown[:20]}
            )
        return super().to_internal_value(data)


class NothingBody(Body):
    """Nothing has to be said."""


@extend_schema_field(
    {"type": "object", "additionalProperties": True, "description": "see docs/reference/survey-file.md"}
)
class DefinitionField(serializers.JSONField):
    """A survey definition; errors come from its own parser."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise serializers.ValidationError("A definition is an object; docs/reference/survey-file.md has its keys.")
        return data


class SurveyBody(Body):
    """A definition as an object or as a text in YAML, and the team that it goes to."""

    definition = DefinitionField(required=False)
    yaml = serializers.CharField(required=False, max_length=bounds.LARGEST, trim_whitespace=False)
    team = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="id of one of your teams; else your own"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("definition" in attrs) == ("yaml" in attrs):
            raise serializers.ValidationError("Say the survey by one of definition and yaml.")
        return attrs


@extend_schema_field({"type": "string", "contentEncoding": "base64", "description": "the file, in base64"})
class FileField(serializers.CharField):
    """A file of at most three quarters of the largest body."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return base64.b64decode(super().to_internal_value(data), validate=True)
        except (binascii.Error, ValueError):
            raise serializers.ValidationError("The content of the file must be in base64.") from None


class ImportBody(Body):
    """A questionnaire of another tool, and the team that it goes to."""

    content = FileField(trim_whitespace=False)
    filename = serializers.CharField(
        max_length=255, default="", allow_blank=True, help_text="stands in for a missing title, and tells the format"
    )
    format = serializers.ChoiceField(
        choices=[exchange.AUTOMATIC, *exchange.FORMATS], default=exchange.AUTOMATIC, help_text="auto finds it out"
    )
    language = serializers.ChoiceField(
        choices=[code for code, _name in settings.LANGUAGES], default="en", help_text="of texts that name none"
    )
    team = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="id of one of your teams; else your own"
    )


class TranslationsBody(Body):
    """A file that came back from a translator."""

    content = FileField(trim_whitespace=False)
    filename = serializers.CharField(
        max_length=255, default="", allow_blank=True, help_text="tells the format where the content does not"
    )


class OpeningBody(Body):
    """What is confirmed is what opens: the digest of the design that was looked at."""

    digest = serializers.RegexField(DIGEST, help_text="of next-design, which opening freezes for ever")
    opens_at = serializers.DateTimeField(required=False, allow_null=True, help_text="else it opens now")
    closes_at = serializers.DateTimeField(required=False, allow_null=True, help_text="else when somebody closes it")
    cap = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=FEWEST_IN_GROUP,
        max_value=MOST_REPORTS,
        help_text="number of responses at which it closes",
    )

    reason = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_REASON,
        help_text="reason for opening above a ceiling of epsilon; required there; part of the design and the report",
    )


class ClosingBody(Body):
    """Whether it is final at once."""

    now = serializers.BooleanField(
        default=False, help_text="else it can be undone for an hour, and the final estimate is made after that"
    )


class DuplicateBody(Body):
    """The name of the copy, whom it asks, and perhaps another team of yours."""

    slug = serializers.CharField(max_length=64, validators=[KEY_VALIDATOR])
    same_people = serializers.BooleanField(
        default=True, help_text="it then goes on from what they have spent; false says that nobody is asked by both"
    )
    team = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)


class BatchBody(Body):
    """A batch of invitations, and how its codes are answered."""

    count = serializers.IntegerField(min_value=FEWEST_INVITED, max_value=MOST_INVITED)
    group = serializers.CharField(required=False, max_length=64, help_text="key of the group that they are for")
    format = serializers.ChoiceField(choices=["json", "csv"], default="json")


class PublishBody(Body):
    published = serializers.BooleanField(help_text="whether anyone with the link may read the report")


class AnalysisBody(Body):
    """An analysis, as the form of the page Analyse asks for it."""

    kind = serializers.ChoiceField(choices=Analysis.Kind.values)
    parameters = serializers.DictField(
        child=serializers.CharField(max_length=20_000, allow_blank=True),
        help_text="quantity and against; item and share-<group>, or share-<question>-<answer>; rows, columns "
        "and group; outcome and reference, or predictor-<question>; quantity, returned and returned_first; each also "
        "confidence and name. "
        "docs/how-to/analyse.md has their values",
    )


class KeptAnalysisBody(Body):
    """What an analysis is called, and whether reports show it."""

    name = serializers.CharField(required=False, allow_blank=True, max_length=LONGEST_NAME)
    published = serializers.BooleanField(required=False, help_text="only of a finished analysis of a closed survey")


class ExportBody(Body):
    format = serializers.CharField(max_length=32, help_text="name of one of the formats")
    language = serializers.CharField(required=False, max_length=16, help_text="of a format that has languages")
    microdata = serializers.BooleanField(
        required=False, help_text="must be true for a format with a row for each response"
    )


@extend_schema_field(
    {
        "description": "shares of the choices from 0 to 1; of a number its mean and spread",
        "oneOf": [
            {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": 256},
            {
                "type": "object",
                "properties": {"mean": {"type": "number"}, "spread": {"type": "number"}},
                "required": ["mean"],
                "additionalProperties": False,
            },
        ],
    }
)
class TruthField(serializers.JSONField):
    """The true answers of simulated respondents to one question."""

    def to_internal_value(self, data: Any) -> Any:
        parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
        plain = bool(parts) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in parts)
        if not plain or (isinstance(data, dict) and not {"mean"} <= set(data) <= {"mean", "spread"}):
            raise serializers.ValidationError("Say a list of shares from 0 to 1, or an object with mean and spread.")
        if len(parts) > 256 or any(abs(one) > 1e9 for one in parts):
            raise serializers.ValidationError("At most 256 numbers from -1e9 to 1e9 are taken.")
        return {name: float(one) for name, one in data.items()} if isinstance(data, dict) else [float(x) for x in data]


class BehaviourBody(Body):
    """Shares of simulated people who do not say what is true."""

    at_random = serializers.FloatField(
        min_value=0, max_value=1, required=False, help_text="share who answer every question at random"
    )
    misunderstanding = serializers.FloatField(
        min_value=0, max_value=1, required=False, help_text="share of the others who say the opposite of what is true"
    )
    denial = serializers.FloatField(
        min_value=0, max_value=1, required=False, help_text="share of the rest who say No although Yes is true"
    )


class RehearsalBody(BehaviourBody):
    """Who is simulated, and how often."""

    respondents = serializers.IntegerField(min_value=FEWEST, max_value=MOST)
    repetitions = serializers.IntegerField(min_value=1, max_value=MOST_REPETITIONS, default=1)
    seed = serializers.IntegerField(
        min_value=0, max_value=LARGEST_SEED, required=False, help_text="the same seed gives the same numbers"
    )
    shares = serializers.DictField(
        child=TruthField(), required=False, help_text="by key of the question; else all answers are equally frequent"
    )
    groups = serializers.DictField(
        child=serializers.DictField(child=TruthField()),
        required=False,
        help_text="by key of the group, then like shares: where the truth differs there",
    )
    sizes = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MOST),
        required=False,
        max_length=256,
        help_text="respondents of each group; together they are `respondents`",
    )
    misreporting_groups = serializers.DictField(
        child=BehaviourBody(),
        required=False,
        help_text="by key of the group (`y2`), or of an answer to one background question (`where_do_you_live=1`): "
        "where `at_random`, `misunderstanding` or `denial` differ there",
    )


B = TypeVar("B", bound=Body)


def read_body(kind: type[B], request: Request) -> dict[str, Any]:
    """The validated request body; raises ValidationError, which names every invalid field."""
    body = kind(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)
