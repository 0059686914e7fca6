from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from collector.errors import InputError
from surveys.management.base import REFUSED, SurveyCommand, find_survey, output_file, usage_error
from surveys.outreach import invitation_files, invitations


class Command(SurveyCommand):
    help = (
        "Create single-use links for an open survey, as a file that can be written only once; see "
        "docs/how-to/invite-people.md."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--count", type=int, required=True, help="number of links")
        parser.add_argument(
            "--group", default="", metavar="KEY", help="group of the links; default: chosen by respondents"
        )
        parser.add_argument("--output", type=Path, required=True, help="file to write; - for standard output")
        parser.add_argument("--cards", action="store_true", help="write printable cards (PDF) instead of a CSV file")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey, output, form = find_survey(options["slug"]), options["output"], "cards" if options["cards"] else "csv"
        made: invitation_files.File | None = None
        try:
            with output_file(output, private=True) as file:
                made = invitation_files.make(survey, options["count"], form, group=options["group"], by=None)
                file.write(made.content)
        except InputError as fault:
            raise (
                CommandError(str(fault), returncode=REFUSED) if fault.field == "survey" else usage_error(str(fault))
            ) from None
        except OSError:
            if made is not None:
                invitations.withdraw(survey, made.batch, by=None)  # nobody has its codes
            raise
        facts = {"slug": survey.slug, "batch": made.batch, "count": options["count"], "output": str(output)}
        return "{count} invitations of {slug}, batch {batch}, are written to {output}.".format_map(facts), facts
