"""deploy/ha says what compose.yaml and the check at start say, and its files fit together. No container is started."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from collector.database.settings import FORGETFUL
from config.postgresql import FORGETTING, SEGMENT

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "ha"
ALONE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
PATRONI: dict[str, Any] = yaml.safe_load((FOLDER / "patroni.yml").read_text())
CLUSTER = PATRONI["bootstrap"]["dcs"]
PROXY = (FOLDER / "haproxy.cfg").read_text()
POOLER = (FOLDER / "pgbouncer.ini").read_text()
OURS = [f"{name}{number}" for name in ("web", "worker", "folding", "beat") for number in (1, 2)]
LARGER = {"wal_level", "max_wal_senders", "wal_keep_size", "max_wal_size"}
"""What standbys need otherwise than `make stack`."""


def plain(value: object) -> str:
    return str(value)


@pytest.mark.parametrize("service", OURS)
def test_ha_commands_match_compose(service: str) -> None:
    alone = ALONE[service[:-1]]["command"]
    names = [word.replace("%h", f"machine{service[-1]}") for word in alone]
    assert SERVICES[service]["command"] == names


@pytest.mark.parametrize("service", [*OURS, "prepare"])
def test_ha_variables_and_hardening_match_compose(service: str) -> None:
    mine, alone = SERVICES[service], ALONE["web"]
    assert set(mine["environment"]) == set(alone["environment"]) - {"CANDOR_PANEL"}, "each has the full image"
    own = {"DATABASE_URL", "REDIS_URL"}
    for name in set(mine["environment"]) - own:
        assert mine["environment"][name] == alone["environment"][name], name
    for rule in ("read_only", "cap_drop", "security_opt", "tmpfs"):
        assert mine[rule] == alone[rule]


def test_ha_every_service_is_on_its_machine_and_hardened() -> None:
    assert len(SERVICES) == 3 + 3 * 5 + 2 + 1 + len(OURS)
    for name, service in SERVICES.items():
        machine = f"machine{name[-1]}" if name[-1].isdigit() else "machine1"
        assert name == machine or service["network_mode"] == f"service:{machine}"
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]


def test_ha_database_forgets_order_as_check_wants() -> None:
    parameters = {name: plain(value) for name, value in CLUSTER["postgresql"]["parameters"].items()}
    for name, value in FORGETTING.items():
        if name not in LARGER:
            assert parameters[name] == value, name
    assert set(FORGETFUL) - set(parameters) <= {"log_min_duration_sample", "log_transaction_sample_rate"}
    assert all(int(parameters[name].removesuffix("MB")) <= 256 for name in ("wal_keep_size", "max_wal_size"))
    assert CLUSTER["postgresql"]["use_slots"] is False
    assert {"wal-segsize": str(SEGMENT)} in PATRONI["bootstrap"]["initdb"]


def test_ha_acknowledged_means_two_machines() -> None:
    assert CLUSTER["synchronous_mode"] is CLUSTER["synchronous_mode_strict"] is True
    assert CLUSTER["synchronous_node_count"] == 1
    assert CLUSTER["postgresql"]["parameters"]["synchronous_commit"] == "on"


def test_ha_lease_is_not_kept_by_etcd3() -> None:
    """Until Debian has Patroni 3.0.3: before, a primary that comes back takes the lease from its successor."""
    assert "PATRONI_ETCD3_HOSTS" not in SERVICES["database1"]["environment"]
    assert "PATRONI_ETCD_HOSTS" in SERVICES["database1"]["environment"]
    assert "--enable-v2=true" in SERVICES["etcd1"]["command"]


def test_ha_lease_times_fit() -> None:
    """Patroni's own rule; and a machine that vanishes is replaced within 30 seconds."""
    assert CLUSTER["ttl"] >= CLUSTER["loop_wait"] + 2 * CLUSTER["retry_timeout"]
    assert 20 <= CLUSTER["ttl"] <= 25


def test_ha_ports_fit_together() -> None:
    listens = {name: int(port) for name, port in re.findall(r"^listen (\w+)\n    bind \S+:(\d+)", PROXY, re.MULTILINE)}
    database, broker = (SERVICES["web1"]["environment"][name] for name in ("DATABASE_URL", "REDIS_URL"))
    assert f"@127.0.0.1:{listens['database']}/candor" in database
    assert f"@127.0.0.1:{listens['redis']}/0" in broker
    assert f"listen_port = {re.search(r'MACHINE1}:(64[0-9]+)', PROXY)[1]}" in POOLER
    assert (
        f":{PATRONI['restapi']['listen'].split(':')[1]}"
        in SERVICES["database1"]["environment"]["PATRONI_RESTAPI_CONNECT_ADDRESS"]
    )
    assert SERVICES["machine1"]["ports"][0].endswith(f":{listens['web']}")
    assert SERVICES["web1"]["command"][SERVICES["web1"]["command"].index("--port") + 1] == "8000"
    assert '"${MACHINE1}:8000"' in PROXY
    assert "pool_mode = session" in POOLER
    size = int(re.search(r"default_pool_size = (\d+)", POOLER)[1])
    assert size < CLUSTER["postgresql"]["parameters"]["max_connections"] - 10


def test_ha_proxy_lists_each_machine_and_cuts_off_demoted() -> None:
    for section, machines in (("database", 3), ("redis", 3), ("web", 2)):
        text = PROXY.partition(f"\nlisten {section}\n")[2].partition("\nlisten ")[0]
        servers = re.findall(r"^    server (machine\d) .*$", text, re.MULTILINE)
        assert servers == [f"machine{number}" for number in range(1, machines + 1)]
        if section != "web":
            assert text.count("on-marked-down shutdown-sessions") == machines


def test_ha_image_has_every_file_and_secrets_are_asked_for() -> None:
    text = (FOLDER / "Dockerfile").read_text()
    copied = {word for line in re.findall(r"^COPY (.+) /", text, re.MULTILINE) for word in line.split()}
    assert copied == {file.name for file in FOLDER.iterdir()} - {"Dockerfile", "compose.yaml"}
    written = (FOLDER / "compose.yaml").read_text()
    secrets = set(re.findall(r"\$\{(\w*PASSWORD)", written)) - {"EMAIL_HOST_PASSWORD"}
    assert len(secrets) == 5
    for secret in secrets:
        assert f"${{{secret}:?" in written
    assert not re.search(r"PASSWORD\w*: *[\"']?[a-z0-9]", written)


def test_ha_refusal_without_web_process_has_retry_after() -> None:
    head = (FOLDER / "unavailable.http").read_bytes().partition(b"\r\n\r\n")[0]
    assert head.startswith(b"HTTP/1.0 503 ")
    assert b"\r\nRetry-After: 5" in head
