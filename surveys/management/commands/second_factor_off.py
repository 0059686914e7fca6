from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from surveys.accounts import second_factor
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Take app, passkeys and recovery codes away from whoever lost them; a password or link is enough then."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no account {options['user']!r}.")
        second_factor.reset(user, by=None)
        return f"{user} has no second factor any longer.", {"user": user.get_username()}
