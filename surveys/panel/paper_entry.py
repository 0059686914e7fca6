"""The pile of paper: the researcher types in what is marked on the sheets, one sheet after the other."""

import re
import secrets

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from collector.designs.selectors import get_design
from collector.endpoint import parsing, receiving
from collector.errors import RequestRefused
from collector.reports import selectors as reports
from surveys.accounts.access import Person, Role, get_survey_or_404
from surveys.lifecycle import selectors
from surveys.models import Survey, Version
from surveys.panel.views import panel_page
from surveys.rendering.own_coin import page as coin

PILES = "piles"
"""In the session: how many sheets were stored since a pile was begun, by digest of the design. Nothing of a sheet."""


@require_http_methods(["GET", "HEAD", "POST"])
def paper(request: HttpRequest, slug: str) -> HttpResponse:
    """An empty sheet; of a full one, store it and lead on to the next."""
    survey, version = _on_paper_or_404(request.user, slug)
    if request.method != "POST":
        return _sheet(request, survey, version)
    try:
        stored = receiving.receive_sheet(_fields(request.POST), slug=slug)
    except RequestRefused as refusal:
        return _sheet(request, survey, version, refusal=refusal)
    if stored:
        _set_pile(request, version, _pile(request, version) + 1)
    else:
        messages.info(request, "This sheet was stored before. It counts once.")
    return redirect("panel:paper", slug)


@require_POST
def new_pile(request: HttpRequest, slug: str) -> HttpResponse:
    """Count from none again; what is stored stays."""
    _survey, version = _on_paper_or_404(request.user, slug)
    _set_pile(request, version, 0)
    return redirect("panel:paper", slug)


def _on_paper_or_404(user: Person, slug: str) -> tuple[Survey, Version]:
    """One's own survey that was opened with an own-coin page, the newest version of it."""
    survey = get_survey_or_404(user, slug, Role.EDITOR)
    version = selectors.latest_version(survey)
    if version is None or not selectors.has_coin_page(version) or get_design(version.design_id).invitations:
        raise Http404("There is no such survey.")
    return survey, version


def _fields(sent: QueryDict) -> dict[str, str]:
    """What the form says of the sheet: every field once, but for the panel's own token."""
    if any(len(values) != 1 for _name, values in sent.lists()):
        raise RequestRefused(422, "body", "Every field must stand once.")
    return {name: str(value) for name, value in sent.items() if name != "csrfmiddlewaretoken"}


def _sheet(
    request: HttpRequest, survey: Survey, version: Version, *, refusal: RequestRefused | None = None
) -> HttpResponse:
    """The form for one sheet. Where a mark was missing it keeps the others, which a coin has chosen, and its nonce."""
    design = get_design(version.design_id)
    kept = request.POST if refusal and refusal.status == 422 else QueryDict()
    pile = _pile(request, version)
    context: dict[str, object] = {
        "survey": survey,
        "version": version,
        "open": survey.state == Survey.State.OPEN,
        "nonce": _nonce(kept.get("nonce", "")),
        "lines": list(coin.lines(design, design.language, kept.dict())),
        "fault": coin.reason(refusal) if refusal else "",
        "pile": pile,
        "all": reports.sheet_count(version.design_id),
    }
    response = panel_page(request, "panel/paper.html", title=f"Sheet {pile + 1} of this pile", **context)
    response.status_code = refusal.status if refusal else 200
    return response


def _nonce(sent: str) -> str:
    """The number that makes storing a sheet twice one report."""
    return sent if re.fullmatch(parsing.FIELDS["nonce"], sent) else secrets.token_hex(16)


def _pile(request: HttpRequest, version: Version) -> int:
    return int(request.session.get(PILES, {}).get(version.design_id, 0))


def _set_pile(request: HttpRequest, version: Version, count: int) -> None:
    request.session[PILES] = {**request.session.get(PILES, {}), version.design_id: count}
