"""`make pictures`: take every screenshot of the documentation again, in one run.

The tests of the browser take them, each where it looks at the page anyway (`CANDOR_TEST_IMAGES`); the one of the README comes
from a demo that is started here. Beside them, looks.json has for each picture a hash of the files that the look of its page
comes from. `make test-long` compares it: a picture whose page may look different by now has to be taken again.

The files of a page's look are its templates, style sheets and scripts, by the patterns below. They are more than one page loads,
so a picture may be asked for that comes out as it was; none that changed is missed. Two other ways were left. To compare
the pixels needs the same fonts and browser on every machine. To hash the page itself, with the sheets that it loads, needs all that
chance draws on it to be taken out first: the tickets, the links, the estimates.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LOOKS = HERE / "looks.json"
sys.path.insert(0, str(ROOT))

from tests.tools.browser import FLAGS, find_browser  # noqa: E402

STATIC = "surveys/static/surveys"
TOKENS = "estimator/static/estimator/tokens.css"
FRAME = (
    "templates/unfold/**/*.html",
    "templates/panel/frame.html",
    f"{STATIC}/panel/panel.css",
    f"{STATIC}/panel/survey.css",
    TOKENS,
)
RESPONDENT = (
    "templates/surveys/respond/*.html",
    "templates/surveys/_head.html",
    f"{STATIC}/style/*.css",
    f"{STATIC}/client/*.js",
    TOKENS,
)
REPORT = ("templates/estimator/**/*", "estimator/static/estimator/*.css", "estimator/reports/*.typ")
TEN_MINUTES = "tests/browser/test_ten_minutes.py"

PICTURES: dict[str, tuple[str, tuple[str, ...]]] = {
    "candor": ("", (*RESPONDENT, *REPORT)),
    "change": ("tests/browser/test_pictures.py", (*FRAME, "templates/panel/analyse/*.html", f"{STATIC}/panel/analyse.css")),
    "coin-sheet-1": ("tests/browser/test_paper.py", ("surveys/rendering/own_coin/*",)),
    "ledger": ("tests/browser/test_pictures.py", (*FRAME, "templates/panel/waves.html", f"{STATIC}/panel/waves.css")),
    "panel-desktop-2-plan": (TEN_MINUTES, (*FRAME, "templates/panel/plan/*.html", f"{STATIC}/panel/plan.css")),
    "panel-desktop-4-rehearsed": (TEN_MINUTES, (*FRAME, "templates/panel/rehearse/*.html", f"{STATIC}/panel/rehearse.css")),
    "panel-desktop-6-share": (TEN_MINUTES, (*FRAME, "templates/panel/share.html", "templates/panel/_share_*.html")),
    "panel-desktop-7-watch": (TEN_MINUTES, (*FRAME, "templates/panel/watch*.html")),
    "panel-desktop-questions": ("tests/browser/test_item_form.py", (*FRAME, "templates/panel/write/*.html", f"{STATIC}/panel/lines.css")),
    "panel-invitations": ("tests/browser/test_pictures.py", (*FRAME, "templates/panel/invitations.html", f"{STATIC}/panel/inviting.css")),
    "panel-open": ("tests/browser/test_panel.py", (*FRAME, "templates/panel/*opening*.html", "templates/panel/_frozen.html")),
    "panel-share": ("tests/browser/test_panel.py", (*FRAME, "templates/panel/share.html", "templates/panel/_share_*.html")),
    "paper-entry": ("tests/browser/test_paper.py", (*FRAME, "templates/panel/paper.html", f"{STATIC}/panel/paper.css")),
    "report-1": ("tests/browser/test_report.py", REPORT),
    "respondent-arabic-phone-1-opening": ("tests/browser/test_page.py", RESPONDENT),
    "respondent-phone-1-opening": ("tests/browser/test_page.py", RESPONDENT),
    "respondent-phone-kinds": ("tests/browser/respondent/test_item_kinds.py", RESPONDENT),
    "results-phone": ("tests/browser/test_results_page.py", (f"{STATIC}/style/*.css", "templates/surveys/*.html", TOKENS)),
    "token-phone-fetched": ("tests/browser/test_blind_invitations.py", (f"{STATIC}/token/*", f"{STATIC}/style/*.css", TOKENS)),
}  # fmt: skip
"""Each picture, the test that takes it (empty: this script), and patterns of the files that its look comes from."""

AROUND = """<body style="margin:0;padding:40px;display:flex;gap:40px;align-items:flex-start;justify-content:center;
background:linear-gradient(135deg,#dcefec,#f4f2ec)">{pictures}</body>"""
PICTURE = '<img src="data:image/png;base64,{data}" style="width:{width}px;border-radius:{radius}px;{shadow}">'
SHADOW = "box-shadow:0 12px 40px rgb(0 0 0 / .22)"
PORT = 8099


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        taken = Path(folder)
        tests = sorted({test for test, _ in PICTURES.values() if test})
        command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "long or not long", *tests]
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, "CANDOR_TEST_IMAGES": folder})
        take_from_demo(taken / "candor.png")
        missing = [name for name in PICTURES if not (taken / f"{name}.png").is_file()]
        if done.returncode or missing:
            print(
                f"Nothing was changed: tests ended with {done.returncode}; not taken: {', '.join(missing) or 'none'}."
            )
            return 1
        for name in PICTURES:
            shutil.copyfile(taken / f"{name}.png", HERE / f"{name}.png")
    LOOKS.write_text(json.dumps({name: look(name) for name in PICTURES}, indent=2) + "\n")
    return 0


def look(name: str) -> str:
    """The hash of the files that a picture's look comes from."""
    found = hashlib.sha256()
    for path in sources(name):
        found.update(f"{path.relative_to(ROOT)}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def sources(name: str) -> list[Path]:
    return sorted({path for pattern in PICTURES[name][1] for path in ROOT.glob(pattern) if path.is_file()})


def take_from_demo(target: Path) -> None:
    """A phone with a survey beside the report, from a demo in a folder of its own."""
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "CANDOR_DATA": data, "CANDOR_URL": f"http://127.0.0.1:{PORT}"}
        command = [sys.executable, "-m", "config.serve", "--port", str(PORT)]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            for line in server.stdout:
                if re.search("Ctrl-C ends everything", line):
                    break
            ask = [sys.executable, "manage.py", "demo", "--json"]
            links = json.loads(subprocess.run(ask, cwd=ROOT, env=environment, capture_output=True, check=True).stdout)
            compose(links, target)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def compose(links: dict[str, str], target: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        shots = (
            (picture(browser, links["survey"], width=390, height=900), 390, 28),
            (picture(browser, links["report"], width=1000, height=1060), 850, 12),
        )
        images = (
            PICTURE.format(data=base64.b64encode(data).decode(), width=width, radius=radius, shadow=SHADOW)
            for data, width, radius in shots
        )
        page = browser.new_page(viewport={"width": 1400, "height": 980})
        page.set_content(AROUND.format(pictures="".join(images)))
        page.screenshot(path=target)
        browser.close()


def picture(browser: Browser, address: str, *, width: int, height: int) -> bytes:
    page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=2)
    page.goto(address)
    page.wait_for_timeout(500)
    return page.screenshot()


if __name__ == "__main__":
    sys.exit(main())
