from argparse import ArgumentParser
from typing import Any

from collector.database import distribution
from surveys.management.base import SurveyCommand


class Command(SurveyCommand):
    help = "Spread the tables of responses over the nodes of a Citus cluster, by survey; see docs/how-to/citus.md."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--shards",
            type=int,
            default=distribution.SHARDS,
            help="parts of each table (%(default)s)",
        )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        done = distribution.distribute(shards=options["shards"], watch=self.stderr.write)
        nodes = distribution.nodes()
        where = ", ".join(f"{one.host}:{one.port} ({one.shards} shards)" for one in nodes)
        words = f"The tables of responses {'are distributed' if done else 'were distributed already'}: {where}."
        facts: dict[str, object] = {"done": done, "nodes": [vars(one) for one in nodes]}
        return words, facts
