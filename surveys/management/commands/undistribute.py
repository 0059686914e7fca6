from argparse import ArgumentParser
from typing import Any

from collector.database import distribution
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Move distributed response tables back to the coordinator; see docs/how-to/citus.md."

    def add_options(self, parser: ArgumentParser) -> None:
        """No arguments: it is done to all tables."""

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        done = distribution.undistribute(watch=self.stderr.write)
        words = "The response tables are on one server again." if done else "No response table is distributed."
        return words, {"done": done}
