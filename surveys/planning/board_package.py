"""What an ethics board asks for, in one zip: dossier, papers on data protection, questionnaire, design, proofs."""

import io
import zipfile
from datetime import date
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from collector.errors import Conflict
from randomized_response import __version__
from surveys.accounts.audit_log import record_event
from surveys.definition import definitions
from surveys.lifecycle import selectors
from surveys.models import Survey
from surveys.planning import assessment
from surveys.planning.dossier import NO_LETTER, described_design, dossier
from surveys.planning.privacy_notice import privacy_notices

README = Path(__file__).parent / "board_package.txt"
FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can have: the same survey gives the same bytes."""


def board_package(survey: Survey, *, expected: int, today: date, language: str = "", by: User | None = None) -> bytes:
    """The zip for a draft as it would open now, or for the newest version of an opened survey.

    `language` is that of the dossier; assessment and record are in German if that is, else in English. Raises Conflict
    where the dossier does.
    """
    design = described_design(survey)
    read = dossier(survey, expected=expected, today=today, language=language, by=by, design=design)
    spoken = "de" if (language or design.language).startswith("de") else "en"
    assessed = assessment.assessment(survey, design, today=today, language=spoken)
    recorded = assessment.record(survey, design, today=today, language=spoken)
    if not (assessed and recorded):
        raise Conflict(NO_LETTER)
    notices = privacy_notices(survey, design)
    files = {
        "dossier.pdf": read,
        "impact-assessment.pdf": assessed,
        "record-of-processing.pdf": recorded,
        **{f"privacy-notice.{code}.md": text.encode() for code, text in notices.items()},
        "questionnaire.yaml": definitions.dump(selectors.definition_of(survey)).encode(),
        "design.json": design.canonical,
        "README.txt": _readme(survey.slug, design.digest).encode(),
    }
    record_event(by, "exported the package for an ethics board", survey=survey, detail=f"design {design.digest}")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _readme(slug: str, digest: str) -> str:
    site = settings.CANDOR_RESPONDENT_URL or settings.CANDOR_URL
    return README.read_text(encoding="utf-8").format(slug=slug, digest=digest, site=site, version=__version__)
