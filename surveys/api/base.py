"""Base of all API endpoints: query parameters, body size, ETag, and POSTs that are idempotent by key."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, FloatField
from rest_framework.views import APIView

from collector.endpoint.headers import LENGTH
from surveys.api.problems import Problem, error
from surveys.models import KeptAnswer

LARGEST_BODY = 1_000_000
"""Maximum bytes: five times a survey of 256 questions in five languages."""
LONGEST_KEY = 255
KEPT = timedelta(days=1)
AGAIN = "This Idempotency-Key was used for another request within a day. Use a new key for each request."

Handler = Callable[..., Response]


class FiniteField(FloatField):
    """A number; null where it is infinite or none, which JSON has not."""

    def to_representation(self, value: Any) -> Any:
        return float(value) if abs(value) < 1e300 else None


class View(APIView):
    """A view whose GET knows the query parameters in `parameters`; None: it checks them itself."""

    parameters: frozenset[str] | None = frozenset()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        _require_small(request)
        known = self.parameters if request.method in ("GET", "HEAD") else frozenset()
        unknown = sorted(set(request.query_params) - known) if known is not None else []
        if unknown:
            there = f"there are: {', '.join(sorted(known or ()))}" if known else "there are none"
            words = f"Unknown query parameter; {there}."
            raise Problem(400, words, [error(name[:LONGEST_KEY], words) for name in unknown[:20]])

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Add an ETag to the reply to a GET; reply 304 without a body where the client has it already."""
        answered = super().finalize_response(request, response, *args, **kwargs)
        if request.method in ("GET", "HEAD") and answered.status_code == 200 and isinstance(answered, Response):
            tag = tag_of(answered.data)
            answered["ETag"], answered["Cache-Control"] = tag, "private, no-cache"
            if tag in parse_etags(request.headers.get("If-None-Match", "")):
                answered.data, answered.status_code = None, 304
        return answered


def serialized(
    kind: type[BaseSerializer[Any]],
    instance: Any,
    *,
    many: bool = False,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """What a serializer makes of it: each answer is what the document says of it."""
    return Response(kind(instance, many=many).data, status=status, headers=headers)


def user_of(request: Request) -> User:
    """The user of the request; only authenticated users come this far."""
    assert isinstance(request.user, User)
    return request.user


def tag_of(data: Any) -> str:
    """The ETag of a reply."""
    return f'"{sha256(JSONRenderer().render(data)).hexdigest()[:32]}"'


def once(handler: Handler) -> Handler:
    """Make a POST idempotent by its Idempotency-Key, however many requests come, however close together.

    The answer is kept in the transaction that does what was asked: there is never the one without the other. Of two at
    once the second waits, and gets the answer of the first. A refusal has done nothing, so it is not kept.
    """

    @wraps(handler)
    def post(view: View, request: Request, **parts: Any) -> Response:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return handler(view, request, **parts)
        if not 1 <= len(key) <= LONGEST_KEY or not all("!" <= letter <= "~" for letter in key):
            words = (
                f"Idempotency-Key must have 1 to {LONGEST_KEY} visible characters of ASCII; got {len(key)} characters."
            )
            raise Problem(400, words, [error("Idempotency-Key", words)])
        request_hash = _hash(request.method or "", request.get_full_path(), request._request.body)
        with transaction.atomic():
            stored, new = _claim(user_of(request), _hash(key), request_hash)
            if not new:
                return _again(stored, request_hash)
            answer = handler(view, request, **parts)
            stored.status, stored.answer = answer.status_code, JSONRenderer().render(answer.data).decode()
            stored.save(update_fields=["status", "answer"])
            return answer

    return post


def without_idempotency(handler: Handler) -> Handler:
    """Make a POST whose answer is kept nowhere, so that no Idempotency-Key can bring it again; one is refused."""

    @wraps(handler)
    def post(view: View, request: Request, **parts: Any) -> Response:
        if "Idempotency-Key" in request.headers:
            words = "Idempotency-Key is not allowed here: the response contains secrets, which are not stored."
            raise Problem(400, words, [error("Idempotency-Key", words)])
        return handler(view, request, **parts)

    return post


def delete_expired_replies() -> None:
    """Delete the answers that were kept for a day."""
    KeptAnswer.objects.filter(kept_at__lt=timezone.now() - KEPT).delete()


def _claim(user: User, key: str, request_hash: str) -> tuple[KeptAnswer, bool]:
    """The row of this key, and True if it is new. Waits for a concurrent transaction that has created it."""
    KeptAnswer.objects.filter(user=user, key=key, kept_at__lt=timezone.now() - KEPT).delete()
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(user=user, key=key, request=request_hash), True
    except IntegrityError:
        return KeptAnswer.objects.get(user=user, key=key), False


def _again(stored: KeptAnswer, request_hash: str) -> Response:
    if stored.request != request_hash:
        raise Problem(422, AGAIN, [error("Idempotency-Key", AGAIN)])
    data = json.loads(stored.answer) if stored.answer else None
    return Response(data, status=stored.status, headers={"Idempotency-Replayed": "true"})


def _hash(*parts: str | bytes) -> str:
    """SHA-256 of texts and bytes, each preceded by its length."""
    written = [part.encode() if isinstance(part, str) else part for part in parts]
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in written)).hexdigest()


def _require_small(request: Request) -> None:
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    if not LENGTH.fullmatch(length) or int(length) > LARGEST_BODY:
        raise Problem(413, f"A body may have {LARGEST_BODY:,} bytes; this one has {length[:20]}.")
