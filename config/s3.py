"""A bucket of an S3-compatible store, imported only where one is configured.

Nothing in it has a public address: no link is signed, and no access list is asked for (many buckets refuse any), so a
file can be read by whoever owns the bucket alone.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from storages.backends.s3 import S3Storage
from urllib3.exceptions import HTTPError

from estimator.base.stores import StoreError

P = ParamSpec("P")
R = TypeVar("R")

PIECE = 8 << 20
"""Bytes of a part, which is what is in memory of a file that is sent. Files of over 10,000 parts get larger ones."""

MISSING = {"404", "NoSuchKey", "NoSuchUpload", "NotFound"}


@contextmanager
def _answers() -> Iterator[None]:
    """Errors of the store as its code or the kind of the error, and nothing else of them."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in MISSING:
            raise FileNotFoundError("The store has no such file.") from None
        known = code if code.isascii() and code.isalnum() and len(code) < 50 else "an error"
        raise StoreError(f"the store answered {known}") from None
    except (BotoCoreError, HTTPError) as error:
        raise StoreError(f"the store did not answer ({type(error).__name__})") from None


def _answered(function: Callable[P, R]) -> Callable[P, R]:
    @wraps(function)
    def answered(*args: P.args, **named: P.kwargs) -> R:
        with _answers():
            return function(*args, **named)

    return answered


class _Body(io.RawIOBase):
    """The bytes of a stored file as they come."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def readable(self) -> bool:
        return True

    @_answered
    def readinto(self, buffer: Any) -> int:
        piece = self._body.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._body.close()
        super().close()


class PrivateBucket(S3Storage):
    """Files under a prefix of a bucket, sent and read in pieces.

    Parameters
    ----------
    endpoint, region
        Where the store is; empty for what the AWS libraries find.
    key_id, secret_key
        Of its user; empty for what the AWS libraries find, as the role of a machine.
    encryption
        That the store is asked for; empty for the bucket's own setting.
    bucket_name, location
        The bucket and the prefix of its names.
    """

    def __init__(
        self,
        *,
        endpoint: str,
        region: str,
        key_id: str,
        secret_key: str,
        encryption: str,
        bucket_name: str,
        location: str,
    ) -> None:
        # Stores other than Amazon's know neither names of buckets as names of hosts nor checksums at the end.
        theirs = {
            "s3": {"addressing_style": "path"},
            "request_checksum_calculation": "when_required",
            "response_checksum_validation": "when_required",
        }
        patience = {"connect_timeout": 5, "read_timeout": 30, "retries": {"total_max_attempts": 4, "mode": "standard"}}
        super().__init__(
            bucket_name=bucket_name,
            location=location,
            endpoint_url=endpoint or None,
            region_name=region or None,
            access_key=key_id or None,
            secret_key=secret_key or None,
            default_acl=None,
            file_overwrite=True,
            object_parameters={"ServerSideEncryption": encryption} if encryption else {},
            client_config=Config(signature_version="s3v4", **patience, **(theirs if endpoint else {})),
            transfer_config=TransferConfig(multipart_threshold=PIECE, multipart_chunksize=PIECE, use_threads=False),
        )

    def url(self, *_given: Any, **_named: Any) -> str:
        raise NotImplementedError("Files of this store have no address; Candor hands them out itself.")

    @_answered
    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        """The file as a stream; FileNotFoundError, StoreError."""
        if mode != "rb":
            raise ValueError(f"mode must be 'rb'; got {mode!r}.")
        client = self.connection.meta.client
        answer = client.get_object(Bucket=self.bucket_name, Key=self._normalize_name(name))
        file: File[bytes] = File(io.BufferedReader(_Body(answer["Body"]), 1 << 16), name)
        file.size = answer["ContentLength"]
        return file

    @_answered
    def _save(self, name: str, content: "File[bytes]") -> str:
        """Send a file; it appears whole or not at all."""
        saved: str = super()._save(name, content)
        return saved

    @_answered
    def exists(self, name: str) -> bool:
        return bool(super().exists(name))

    @_answered
    def size(self, name: str) -> int:
        return int(super().size(name))

    @_answered
    def delete(self, name: str) -> None:
        super().delete(name)

    def delete_with_drafts(self, name: str) -> None:
        """Delete a file, and what was sent of it by a process that was killed meanwhile."""
        self.delete(name)
        for found, upload in self.unfinished():
            if found == name:
                self.abandon(name, upload)

    @_answered
    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        folders, files = super().listdir(path)
        return folders, files

    @_answered
    def unfinished(self) -> list[tuple[str, str]]:
        """Name and id of every upload that was begun and not ended; what was sent of it takes space unseen."""
        prefix = f"{self.location}/" if self.location else ""
        pages = self.connection.meta.client.get_paginator("list_multipart_uploads")
        found = pages.paginate(Bucket=self.bucket_name, Prefix=prefix)
        return [(one["Key"].removeprefix(prefix), one["UploadId"]) for page in found for one in page.get("Uploads", ())]

    @_answered
    def abandon(self, name: str, upload: str) -> None:
        """Delete what was sent of an upload that was not ended."""
        client = self.connection.meta.client
        client.abort_multipart_upload(Bucket=self.bucket_name, Key=self._normalize_name(name), UploadId=upload)
