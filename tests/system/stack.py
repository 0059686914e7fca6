"""An installation with a PostgreSQL and a Redis of its own, run by the launcher as `make stack` runs it."""

from pathlib import Path

import psycopg

from tests.system.installation import Installation


class Stack(Installation):
    """An installation with its servers in a folder of their own, which root's PostgreSQL, run as nobody, can reach."""

    def __init__(self, folder: Path, servers: Path) -> None:
        super().__init__(folder)
        self.servers = servers
        self.data = servers / "data"

    @property
    def environment(self) -> dict[str, str]:
        file = self.servers / "environment"
        said = dict(line.split("=", 1) for line in file.read_text().splitlines()) if file.exists() else {}
        return super().environment | {"CANDOR_STACK": str(self.servers)} | said

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.environment["DATABASE_URL"]) as connection:
            return connection.execute(sql).fetchall()
