from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from surveys.accounts.audit_log import record_event
from surveys.lifecycle import links
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Print a link that signs an account in once, within a day: for when password or institution are of no help."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active account {options['user']!r}.")
        link = links.sign_in_link(user)
        record_event(None, "made a sign-in link", detail=f"for {user}")
        return f"This link signs {user} in once, within a day: {link}", {"user": user.get_username(), "link": link}
