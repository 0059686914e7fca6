"""Tables of surveys, teams, rehearsals, mailings, tokens and webhooks."""

from surveys.models.accounts import (
    AccessToken,
    AuditEntry,
    DirectoryGroup,
    Identity,
    Invitation,
    KeptAnswer,
    Membership,
    Passkey,
    Role,
    Team,
)
from surveys.models.backups import Backup
from surveys.models.drafts import AdviceDismissal, DraftRevision, PreviewLink
from surveys.models.mailing import Mailing, Recipient
from surveys.models.page_log import LogEntry
from surveys.models.pictures import Picture
from surveys.models.rehearsals import Rehearsal, Repetition
from surveys.models.surveys import KEY_VALIDATOR, Appointment, Group, Item, Page, Section, Survey, SurveyTag, Version
from surveys.models.tokens import FetchBatch, FetchCode, SigningKey, SigningSecret
from surveys.models.webhooks import Delivery, Webhook

__all__ = [
    "KEY_VALIDATOR",
    "AccessToken",
    "AdviceDismissal",
    "Appointment",
    "AuditEntry",
    "Backup",
    "Delivery",
    "DirectoryGroup",
    "DraftRevision",
    "FetchBatch",
    "FetchCode",
    "Group",
    "Identity",
    "Invitation",
    "Item",
    "KeptAnswer",
    "LogEntry",
    "Mailing",
    "Membership",
    "Page",
    "Passkey",
    "Picture",
    "PreviewLink",
    "Recipient",
    "Rehearsal",
    "Repetition",
    "Role",
    "Section",
    "SigningKey",
    "SigningSecret",
    "Survey",
    "SurveyTag",
    "Team",
    "Version",
    "Webhook",
]
