"""Downloads of exported files: streamed, under a descriptive name, for the requesting user alone."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext

from collector.designs.selectors import get_design
from estimator.base.stores import StoreError
from estimator.exports import services, storage
from estimator.exports.formats import FORMATS
from estimator.models import Export

AT_ONCE = 1 << 16
"""Bytes that are read and sent at a time."""


def file_name(export: Export) -> str:
    """A name like campus-1-0f3a9c21.pdf: survey, version, run; format and language if the suffix has neither."""
    design, form = get_design(export.design_id), FORMATS.get(export.format)
    suffix = form.suffix if form else ""
    parts = [design.slug, str(design.version), export.run.key[:8]]
    parts += [export.format] if suffix != f".{export.format}" else []
    return "-".join([*parts, export.language] if export.language else parts) + suffix


def response_of(request: HttpRequest, export: Export) -> HttpResponseBase:
    """The file, or 304 if the client has it, or 503 if its store is away.

    Raises Http404 if it is not made yet or no longer stored.
    """
    if not services.exists(export):
        raise Http404(gettext("There is no such file."))
    etag, cached = quote_etag(export.sha256), "private, no-store" if export.microdata else "private, no-cache"
    headers = {"ETag": etag, "Cache-Control": cached}
    if (unchanged := get_conditional_response(request, etag=etag)) is not None:
        for name, value in headers.items():
            unchanged[name] = value
        return unchanged
    try:
        file = storage.open_file(export.key, export.lease)
    except FileNotFoundError:
        raise Http404(gettext("There is no such file.")) from None
    except StoreError as away:
        words = gettext("The file cannot be read now: {words}. It is kept; try again in a minute.\n").format(
            words=away.words
        )
        return HttpResponse(words, status=503, content_type="text/plain; charset=utf-8", headers={"Retry-After": "60"})
    form = FORMATS.get(export.format)
    kind = form.content_type if form else "application/octet-stream"
    answer = FileResponse(file, as_attachment=True, filename=file_name(export), content_type=kind, headers=headers)
    answer.block_size = AT_ONCE
    answer["Content-Length"] = str(export.size)  # a stream from elsewhere does not say
    return answer
