"""podman as the tests of containers call it: with settings of its own, so that this machine's stay as they are."""

import configparser
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "candor" / "containers"
CONFIGURATION = CACHE / "containers.conf"
PIP = CACHE / "pip.conf"

CONTAINERS_CONF = """\
# Written by Candor's bin/base-images, for its tests alone.
[containers]
# Not more than a container's root may raise where it runs within another one.
default_ulimits = ["nofile=1024:4096", "nproc=1000:1000"]
log_driver = "k8s-file"
[engine]
# crun fails where control groups of both versions are mounted; and no systemd has to run.
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
"""


def write_configuration() -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    CONFIGURATION.write_text(CONTAINERS_CONF)


def environment() -> dict[str, str]:
    return {**os.environ, "CONTAINERS_CONF": str(CONFIGURATION)}


def podman(*words: str, check: bool = True, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["podman", *words], env=environment(), check=check, text=True, **options)  # type: ignore[call-overload,no-any-return]


def exists(image: str) -> bool:
    return podman("image", "exists", image, check=False).returncode == 0


def named_images() -> list[str]:
    """Base images that the Dockerfile and compose.yaml name, as they name them."""
    built = re.findall(r"^FROM (\S+:\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    run = re.findall(r"^    image: (\S+:\S+)", (ROOT / "compose.yaml").read_text(), re.MULTILINE)
    return list(dict.fromkeys(built + run))


def for_pip() -> list[str]:
    """Options of `podman build` by which pip finds packages as on this machine; no file of the project says how."""
    mounted = [f"{path}:{path}:ro" for path in _pip_files()]
    return ["--network", "host", *_volumes(f"{PIP}:/etc/pip.conf:ro", *mounted)]


def for_apt() -> list[str]:
    """The same for apt-get, which may add files to its settings: they are gone with the build."""
    return ["--network", "host", *_volumes("/etc/apt:/etc/apt:O", "/usr/share/keyrings:/usr/share/keyrings:ro")]


def _volumes(*mounts: str) -> list[str]:
    return [word for mount in mounts for word in ("-v", mount)]


def _pip_files() -> list[Path]:
    """Write what pip is told here into one file; the certificates and folders that it names."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    settings = dict(re.findall(r"^(?:global|user|site|:env:)\.([a-z-]+)='(.*)'$", said, re.MULTILINE))
    parser = configparser.RawConfigParser()
    parser["global"] = {
        name: value.replace("\\n", "\n") for name, value in settings.items() if name != "require-virtualenv"
    }
    with PIP.open("w") as file:
        parser.write(file)
    words = " ".join(settings.values()).replace("\\n", " ").split()
    paths = [Path(unquote(urlparse(word).path)) for word in words if word.startswith(("/", "file:"))]
    # The pages of an index of files name the files by steps up from them.
    return sorted({path.parent if path.name == "simple" else path for path in paths if path.exists()})
