"""Every named point in turn: somebody comes to it under load, dies there, and what is left is looked at."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from tqdm import tqdm

from tests.chaos import broken, probing
from tests.chaos.checking import FOLDABLE, Ask, fits
from tests.system.installation import ROOT, Installation, wait_until
from tests.system.stack import Stack

HOOK = Path(__file__).parent / "hook"
SECONDS = 120.0
"""Within which somebody comes to an armed point; the house is kept once a minute."""

DRAFT, OPEN = "draft, 0 versions, 0 designs, 0 pages", "open, 1 versions, 1 designs, 3 pages"
AGAIN, WAVE = "closed, 1 versions, 1 designs, 3 pages", "open, 2 versions, 2 designs, 6 pages"
UNUSED, USED = "0 reports, 10 codes", "1 reports, 9 codes"
DONE = "done, 5 estimates"
UNCLOSED, CLOSED = "open, design open, no run", f"closed, design closed, {DONE}"
PURGED = "0 reports, marked, purged, rewritten, 1 entries"
MAY_BE_KEPT = [
    "6 reports, (rewritten, )?0 entries",
    r"\d reports, marked, (rewritten, )?0 entries",
    "0 reports, marked, purged(, rewritten)?, 1 entries",
]

WHO = {
    "taking": "web server", "redeeming": "web server", "asking": "panel", "opening": "panel",
    "opening a wave": "panel", "closing": "panel", "backing up": "command", "restoring": "command", "beat": "beat",
}  # fmt: skip
"""Who dies, where it is no worker."""


@dataclass
class Struck:
    """One death: at which point, what there was right after it, and what in the end."""

    point: str
    fitted: bool
    """Whether totals and days equalled the recount right after it."""
    at_once: str
    fair: bool
    """Whether that is what it may be."""
    look: Callable[[], str] = field(repr=False)
    wanted: str
    in_the_end: str = ""

    @property
    def sound(self) -> bool:
        return self.fitted and self.fair and self.in_the_end == self.wanted


class Died(Exception):
    """Who was asked is dead."""


class Actor:
    """Somebody at the panel or at the command line: a process that does what it is told, and may die of it."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.process: subprocess.Popen[str] | None = None

    def do(self, act: str, **given: str) -> None:
        """Raises Died; RuntimeError with the words of what was refused."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.chaos.acting"],
                cwd=ROOT, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                start_new_session=True,
            )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([act, given]) + "\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        if not said:
            self.process.wait()
            raise Died(act)
        if json.loads(said):
            raise RuntimeError(f"{act} {given}: {json.loads(said)}")

    def leave(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Strikes:
    """Strikes the points of one installation, one after the other."""

    def __init__(self, installation: Installation, ask: Ask) -> None:
        self.installation, self.ask = installation, ask
        self.folder = Path(installation.more["CANDOR_TEST_FAULTS"])
        self.actor = Actor(installation.environment)
        self.struck: list[Struck] = []

    def all(self, points: Iterable[str]) -> None:
        for point in tqdm(list(points), unit="point"):
            self.strike(point)
        self.actor.leave()

    def strike(self, point: str) -> None:
        """Have somebody come to a point and die there; afterwards the same is done again where nobody else will."""
        operation, slug = point.split(":")[0], f"point-{len(self.struck)}"
        act = getattr(self, re.sub(r"\W", "_", f"_{operation}"))
        before = len(self.struck)
        try:
            act(point, slug)
        except (AssertionError, RuntimeError, Died) as error:  # and the other points are tried all the same
            (self.folder / "armed").unlink(missing_ok=True)
            print(f"{point}: {error}", file=sys.stderr, flush=True)
            del self.struck[before:]
            self.struck.append(Struck(point, False, "nobody came to it, or went on", False, lambda: "", "all done"))

    def look(self) -> None:
        """What there is in the end, once the house was kept again."""
        with suppress(AssertionError):
            wait_until(lambda: all(one.look() == one.wanted for one in self.struck), SECONDS)
        for one in self.struck:
            one.in_the_end = one.look()

    def die(self, point: str, act: Callable[[], None]) -> None:
        """Arm a point, do what leads to it, and wait until somebody is dead."""
        (self.folder / "struck").unlink(missing_ok=True)
        draft = self.folder / "draft"
        draft.write_text(point)
        draft.rename(self.folder / "armed")
        with suppress(Died):
            act()
        try:
            wait_until((self.folder / "struck").exists, SECONDS)
        except AssertionError:
            raise AssertionError(
                f"nobody came to {point!r}; the launcher said:\n{self.installation.output[-2000:]}"
            ) from None

    def _note(self, point: str, look: Callable[[], str], may_be: Iterable[str], wanted: str) -> None:
        at_once = look()
        fair = any(re.fullmatch(one, at_once) for one in may_be)
        self.struck.append(Struck(point, fits(self.ask), at_once, fair, look, wanted))

    # What web server, workers and beat do by themselves

    def _taking(self, point: str, slug: str) -> None:
        self.die(point, lambda: None)
        self._note(point, lambda: "", [""], "")

    _beat = _taking

    def _folding(self, point: str, slug: str) -> None:
        """Of a survey that was just closed, whose days are joined."""
        self.actor.do("closable", slug=slug)
        self.die(point, lambda: self.actor.do("close_survey", slug=slug))
        self._note(point, lambda: "", [""], "")

    def _estimating(self, point: str, slug: str) -> None:
        self.actor.do("closable", slug=slug)
        self.die(point, lambda: self.actor.do("ask", slug=slug))
        may_be = ["queued, 0 estimates", "running, 0 estimates", DONE]
        self._note(point, lambda: probing.run(self.ask, slug), may_be, DONE)

    _worker = _estimating

    def _keeping(self, point: str, slug: str) -> None:
        self.actor.do("due", slug=slug)
        self.die(point, lambda: self.actor.do("send", task="surveys.keep_house"))
        self._note(point, lambda: probing.kept(self.ask, slug), MAY_BE_KEPT, PURGED)

    _purging = _rewriting = _keeping

    # What somebody asks for, who asks again

    def _asking(self, point: str, slug: str) -> None:
        self.actor.do("closable", slug=slug)
        self.die(point, lambda: self.actor.do("ask", slug=slug))
        self._note(point, lambda: probing.run(self.ask, slug), ["no run", "(queued|running), 0 estimates", DONE], DONE)
        if self.struck[-1].at_once == "no run":
            self.actor.do("ask", slug=slug)

    def _opening(self, point: str, slug: str) -> None:
        self.actor.do("draft", slug=slug)
        self.die(point, lambda: self.actor.do("open_survey", slug=slug))
        self._note(point, lambda: probing.opened(self.ask, slug), [DRAFT, OPEN], OPEN)
        if self.struck[-1].at_once == DRAFT:
            self.actor.do("open_survey", slug=slug)

    def _opening_a_wave(self, point: str, slug: str) -> None:
        self.actor.do("again", slug=slug)
        self.die(point, lambda: self.actor.do("open_wave", slug=slug))
        self._note(point, lambda: probing.opened(self.ask, slug), [AGAIN, WAVE], WAVE)
        if self.struck[-1].at_once == AGAIN:
            self.actor.do("open_wave", slug=slug)

    def _redeeming(self, point: str, slug: str) -> None:
        """The report of somebody who was invited, who sends it again."""
        self.actor.do("invited", slug=slug)
        self.die(point, lambda: self.actor.do("answer", slug=slug))
        self._note(point, lambda: probing.redeemed(self.ask, slug), [UNUSED, USED], USED)
        self.actor.do("answer", slug=slug)

    def _closing(self, point: str, slug: str) -> None:
        self.actor.do("closable", slug=slug)
        self.die(point, lambda: self.actor.do("close_survey", slug=slug))
        may_be = [UNCLOSED, "closed, design closed, (queued|running), 0 estimates", CLOSED]
        self._note(point, lambda: probing.closed(self.ask, slug), may_be, CLOSED)
        if self.struck[-1].at_once == UNCLOSED:
            self.actor.do("close_survey", slug=slug)

    def _backing_up(self, point: str, slug: str) -> None:
        file = self.folder / f"{slug}.zip"
        self.die(point, lambda: self.actor.do("back_up", file=str(file)))
        self._note(point, lambda: probing.file(file), ["no file", "a whole file"], "a whole file")
        if not file.exists():
            self.actor.do("back_up", file=str(file))

    def _restoring(self, point: str, slug: str) -> None:
        """Into a place of its own, beside the installation."""
        file = self.folder / "restored.zip"
        if not file.exists():
            self.actor.do("back_up", file=str(file))
        environment, ask = self._empty_place(slug)
        somebody = Actor(environment)
        self.die(point, lambda: somebody.do("restore", file=str(file)))
        self._note(point, lambda: probing.place(ask), ["empty", "all of it"], "all of it")
        if self.struck[-1].at_once == "empty":
            somebody.do("restore", file=str(file))
        somebody.leave()

    def _empty_place(self, name: str) -> tuple[dict[str, str], Ask]:
        """Another installation's environment, and its tables; made by the migrations once and copied."""
        environment = self.installation.environment
        data, first = self.folder / name, self.folder / "first"
        made = first.exists()
        if not isinstance(self.installation, Stack):
            if not made:
                self._migrate(environment | {"CANDOR_DATA": str(first)})
            shutil.copytree(first, data)
            return environment | {"CANDOR_DATA": str(data)}, probing.sqlite(data / "candor.sqlite3")
        url, database = environment["DATABASE_URL"], name.replace("-", "_")
        server = url.removesuffix("/candor")
        with psycopg.connect(url, autocommit=True) as connection:
            if not made:
                connection.execute("CREATE DATABASE first")
                self._migrate(environment | {"CANDOR_DATA": str(first), "DATABASE_URL": f"{server}/first"})
            connection.execute(f"CREATE DATABASE {database} TEMPLATE first")

        def ask(sql: str) -> list[tuple[object, ...]]:
            with psycopg.connect(f"{server}/{database}") as connection:
                return connection.execute(sql).fetchall()

        return environment | {"CANDOR_DATA": str(data), "DATABASE_URL": f"{server}/{database}"}, ask

    def _migrate(self, environment: dict[str, str]) -> None:
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True
        )


def prepare(installation: Installation) -> None:
    """Have all its Python processes watch for the armed point; called before it starts."""
    folder = installation.temporary / "faults"
    folder.mkdir()
    installation.more |= {"CANDOR_TEST_FAULTS": str(folder), "PYTHONPATH": f"{HOOK}:{ROOT}"}


def finds_a_fault(strikes: Strikes) -> bool:
    """Whether the audit notices workers that fold as they must not, and one that dies of it at the worst moment.

    Nothing that is counted of this installation afterwards means anything.
    """
    (strikes.folder / "broken").touch()
    for name in strikes.installation.processes("celery -q -A config worker"):
        with suppress(ProcessLookupError):
            os.kill(name, signal.SIGKILL)
    try:
        strikes.actor.do("closable", slug="broken")
        strikes.die(broken.AT, lambda: strikes.actor.do("close_survey", slug="broken"))
        wait_until(lambda: strikes.ask(FOLDABLE) == [], SECONDS)
    except AssertionError as error:
        print(error, file=sys.stderr, flush=True)
        return False
    finally:
        strikes.actor.leave()
    return not fits(strikes.ask)
