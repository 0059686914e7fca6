"""Downloads of exported files: streamed, under a descriptive name, for the requesting user alone."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag

from collector.designs.selectors import get_design
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
    """The file, or 304 if the client has it. Raises Http404 if it is not made yet or no longer stored."""
    if not services.exists(export):
        raise Http404("There is no such file.")
    etag, cached = quote_etag(export.sha256), "private, no-store" if export.microdata else "private, no-cache"
    headers = {"ETag": etag, "Cache-Control": cached}
    if (unchanged := get_conditional_response(request, etag=etag)) is not None:
        for name, value in headers.items():
            unchanged[name] = value
        return unchanged
    try:
        file = storage.path_of(export.key).open("rb")
    except FileNotFoundError:
        raise Http404("There is no such file.") from None
    form = FORMATS.get(export.format)
    kind = form.content_type if form else "application/octet-stream"
    answer = FileResponse(file, as_attachment=True, filename=file_name(export), content_type=kind, headers=headers)
    answer.block_size = AT_ONCE
    return answer
