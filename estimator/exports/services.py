"""Export jobs: requested, written by a worker, stored for a limited time and deleted completely."""

import logging
from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext

from collector.errors import InputError
from estimator.base import jobs
from estimator.base.cells import ExportError
from estimator.base.languages import LANGUAGES
from estimator.base.lease import LeaseRenewal
from estimator.base.stores import StoreError, fault_of
from estimator.exports import storage
from estimator.exports.formats import FORMATS, Format
from estimator.models import Export, Run
from estimator.runs.results import ReportContext

State = Export.State

logger = logging.getLogger(__name__)


def request(
    run: Run, name: str, *, language: str = "", microdata: bool = False, by: User | None = None
) -> tuple[Export, bool]:
    """Request a file of a finished run, unless the same one exists or is in progress.

    - `name`: of the format.
    - `language`: that it is to be written in, where the format has languages; empty for the installation's own.
    - `microdata`: says that a row for each report is really wanted; needed for such a format.
    - `by`: who asks.

    Returns the export, and whether it was made for this call.

    Raises InputError: naming the field, what it may be, and what it is.
    """
    check(run, name, language=language, microdata=microdata)
    form = FORMATS[name]
    same = {"run": run, "format": name, "language": written_in(form, language) if form.translated else ""}
    Export.objects.filter(**same, state=State.FAILED).delete()
    for found in Export.objects.filter(**same):
        if found.waits or (exists(found) and _is_stored(found)):
            return found, False
        delete(found)
    try:
        with transaction.atomic():
            export = Export.objects.create(**same, microdata=form.microdata, asked_by=by)
    except IntegrityError:  # somebody else asked for it in this moment
        return Export.objects.exclude(state=State.FAILED).get(**same), False
    transaction.on_commit(lambda: wake(export.pk))
    return export, True


def check(run: Run, name: str, *, language: str = "", microdata: bool = False) -> None:
    """Raises InputError, as `request` does, where what is asked for cannot be made."""
    if run.state != Run.State.DONE:
        raise InputError(
            "run", gettext("run must be finished before it can be exported; it is {state}.").format(state=run.state)
        )
    if name not in FORMATS:
        raise InputError(
            "format",
            gettext("format must be one of {names}; got {name!r}.").format(names=", ".join(FORMATS), name=name),
        )
    form = FORMATS[name]
    if form.microdata and not microdata:
        raise InputError(
            "microdata",
            gettext("microdata must be set for {name}: it has a row for each response.").format(name=name),
        )
    if language and not form.translated:
        raise InputError(
            "language",
            gettext("language must be left out for {name}, which has none; got {language!r}.").format(
                name=name, language=language
            ),
        )
    if language and language not in languages():
        raise InputError(
            "language",
            gettext("language must be one of {names}; got {language!r}.").format(
                names=", ".join(languages()), language=language
            ),
        )
    try:
        form.check(run)
    except ExportError as why:
        raise InputError("run", str(why)) from why


def written_in(form: Format, language: str) -> str:
    """The language that is active while a file is written: the chosen one, else the installation's default."""
    return language if form.translated and language else settings.LANGUAGE_CODE


def languages() -> dict[str, str]:
    """The languages that a format may be written in, by native name."""
    return dict(LANGUAGES)


def retention_of(*, microdata: bool) -> timedelta:
    """The retention period of a finished file."""
    return timedelta(days=settings.CANDOR_MICRODATA_KEPT if microdata else settings.CANDOR_EXPORTS_KEPT)


def exists(export: Export) -> bool:
    """Return True if the file can be downloaded: made, not expired, and in the folder.

    A store elsewhere is not asked: a page of files would wait for as many answers.
    """
    current = export.kept_until is not None and export.kept_until > timezone.now()
    return export.state == State.DONE and current and (storage.is_elsewhere() or _is_stored(export))


def wake(export_id: int) -> None:
    jobs.wake("estimator.execute_export", export_id)


def resume_waiting() -> list[int]:
    """Wake workers for the exports that no worker is making."""
    return jobs.resume(Export, wake)


def execute(export_id: int, context: ReportContext) -> None:
    """Make an export, unless another worker does, it is finished, or it was deleted."""
    jobs.perform(Export, export_id, partial(_make, context))


def delete(export: Export) -> None:
    """Delete an export with its file, or cancel one in progress: its worker notices and leaves no file."""
    Export.objects.filter(pk=export.pk).delete()
    transaction.on_commit(partial(_delete_file, export))


def delete_microdata(digest: str) -> None:
    """Delete every export that holds reports of this design, finished or not."""
    for export in Export.objects.filter(run__design=digest, microdata=True):
        delete(export)


def delete_reports(digest: str) -> None:
    """Delete every export of this design that includes its author's disclosures."""
    saying = [name for name, form in FORMATS.items() if form.translated or form.suffix == ".zip"]
    for export in Export.objects.filter(run__design=digest, format__in=saying):
        delete(export)


def delete_expired() -> None:
    """Delete expired files, and every file that belongs to no export or to a worker that is gone."""
    now = timezone.now()
    too_old = Q(kept_until__lte=now) | Q(state=State.FAILED, finished_at__lte=now - retention_of(microdata=False))
    for export in Export.objects.filter(too_old):
        delete(export)
    _sweep()


def _is_stored(export: Export) -> bool:
    try:
        return storage.exists(export.key, export.lease)
    except StoreError:
        return True  # its row says so; whoever asks for the file is told that the store is away


def _delete_file(export: Export) -> None:
    if storage.is_elsewhere() and not export.lease:
        return  # it was never begun
    try:
        storage.delete(export.key, export.lease)
    except StoreError:
        logger.warning("the store of exports is away; the file of %s is deleted later", export.key[:8])


def _sweep() -> None:
    there = list(storage.listed())  # the files first: the row of each of them is older than the file
    known = {key: (state, lease) for key, state, lease in Export.objects.values_list("key", "state", "lease")}
    for file in there:
        if not _is_wanted(file, *known.get(file.key, ("", ""))):
            file.delete()  # another worker may already have


def _is_wanted(file: storage.StoredFile, state: str, held_by: str) -> bool:
    """Return True unless a file belongs to no export, or to a worker that is gone."""
    if not file.lease:
        return state not in ("", State.FAILED)
    return file.lease == held_by and (state == State.RUNNING or (state == State.DONE and not file.is_draft))


def _make(context: ReportContext, export_id: int, lease: str) -> None:
    export = Export.objects.select_related("run").get(pk=export_id)
    try:
        with storage.draft(export.key, lease) as draft:
            size, digest = _write(export, context, draft, lease)
            _keep(export, draft, lease, size=size, sha256=digest)
    except ExportError as refusal:
        _fail(export, lease, str(refusal))
    except OSError as error:
        words = gettext("The file could not be written: {error}. Nothing of it was kept; request it again.").format(
            error=fault_of(error)
        )
        _fail(export, lease, words)


def _write(export: Export, context: ReportContext, draft: storage.Draft, lease: str) -> tuple[int, str]:
    form = FORMATS.get(export.format)
    if form is None:
        raise ExportError(gettext("This version of Candor cannot write {format}.").format(format=export.format))
    with LeaseRenewal(Export, export.pk, lease) as heart, draft.open() as file:
        with translation.override(written_in(form, export.language)):
            form.write(export.run, context, file, heart.watch)
        heart.watch(1.0)
        size, digest = storage.put_on_disk(file)
        if not size:
            raise ExportError(gettext("The file is empty."))
        draft.send()
        heart.watch(1.0)
    return size, digest


def _keep(export: Export, draft: storage.Draft, lease: str, **fields: Any) -> None:
    """Keep the file while the row is locked: of two workers that both believe to hold it, only one gets here."""
    now = timezone.now()
    until = now + retention_of(microdata=export.microdata)
    done = {"state": State.DONE, "progress": 100, "finished_at": now, "kept_until": until, "fault": ""}
    with transaction.atomic():
        jobs.acquire_lease(Export, export.pk, lease, **done, **fields)
        draft.keep()


def _fail(export: Export, lease: str, fault: str) -> None:
    """End the job as failed without another try, which would fail the same way."""
    jobs.acquire_lease(Export, export.pk, lease, state=State.FAILED, fault=fault[:200], finished_at=timezone.now())
