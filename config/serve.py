"""`make run`: updates the installation, starts web server, worker and beat, and stops them together.

    python -m config.serve --port 8000
    python -m config.serve --port 8000 --stack

With `--stack`, which is `make stack`, it does so on a PostgreSQL and a Redis of its own, with two web processes and two
workers: what a big installation is made of, on one machine.

Each is a process of its own, in a session of its own: Ctrl-C reaches this launcher alone, which then asks them to end
and, after a grace period, makes them. One that dies is started again.
"""

import argparse
import contextlib
import http.client
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from config import data_folder
from config.processes import LocalServer, Supervisor, commands
from config.readiness import wait_until_ready
from config.variables import check, registry

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"


def main() -> None:
    options = _options()
    try:
        check()
    except ValueError as fault:
        sys.exit(str(fault))
    os.chdir(ROOT)
    os.environ.setdefault("CANDOR_URL", f"http://{HOST}:{options.port}")
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    _require_port(options.port)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        with _servers() if options.stack else contextlib.nullcontext(list[LocalServer]()) as servers:
            data = registry.DATA.read().resolve()
            _require_writable(data)
            with data_folder.locked(data):
                if not registry.DATABASE_URL.read():
                    data_folder.require_readable(data / "candor.sqlite3")
                _serve(options, servers)
    except KeyboardInterrupt:
        pass
    print("Candor has ended; its data stays in place.", flush=True)


def _serve(options: argparse.Namespace, servers: Sequence[LocalServer]) -> None:
    many = {"web_processes": 2, "workers": 2} if options.stack else {}
    household = Supervisor(commands(HOST, options.port, **many), servers)
    try:
        _prepare(demo=not options.no_demo)
        household.start()
        _wait_for(options.port, household)
        _announce(demo=not options.no_demo)
        with _help_being_built():
            household.keep()
    except KeyboardInterrupt:
        print("\nEnding ...", flush=True)
    finally:
        household.end()


@contextlib.contextmanager
def _help_being_built() -> Iterator[None]:
    """Build the help pages meanwhile where they are not current; nothing waits for them, or fails without them."""
    building = subprocess.Popen(
        [sys.executable, "bin/build-help", "--gently"], stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(building.pid, signal.SIGKILL)
        building.wait()


@contextlib.contextmanager
def _servers() -> Iterator[list[LocalServer]]:
    """Run a PostgreSQL and a Redis with their data in the project's folder within the context."""
    # Only here: the drivers that start them come with the tools of development.
    from config.postgresql import PostgreSQL
    from config.redis_server import RedisServer

    folder = registry.STACK.read()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700 if os.geteuid() else 0o711)  # root's PostgreSQL runs as nobody, who has to pass
    data_folder.make_private(folder / "redis")
    database, broker = PostgreSQL(folder / "postgresql"), RedisServer(folder / "redis")
    variables = {"DATABASE_URL": database.url, "REDIS_URL": broker.url, "CANDOR_DATA": str(folder / "data")}
    os.environ |= variables
    with contextlib.ExitStack() as started:
        for server in (database, broker):
            started.callback(server.stop)
            try:
                server.start()
            except RuntimeError as error:
                sys.exit(str(error))
        started.callback(_write_environment(folder / "environment", variables).unlink)
        yield [database, broker]


def _write_environment(file: Path, variables: dict[str, str]) -> Path:
    """Write the variables for `manage.py` beside the stack: `set -a; . var-stack/environment`. Owner-only."""
    file.unlink(missing_ok=True)  # it may be one that others can read
    file.touch(mode=0o600)
    file.write_text("".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items()))
    return file


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make run", description="Run the whole platform on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--no-demo", action="store_true", help="do not build the demo's surveys")
    parser.add_argument("--stack", action="store_true", help="on a PostgreSQL and a Redis of its own")
    options = parser.parse_args()
    if not 1 <= options.port <= 65535:
        parser.error(f"PORT must be from 1 to 65535; got {options.port}.")
    return options


def _prepare(*, demo: bool) -> None:
    """Update database, static files and demo. Each step is idempotent."""
    _manage("check", stdout=subprocess.DEVNULL)  # all of them: other commands and the workers check what they use
    _manage("migrate", "--verbosity", "0")
    _manage("collectstatic", "--noinput", "--verbosity", "0")
    if demo:
        print("Building the demo from the answers of 6,366 women ...", flush=True)
        _manage("demo", "--json", stdout=subprocess.DEVNULL)


def _announce(*, demo: bool) -> None:
    print(f"\nCandor is running at {registry.URL.read()}\n", flush=True)
    if demo:
        _manage("demo")
    print("\nThe panel's link signs in once and for a day. Ctrl-C ends everything; the data stays.", flush=True)


def _manage(*words: str, stdout: int | None = None) -> None:
    done = subprocess.run([sys.executable, "manage.py", *words], stdout=stdout)
    if done.returncode:
        sys.exit(f"'manage.py {words[0]}' ended with {done.returncode}; nothing was started.")


def _wait_for(port: int, household: Supervisor) -> None:
    """Wait until the web server responds, however long that takes on a busy machine."""

    def answers() -> bool:
        if dead := household.dead():
            sys.exit(f"The {dead[0]} did not start; see its messages above.")
        with contextlib.closing(http.client.HTTPConnection(HOST, port, timeout=2)) as connection:
            try:
                connection.request("GET", "/healthz")
                return connection.getresponse().status == http.HTTPStatus.OK
            except (http.client.HTTPException, OSError):
                return False

    try:
        wait_until_ready(answers, household.processes["web server"], "web server")
    except RuntimeError as error:
        sys.exit(str(error))


def _require_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            sys.exit(f"Port {port} needs a privileged user. Choose another: make run PORT={port % 1000 + 8000}")
        except OSError:
            sys.exit(f"Port {port} is in use. Choose another: make run PORT={min(port + 1, 65535)}")


def _require_writable(data: Path) -> None:
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        probe = data / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        sys.exit(f"Candor cannot write to {data} ({error.strerror}). Name another folder: CANDOR_DATA=/folder make run")


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
