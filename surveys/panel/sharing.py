"""The page Share: links, codes, posters, embedding, retention, and what respondents see in the end."""

import re

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from collector.designs.selectors import get_design
from collector.errors import InputError
from estimator.reports.retention import in_words
from surveys.accounts.access import Role, get_survey_or_404, one_or_404
from surveys.lifecycle import links, proof_of_work, selectors, services
from surveys.lifecycle.embedding import MOST_ORIGINS, origins_of
from surveys.lifecycle.links import SharedLink
from surveys.maintenance import retention
from surveys.models import Survey, Version
from surveys.outreach import qr_codes
from surveys.outreach.poster import render_poster
from surveys.panel.frame import survey_page
from surveys.panel.transitions import transition
from surveys.panel.views import signed_in
from surveys.respondent import tokens
from surveys.respondent.stored_pages import attachment

FRAME_HEIGHT = 760
"""Height of the embedded page in pixels; it scrolls within."""


@require_safe
def share(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything to share; before the survey is open, what there will be."""
    return _share_page(request, get_survey_or_404(request.user, slug))


@require_safe
def code_as_svg(request: HttpRequest, slug: str) -> HttpResponse:
    version, link = _named_or_404(request, slug)
    return attachment(qr_codes.svg(link.address, _title(version, link)), "image/svg+xml", f"{_name(slug, link)}.svg")


@require_safe
def code_as_png(request: HttpRequest, slug: str) -> HttpResponse:
    _, link = _named_or_404(request, slug)
    return attachment(qr_codes.png(link.address), "image/png", f"{_name(slug, link)}.png")


@require_safe
def poster(request: HttpRequest, slug: str) -> HttpResponse:
    """The poster of a link; Http404 if the fonts lack a letter of the title."""
    version, link = _named_or_404(request, slug)
    made = render_poster(get_design(version.design_id), link.language, link=link.address, address=link.typed)
    if not made:
        raise Http404(gettext("The fonts of the platform lack a letter of this survey’s title."))
    return attachment(made, "application/pdf", f"{_name(slug, link)}.pdf")


@require_POST
def embed(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the sites that may embed the respondents' page."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    written = request.POST.get("origins", "")
    try:
        origins = origins_of(written)
    except InputError as fault:
        return _share_page(request, survey, status=422, origins=written, embed_fault=str(fault))
    services.embed_survey(survey, origins, by=signed_in(request))
    words = ngettext("{count} site can embed the survey.", "{count} sites can embed the survey.", len(origins))
    messages.success(request, words.format(count=len(origins)) if origins else gettext("No site can embed the survey."))
    return redirect("panel:share", slug)


@transition(Role.OWNER, then="panel:share")
def show_results(request: HttpRequest, survey: Survey) -> str:
    """Set whether the survey's link shows the final estimates."""
    shown = request.POST.get("shown") == "yes"
    services.show_results(survey, shown=shown, by=signed_in(request))
    if not shown:
        return gettext("The survey’s link shows no results.")
    if survey.state in (Survey.State.DRAFT, Survey.State.OPEN):
        return gettext("Respondents will see the results at the survey’s link once the survey is closed.")
    return gettext("Respondents see the results at the survey’s link.")


@require_POST
def keep_reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the days after closing for which responses are retained; empty: no limit."""
    survey = get_survey_or_404(request.user, slug, Role.OWNER)
    written = request.POST.get("days", "").strip()
    try:
        days = retention.days_of(written)
    except InputError as fault:
        return _share_page(request, survey, status=422, days=written, days_fault=str(fault))
    retention.set_retention(survey, days, by=signed_in(request))
    messages.success(request, in_words(days))
    return redirect("panel:share", slug)


@require_POST
def ask_for_work(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the proof of work that a browser does for its response."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    written = request.POST.get("bits", "")
    bits = int(written) if re.fullmatch(r"[0-9]{1,2}", written) else -1
    try:
        proof_of_work.ask_for_work(survey, bits, by=signed_in(request))
    except InputError as fault:
        return _share_page(request, survey, status=422, work_fault=str(fault))
    messages.success(request, gettext("Proof of work is {bits}.").format(bits=proof_of_work.describe_level(bits)))
    return redirect("panel:share", slug)


@transition(Role.OWNER, then="panel:share")
def fetch_by_account(request: HttpRequest, survey: Survey) -> str:
    """Set whether users of this site may fetch a blind invitation."""
    allowed = request.POST.get("allowed") == "yes"
    tokens.let_accounts_fetch(survey, allowed=allowed, by=signed_in(request))
    if not allowed:
        return gettext("Accounts can no longer get an invitation.")
    return gettext("Accounts of this site can now get an invitation.")


def _share_page(request: HttpRequest, survey: Survey, *, status: int = 200, **changes: str) -> HttpResponse:
    version = selectors.latest_version(survey)
    shared = version if version is not None and selectors.takes_answers(survey) else None
    context = {
        "origins": "\n".join(survey.embedded_in),
        "most_origins": MOST_ORIGINS,
        "embed_fault": "",
        "days": survey.purge_after or "",
        "days_fault": "",
        "longest": retention.LONGEST,
        "levels": [(bits, proof_of_work.describe_level(bits).capitalize()) for bits in proof_of_work.LEVELS],
        "work_fault": "",
        "account_link": links.link_to("fetch", survey.slug),
        "purged": survey.versions.exclude(purged_at=None),
        **(_handed_on(shared) if shared else {}),
        **changes,
    }
    return survey_page(request, "panel/share.html", survey, step="open", status=status, context=context)


def _handed_on(version: Version) -> dict[str, object]:
    languages = links.language_links(version)
    return {
        "link": languages[0],
        "code": SafeString(qr_codes.svg(languages[0].address, _title(version, languages[0])).decode()),
        "languages": languages,
        "groups": links.group_links(version),
        "coin_link": links.coin_link(version),
        "sheet_links": links.sheet_links(version),
        "snippet": snippet(version, languages[0]) if version.survey.embedded_in else "",
    }


def snippet(version: Version, link: SharedLink) -> SafeString:
    """The markup that embeds the page in another site, with a plain link for browsers without frames."""
    title = get_design(version.design_id).title[link.language]
    frame = format_html(
        '<iframe src="{}" title="{}" width="100%" height="{}" referrerpolicy="no-referrer" loading="lazy"></iframe>',
        link.address,
        title,
        FRAME_HEIGHT,
    )
    return frame + format_html('\n<p><a href="{}" referrerpolicy="no-referrer">{}</a></p>', link.address, title)


def _named_or_404(request: HttpRequest, slug: str) -> tuple[Version, SharedLink]:
    """The open version, and the link that the query names: of a language or a group; the default is the first."""
    survey = get_survey_or_404(request.user, slug)
    version = selectors.latest_version(survey)
    if version is None or not selectors.takes_answers(survey):
        raise Http404(gettext("There is nothing to share."))
    found = [*links.language_links(version), *links.group_links(version)]
    query = request.GET.urlencode() or found[0].query
    return version, one_or_404(next((link for link in found if link.query == query), None), "link")


def _title(version: Version, link: SharedLink) -> str:
    group = gettext(", group {name}").format(name=link.name) if link.group else ""
    return gettext("QR code of the link to {survey}{group}: {typed}").format(
        survey=version.survey, group=group, typed=link.typed
    )


def _name(slug: str, link: SharedLink) -> str:
    return f"{slug}-{link.group or link.language}"
