"""Optional packages of an installation: requirements-formats.txt, requirements-noise.txt and the like."""

from importlib.util import find_spec

from django.conf import settings


def missing_package(package: str, extra: str) -> str:
    """A sentence on how to install a missing package; empty if it is installed."""
    if find_spec(package):
        return ""
    return f"{package} is not installed here. Install it with: .venv/bin/pip install -r requirements-{extra}.txt"


def lacking_package(package: str, extra: str) -> str:
    """The same for what a page needs. Raises ModuleNotFoundError where another web process has every package
    (`CANDOR_PANEL`): it then answers the page."""
    missing = missing_package(package, extra)
    if missing and settings.CANDOR_PANEL:
        raise ModuleNotFoundError(missing, name=package)
    return missing
