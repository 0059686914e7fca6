from argparse import ArgumentParser
from typing import Any

from surveys import links, services
from surveys.commands import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = "Freeze the design of a draft and let respondents answer it, or open a closed survey as its next wave."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--wave", action="store_true", help="open a closed survey again, with the same questions")

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        opens = services.open_wave if options["wave"] else services.open_survey
        version = opens(find_survey(options["slug"]))
        link = links.respondent_link(version)
        facts = {"slug": options["slug"], "version": version.number, "digest": version.design_id, "link": link}
        again = f" again, as wave {version.number}" if options["wave"] else ""
        return f"{options['slug']} is open{again}: {link}", facts
