"""compose.yaml, started whole by podman-compose in an installation of its own, in the order that the file says.

podman starts health checks by systemd's timers, and podman-compose waits for them from podman 4.6 on: where neither
is there, both are done here.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import psycopg
import yaml

from tests.system.installation import wait_until
from tests.tools import containers

ROOT = containers.ROOT
PROJECT = "candor-tried"
PASSWORD = "tried"
PATIENCE = 120


class Composed:
    """The services of compose.yaml on their own volumes and network; port 8000 of this machine.

    Parameters
    ----------
    root
        Folder of the version's files. Versions share volumes, network and names: one is put in the other's place.
    """

    url = "http://127.0.0.1:8000"

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.images: dict[str, str] = {}
        """The id of each service's image, once it is built."""

    @cached_property
    def services(self) -> dict[str, Any]:
        found: dict[str, Any] = yaml.safe_load((self.root / "compose.yaml").read_text())["services"]
        return found

    @property
    def ours(self) -> list[str]:
        """The services that run all the time, of Candor's own images."""
        return [name for name, service in self.services.items() if "build" in service and name != "prepare"]

    def checked(self, *services: str) -> list[str]:
        """Those of the services that have a health check."""
        return [service for service in services if "healthcheck" in self.services[service]]

    def compose(self, *words: str) -> str:
        """Run podman-compose with these words; returns what it wrote."""
        own = {"CANDOR_URL": self.url, "POSTGRES_PASSWORD": PASSWORD, "CANDOR_REPORTS_BY_ADDRESS": "off"}
        program = Path(sys.executable).with_name("podman-compose")
        command = [program, "-f", self.root / "compose.yaml", "-p", PROJECT, *words]
        environment = containers.environment() | own
        done = subprocess.run(
            command,
            env=environment,
            cwd=self.root,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout

    def build(self) -> None:
        # One after the other: podman-compose builds all at once, and each would install every package anew.
        for service in (*self.ours, "prepare"):
            self.compose(f"--podman-build-args={' '.join(containers.for_pip())}", "build", service)
            shown = containers.podman("image", "inspect", "-f", "{{.Id}}", f"{PROJECT}_{service}", capture_output=True)
            self.images[service] = shown.stdout.strip()

    def name_images(self) -> None:
        """Give the images their names back, which the other version's have since: what building them again does."""
        for service, image in self.images.items():
            containers.podman("tag", image, f"localhost/{PROJECT}_{service}:latest", capture_output=True)

    def start(self) -> None:
        """Start the services floor by floor: what one depends on is up, and healthy, or done."""
        self.compose("up", "-d", "--no-build", "--no-deps", "database", "broker")
        self.wait_healthy("database", "broker")
        self.compose("up", "-d", "--no-build", "--no-deps", "prepare")
        wait_until(lambda: self.inspect("prepare")["State"]["Status"] == "exited", PATIENCE)
        assert self.inspect("prepare")["State"]["ExitCode"] == 0, self.logs("prepare")
        self.compose("up", "-d", "--no-build", "--no-deps", *self.ours)
        self.wait_healthy(*self.checked(*self.ours))

    def stop(self, *services: str) -> None:
        """End and remove their containers; their volumes stay."""
        for name in self.names(*services):
            containers.podman("rm", "-f", "-t", "20", name, capture_output=True)

    def replace(self, *services: str) -> None:
        """Put containers of this version in the place of those that run, one service after the other."""
        for service in services:
            self.stop(service)
            self.compose("up", "-d", "--no-build", "--no-deps", service)
        self.wait_healthy(*self.checked(*services))

    def end(self) -> None:
        """Remove containers and volumes, also those of a run that was killed."""
        self.compose("down", "-t", "20")
        # By force, with a container that never ended its stop: podman-compose leaves both.
        for volume in yaml.safe_load((self.root / "compose.yaml").read_text())["volumes"]:
            containers.podman("volume", "rm", "-f", f"{PROJECT}_{volume}", check=False, capture_output=True)

    def name(self, service: str) -> str:
        return f"{PROJECT}_{service}_1"

    def names(self, *services: str) -> list[str]:
        """All containers of these services, replicas too."""
        said = containers.podman("ps", "-a", "--format", "{{.Names}}", capture_output=True).stdout.split()
        return [name for name in said if name.rpartition("_")[0] in {f"{PROJECT}_{service}" for service in services}]

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection]:
        (network,) = self.inspect("database")["NetworkSettings"]["Networks"].values()
        address = f"postgresql://candor:{PASSWORD}@{network['IPAddress']}/candor"
        with psycopg.connect(address, autocommit=True) as connection:
            yield connection

    def pause(self, service: str) -> None:
        for name in self.names(service):
            containers.podman("pause", name, capture_output=True)

    def unpause(self, service: str) -> None:
        for name in self.names(service):
            containers.podman("unpause", name, capture_output=True)

    def memory(self, service: str, *files: str) -> int:
        """The number in the file of the service's control group that is there, in bytes."""
        shown = self.run(service, "sh", "-c", f"cd /sys/fs/cgroup; cat {' '.join(files)} 2>/dev/null || true")
        return int(shown.strip())

    def inspect(self, service: str) -> dict[str, Any]:
        said = containers.podman("inspect", self.name(service), capture_output=True).stdout
        found: dict[str, Any] = json.loads(said)[0]
        return found

    def image(self, service: str) -> dict[str, Any]:
        said = containers.podman("image", "inspect", self.inspect(service)["Image"], capture_output=True).stdout
        found: dict[str, Any] = json.loads(said)[0]
        return found

    def check_health(self, service: str) -> bool:
        """Run the service's own health check once, as podman's timer would."""
        return (
            containers.podman("healthcheck", "run", self.name(service), check=False, capture_output=True).returncode
            == 0
        )

    def health(self, service: str) -> str:
        """What podman says of it after the checks so far: "starting", "healthy" or "unhealthy"."""
        return str(self.inspect(service)["State"]["Health"]["Status"])

    def wait_healthy(self, *services: str) -> None:
        for service in services:
            wait_until(lambda service=service: self.check_health(service), PATIENCE)

    def run(self, service: str, *words: str, given: str = "") -> str:
        command = ("exec", "-i", self.name(service), *words)
        done = containers.podman(*command, check=False, capture_output=True, input=given)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def logs(self, service: str) -> str:
        done = containers.podman("logs", self.name(service), capture_output=True)
        return done.stdout + done.stderr

    def ask(self, sql: str) -> str:
        return self.run("database", "psql", "-U", "candor", "-d", "candor", "-Atc", sql).strip()
