"""The bundle of an analysis: a zip with its files, and scripts that compute its numbers again without Candor."""

import shutil
import tempfile
from io import BytesIO
from pathlib import Path
from string import Template

from collector.designs.selectors import get_design
from estimator.analyses.exports import csv_file, json_file
from estimator.exports.analysis_tables import SCRIPTS, tables_of
from estimator.exports.bundle import ANALYSES, BUNDLED, add_analysis_scripts, add_library, pack
from estimator.models import Analysis


def zip_file(analysis: Analysis) -> bytes:
    """The bundle of a finished analysis. The same analysis gives the same bytes."""
    packed = BytesIO()
    with tempfile.TemporaryDirectory(prefix="analysis-") as name:
        folder = Path(name)
        (folder / "analysis.json").write_bytes(json_file(analysis))
        (folder / "analysis.csv").write_bytes(csv_file(analysis))
        add_analysis_scripts(folder)
        tables = tables_of(analysis)
        if tables:
            (folder / "tables").mkdir()
            for script in ("analysis.R", *SCRIPTS[Analysis.Kind(analysis.kind)]):
                source = ANALYSES / script
                shutil.copyfile(source if source.exists() else BUNDLED / script, folder / script)
        for table, content in tables.items():
            (folder / table).write_bytes(content)
        (folder / "README.txt").write_text(_readme(analysis, in_r=bool(tables)), encoding="utf-8")
        add_library(folder)
        pack(folder, packed)
    return packed.getvalue()


def _readme(analysis: Analysis, *, in_r: bool) -> str:
    design = get_design(analysis.design_id)
    title = f"{design.title[design.language]}: analysis {analysis.key[:8]}"
    return Template((ANALYSES / "README.txt").read_text(encoding="utf-8")).substitute(
        title=title,
        rule="=" * len(title),
        kind=Analysis.Kind(analysis.kind).value,
        name=analysis.name or "-",
        digest=design.digest,
        snapshot=analysis.snapshot_at.isoformat() if analysis.snapshot_at else "",
        reports=analysis.reports,
        version=analysis.version,
        in_r=(ANALYSES / "in_r.txt").read_text(encoding="utf-8") if in_r else "",
    )
