"""Every command of `manage.py` with its options, from the parsers of the commands."""

import re
from argparse import Action, ArgumentParser
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, DjangoHelpFormatter

from docs.make.markdown import code, page, table

OURS = ("collector", "config", "estimator", "surveys")
DJANGO = ("migrate",)
"""A command that replaces one of Django's; its options are in Django's documentation."""


def names() -> list[str]:
    return sorted(name for name, app in get_commands().items() if isinstance(app, str) and app in OURS)


def parser_of(name: str) -> ArgumentParser:
    return command_of(name).create_parser("manage.py", name)


def command_of(name: str) -> BaseCommand:
    return load_command_class(str(get_commands()[name]), name)


def options(parser: ArgumentParser) -> list[Action]:
    """What this command takes; not what every command of Django does."""
    known = {option for shown in DjangoHelpFormatter.show_last for option in [shown]}
    return [
        one for one in parser._actions if not known & set(one.option_strings) and "--help" not in one.option_strings
    ]


def text() -> str:
    return page(
        "Command options",
        "For operators, and for researchers who script their surveys.",
        "Each is run as `manage.py NAME`, where the installation is. What commands answer, and their exit codes, stand in "
        "[commands](commands.md). Besides its own options each takes those of Django, such as `--traceback`.",
        *(_command(name) for name in names()),
    )


def _command(name: str) -> str:
    parser = parser_of(name)
    rows = [] if name in DJANGO else list(_rows(parser))
    below = (
        table(("Argument", "Meaning", "Default"), rows)
        if rows
        else "It takes the options that Django's has." * (name in DJANGO)
    )
    return f"## {name}\n\n{linked(parser.description or '')}\n\n{below}"


def _rows(parser: ArgumentParser) -> Iterator[tuple[str, str, str]]:
    for one in options(parser):
        name = one.option_strings[-1] if one.option_strings else one.dest.upper()
        value = "" if one.nargs == 0 or not one.option_strings else f" {one.metavar or one.dest.upper()}"
        meaning = linked((one.help or "") % {"default": one.default})
        if one.choices:
            meaning += f"{': ' if meaning else ''}{', '.join(map(str, one.choices))}"
        needed = one.required or not (one.option_strings or one.nargs == "?")
        usual = one.default not in (None, False, "", [], "==SUPPRESS==")
        yield code(name + value), meaning, "needed" if needed else code(one.default) if usual else ""


def linked(text: str) -> str:
    """Lead from the name of a document to it."""
    return re.sub(r"docs/(?!reference/)([\w/-]+)\.md", r"[\1](../\1.md)", text)
