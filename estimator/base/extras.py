"""Optional packages of an installation: requirements-formats.txt, requirements-noise.txt and the like."""

from importlib.util import find_spec


def missing_package(package: str, extra: str) -> str:
    """A sentence on how to install a missing package; empty if it is installed."""
    if find_spec(package):
        return ""
    return f"{package} is not installed here. Install it with: .venv/bin/pip install -r requirements-{extra}.txt"
