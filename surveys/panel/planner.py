"""The planner's pages: a question that is in no survey yet, and the questions of a survey."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from collector.errors import Conflict, InputError
from estimator.base.mechanisms import PARAMETERS, REGISTRY
from surveys.accounts.access import Role, get_survey_or_404, role_in
from surveys.labels import in_sentence, translated
from surveys.models import Item, Survey
from surveys.panel.frame import survey_page
from surveys.panel.views import panel_page, signed_in
from surveys.planning import budget, parameters, survey_plan
from surveys.planning.drafts import planned_question
from surveys.planning.forecast import against
from surveys.planning.parameters import PLANNED, PlanParameters
from surveys.planning.presentation import present
from surveys.planning.question import PlannedQuestion

KINDS = dict(Item.Kind.choices)
GRID = {"minimum": "0", "maximum": "10", "step": "1"}


@require_safe
def free(request: HttpRequest) -> HttpResponse:
    """The planner of a question that is in no survey."""
    context: dict[str, object] = {"title": gettext("Plan a question"), "api": reverse("api:plan"), "free": True}
    fault = None
    try:
        question, wanted = parameters.free(request.GET)
    except InputError as error:
        (question, wanted), fault = parameters.free(QueryDict()), error
    context |= _context(request.GET, question, wanted, fault)
    return panel_page(request, "panel/plan/free.html", context, status=400 if fault else 200)


@require_safe
def of_survey(request: HttpRequest, slug: str) -> HttpResponse:
    """The planner of a survey's questions, one of them with its slider."""
    found = get_survey_or_404(request.user, slug)
    fault = None
    try:
        plan = survey_plan.plan_of(found, request.GET)
    except InputError as error:
        plan, fault = survey_plan.plan_of(found, QueryDict()), error
    draft = found.state == Survey.State.DRAFT and (role_in(request.user, found) or 0) >= Role.EDITOR
    context: dict[str, object] = {
        "title": gettext("Plan {found}").format(found=found),
        "api": reverse("api:survey-plan", args=[found.slug]),
        "plan": plan,
        "draft": draft,
        "budget": budget.to_divide(found) if draft else None,
    }
    if plan.question is not None:
        context |= _context(request.GET, plan.question, plan.wanted, fault)
    context["fault"] = fault
    status = 400 if fault else 200
    return survey_page(request, "panel/plan/survey.html", found, step="plan", status=status, context=context)


@require_POST
def use(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the slider's value in the draft."""
    found = get_survey_or_404(request.user, slug, Role.EDITOR)
    sent = request.POST.copy()
    sent.pop("csrfmiddlewaretoken", None)
    key = sent.get("item", "")
    try:
        item = survey_plan.use(found, key, sent, by=signed_in(request))
    except (InputError, Conflict) as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:survey-plan", slug)
    messages.success(request, gettext("{key} now has {item}.").format(key=item.key, item=_item_summary(item)))
    return redirect(f"{reverse('panel:survey-plan', args=[slug])}?item={item.key}")


@require_POST
def fit(request: HttpRequest, slug: str) -> HttpResponse:
    """Divide the privacy budget over the draft's questions."""
    found = get_survey_or_404(request.user, slug, Role.EDITOR)
    try:
        changed = budget.fit(found, by=signed_in(request))
    except Conflict as refusal:
        messages.error(request, str(refusal))
        return redirect("panel:survey-plan", slug)
    words = ngettext(
        "{count} question has another table now.", "{count} questions have another table now.", changed
    ).format(count=changed)
    messages.success(request, words if changed else gettext("No change is needed."))
    return redirect("panel:survey-plan", slug)


def _item_summary(item: Item) -> str:
    question = planned_question(item)
    assert question is not None
    name = question.dial.parameter if question.dial else "epsilon"
    return f"{in_sentence(translated(PARAMETERS[name].label))} {question.item['channel'][name]}"


def _context(
    query: QueryDict, question: PlannedQuestion, wanted: PlanParameters, fault: InputError | None
) -> dict[str, object]:
    showing = present(question, wanted)
    return {
        "showing": showing,
        "question": question,
        "fault": fault,
        "fields": _fields(question, wanted, showing.truth, showing.epsilon) | ({} if fault is None else query.dict()),
        "by_epsilon": wanted.setting.epsilon is not None or not question.by_truth,
        "mechanism_name": gettext("{short}, {answers} answers")
        .format(short=translated(question.entry.short), answers=question.answers)
        .capitalize(),
        "kinds": {name: translated(label) for name, label in KINDS.items()},
        "mechanisms": [
            (name, translated(REGISTRY[name].short), [kind for kind in KINDS if kind in REGISTRY[name].kinds])
            for name in PLANNED
        ],
        "by_truth": [name for name, entry in REGISTRY.items() if entry.dial],
        "dials": [
            (PARAMETERS[one], [name for name, entry in REGISTRY.items() if entry.dial and entry.dial.parameter == one])
            for one in dict.fromkeys(entry.dial.parameter for entry in REGISTRY.values() if entry.dial)
        ],
    }


def _fields(question: PlannedQuestion, wanted: PlanParameters, truth: str, epsilon: str) -> dict[str, str]:
    expected, mean = wanted.expected, bool(question.values)
    fields: dict[str, object] = {
        "kind": question.kind,
        "mechanism": question.name,
        "choices": question.answers if question.kind != "number" else 5,
        "most": question.item.get("most", ""),
        **{name: question.item.get(name, usual) for name, usual in GRID.items()},
        "truth": truth or "1/2",
        "epsilon": f"{wanted.setting.epsilon:g}" if wanted.setting.epsilon is not None else epsilon,
        "share": f"{100 * expected.share:g}",
        "mean": "" if not mean else f"{question.middle if expected.mean is None else expected.mean:g}",
        "spread": "" if expected.spread is None else f"{expected.spread:g}",
        "respondents": wanted.respondents,
        "second": wanted.second or "",
        "confidence": f"{100 * wanted.confidence:g}",
        "margin": "" if wanted.margin is None else f"{wanted.margin:g}",
        "against": f"{against(question, wanted) * (1 if mean else 100):.4g}",
    }
    return {name: str(value) for name, value in fields.items()}
