"""Invitations to a team: a link with a secret that admits one colleague, once, within a week."""

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from collector.errors import Conflict
from surveys.accounts.audit_log import record_event
from surveys.accounts.tokens import digest_of
from surveys.models import Invitation, Membership, Role, Team

VALID = timedelta(days=7)


def invite(team: Team, role: Role, *, by: User) -> tuple[Invitation, str]:
    """An invitation and its secret, which is shown once: only its hash is stored."""
    secret = secrets.token_urlsafe(32)
    expires = timezone.now() + VALID
    made = Invitation.objects.create(team=team, role=role, digest=digest_of(secret), made_by=by, expires_at=expires)
    record_event(by, "invited", team=team, detail=f"as {role.label}, until {expires:%-d %B %Y}")
    return made, secret


def pending(team: Team) -> QuerySet[Invitation]:
    """The invitations of a team that have not expired."""
    return team.invitations.filter(expires_at__gt=timezone.now()).select_related("made_by")


def find(digest: str) -> Invitation | None:
    """The invitation with this digest; None if it does not exist, is used, revoked or expired."""
    found = Invitation.objects.filter(digest=digest, expires_at__gt=timezone.now())
    return found.select_related("team", "made_by").first()


@transaction.atomic
def revoke(invitation: Invitation, *, by: User) -> None:
    if _taken(invitation):
        record_event(by, "revoked an invitation", team=invitation.team, detail=f"as {invitation.get_role_display()}")


@transaction.atomic
def join(invitation: Invitation, user: User) -> Membership:
    """Use up an invitation. An existing member retains the greater of both roles.

    Raises Conflict where somebody else has just used it.
    """
    if not _taken(invitation):
        raise Conflict(gettext("This invitation has already been used."))
    member, created = Membership.objects.get_or_create(
        team=invitation.team, user=user, defaults={"role": invitation.role}
    )
    if not created and member.role < invitation.role:
        member.role, member.granted_by = invitation.role, ""
        member.save(update_fields=["role", "granted_by"])
    record_event(user, "joined a team", team=invitation.team, detail=f"as {member.get_role_display()}")
    return member


def _taken(invitation: Invitation) -> bool:
    """Delete the invitation; True if it still existed: of two concurrent users one gets it."""
    deleted, _rows = Invitation.objects.filter(pk=invitation.pk).delete()
    return deleted == 1
