"""A stored picture as a response: one type, and the same bytes for ever."""

from django.http import HttpResponse

from surveys.models import Picture

TYPES = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
FOR_EVER = "public, max-age=31536000, immutable"


def picture_response(picture: Picture) -> HttpResponse:
    """The picture's bytes, which its name is the hash of."""
    headers = {"Cache-Control": FOR_EVER, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(bytes(picture.content), content_type=TYPES[picture.type], headers=headers)
