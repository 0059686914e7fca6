"""Which browser the tests drive: $CHROMIUM, else one of the machine, else the one that playwright downloads.
Firefox and WebKit, for tests of the respondent's page, are those of the machine.

Those of `tests/browser` drive Chromium's headless shell where there is one: the same engine and network without the
windows, for half the processor's time. Audits and measurements take the browser that people have.
"""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"
"""Debian's name for it, as a package and as a program."""

ENGINES = ("chromium", "firefox", "webkit")

PACKAGES = {
    "firefox": ["firefox-esr"],
    "webkit": ["webkit2gtk-driver", "xvfb"],
    "orca": ["orca", "at-spi2-core", "speech-dispatcher", "dbus", "xvfb", "openbox", "xdotool"],
    "slapd": ["slapd"],
}
"""What Debian has of the other engines, of a screen reader and of a directory server."""

MISSING = "there is no browser of the engine {engine}; run bin/install-programs {engine}"

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Nothing but the tests' own requests; no sandbox, because tests may run as root in a container."""

PATIENCE = 60_000
"""Milliseconds until something that a page should show counts as missing. Waiting ends when it is there, so the time
is only for telling that it never will be: a busy machine is slow, but not by so much."""


def machine_browser() -> str | None:
    """The browser that is there without playwright's help."""
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        return chosen if Path(chosen).is_file() else shutil.which(chosen)
    return next((path for path in map(shutil.which, NAMES) if path), None)


def playwright_browser() -> str | None:
    """The Chromium of `playwright install chromium`, if it is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def find_browser() -> str | None:
    return machine_browser() or playwright_browser()


def find_shell() -> str | None:
    """The headless shell of the machine, unless $CHROMIUM names another browser; else the whole browser."""
    return (None if os.environ.get("CHROMIUM") else shutil.which(SHELL)) or find_browser()


def find_firefox() -> str | None:
    return next((path for path in map(shutil.which, ("firefox-esr", "firefox")) if path), None)


def find_webkit() -> tuple[str, str] | None:
    """WebKit's driver, and the browser that Debian builds with it."""
    driver, screen = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    browsers = sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
    return (driver, str(browsers[-1])) if driver and screen and browsers else None


IMAGES = os.environ.get("CANDOR_TEST_IMAGES")
"""A folder: the pictures of the documentation are written there (`CANDOR_TEST_IMAGES=docs/images`)."""
