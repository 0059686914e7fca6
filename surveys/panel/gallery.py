"""Ways to start a survey: empty, from a template, from a file, or as a copy of another."""

from dataclasses import dataclass
from functools import lru_cache

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from collector.errors import ValidationError
from estimator.base import wording
from estimator.base.languages import activated, formatted
from estimator.reports.privacy import QuestionPrivacy, item_label
from surveys.accounts.access import Role, get_survey_or_404, one_or_404, surveys_of
from surveys.accounts.teams import home_team
from surveys.definition import bounds, definitions
from surveys.definition import templates as topics
from surveys.definition.definitions import drawn_items, total_epsilon
from surveys.definition.own_coin.instructions import instructions_for
from surveys.definition.templates import Template
from surveys.labels import spoken, translated
from surveys.lifecycle import selectors, services
from surveys.models import Item
from surveys.panel.forms.survey import SamePeopleForm
from surveys.panel.views import panel_page, signed_in

LONGEST_TITLE = 300


@dataclass(frozen=True)
class TemplateQuestion:
    """A question of a template, in the reader's language where it has that."""

    wording: str
    kind: str
    label: QuestionPrivacy


@dataclass(frozen=True)
class TemplateCard:
    """A template as the gallery shows it."""

    template: Template
    topic: str
    why: str
    adapt: str
    title: str
    languages: str
    epsilon: str
    with_coin: bool
    questions: tuple[TemplateQuestion, ...]


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Ways to start; a POST copies the survey that it names, or begins an empty one with a title."""
    if request.method == "POST" and "title" in request.POST:
        return _begin_empty(request)
    if request.method == "POST":
        found = get_survey_or_404(request.user, request.POST.get("survey", ""), Role.EDITOR)
        form = SamePeopleForm(request.POST)
        if not form.is_valid():
            messages.error(request, " ".join(map(str, form.errors["same_people"])))
            return redirect("panel:new")
        slug = selectors.free_slug(found.slug)
        copy = services.duplicate_survey(found, slug=slug, **form.cleaned_data, by=signed_in(request))
        messages.success(request, gettext("Created a draft as a copy of {slug}.").format(slug=found.slug))
        return redirect("panel:survey", copy.slug)
    return panel_page(
        request, "panel/new.html", title=gettext("New survey"), mine=surveys_of(request.user, Role.EDITOR)
    )


def _begin_empty(request: HttpRequest) -> HttpResponse:
    """An empty draft with this title, in the editor; its link's name is made from the title."""
    user, title = signed_in(request), request.POST.get("title", "").strip()[:LONGEST_TITLE]
    slug = selectors.slug_from(title)
    try:
        bounds.require_plain({"title": title})
        definition = definitions.complete({"slug": slug, "title": title})
        written = services.write_survey(definition, team=home_team(user), by=user, unfinished=True)
    except ValidationError as error:
        messages.error(request, str(error))
        return redirect("panel:new")
    return redirect("panel:edit", written.slug)


@require_http_methods(["GET", "HEAD", "POST"])
def templates(request: HttpRequest) -> HttpResponse:
    """The gallery; a POST makes a draft from the template that it names."""
    if request.method == "POST":
        template = one_or_404(topics.find(request.POST.get("template", "")), "template")
        user = signed_in(request)
        definition = template.definition | {"slug": selectors.free_slug(template.name)}
        written = services.write_survey(definition, team=home_team(user), by=user, unfinished=True)
        messages.success(
            request,
            gettext("Created the draft {written}. {adapt}").format(written=written, adapt=spoken(template.adapt)),
        )
        return redirect("panel:survey", written.slug)
    return panel_page(request, "panel/templates.html", title=gettext("Templates"), cards=cards(formatted()))


@lru_cache
def cards(language: str) -> tuple[TemplateCard, ...]:
    """The gallery in a language; kept, as it changes only with the program."""
    with activated(language):
        return tuple(map(_card, topics.templates()))


def _card(template: Template) -> TemplateCard:
    definition = template.definition
    design = drawn_items(definition | {"slug": template.name}, version=1)
    return TemplateCard(
        template=template,
        topic=spoken(template.topic),
        why=spoken(template.why),
        adapt=spoken(template.adapt),
        title=spoken(design.title),
        languages=", ".join(selectors.language_names(design.languages)),
        epsilon=wording.epsilon(total_epsilon(definition)),
        with_coin=instructions_for(design) is not None,
        questions=tuple(
            TemplateQuestion(
                spoken(item.wording), translated(Item.Kind(item.kind).label), item_label(item, design.language)
            )
            for item in design.items
        ),
    )
