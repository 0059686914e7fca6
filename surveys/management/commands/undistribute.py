from argparse import ArgumentParser
from typing import Any

from collector.database import distribution
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Put the tables that `distribute` spread over nodes back on the coordinator; see docs/how-to/citus.md."

    def add_options(self, parser: ArgumentParser) -> None:
        """No arguments: it is done to all tables."""

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        done = distribution.undistribute(watch=self.stderr.write)
        words = "The tables of responses are on one server again." if done else "No table of responses is distributed."
        return words, {"done": done}
