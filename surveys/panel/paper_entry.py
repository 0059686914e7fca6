"""Paper entry: the researcher types in what is marked on the sheets, one sheet after the other."""

import re
import secrets

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from collector.designs.selectors import get_design
from collector.endpoint import parsing, receiving
from collector.errors import RequestRefused
from collector.reports import selectors as reports
from surveys.accounts.access import Person, Role, get_survey_or_404
from surveys.lifecycle import selectors
from surveys.lifecycle.selectors import PublishedVersion
from surveys.models import Page, Survey, Version
from surveys.panel.views import panel_page
from surveys.rendering.own_coin import page as coin

PILES = "piles"
"""Session key: the number of sheets stored since a pile was begun, by design digest. Nothing of a sheet."""


@require_http_methods(["GET", "HEAD", "POST"])
def paper(request: HttpRequest, slug: str) -> HttpResponse:
    """An empty sheet; a POST stores a full one and redirects to the next."""
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
    """Restart the count; stored responses remain."""
    _survey, version = _on_paper_or_404(request.user, slug)
    _set_pile(request, version, 0)
    return redirect("panel:paper", slug)


def _on_paper_or_404(user: Person, slug: str) -> tuple[Survey, Version]:
    """The user's survey and its newest version, which has an own-coin page; else Http404."""
    survey = get_survey_or_404(user, slug, Role.EDITOR)
    version = selectors.latest_version(survey)
    if version is None or not selectors.has_coin_page(version) or get_design(version.design_id).invitations:
        raise Http404(gettext("There is no such survey."))
    return survey, version


def _fields(sent: QueryDict) -> dict[str, str]:
    """The fields of the sheet, each exactly once, without the panel's CSRF token."""
    if any(len(values) != 1 for _name, values in sent.lists()):
        raise RequestRefused(422, "body", gettext("Every field must occur exactly once."))
    return {name: str(value) for name, value in sent.items() if name != "csrfmiddlewaretoken"}


def _sheet(
    request: HttpRequest, survey: Survey, version: Version, *, refusal: RequestRefused | None = None
) -> HttpResponse:
    """The form for one sheet. If a mark was missing it retains the others, which a coin chose, and its nonce."""
    design = get_design(version.design_id)
    page = PublishedVersion(version, design, design.language).page(Page.Kind.COIN) or b""
    birthdays = coin.asks_birthdays(page)
    entered = request.POST if refusal and refusal.status == 422 else QueryDict()
    pile, nonce = _pile(request, version), entered.get("nonce", "")  # it makes storing a sheet twice one response
    context: dict[str, object] = {
        "survey": survey,
        "version": version,
        "open": survey.state == Survey.State.OPEN,
        "nonce": nonce if re.fullmatch(parsing.FIELDS["nonce"], nonce) else secrets.token_hex(16),
        "lines": list(coin.lines(design, design.language, entered.dict(), birthdays=birthdays)),
        "fault": coin.reason(refusal) if refusal else "",
        "pile": pile,
        "all": reports.sheet_count(version.design_id),
    }
    title, status = gettext("Sheet {value} of this batch").format(value=pile + 1), refusal.status if refusal else 200
    return panel_page(request, "panel/paper.html", context, status=status, title=title)


def _pile(request: HttpRequest, version: Version) -> int:
    return int(request.session.get(PILES, {}).get(version.design_id, 0))


def _set_pile(request: HttpRequest, version: Version, count: int) -> None:
    request.session[PILES] = {**request.session.get(PILES, {}), version.design_id: count}
