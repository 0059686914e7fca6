from argparse import ArgumentParser
from typing import Any

from collector.designs.selectors import get_design
from surveys.definition.text_warnings import text_warnings
from surveys.lifecycle import links
from surveys.management.base import SurveyCommand, find_survey
from surveys.opening.services import open_survey, open_wave
from surveys.planning.group_warnings import expected_reports, opening_warnings


class Command(SurveyCommand):
    help = "Freeze the design of a draft and let respondents answer it, or open a closed survey as its next wave."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--expect", default="", metavar="N", help="responses that you expect, to warn of small groups"
        )
        parser.add_argument("--wave", action="store_true", help="open a closed survey again, with the same questions")
        parser.add_argument(
            "--parts",
            type=int,
            default=1,
            metavar="N",
            help="parts over which its responses are spread on a cluster; see docs/how-to/citus.md (%(default)s)",
        )
        parser.add_argument("--reason", default="", help="why it is opened above a ceiling of epsilon; needed there")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        opens = open_wave if options["wave"] else open_survey
        survey = find_survey(options["slug"])
        expected = expected_reports(survey, options["expect"])
        version = opens(survey, reason=options["reason"], parts=options["parts"])
        design = get_design(version.design_id)
        warnings = opening_warnings(design, survey, expected)
        doubtful = self.warn(text_warnings(design))
        link = links.respondent_link(version)
        facts = {"slug": options["slug"], "version": version.number, "digest": version.design_id, "link": link}
        facts |= {"warnings": [*warnings, *doubtful]}
        again = f" again, as wave {version.number}" if options["wave"] else ""
        return "\n".join([f"{options['slug']} is open{again}: {link}", *warnings]), facts
