"""Make the pictures of the documentation from a running demo.

make run                              # in one terminal
.venv/bin/python docs/images/make.py  # in another
"""

import base64
import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from tests.tools.browser import FLAGS, find_browser  # noqa: E402

FRAME = """<body style="margin:0;padding:40px;display:flex;gap:40px;align-items:flex-start;justify-content:center;
background:linear-gradient(135deg,#dcefec,#f4f2ec)">{pictures}</body>"""
PICTURE = '<img src="data:image/png;base64,{data}" style="width:{width}px;border-radius:{radius}px;{shadow}">'
SHADOW = "box-shadow:0 12px 40px rgb(0 0 0 / .22)"


def main() -> None:
    output = subprocess.run([sys.executable, "manage.py", "demo", "--json"], cwd=ROOT, capture_output=True, check=True)
    links = json.loads(output.stdout)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        phone = picture(browser, links["survey"], width=390, height=900)
        report = picture(browser, links["report"], width=1000, height=1060)
        page = browser.new_page(viewport={"width": 1400, "height": 980})
        shots = ((phone, 390, 28), (report, 850, 12))
        images = (
            PICTURE.format(data=base64.b64encode(data).decode(), width=width, radius=radius, shadow=SHADOW)
            for data, width, radius in shots
        )
        page.set_content(FRAME.format(pictures="".join(images)))
        page.screenshot(path=HERE / "candor.png")
        browser.close()


def picture(browser: Browser, address: str, *, width: int, height: int) -> bytes:
    page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=2)
    page.goto(address)
    page.wait_for_timeout(500)
    return page.screenshot()


if __name__ == "__main__":
    main()
