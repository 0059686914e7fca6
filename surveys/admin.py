"""Admin of users and surveys: list and draft forms. Collector tables are not registered: no row is edited."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import flatten
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.models import Group as DjangoGroup
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.forms import BaseInlineFormSet, ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from unfold.admin import ModelAdmin, StackedInline, TabularInline
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from collector.designs import ABOUT, MOST_GROUPS
from collector.designs.texts import validate_line
from estimator.reports import disclosures
from surveys.accounts.access import Role, role_in, surveys_of
from surveys.accounts.audit_log import record_event
from surveys.accounts.teams import choices_of, delete_accounts, home_team, team_fields, teams_without_owner
from surveys.lifecycle import drafts, selectors, services, signing_keys, transitions
from surveys.lifecycle.transitions import STATES
from surveys.models import Group, Item, Section, Survey
from surveys.panel.dashboard import dashboard
from surveys.panel.forms.appearance import APPEARANCE, FullSurveyForm
from surveys.panel.forms.before import BEFORE_FIELDS, CHOICE_PICTURE_FIELDS
from surveys.panel.forms.classes import BY
from surveys.panel.forms.entry import ENTRY_FIELDS
from surveys.panel.forms.error_summary import field_errors
from surveys.panel.forms.formsets import GroupFormSet, PartFormSet, SectionFormSet
from surveys.panel.forms.item import PARAMETER_ROWS, ItemForm
from surveys.panel.forms.item_list import ItemFormSet, rows_open
from surveys.panel.forms.missing import missing_texts
from surveys.panel.forms.survey import GroupForm, SectionForm, page_languages
from surveys.panel.overview import question_of
from surveys.panel.stale_saves import revision_fields, stale_save
from surveys.panel.views import signed_in

admin.site.unregister(DjangoGroup)
admin.site.unregister(User)
for of_second_factors in (StaticDevice, TOTPDevice):  # their secrets are nobody's to read
    admin.site.unregister(of_second_factors)


@admin.register(User)
class ResearcherAdmin(BaseUserAdmin, ModelAdmin):  # type: ignore[type-arg]
    """User accounts; visible to superusers only."""

    form, add_form, change_password_form = UserChangeForm, UserCreationForm, AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_staff", "is_superuser")

    def formfield_for_dbfield(self, *args: Any, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(*args, **kwargs)
        if isinstance(field, forms.CharField):
            field.validators.append(validate_line)
        return field

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm[User], change: bool) -> None:
        """Save a user; a new one becomes staff, so that it can use the panel."""
        obj.is_staff = obj.is_staff or not change
        super().save_model(request, obj, form, change)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, Any, list[str]]:
        """The objects deleted with an account; refused if a team would be left without an owner."""
        gone, counts, denied, protected = super().get_deleted_objects(objs, request)
        last = [
            gettext("{user} is the last owner of {team}. Give another member the role owner first.").format(
                user=user, team=team
            )
            for user in objs
            for team in teams_without_owner(user)
        ]
        return gone, counts, denied, [*protected, *last]

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        self.delete_queryset(request, User.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        delete_accounts(queryset, by=signed_in(request))


class Ordered:
    """Inline rows ordered by position; a row without one goes last."""

    extra = 0
    ordering = ("position", "pk")
    formset = PartFormSet

    def has_add_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        return _may_write(request, obj)

    has_change_permission = has_delete_permission = has_view_permission = has_add_permission


class GroupInline(Ordered, TabularInline):
    model = Group
    form = GroupForm
    formset = GroupFormSet
    verbose_name_plural = gettext_lazy("Groups that respondents name openly")
    fields = ("position", "key", "label", "share")
    max_num = MOST_GROUPS


class SectionInline(Ordered, TabularInline):
    model = Section
    form = SectionForm
    formset = SectionFormSet
    verbose_name_plural = gettext_lazy("Sections: parts with a heading; each question then belongs to one")
    fields = ("position", "key", "title", "introduction", "help_after")


class ItemInline(Ordered, StackedInline):
    model = Item
    form = ItemForm
    formset = ItemFormSet
    template = "panel/write/questions.html"
    verbose_name = "question"
    verbose_name_plural = gettext_lazy("Questions")
    fields = (
        ("key", "section"),
        *BEFORE_FIELDS,
        "heading",
        "wording",
        ("kind", "sensitivity"),
        "choices",
        (BY, "classes_from", "classes_to", "classes_hours"),
        "classes_at",
        ("classes_earlier", "classes_later"),
        *CHOICE_PICTURE_FIELDS,
        ("minimum", "maximum", "step"),
        "most",
        "prefer_not",
        "may_be_blank",
        "shuffle",
        "keep_last",
        "dropdown",
        "known_share",
        "help_after",
        ("asked_if_item", "asked_if_answers", "sent_if_unasked"),
        "mechanism",
        *PARAMETER_ROWS,
        "protection",
    )
    readonly_fields = ("protection",)

    def get_extra(self, request: HttpRequest, obj: Survey | None = None, **kwargs: Any) -> int:
        """Number of blank forms: one for a new survey, or on request where scripts are off."""
        return 0 if obj and "another" not in request.GET else 1

    def get_formset(self, request: HttpRequest, obj: Survey | None = None, **kwargs: Any) -> Any:
        """The formset with each question's position in its row, outside the collapsible part."""
        fields = [name for name in flatten(self.fields) if name not in self.readonly_fields]
        made: Any = super().get_formset(request, obj, fields=["position", *fields], **kwargs)
        made.opened = frozenset(int(key) for key in request.GET.getlist("open") if key.isdecimal())
        return made

    @display(description=gettext_lazy("Protection, as saved"))
    def protection(self, item: Item) -> SafeString:
        """Epsilon and the ticket table of the item as saved."""
        question = question_of(item) if item.pk else None
        return render_to_string("panel/_protection.html", {"question": question, "said": ""})


@admin.register(Survey)
class SurveyAdmin(ModelAdmin):
    """The user's surveys: the list and the form for drafts. All else is on the survey's page."""

    form = FullSurveyForm
    inlines = (GroupInline, SectionInline, ItemInline)
    change_form_before_template = "panel/form_before.html"
    change_form_outer_after_template = "panel/preview/dock.html"
    delete_confirmation_template = "panel/delete.html"
    actions = None
    show_add_link = False
    prepopulated_fields = {"slug": ("title",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Survey]:
        return surveys_of(request.user).select_related("team").prefetch_related("items", "groups")

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The panel's first page in place of the admin's list."""
        return dashboard(request)

    def get_fields(self, request: HttpRequest, obj: Survey | None = None) -> tuple[str, ...]:
        languages = ("own_language", "more_languages")
        team = ("team",) if obj is None and choices_of(signed_in(request)) else ()
        options = ("invitations", "repeats", "rehearsal", "strata_wording", "participation", "privacy_budget")
        texts = ("introduction", "consent", *ENTRY_FIELDS, *ABOUT)
        return ("title", "slug", *languages, *team, *texts, *options, *APPEARANCE)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The team field of a new survey: the only foreign key in these forms."""
        return team_fields(signed_in(request)).get("team")

    def has_view_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        return _is_researcher(request)

    has_module_permission = has_add_permission = has_view_permission

    def has_change_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        return _may_write(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Survey | None = None) -> bool:
        """True for an owner if the survey was never opened: versions are tied to responses."""
        return _may_write(request, obj, Role.OWNER) and (obj is None or not obj.versions.exists())

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        raise Http404(gettext("There is no such survey."))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, obj: Survey | None = None, **kwargs: Any
    ) -> HttpResponse:
        """The form, with what the draft as saved still lacks; its design is derived once for the whole page."""
        lacking: list[str] = []
        if obj is not None:
            questions: ItemFormSet = context["inline_admin_formsets"][-1].formset
            saved = Survey.objects.get(pk=obj.pk) if questions.is_bound else obj  # what was sent is in the other one
            fault = selectors.error_of_draft(saved) if questions.is_bound else questions.fault
            lacking = missing_texts(selectors.definition_of(saved), selectors.describe_fault(fault)) if fault else []
        more = {"show_save_and_add_another": False, "lacking": lacking, "preview_languages": page_languages()}
        more |= revision_fields(request, obj)
        if context["errors"]:
            more["field_errors"] = field_errors(context["adminform"].form, context["inline_admin_formsets"])
        response: HttpResponse = super().render_change_form(request, context | more, *args, obj=obj, **kwargs)
        return response

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        survey = self.get_object(request, object_id)
        if survey is not None and request.method != "POST" and not _may_write(request, survey):
            frozen = gettext("{survey} is {state}: its design is frozen. Only a draft can be changed.").format(
                survey=survey, state=STATES[survey.state]
            )
            draft = survey.state == Survey.State.DRAFT
            messages.info(request, gettext("Only an editor of its team can change this draft.") if draft else frozen)
            return redirect("panel:survey", survey.slug)
        if survey is None or request.method != "POST" or not _may_write(request, survey):
            return super().change_view(request, object_id, *args, **kwargs)  # type: ignore[no-any-return]
        with transaction.atomic():
            stale = stale_save(request, survey)
            if stale is not None and not stale.clashes:
                messages.info(request, "What somebody else changed meanwhile is kept beside your changes.")
                return self.response_change(request, Survey.objects.get(pk=survey.pk))
            request.__dict__["stale_save"] = stale
            return super().change_view(request, object_id, *args, **kwargs)  # type: ignore[no-any-return]

    def get_form(self, request: HttpRequest, obj: Survey | None = None, change: bool = False, **kwargs: Any) -> Any:
        made: Any = super().get_form(request, obj, change, **kwargs)
        made.stale = request.__dict__.get("stale_save")
        return made

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        drafts.record_revision(form.instance, by=signed_in(request))

    def save_model(self, request: HttpRequest, obj: Survey, form: ModelForm[Survey], change: bool) -> None:
        if change:
            # Nobody can open it until this is saved; what was opened in the meantime is not written over.
            before = Survey.objects.select_for_update().get(pk=obj.pk)
            transitions.require_draft(before)
            disclosures.rename(before.slug, obj.slug)
        else:
            obj.team = obj.team if obj.team_id else home_team(signed_in(request))
        super().save_model(request, obj, form, change)
        signing_keys.prepare(obj, selectors.next_number(obj))

    def log_addition(self, request: HttpRequest, obj: Survey, message: Any) -> Any:
        record_event(signed_in(request), "created", survey=obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Survey, message: Any) -> LogEntry:
        """Record an edit by the names of the changed fields, not their values."""
        entry: LogEntry = super().log_change(request, obj, message)
        record_event(signed_in(request), "changed", survey=obj, detail=entry.get_change_message())
        return entry

    def delete_model(self, request: HttpRequest, obj: Survey) -> None:
        services.delete_survey(obj, by=signed_in(request))

    def save_formset(
        self, request: HttpRequest, form: ModelForm[Survey], formset: BaseInlineFormSet[Any, Any, Any], change: bool
    ) -> None:
        """Number the rows without a position, after the others."""
        last = max((row.cleaned_data.get("position") or 0 for row in formset.forms if row.is_valid()), default=0)
        for row in formset.forms:
            if row.has_changed() and row.instance.position is None:
                last += 1
                row.instance.position = last
        super().save_formset(request, form, formset, change)

    def response_change(self, request: HttpRequest, obj: Survey, post_url_continue: str | None = None) -> HttpResponse:
        """Redirect after saving: to the survey's page, which lists missing parts, or to the form at a question."""
        messages.success(request, gettext("{obj} is saved.").format(obj=obj))
        sent, form = request.POST, reverse("admin:surveys_survey_change", args=[obj.pk])
        if "_continue" in sent:
            return redirect(f"{form}?{urlencode({'open': rows_open(sent)}, doseq=True)}")
        if "_another" in sent:
            return redirect(f"{form}?another=1#items-group")
        key = sent.get("_open") or sent.get("_duplicate", "")
        item = obj.items.filter(pk=key).first() if key.isdecimal() else None
        if item is None:
            return redirect("panel:survey", obj.slug)
        shown = services.duplicate_item(item, by=signed_in(request)) if "_duplicate" in sent else item
        return redirect(f"{form}?open={shown.pk}#question-{shown.pk}")

    response_add = response_change


def _is_researcher(request: HttpRequest) -> bool:
    return bool(request.user.is_active and getattr(request.user, "is_staff", False))


def _may_write(request: HttpRequest, survey: Survey | None, role: Role = Role.EDITOR) -> bool:
    if survey is None or survey.pk is None:
        return _is_researcher(request)
    return survey.state == Survey.State.DRAFT and (_role(request, survey) or 0) >= role


def _role(request: HttpRequest, survey: Survey) -> Role | None:
    """The role of the request's user in a survey, cached: the admin asks for it about forty times per page."""
    known: dict[int, Role | None] = request.__dict__.setdefault("roles_read", {})
    if survey.pk not in known:
        known[survey.pk] = role_in(request.user, survey)
    return known[survey.pk]
