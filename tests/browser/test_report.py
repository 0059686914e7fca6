"""The report as a file of its own, in a real browser; and, where they are asked for, the pictures of its pages."""

from pathlib import Path

import pytest
import typst
from django.contrib.auth.models import User
from playwright.sync_api import Page

from collector.designs import Design
from estimator.base.languages import activated
from estimator.base.typesetting import fonts, inputs
from estimator.models import Run
from estimator.reports import files, paper, report
from estimator.runs import services
from surveys.management import demo
from tests.browser.accessibility import CLEAN, on_every_screen
from tests.browser.panel import PHONE, fits
from tests.factories.runs import fill, run_of
from tests.tools.browser import IMAGES


@pytest.fixture
def run(design: Design, alice: User, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A small one; for the documentation's pictures that of the demo, which takes seconds to rehearse."""
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    if not IMAGES:
        fill(design)
        return run_of(design)
    demo.build(alice, progress=lambda sent, _count: sent)
    found = demo.finished_run()
    assert found is not None
    return found


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "de"])
def test_axe_report_file_and_phone_width(page: Page, run: Run, tmp_path: Path, language: str) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(files.html_file(run, language))
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert fits(page)
    assert page.evaluate("document.fonts.check('16px Noto Sans')")
    assert dict(on_every_screen(page)) == CLEAN


@pytest.mark.long  # what the file says is read in tests/estimator/test_report_files.py
def test_report_pdf_page_images(run: Run, tmp_path: Path) -> None:
    target = Path(IMAGES) if IMAGES else tmp_path
    with activated("en"):
        data = paper.data(report.build(run))
    pages = typst.compile(
        paper.TEMPLATE,
        root=paper.TEMPLATE.parent,
        font_paths=fonts(),
        ignore_system_fonts=True,
        format="png",
        ppi=96,
        sys_inputs=inputs(data),
    )
    assert isinstance(pages, list)
    for number, drawn in enumerate(pages[:2], start=1):
        (target / f"report-{number}.png").write_bytes(drawn)
    assert len(pages) >= 3
