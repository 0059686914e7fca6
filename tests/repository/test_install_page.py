"""docs/how-to/deploy.md: its commands, files, services and variables exist, the proxies' files allow what it takes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.core.management import get_commands
from django.utils import timezone

from collector.endpoint.parsing import LARGEST_BODY
from config import rate_limits
from config.connections import MOST
from config.variables.registry import VARIABLES
from tests.install.document import LABELS, PROXIES, ROOT, blocks, nginx, written

NGINX, CADDY = (PROXIES / "nginx.conf").read_text(), (PROXIES / "Caddyfile").read_text()
UNIT = (ROOT / "deploy" / "systemd" / "candor.service").read_text()
COMMANDS = "\n".join(block.text for block in blocks())
UNITS = {"k": 1024, "m": 1024**2, "MB": 10**6}
WAYS = [("machine", "nginx"), ("machine", "caddy"), ("containers", "nginx"), ("containers", "caddy")]


def test_every_command_block_has_a_label() -> None:
    assert len(blocks()) == written().count("```sh\n") > 15
    assert {label for block in blocks() for label in block.labels} == LABELS


@pytest.mark.parametrize("way", WAYS, ids="-".join)
def test_commands_of_each_way_are_shell_with_known_names(way: tuple[str, str]) -> None:
    script = "\n".join(block.text for block in blocks(*way))
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    used = set(re.findall(r"\$(?:\{)?([A-Z]+)", script))
    assert used == set(re.findall(r"^([A-Z]+)=", script, re.MULTILINE)) - set(VARIABLES)
    for needed in (
        "create_owner",
        "sendtestemail",
        "backup",
        "readyz",
        "git pull",
        "nginx.conf" if "nginx" in way else "Caddyfile",
    ):
        assert needed in script, needed


def test_commands_files_services_and_variables_exist() -> None:
    assert set(re.findall(r"^candor ([a-z_]+)", COMMANDS, re.MULTILINE)) <= set(get_commands())
    for file in re.findall(r"(?<![\w/])(deploy/\S+|bin/\S+|requirements\S*\.lock)", COMMANDS):
        assert (ROOT / file).is_file(), file
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert set(re.findall(r"docker compose (?:--\S+ \S+ )?exec (?:-T )?(\w+)", COMMANDS)) <= set(services)
    named = re.findall(r"(?:^|'|\\n)([A-Z]+_[A-Z_]+)=", COMMANDS, re.MULTILINE)
    assert len(named) > 7
    assert set(named) <= set(VARIABLES)


def test_unit_and_wrapper_use_the_same_places() -> None:
    """The document installs what the unit starts; the wrapper reads what the unit reads."""
    wrapper = (ROOT / "deploy" / "systemd" / "candor").read_text()
    port = re.search(r"config\.serve --port (\d+) --no-demo", UNIT)
    assert port is not None
    for place in ("/opt/candor", "/etc/candor/environment"):
        assert place in UNIT
        assert place in wrapper
        assert place in COMMANDS
    assert "StateDirectory=candor\n" in UNIT  # systemd makes /var/lib/candor of it
    assert "CANDOR_DATA=/var/lib/candor\\n" in COMMANDS
    assert f"http://127.0.0.1:{port[1]}/readyz" in COMMANDS
    assert f"server 127.0.0.1:{port[1]};" in NGINX
    assert f"reverse_proxy 127.0.0.1:{port[1]} " in CADDY


def test_proxies_take_bodies_that_candor_takes() -> None:
    small, large = (int(size) * UNITS[unit] for size, unit in re.findall(r"client_max_body_size (\d+)(\w);", NGINX))
    assert small >= LARGEST_BODY
    assert large >= rate_limits.LARGEST_BODY
    assert f"client_body_buffer_size {small // 1024}k;" in NGINX, "else a report may be written to the disk"
    ((size, unit),) = re.findall(r"max_size (\d+)(\w+)", CADDY)
    assert int(size) * UNITS[unit] >= rate_limits.LARGEST_BODY
    assert f"max_conns_per_host {MOST}" in CADDY


def test_proxies_log_no_request() -> None:
    servers = NGINX.split("\nserver {")[1:]
    assert len(servers) == 2
    for server in servers:
        assert "access_log off;" in server
        assert re.search(r"error_log \S+ emerg;", server)
    assert "access_log /" not in NGINX
    assert re.search(r"log \{\s+exclude http\s+\}", CADDY)
    assert len(re.findall(r"^\s*log\b", CADDY, re.MULTILINE)) == 1


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A folder with a certificate of its own."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "example")])
    now = timezone.now()
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now).sign(
        key, hashes.SHA256()
    )
    (tmp_path / "fullchain.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return tmp_path


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_takes_its_file(certificate: Path) -> None:
    command = ["nginx", "-t", "-e", str(certificate / "errors"), "-c", str(nginx(certificate))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
def test_caddy_takes_its_file(certificate: Path) -> None:
    file = certificate / "Caddyfile"
    file.write_text(CADDY.replace("# tls", "tls").replace("/etc/ssl/candor", str(certificate)))
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
