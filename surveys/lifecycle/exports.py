"""Access to the files exported from a run, and their events in the audit log."""

from django.contrib.auth.models import User
from django.db import transaction

from estimator.exports import services
from estimator.exports.formats import FORMATS
from estimator.models import Export, Run
from surveys.accounts import access
from surveys.accounts.access import Role
from surveys.accounts.audit_log import record_event
from surveys.lifecycle.selectors import report_context


def role_for(*, microdata: bool) -> Role:
    """The least role that may request, download or delete such a file.

    Estimates are an analyst's to take away, as everywhere in the panel. A row for each report is more than any page
    shows, and cannot be taken back once it left: that is for those who answer for the survey.
    """
    return Role.EDITOR if microdata else Role.ANALYST


def role_for_format(name: str) -> Role:
    """The same for a format by its name; for an unknown one, the lower role."""
    return role_for(microdata=name in FORMATS and FORMATS[name].microdata)


@transaction.atomic
def request_export(
    run: Run, name: str, *, language: str = "", microdata: bool = False, by: User | None = None
) -> tuple[Export, bool]:
    """Request an export of a finished run; see `estimator.exports.services.request`. The caller checks the role.

    Raises InputError, naming the field that is wrong.
    """
    export, made = services.request(run, name, language=language, microdata=microdata, by=by)
    if made:
        record_event(by, "requested an export", survey=access.survey_of(run), detail=_detail(export))
    return export, made


def execute_export(export_id: int) -> None:
    """Create the file with the survey's present details; see `estimator.exports.services.execute`."""
    export = Export.objects.select_related("run").filter(pk=export_id).first()
    if export is not None:
        services.execute(export_id, report_context(export.run))


@transaction.atomic
def delete_export(export: Export, *, by: User | None = None) -> None:
    """Delete an export with its file, or cancel it where it is still being made."""
    act = "cancelled an export" if export.waits else "deleted an export"
    record_event(by, act, survey=access.survey_of(export.run), detail=_detail(export))
    services.delete(export)


def record_download(export: Export, *, by: User | None) -> None:
    """Record the download of an export."""
    record_event(by, "exported", survey=access.survey_of(export.run), detail=_detail(export))


def _detail(export: Export) -> str:
    what = f"run {export.run.key}, as {export.format}"
    return f"{what}, individual responses" if export.microdata else what
