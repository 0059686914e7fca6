"""Pictures of a survey: taken in, looked up, and deleted once nothing shows them any more."""

from base64 import b64decode
from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.errors import Conflict, ValidationError
from estimator.base.languages import filled
from surveys.accounts.audit_log import record_event
from surveys.definition.parts import Definition
from surveys.definition.picture_files import encoded, pictures_in
from surveys.definition.pictures import CleanPicture, clean_picture
from surveys.models import Picture, Survey

MOST_STORED = 200
"""Maximum pictures stored with a survey, with those of its revisions and versions."""

MOST_SHOWN_BYTES = 2 * 1024 * 1024
"""Maximum bytes of the pictures of a survey that opens: everybody loads all of them, whatever is answered."""


@transaction.atomic
def add_picture(survey: Survey, data: bytes, *, by: User | None = None) -> CleanPicture:
    """Read a picture and store it with the survey. Raises ValidationError where it cannot be taken."""
    picture = clean_picture(data)
    if store_picture(survey, picture):
        record_event(by, "added a picture", survey=survey, detail=f"{picture.digest[:12]}.{picture.type}")
    return picture


def take_pictures(survey: Survey, definition: Definition) -> None:
    """Store the pictures that come with a definition, and require that each one that it shows is there."""
    for written in definition.get("pictures", {}).values():
        store_picture(survey, clean_picture(b64decode(written)))
    shown = list(pictures_in(definition))
    if not shown:
        return
    stored = {row[0]: row for row in survey.pictures.values_list("digest", "type", "width", "height")}
    for path, picture in shown:
        named = tuple(picture[name] for name in ("digest", "type", "width", "height"))
        if stored.get(picture["digest"]) != named:
            raise ValidationError(
                (*path, "digest"),
                gettext("must be a picture of this survey; got {picture!r:.80}").format(picture=picture["digest"]),
            )


def definition_with_pictures(survey: Survey, definition: Definition) -> Definition:
    """The definition with the pictures that it shows, to be read by another installation or for another survey."""
    wanted = {picture["digest"] for _path, picture in pictures_in(definition)}
    rows = survey.pictures.filter(digest__in=wanted)
    found = encoded(CleanPicture(row.type, row.width, row.height, bytes(row.content)) for row in rows)
    return {**definition, "pictures": found} if found else definition


def contents_of(survey: Survey, design: Design) -> Mapping[str, bytes]:
    """The pictures that a design shows, by their digests. Raises Conflict where they are too much together."""
    wanted = {picture.digest for picture in design.pictures}
    if not wanted:
        return {}
    found = {row.digest: bytes(row.content) for row in survey.pictures.filter(digest__in=wanted)}
    size = sum(map(len, found.values()))
    if size > MOST_SHOWN_BYTES:
        raise Conflict(
            filled(
                gettext(
                    "The pictures of the survey have {size:,} bytes together; at most {most:,} are "
                    "allowed, because every respondent loads all of them. Make some smaller."
                ),
                size=size,
                most=MOST_SHOWN_BYTES,
            )
        )
    return found


def content_of(survey: Survey, name: str) -> Picture | None:
    """The stored picture of this name, its digest and its type; None if there is none."""
    digest, _, kind = name.partition(".")
    return survey.pictures.filter(digest=digest, type=kind).first()


def delete_unused(survey: Survey) -> None:
    """Delete the pictures that neither the draft, nor a kept revision, nor a version shows."""
    if not survey.pictures.exists():
        return
    kept = list(survey.revisions.values_list("definition", flat=True))
    kept.append({"look": {"logo": survey.logo}, "items": list(survey.items.values("before", "choice_pictures"))})
    used = {picture["digest"] for definition in kept for _path, picture in pictures_in(definition)}
    for digest in survey.versions.values_list("design", flat=True):
        used |= {picture.digest for picture in get_design(digest).pictures}
    survey.pictures.exclude(digest__in=used).delete()


def store_picture(survey: Survey, picture: CleanPicture) -> bool:
    """Store a picture; False if it is there already."""
    held = Survey.objects.select_for_update().get(pk=survey.pk)
    if held.pictures.filter(digest=picture.digest).exists():
        return False
    if held.pictures.count() >= MOST_STORED:
        delete_unused(held)
    if held.pictures.count() >= MOST_STORED:
        raise ValidationError(
            ("picture",),
            gettext(": a survey stores at most {most_stored} pictures, including those of its versions").format(
                most_stored=MOST_STORED
            ),
        )
    Picture.objects.create(
        survey=held, digest=picture.digest, type=picture.type, width=picture.width, height=picture.height,
        content=picture.content,
    )  # fmt: skip
    return True
