import getpass
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from surveys.accounts.owners import create_owner
from surveys.lifecycle import links
from surveys.management.base import STANDARD, SurveyCommand, usage_error

LONGEST = 4096
"""Characters of a password that are read."""


class Command(SurveyCommand):
    help = "Create an operator account with access to all surveys. The command asks for its password."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="user name")
        parser.add_argument("--email", default="", help="email address")
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--password-from", type=Path, help="file with the password; - for standard input")
        how.add_argument(
            "--link",
            action="store_true",
            help="print a sign-in link instead of setting a password; it works once, for a day",
        )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        password = None if options["link"] else _password(options["password_from"])
        user = create_owner(options["name"], email=options["email"], password=password)
        panel = links.link_to("admin:index")
        facts: dict[str, object] = {"name": user.get_username(), "panel": panel}
        if password is not None:
            return f"{user} has access to all surveys and signs in at {panel}", facts
        facts["link"] = links.sign_in_link(user)
        return f"{user} has access to all surveys. This link signs in once, within a day: {facts['link']}", facts


def _password(file: Path | None) -> str:
    """The first line of the file or of standard input; without one it is asked for twice, and nothing is shown."""
    if file is not None:
        with sys.stdin if file == STANDARD else file.open(encoding="utf-8") as stream:
            return stream.readline(LONGEST).rstrip("\r\n")
    if not sys.stdin.isatty():
        raise usage_error("No terminal to ask for the password: use --password-from FILE or --link.")
    try:
        typed = getpass.getpass("Password: "), getpass.getpass("Repeat password: ")
    except EOFError:
        raise usage_error("The password is empty; no account was created.") from None
    if typed[0] != typed[1]:
        raise usage_error("The passwords differ; no account was created.")
    return typed[0]
