"""The pages of docs that are written from the code, each with the function that makes its text."""

from collections.abc import Callable

from docs.make import (
    asvs,
    commands,
    conformance,
    endpoints,
    errors,
    files,
    functions,
    survey_file,
    threat_model,
    vendor_assessment,
)
from docs.make.markdown import DOCS

__all__ = ["DOCS", "PAGES"]

PAGES: dict[str, Callable[[], str]] = {
    "assurance/accessibility.md": conformance.text,
    "assurance/application-security.md": asvs.text,
    "assurance/openacr.yaml": conformance.openacr,
    "assurance/threat-model.md": threat_model.text,
    "assurance/vendor-assessment.md": vendor_assessment.text,
    "reference/endpoints.md": endpoints.text,
    "reference/errors.md": errors.text,
    "reference/files.md": files.text,
    "reference/library/functions.md": functions.text,
    "reference/options.md": commands.text,
    "reference/survey-keys.md": survey_file.text,
}
