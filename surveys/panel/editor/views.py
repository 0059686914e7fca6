"""The editor's page, and what its script asks: save, look, price, protect, revisions. All of it JSON."""

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST, require_safe

from collector.designs.arms import MOST_ARMS, versions_of
from collector.designs.items import MOST_ANSWERS
from collector.errors import Conflict, ValidationError
from estimator.base.languages import filled
from estimator.base.mechanisms import REGISTRY, RegistryEntry
from surveys.accounts.access import Role, get_survey_or_404
from surveys.definition import classes, definitions, shape
from surveys.definition.background import ARM_CONSENT, ARM_NAMES, VERSION, cells_of, kept
from surveys.definition.ceilings import TOTAL
from surveys.definition.changes import apply_changes, read_changes
from surveys.definition.class_recognition import classes_from
from surveys.definition.control_questions import CONTROL_QUESTIONS
from surveys.definition.definitions import ceiling_of
from surveys.definition.mechanisms import KINDS, MECHANISMS
from surveys.definition.parts import Definition, ItemPart
from surveys.definition.pictures import MOST_BYTES
from surveys.definition.questions import PREFER_NOT, YES_NO, complete_item
from surveys.definition.unsupported import NOT_OFFERED
from surveys.labels import translated
from surveys.lifecycle import advice, drafts, selectors, transitions
from surveys.lifecycle.pictures import add_picture
from surveys.models import Item, Survey
from surveys.panel.editor.presence import announce
from surveys.panel.editor.problems import keyed_path, problems_of
from surveys.panel.frame import status_of, steps
from surveys.panel.preview import pictures_address
from surveys.panel.views import panel_page, signed_in
from surveys.planning.arms import responses_for_coins, version_plans
from surveys.planning.draft_prices import AUTOMATIC, USUAL_LOSS, channel_at, divided, first_channel, fitted, price_of
from surveys.planning.group_warnings import expected_reports
from surveys.planning.parameters import MOST_RESPONDENTS

MOST_QUESTIONS = 256
View = Callable[..., HttpResponse]
Body = dict[str, object]


def answers_errors(view: View) -> View:
    """Answer what is wrong with a request as JSON, with the path of the field and the message without it."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ValidationError as error:
            sent = {"message": str(error), "path": list(error.path), "sentence": error.sentence(())}
            return JsonResponse(sent, status=422)
        except Conflict as error:
            return JsonResponse({"message": str(error)}, status=409)

    return answer


@require_POST
@answers_errors
def pictures(request: HttpRequest, slug: str) -> HttpResponse:
    """Store a picture that is sent as a file, and answer how a question names it."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    transitions.require_draft(survey)
    file = request.FILES.get("picture")
    if file is None:
        raise ValidationError(("picture",), gettext("must be a file"))
    if file.size is None or file.size > MOST_BYTES:
        raise ValidationError(
            ("picture",),
            filled(
                gettext("must have at most {most_bytes:,} bytes; this one has {value:,}"),
                most_bytes=MOST_BYTES,
                value=file.size or 0,
            ),
        )
    return JsonResponse(add_picture(survey, file.read(), by=signed_in(request)).to_dict())


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The editor. What is no draft has nothing to edit: its own page says so."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    if survey.state != Survey.State.DRAFT:
        return redirect("panel:survey", survey.slug)
    state = {**_state(survey, selectors.definition_of(survey)), **_about(survey)}
    return panel_page(
        request,
        "panel/editor/page.html",
        title=str(survey),
        survey=survey,
        steps=list(steps(status_of(survey))),
        state=state,
    )


@require_POST
@answers_errors
def save(request: HttpRequest, slug: str) -> HttpResponse:
    """Save changes beside those of others; 409 with both values where both sides changed the same part.

    Where nobody else saved since the `revision` that the changes were made from, the script has the draft already.
    """
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    sent = _body(request)
    changes = read_changes(sent.get("changes"))
    before, revision = selectors.definition_of(survey), drafts.revision_of(survey)
    try:
        saved = drafts.save_changes(survey, changes, by=signed_in(request))
    except ValidationError as error:
        written, _ = apply_changes(before, changes)
        raise ValidationError(keyed_path(written, error.path), error.message, code=error.code) from None
    survey = Survey.objects.get(pk=survey.pk)
    status = 409 if saved.clashes else 200
    clashes = {"clashes": [one.to_dict() for one in saved.clashes]} if saved.clashes else {}
    state = _with_problems(survey, saved.definition)
    alone = sent.get("revision") == revision and saved.revision == revision + 1
    if alone and apply_changes(before, changes)[0] == saved.definition:
        del state["definition"]
    return JsonResponse({**state, "addresses": _addresses(survey), **clashes}, status=status)


@require_GET
@answers_errors
def look(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether there is a newer revision, and who else is here; also a token for saving after a new sign-in.

    With `problems` those of the draft, too: its page does not wait for them.
    """
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    others = announce(survey, signed_in(request), tab=request.GET.get("tab", ""), at=request.GET.get("at", ""))
    answer: dict[str, object] = {"others": others, "token": get_token(request), "draft": _is_draft(survey)}
    if request.GET.get("revision") != str(drafts.revision_of(survey)):
        answer |= _with_problems(survey, selectors.definition_of(survey))
    elif "problems" in request.GET:
        answer |= _problems(survey, selectors.definition_of(survey))
    return JsonResponse(answer)


@require_POST
@answers_errors
def prices(request: HttpRequest, slug: str) -> HttpResponse:
    """Privacy loss and precision of the questions that are sent, written or not."""
    get_survey_or_404(request.user, slug, Role.EDITOR)
    sent = _body(request)
    respondents = sent.get("respondents")
    if type(respondents) is not int or not 1 <= respondents <= MOST_RESPONDENTS:
        words = gettext("must be a whole number from 1 to {most_respondents}; got {respondents!r}").format(
            most_respondents=MOST_RESPONDENTS, respondents=respondents
        )
        raise ValidationError(("respondents",), words)
    items = _items(sent)
    return JsonResponse(asdict(price_of(items, respondents, _versions(sent, items))))


@require_POST
@answers_errors
def protect(request: HttpRequest, slug: str) -> HttpResponse:
    """The channels of questions: each at a privacy loss, or those that share a budget, or everything within it."""
    get_survey_or_404(request.user, slug, Role.EDITOR)
    sent = _body(request)
    items = _items(sent)
    if "budget" in sent:
        divide = fitted if sent.get("everything") else divided
        return JsonResponse({"channels": divide(items, _loss(sent, "budget"), _versions(sent, items))})
    epsilon, choose = _loss(sent, "epsilon"), bool(sent.get("choose"))
    return JsonResponse({"channels": {item["key"]: channel_at(item, epsilon, choose=choose) for item in items}})


@require_POST
@answers_errors
def options(request: HttpRequest, slug: str) -> HttpResponse:
    """The options that classes of dates or times make, in the languages of the draft; or the classes of options."""
    get_survey_or_404(request.user, slug, Role.EDITOR)
    sent = _body(request)
    languages = sent.get("languages")
    known = [code for code, _name in settings.LANGUAGES]
    if not isinstance(languages, list) or not languages or not all(code in known for code in languages):
        raise ValidationError(
            ("languages",),
            gettext("must be a list of some of {known}; got {languages!r}").format(
                known=", ".join(known), languages=languages
            ),
        )
    if "choices" in sent:
        return JsonResponse({"classes": classes_from(_choices(sent["choices"]), languages)})
    return JsonResponse({"choices": classes.choices_of(sent.get("classes"), languages, ("classes",))})


@require_POST
@answers_errors
def cells(request: HttpRequest, slug: str) -> HttpResponse:
    """How many cells background questions make, and how often the answer to each is kept by itself, in [0, 1].

    With versions of the page also what each costs in privacy, by the questions that are sent, and the smallest
    difference from the first that is found reliably, null for none; and with two coins how many responses find people
    who do not follow them.
    """
    get_survey_or_404(request.user, slug, Role.EDITOR)
    sent = _body(request)
    draft = definitions.complete({"background_questions": sent.get("background_questions")})
    shape.require_shape(draft)
    asked = draft.get("background_questions")
    if asked is None:
        return JsonResponse({"cells": 0, "kept": []})
    found: dict[str, object] = {"cells": len(cells_of(asked)), "kept": [one.share for one in kept(asked)]}
    if "arms" in asked["questions"][0]:
        try:
            found["versions"] = [asdict(one) for one in version_plans(_items(sent), asked)]
            found["coins"] = responses_for_coins(_items(sent), asked)
        except (ValueError, KeyError, TypeError):
            found["versions"] = []  # a question has no table yet
    return JsonResponse(found)


@require_POST
@answers_errors
def dismiss(request: HttpRequest, slug: str) -> HttpResponse:
    """Dismiss an advice with a reason, or show it again; the problems as they are then."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    sent, definition = _body(request), selectors.definition_of(survey)
    mark, reason = sent.get("mark"), sent.get("reason", "")
    found = next((one for one in problems_of(survey, definition) if one.mark and one.mark == mark), None)
    if found is None:
        raise Conflict(gettext("The text has changed since then, so the advice no longer applies."))
    if "reason" in sent:
        where = ".".join(map(str, found.path))
        advice.dismiss_advice(
            survey, mark=found.mark, advice=f"{where}: {found.text}", reason=str(reason), by=signed_in(request)
        )
    else:
        advice.restore_advice(survey, mark=found.mark, by=signed_in(request))
    return JsonResponse(_problems(survey, definition))


@require_GET
def revisions(request: HttpRequest, slug: str) -> HttpResponse:
    """The revisions that are kept; with `number` the definition of one."""
    survey = get_survey_or_404(request.user, slug, Role.EDITOR)
    number = request.GET.get("number", "")
    if number:
        found = survey.revisions.filter(number=number).first() if number.isdecimal() and len(number) < 10 else None
        if found is None:
            return JsonResponse({"message": gettext("This version is no longer stored.")}, status=409)
        return JsonResponse({"definition": found.definition})
    kept = survey.revisions.values_list("number", "saved_at", "saved_by__username")
    return JsonResponse({"revisions": [{"number": number, "at": at, "by": by or ""} for number, at, by in kept]})


def _with_problems(survey: Survey, definition: Definition) -> Body:
    return _state(survey, definition) | _problems(survey, definition)


def _problems(survey: Survey, definition: Definition) -> Body:
    return {"problems": [one.to_dict() for one in problems_of(survey, definition)]}


def _state(survey: Survey, definition: Definition) -> Body:
    """The draft with its revision."""
    newest = survey.revisions.values("number", "saved_at").first() or {"number": 0, "saved_at": None}
    return {
        "definition": definition,
        "revision": newest["number"],
        "saved_at": newest["saved_at"],
    }


def _about(survey: Survey) -> dict[str, object]:
    """What the script needs to know of the platform, once."""
    labels = dict(Item.Kind.choices)
    kinds = [
        {
            "name": kind,
            "label": translated(labels.get(kind, kind)),
            "mechanisms": MECHANISMS[kind],
            "channel": first_channel(kind),
        }
        for kind in KINDS
    ]
    languages = [
        {"code": code, "name": str(name), "direction": selectors.direction_of(code)}
        for code, name in settings.LANGUAGES
    ]
    return {
        "kinds": kinds,
        "refused": NOT_OFFERED,
        "usual_loss": USUAL_LOSS,
        "usual_budget": float(TOTAL),
        "automatic": AUTOMATIC,
        "mechanisms": {name: _mechanism(entry) for name, entry in REGISTRY.items()},
        "languages": languages,
        "yes_no": YES_NO,
        "prefer_not": PREFER_NOT,
        "controls": {one.name: {"known_share": one.known_share, "wording": one.wording} for one in CONTROL_QUESTIONS},
        "arms": {"version": VERSION, "consent": ARM_CONSENT, **ARM_NAMES},
        "respondents": expected_reports(survey),
        "ceiling": ceiling_of(rehearsal=survey.rehearsal),
        "addresses": _addresses(survey),
    }


def _mechanism(entry: RegistryEntry) -> dict[str, object]:
    parameters = [
        {"name": one.name, "label": translated(one.label), "help": translated(one.help), "form": one.form}
        for one in entry.parameters
    ]
    return {"label": translated(entry.label), "only_two": entry.only_two, "parameters": parameters}


def _addresses(survey: Survey) -> dict[str, str]:
    names = {
        "edit": "edit", "save": "edit-save", "look": "edit-look", "prices": "edit-prices", "protect": "edit-protect",
        "options": "edit-options", "cells": "edit-cells",
        "revisions": "edit-revisions", "dismiss": "edit-dismiss",
        "translations": "edit-translations", "translated": "edit-translations-read",
        "preview": "preview-page", "survey": "survey", "opening": "opening",
        "rehearse": "rehearse", "plan": "survey-plan", "pictures": "edit-pictures",
    }  # fmt: skip
    found = {name: reverse(f"panel:{view}", args=[survey.slug]) for name, view in names.items()}
    form = reverse("admin:surveys_survey_change", args=[survey.pk])
    return found | {"form": form, "picture": pictures_address(survey)}


def _is_draft(survey: Survey) -> bool:
    return survey.state == Survey.State.DRAFT


def _body(request: HttpRequest) -> Body:
    try:
        sent = json.loads(request.body)
    except ValueError:
        sent = None
    if not isinstance(sent, dict):
        raise ValidationError((), gettext("the request must be a JSON object"))
    return sent


def _loss(sent: Body, name: str) -> float:
    value: Any = sent.get(name)
    if type(value) not in (int, float) or not 0 < value <= 100:
        raise ValidationError(
            (name,), gettext("must be a number above 0 and at most 100; got {value!r}").format(value=value)
        )
    return float(value)


def _choices(raw: object) -> list[dict[str, str]]:
    if not isinstance(raw, list) or len(raw) > MOST_ANSWERS:
        raise ValidationError(
            ("choices",), gettext("must be a list of at most {most_answers} options").format(most_answers=MOST_ANSWERS)
        )
    for number, one in enumerate(raw):
        if not isinstance(one, dict) or not all(isinstance(words, str) for words in one.values()):
            raise ValidationError(("choices", number), gettext("must have a text for each language"))
    return raw


def _versions(sent: Body, items: list[ItemPart]) -> tuple[tuple[int, ...], ...]:
    """The places of the questions that each version of the page asks, by what it asks instead of others."""
    changes: Any = sent.get("instead", [])
    named = isinstance(changes, list) and all(isinstance(one, dict) for one in changes)
    texts = named and all(isinstance(key, str) for one in changes for key in one.values())
    if not texts or len(changes) > MOST_ARMS:
        raise ValidationError(("instead",), gettext("must name for each version what it asks instead of what"))
    return versions_of([item["key"] for item in items], changes)


def _items(sent: Body) -> list[ItemPart]:
    """The questions of a request, of which texts may be left out."""
    raw = sent.get("items")
    if not isinstance(raw, list) or len(raw) > MOST_QUESTIONS:
        raise ValidationError(
            ("items",),
            gettext("must be a list of at most {most_questions} questions").format(most_questions=MOST_QUESTIONS),
        )
    items: list[ItemPart] = []
    for number, one in enumerate(raw):
        items.append(complete_item(one, ["en"], ("items", number), items))
    return items
