"""The set-up of deploy/ha on this machine: its containers, who leads in it, and what can be done to them."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

from tests.tools import containers

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "var" / "cluster"
COMPOSE = ROOT / "deploy" / "ha" / "compose.yaml"
MACHINES = "machine1", "machine2", "machine3"
PORTS = {"machine1": 8081, "machine2": 8082}
SERVERS = [f"{name}{number}" for number in (1, 2, 3) for name in
           ("machine", "etcd", "database", "pooler", "redis", "sentinel")] + ["proxy1", "proxy2"]  # fmt: skip
CANDOR = [f"{name}{number}" for number in (1, 2) for name in ("web", "worker", "folding", "beat")]
PASSWORDS = (
    "SUPERUSER_PASSWORD", "REPLICATION_PASSWORD", "PATRONI_PASSWORD", "DATABASE_PASSWORD", "REDIS_PASSWORD"
)  # fmt: skip


class Cluster:
    """The containers, by the names of their services."""

    def __init__(self) -> None:
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.file = FOLDER / "environment"
        if not self.file.exists():
            self.file.touch(mode=0o600)
            said = {name: secrets.token_hex(16) for name in PASSWORDS}
            said |= {"CANDOR_URL": f"http://127.0.0.1:{PORTS['machine1']}"}
            said |= {"HA_IMAGE": os.environ.get("HA_IMAGE", "candor")}
            # Everybody who sends has one address here.
            said |= {"CANDOR_REPORTS_BY_ADDRESS": "off", "CANDOR_REPORTS_BY_SURVEY": "off"}
            self.file.write_text("".join(f"{name}={value}\n" for name, value in said.items()))
        self.variables = dict(line.split("=", 1) for line in self.file.read_text().splitlines())
        self.addresses: dict[str, str] = {}

    def up(self) -> None:
        """As the document says: servers and proxies, then `prepare`, then the rest."""
        self.compose("up", "--detach", "--no-build", *SERVERS)
        self.compose("up", "--detach", "--no-build", "prepare")
        assert self.podman("wait", container("prepare")).strip() == "0", self.podman("logs", container("prepare"))
        self.compose("up", "--detach", "--no-build", *CANDOR)
        until(lambda: all(self.ready(port) for port in PORTS.values()), 180)

    def build(self) -> None:
        """Both images; that of Candor only where no other one is named."""
        containers.write_configuration()
        containers.podman("build", "-q", *containers.for_apt(), "-t", "candor-ha", str(COMPOSE.parent))
        if self.variables["HA_IMAGE"] == "candor":
            containers.podman("build", "-q", *containers.for_pip(), "-t", "candor", str(ROOT))

    def down(self) -> None:
        self.compose("down", "--volumes", "--timeout", "2")
        self.file.unlink(missing_ok=True)

    def running(self) -> bool:
        return container("web1") in self.podman("ps", "--format", "{{.Names}}")

    def compose(self, *words: str) -> None:
        command = [sys.executable, "-m", "podman_compose", "--in-pod=false", "--env-file", str(self.file), "--file"]
        done = subprocess.run(
            [*command, str(COMPOSE), *words], env=containers.environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-3000:]

    def podman(self, *words: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            ["podman", *words], env=containers.environment(), input=stdin, capture_output=True, text=True
        )
        return done.stdout

    def manage(self, *words: str) -> str:
        return self.podman("exec", container("web1"), "python", "manage.py", *words)

    def ready(self, port: int) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def address(self, machine: str) -> str:
        if machine not in self.addresses:
            found = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
            self.addresses[machine] = self.podman("inspect", "--format", found, container(machine)).strip()
        return self.addresses[machine]

    def primary(self, among: Sequence[str] = MACHINES) -> str:
        """The machine whose Patroni says that it is the primary; "" where none does."""
        return next((one for one in among if self._status(f"http://{self.address(one)}:8008/primary") == 200), "")

    def standbys(self) -> int:
        """How many follow the primary, which one of them confirms."""
        if not (leader := self.primary()):
            return 0
        with urllib.request.urlopen(f"http://{self.address(leader)}:8008/cluster", timeout=3) as answer:
            members = json.load(answer)["members"]
        good = [one for one in members if one["role"] != "leader" and one["state"] in ("running", "streaming")]
        timelines = {one.get("timeline") for one in members}
        chosen = any(one["role"] == "sync_standby" for one in good)
        return len(good) if chosen and len(timelines) == 1 else 0

    def etcd_leader(self) -> str:
        for machine in MACHINES:
            address = f"http://{self.address(machine)}:2379"
            asked = ["etcdctl", "--endpoints", address, "endpoint", "status", "--write-out", "json"]
            said = self.podman("exec", "--env", "ETCDCTL_API=3", container(machine), *asked)
            if said.startswith("[{"):  # one that is just starting has none to tell of
                status = json.loads(said)[0]["Status"]
                if status["header"]["member_id"] == status.get("leader"):
                    return machine
        return ""

    def redis_master(self) -> str:
        for machine in MACHINES:
            said = self.redis(machine, "6379", "info", "replication")
            if "role:master" in said and "connected_slaves:0" not in said:
                return machine
        return ""

    def redis(self, machine: str, port: str, *words: str) -> str:
        secret = f"REDISCLI_AUTH={self.variables['REDIS_PASSWORD']}"
        command = ["timeout", "3", "redis-cli", "-h", self.address(machine), "-p", port, *words]
        return self.podman("exec", "--env", secret, container(machine), *command)

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        """From the primary's own tables."""
        until(lambda: self.primary(), 120)
        password = self.variables["SUPERUSER_PASSWORD"]
        options = {"user": "postgres", "dbname": "candor", "password": password}
        with psycopg.connect(host=self.address(self.primary()), **options) as there:
            return there.execute(sql).fetchall()  # type: ignore[arg-type]

    def pid(self, service: str) -> int:
        return int(self.podman("inspect", "--format", "{{.State.Pid}}", container(service)).strip() or "0")

    def kill(self, service: str) -> None:
        """With all that runs in its container, which is started again at once."""
        if pid := self.pid(service):
            os.kill(pid, signal.SIGKILL)

    def kill_postgres(self, machine: str) -> None:
        """The server alone; its Patroni stays."""
        patroni = self.pid(service("database", machine))
        for file in Path("/proc").glob("[0-9]*/status"):
            try:
                said = file.read_text()
                command = (file.parent / "cmdline").read_bytes()
            except OSError:
                continue
            above = [int(line.split()[1]) for line in said.splitlines() if line.startswith("PPid:")]
            if b"bin/postgres" in command and above and self._descends(above[0], patroni):
                os.kill(int(file.parent.name), signal.SIGKILL)
                return

    def stop_machine(self, machine: str) -> None:
        """All at once and without a word; nothing is started again."""
        self.podman("stop", "--time", "0", *self.on(machine))

    def start_machine(self, machine: str) -> None:
        self.podman("start", *self.on(machine))

    def on(self, machine: str) -> list[str]:
        number = machine[-1]
        return [container(one) for one in (*SERVERS, *CANDOR) if one[-1] == number and one != machine]

    def cut(self, machine: str) -> None:
        """From both others; people still reach it."""
        for other in set(MACHINES) - {machine}:
            self._iptables(machine, "-A", "INPUT", "-s", self.address(other), "-j", "DROP")
            self._iptables(machine, "-A", "OUTPUT", "-d", self.address(other), "-j", "DROP")

    def heal(self, machine: str) -> None:
        self._iptables(machine, "-F")

    def log_files(self, machine: str) -> list[Path]:
        place = self.podman(
            "volume", "inspect", "--format", "{{.Mountpoint}}", f"candor-ha_{service('database', machine)}"
        )
        return [one for one in (Path(place.strip()) / "postgresql" / "pg_wal").iterdir() if one.is_file()]

    def _iptables(self, machine: str, *words: str) -> None:
        command = ["nsenter", "--target", str(self.pid(machine)), "--net", "iptables", "-w", *words]
        subprocess.run(command, check=True, capture_output=True)

    def _descends(self, pid: int, from_: int) -> bool:
        """Patroni is a child of the container's first process."""
        try:
            above = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
        return from_ in (pid, above)

    def _status(self, url: str) -> int:
        try:
            with urllib.request.urlopen(urllib.request.Request(url, method="OPTIONS"), timeout=2) as answer:
                return int(answer.status)
        except OSError:
            return 0


def container(name: str) -> str:
    return f"candor-ha_{name}_1"


def service(name: str, machine: str) -> str:
    return f"{name}{machine[-1]}"


def until(condition: Callable[[], object], seconds: float) -> float:
    """Wait until it holds; how long that took. An AssertionError where it takes too long."""
    begun = time.monotonic()
    while True:
        try:
            if condition():
                return time.monotonic() - begun
        except (OSError, psycopg.Error):
            pass
        assert time.monotonic() - begun < seconds, f"not within {seconds:g} seconds"
        time.sleep(0.2)
