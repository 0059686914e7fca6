"""The bundle: a zip with every file of a run, and scripts that recompute its numbers without Candor.

docs/reference/bundle.md describes what is in it; the scripts and texts are in the folder `bundled`. The same state of
a run gives the same bytes: times in the archive are fixed, and files are in the order of their names.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import yaml
from django.utils import translation

import randomized_response
from estimator.analyses import exports
from estimator.analyses.selectors import published_of
from estimator.base.cells import ExportError, Watch, no_progress
from estimator.base.languages import DEFAULT, LANGUAGES
from estimator.exports import inputs
from estimator.models import Run
from estimator.runs import results
from estimator.runs.results import ReportContext, Results

if TYPE_CHECKING:
    from estimator.exports.formats import Format

BUNDLED = Path(__file__).parent / "bundle_files"
LIBRARY = Path(randomized_response.__file__).parent
SCRIPTS = ("rebuild.py", "rebuild.R", "estimates.R", "formulas.R")
ANALYSES = Path(__file__).parent / "analysis_files"
ANALYSIS_SCRIPTS = ("analysis.py", "areas.py", "cells.py", "counts.py", "cross_tables.py", "models.py")
NAMES = {"csv": "estimates.csv", "json": "report.json", "codebook": "codebook.html"}
"""The files that the scripts read, and others with a fixed name; the rest are named after their format."""

WHAT = {
    "CITATION.cff": "How to cite this report and the software",
    "SHA256SUMS": "The SHA-256 of every other file",
    "analyses/": "The analyses that the report shows: what was asked, the counts, every number",
    "analysis.py": "Computes the numbers of the analyses again, in Python",
    "areas.py": "Small areas, for analysis.py",
    "cells.py": "Responses by their answers to background questions, for analysis.py",
    "counts.py": "What an analysis's file says, for analysis.py",
    "cross_tables.py": "Cross tables, for analysis.py",
    "design.json": "The frozen design, byte for byte as respondents had it: questions, randomisation schemes, groups",
    "estimates.R": "Shares, means, strata and every look, for rebuild.R",
    "formulas.R": "Intervals, tables and maximum likelihood, for rebuild.R",
    "models.py": "Regressions, for analysis.py",
    "rebuild.R": "Computes every number again, in R",
    "rebuild.py": "Computes every number again, in Python",
    "tables/bounds.csv": "How far false responses can shift an estimate",
    "tables/channels.csv": "The randomisation scheme of each question: tickets of each row that send each column",
    "tables/items.csv": "The questions: kind, mechanism, encoding, number of answers",
    "tables/odds.csv": "epsilon and e^epsilon (exact) of each question and in total",
    "tables/strata.csv": "The groups that are shown, with their known population shares and the counts that they sum",
    "tables/tallies.csv": "Counts of randomised responses, not of true answers",
    "tables/values.csv": "The numbers that answers of scales and numbers stand for",
    "randomized_response/": "The library that rebuild.py uses (MIT licence)",
}
_PART_OF_FORMATS = 0.8


def write(run: Run, context: ReportContext, out: BinaryIO, watch: Watch, formats: Iterable["Format"]) -> None:
    """Write the bundle of a finished run, with a file of each of `formats`.

    The files are made in a folder of their own first, since the list of digests names all of them; where one of them
    raises, nothing of the others is left.
    """
    chosen, read = list(formats), results.read(run, context)
    with tempfile.TemporaryDirectory(prefix="bundle-") as name:
        folder = Path(name)
        labels = WHAT | dict(_write_formats(read, folder, chosen, lambda part: watch(_PART_OF_FORMATS * part)))
        _write_own(read, folder)
        (folder / "README.txt").write_text(_readme(read, folder, labels), encoding="utf-8")
        pack(folder, out, lambda part: watch(_PART_OF_FORMATS + (1 - _PART_OF_FORMATS) * part))


def _write_formats(read: Results, folder: Path, formats: list["Format"], watch: Watch) -> Iterator[tuple[str, str]]:
    """Write a file of each format; yield its name and label, or why it is left out (never one of reports)."""
    files = [(one, language) for one in formats for language in (LANGUAGES if one.translated else (DEFAULT,))]
    for number, (one, language) in enumerate(files):
        path = folder / _name(one, formats)
        if language != DEFAULT:
            path = path.with_stem(f"{path.stem}-{language}")
        try:
            with path.open("wb") as file, translation.override(language):
                one.write(
                    read.run,
                    read.context,
                    file,
                    lambda part, done=number: watch((done + part) / len(files)),  # type: ignore[misc]
                )
            yield path.name, f"{one.label} ({LANGUAGES[language]})" if one.translated else str(one.label)
        except ExportError as why:
            if one.microdata:
                raise
            path.unlink()
            yield path.name, f"{one.label}: left out. {why}"


def _name(one: "Format", formats: list["Format"]) -> str:
    """A short file name if no other format has it, otherwise that of the format."""
    if one.name in NAMES:
        return NAMES[one.name]
    unnamed = [other for other in formats if other.name not in NAMES]
    alike = [other for other in unnamed if (other.suffix, other.microdata) == (one.suffix, one.microdata)]
    stem = "reports" if one.microdata else "report"
    return f"{stem if len(alike) == 1 else one.name}{one.suffix}"


def _write_own(read: Results, folder: Path) -> None:
    (folder / "design.json").write_bytes(read.design.canonical)
    (folder / "CITATION.cff").write_text(_citation(read), encoding="utf-8")
    for script in (BUNDLED / name for name in SCRIPTS):
        shutil.copyfile(script, folder / script.name)
    (folder / "tables").mkdir()
    for name, content in inputs.tables(read).items():
        (folder / "tables" / name).write_bytes(content)
    add_library(folder)
    analyses = list(published_of(read.design.digest))
    if analyses:
        (folder / "analyses").mkdir()
        add_analysis_scripts(folder)
    for analysis in analyses:
        (folder / "analyses" / f"{analysis.key[:12]}.json").write_bytes(exports.json_file(analysis))


def add_analysis_scripts(folder: Path) -> None:
    """Put the scripts that compute analyses again into a folder, beside the library."""
    for script in ANALYSIS_SCRIPTS:
        shutil.copyfile(ANALYSES / script, folder / script)


def add_library(folder: Path) -> None:
    """Put the library into a folder, with its licence."""
    library = folder / LIBRARY.name
    library.mkdir()
    for source in (*LIBRARY.glob("*.py"), LIBRARY / "py.typed", BUNDLED / "LICENSE"):
        shutil.copyfile(source, library / source.name)


def _readme(read: Results, folder: Path, labels: dict[str, str]) -> str:
    """README.txt: the content of each file, and how to recompute the numbers."""
    whole = (LIBRARY.name, "analyses")
    found = {name.split("/")[0] + "/" if name.startswith(whole) else name for name in _names(folder)}
    named = (found - {"README.txt"}) | {"SHA256SUMS"} | {name for name in labels if name not in WHAT}
    files = "\n".join(f"{name:<22} {labels[name]}" for name in sorted(named))
    run, title = read.run, f"{read.title}: estimate report"
    return Template((BUNDLED / "README.txt").read_text(encoding="utf-8")).substitute(
        title=title,
        rule="=" * len(title),
        digest=read.design.digest,
        snapshot=run.snapshot_at.isoformat() if run.snapshot_at else "",
        reports=run.reports,
        version=run.version,
        holds="hold at every look" if run.anytime else "hold at one look",
        files=files,
    )


def _citation(read: Results) -> str:
    """CITATION.cff 1.2.0: the report as a data set, the software among its references."""
    run, design = read.run, read.design
    software = {
        "type": "software",
        "title": "Candor",
        "authors": [{"name": "The Candor authors"}],
        "version": randomized_response.__version__,
        "license": "MIT",
        "notes": "The library randomized_response computed the estimates.",
    }
    report = {
        "cff-version": "1.2.0",
        "message": "If you use these numbers, please cite the report, and the software as in the references.",
        "type": "dataset",
        "title": f"{read.title}: estimate report",
        "authors": [{"name": f"The researchers of the survey “{read.title}”"}],
        "version": str(design.version),
        "keywords": ["randomized response", "local differential privacy", "survey"],
        "identifiers": [
            {"type": "other", "value": f"sha256:{design.digest}", "description": "Digest of the frozen design"},
            {
                "type": "other",
                "value": f"sha256:{run.input_digest}",
                "description": "Digest of the design and the counts",
            },
        ],
        "references": [software],
    }
    if run.snapshot_at:
        report["date-released"] = run.snapshot_at.date().isoformat()
    return yaml.safe_dump(report, allow_unicode=True, sort_keys=False, width=120)


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _digests(folder: Path) -> str:
    """A line for each file, as `sha256sum -c` reads it."""
    lines = []
    for name in _names(folder):
        with (folder / name).open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n")
    return "".join(lines)


def pack(folder: Path, out: BinaryIO, watch: Watch = no_progress) -> None:
    """Write the files of a folder and their digests as a zip; the same files give the same bytes."""
    (folder / "SHA256SUMS").write_text(_digests(folder), encoding="utf-8")
    names = _names(folder)
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for number, name in enumerate(names):
            member = ZipInfo(name)  # its time is 1980, as it is for every file
            member.compress_type, member.external_attr = ZIP_DEFLATED, 0o644 << 16
            member.create_system, member.file_size = 3, (folder / name).stat().st_size
            with (folder / name).open("rb") as source, archive.open(member, "w") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            watch((number + 1) / len(names))
