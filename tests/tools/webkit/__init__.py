"""WebKit, driven by WebDriver under the names that playwright has for Chromium and Firefox.

Playwright's WebKit is a build of its own, from a host of its own; Debian's webkit2gtk speaks the W3C's WebDriver. What
tests of the respondent's page ask of playwright is answered here, and nothing else: what is missing is
`Undriven`, which names it. Elements are waited for, and clicks and keys are the browser's own.
"""

from tests.tools.webkit.browser import Browser, Context, Page
from tests.tools.webkit.expecting import expect
from tests.tools.webkit.locators import Locator, Undriven

__all__ = ["Browser", "Context", "Locator", "Page", "Undriven", "expect"]
