"""One-time codes for fetching tokens, made in batches as collector.invitations.batches makes invitations.

Only hashes come here, and who was given which code is nowhere.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext

from collector.invitations.batches import BatchSummary, check_batch
from surveys.models import FetchBatch, FetchCode, SigningKey, SigningSecret, Version


@transaction.atomic
def add(digest: str, hashes: Collection[bytes], *, stratum: str | None = None, kind: str) -> int:
    """Add a batch of codes, on disk once the caller's transaction commits; returns its number in the version.

    They are written in the order of their hashes, which says nothing of the order in which they were made.

    Parameters
    ----------
    hashes
        At least 10, each of 32 bytes and another one: what `collector.invitations.codes.hash_of` gives for each code.
    stratum
        None: a token that nobody can trace says no group either.
    kind
        How they are handed out, at most 16 small letters.

    Raises
    ------
    ValueError
        Where one of these is not so, or no tokens of this design are given out.
    """
    if stratum is not None:
        raise ValueError(gettext("stratum must be left out: a blind invitation belongs to no group"))
    check_batch(hashes, kind)
    key = SigningKey.objects.select_for_update().filter(pk=_key_of(digest).pk).get()
    if not SigningSecret.objects.filter(key=key).exists():
        raise ValueError(gettext("design must be an open one: after closing no invitations are given out"))
    number = (FetchBatch.objects.filter(key=key).aggregate(last=Max("number"))["last"] or 0) + 1
    made_on = timezone.now().date()
    batch = FetchBatch.objects.create(key=key, number=number, count=len(hashes), kind=kind, made_on=made_on)
    rows = (FetchCode(key=key, batch=batch, hash=one) for one in sorted(hashes))
    FetchCode.objects.bulk_create(rows, batch_size=2_000)
    return number


@transaction.atomic
def withdraw(digest: str, batch: int) -> int:
    """Revoke the unused codes of a batch; returns their number. Tokens that were fetched remain valid.

    Raises ValueError where the version has no such batch.
    """
    mine = FetchBatch.objects.filter(key=_key_of(digest), number=batch)
    if not mine.exists():
        raise ValueError(gettext("batch must be one of the survey's; got {batch}").format(batch=batch))
    mine.filter(withdrawn_on=None).update(withdrawn_on=timezone.now().date())
    return FetchCode.objects.filter(batch__in=mine, blinded=None).delete()[0]


def batches(digest: str) -> list[BatchSummary]:
    """Every batch of a version's codes, the oldest first."""
    found = FetchBatch.objects.filter(key=_key_of(digest)).order_by("number")
    return [BatchSummary(one.number, None, one.kind, one.count, one.made_on, one.withdrawn_on) for one in found]


def _key_of(digest: str) -> SigningKey:
    version = Version.objects.filter(design=digest).first()
    key = SigningKey.objects.filter(survey=version.survey_id, number=version.number).first() if version else None
    if key is None:
        raise ValueError(gettext("design must be one with blind invitations"))
    return key
