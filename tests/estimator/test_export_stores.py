"""Exported files in an S3-compatible store, over HTTP: private, streamed, and deleted with their rows."""

import hashlib
import os
import tracemalloc
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import urllib3
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.test import RequestFactory
from django.utils import timezone

from collector.designs import Design
from estimator import tasks
from estimator.base import jobs as leases
from estimator.base.stores import StoreError
from estimator.exports import services as jobs
from estimator.exports import storage
from estimator.exports.download import response_of
from estimator.exports.formats import FORMATS, Format
from estimator.models import Export, Run
from estimator.runs.results import NOTHING_KNOWN
from tests.factories.runs import fill, run_of
from tests.tools.s3 import BUCKET, Bucket, running_s3

pytestmark = pytest.mark.django_db
PREFIX = "survey/exports"


@pytest.fixture(scope="module")
def server() -> Iterator[Bucket]:
    with running_s3() as server:
        yield server


@pytest.fixture(autouse=True)
def bucket(server: Bucket, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    """The store that exports go to, empty but for a file of somebody else's; nobody is woken."""
    for name in server.names():
        server.client.delete_object(Bucket=BUCKET, Key=name)
    server.client.put_object(Bucket=BUCKET, Key="survey/other", Body=b"of somebody else")
    settings.CANDOR_EXPORTS = tmp_path / "exports"
    settings.STORAGES = settings.STORAGES | {"exports": server.storage(PREFIX)}
    monkeypatch.setattr(leases, "wake", lambda task, job_id: None)
    return server


@pytest.fixture
def run(design: Design) -> Run:
    fill(design)
    return run_of(design)


def made(run: Run, name: str = "csv", **more: Any) -> Export:
    export, _ = jobs.request(run, name, **more)
    jobs.execute(export.pk, NOTHING_KNOWN)
    export.refresh_from_db()
    return export


def fetched(export: Export) -> Any:
    return response_of(RequestFactory().get("/"), export)


def away(settings: Any, server: Bucket) -> None:
    """Nothing listens there, and one try is enough to see it."""
    gone = server.storage(PREFIX, endpoint="http://127.0.0.1:9")
    settings.STORAGES = settings.STORAGES | {"exports": gone}
    storages["exports"].client_config.retries["total_max_attempts"] = 1  # type: ignore[attr-defined]


def test_export_is_stored_and_downloaded(run: Run, bucket: Bucket) -> None:
    export = made(run)
    assert (export.state, export.fault) == ("done", "")
    name = f"{PREFIX}/{export.key}.{export.lease}"
    assert bucket.names(PREFIX) == [name]
    assert list(storage.folder().iterdir()) == [], "the draft is gone"
    answer = fetched(export)
    content = b"".join(answer.streaming_content)
    assert (len(content), hashlib.sha256(content).hexdigest()) == (export.size, export.sha256)
    assert answer.headers["Content-Length"] == str(export.size)
    assert answer.headers["ETag"] == f'"{export.sha256}"'
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="campus-')
    assert jobs.request(run, "csv") == (export, False)


def test_export_in_store_is_private_and_encrypted(run: Run, bucket: Bucket) -> None:
    export = made(run)
    name = f"{PREFIX}/{export.key}.{export.lease}"
    assert bucket.client.head_object(Bucket=BUCKET, Key=name)["ServerSideEncryption"] == "AES256"
    assert urllib3.request("GET", f"{bucket.endpoint}/{BUCKET}/{name}").status == 403
    grants = bucket.client.get_object_acl(Bucket=BUCKET, Key=name)["Grants"]
    assert [grant["Grantee"]["Type"] for grant in grants] == ["CanonicalUser"]
    with pytest.raises(NotImplementedError):
        storages["exports"].url("x")


def test_export_is_deleted_from_store(run: Run, bucket: Bucket, django_capture_on_commit_callbacks: Any) -> None:
    export = made(run)
    with django_capture_on_commit_callbacks(execute=True):
        jobs.delete(export)
    assert bucket.names() == ["survey/other"]


def test_purge_deletes_microdata_from_store(
    run: Run, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    rows = Format("test", ".bin", "x/test", "Test", lambda run, context, out, watch: out.write(b"rows"), microdata=True)
    monkeypatch.setitem(FORMATS, "test", rows)
    made(run, "test", microdata=True)
    other = made(run)
    with django_capture_on_commit_callbacks(execute=True):
        jobs.delete_microdata(run.design_id)
    assert bucket.names(PREFIX) == [f"{PREFIX}/{other.key}.{other.lease}"]


def test_rest_of_killed_workers_is_deleted(run: Run, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft, a file that was sent and never kept, and one of which the first part was sent."""
    kept = made(run)
    waiting, _ = jobs.request(run, "json")
    lease = leases.take(Export, waiting.pk)
    name = f"{waiting.key}.{lease}"
    storage.Draft(waiting.key, lease).open().close()
    storages["exports"].save(name, ContentFile(b"sent"))
    begun = {"Bucket": BUCKET, "Key": f"{PREFIX}/{name}"}
    upload = bucket.client.create_multipart_upload(**begun)["UploadId"]
    bucket.client.upload_part(**begun, UploadId=upload, PartNumber=1, Body=b"half of the rows")
    storages["exports"].save(kept.key + "." + "0" * 32, ContentFile(b"of a worker that lost its lease"))
    tasks.delete_expired_exports()  # the worker may still be at work
    assert bucket.names(PREFIX) == sorted(f"{PREFIX}/{one}" for one in (f"{kept.key}.{kept.lease}", name))
    assert len(storages["exports"].unfinished()) == len(list(storage.folder().iterdir())) == 1  # type: ignore[attr-defined]
    Export.objects.filter(pk=waiting.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.execute(waiting.pk, NOTHING_KNOWN)
    waiting.refresh_from_db()
    tasks.delete_expired_exports()
    there = (f"{kept.key}.{kept.lease}", f"{waiting.key}.{waiting.lease}")
    assert bucket.names(PREFIX) == sorted(f"{PREFIX}/{one}" for one in there)
    assert storages["exports"].unfinished() == []  # type: ignore[attr-defined]
    assert list(storage.folder().iterdir()) == []
    moved = timezone.now() + timedelta(days=8)
    monkeypatch.setattr(timezone, "now", lambda: moved)
    tasks.delete_expired_exports()
    assert bucket.names() == ["survey/other"]


def test_export_lost_in_store_is_made_again(run: Run, bucket: Bucket) -> None:
    lost = made(run)
    bucket.client.delete_object(Bucket=BUCKET, Key=f"{PREFIX}/{lost.key}.{lost.lease}")
    from django.http import Http404

    with pytest.raises(Http404):
        fetched(lost)
    again, made_now = jobs.request(run, "csv")
    assert made_now
    assert again != lost


@pytest.mark.long
def test_store_away_fails_export_with_sentence(run: Run, bucket: Bucket, settings: Any) -> None:
    done = made(run)
    away(settings, bucket)
    failed = made(run, "json")
    assert (failed.state, list(storage.folder().iterdir())) == ("failed", [])
    assert failed.fault == (
        "The file could not be written: the store did not answer (EndpointConnectionError). Nothing of it was kept; "
        "request it again."
    )
    answer = fetched(done)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")
    assert jobs.exists(done)
    with pytest.raises(StoreError):
        tasks.delete_expired_exports()


def test_wrong_key_is_named_without_the_key(run: Run, bucket: Bucket, settings: Any) -> None:
    settings.STORAGES = settings.STORAGES | {"exports": bucket.storage(PREFIX, secret_key="wrong")}
    failed = made(run)
    assert failed.fault.startswith("The file could not be written: the store answered SignatureDoesNotMatch. Nothing")
    assert bucket.key_id not in failed.fault


@pytest.mark.long
def test_large_file_is_sent_and_read_in_pieces(tmp_path: Path, bucket: Bucket) -> None:
    """80 MB in ten parts, of which one is in memory at a time."""
    path, size = tmp_path / "large", 80_000_000
    path.write_bytes(os.urandom(size))
    store = storages["exports"]
    tracemalloc.start()
    try:
        with path.open("rb") as file:
            store.save("large", File(file))
        known = hashlib.sha256()
        with store.open("large") as file:
            while piece := file.read(1 << 16):
                known.update(piece)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert known.hexdigest() == hashlib.sha256(path.read_bytes()).hexdigest()
    assert store.size("large") == size
    assert most < 32_000_000
    assert store.unfinished() == []  # type: ignore[attr-defined]
