"""What a reader of an analysis is told first: groups that are too small, combined, or only partly told."""

from collections.abc import Sequence

from django.utils.translation import gettext

from collector.designs import FEWEST_IN_GROUP, selectors
from estimator.analyses import sentences as words
from estimator.analyses.method_texts import METHODS
from estimator.analyses.rows import AnalysisRow
from estimator.analyses.sentences import RowDescriber, named
from estimator.base import wording
from estimator.models import Analysis
from estimator.runs.groups import Partition, stored

Kind = Analysis.Kind


def cautions_of(analysis: Analysis, rows: Sequence[AnalysisRow], speaker: RowDescriber) -> list[str]:
    """Cautions for the reader, shown first."""
    lacking = [row for row in rows if row.group and not row.known and row.n < words.enough_for(row)]
    few = dict.fromkeys(f"{named(speaker.group(row.group))} ({row.n})" for row in lacking)
    cautions: list[str] = [str(words.OPEN)] if analysis.while_open else []
    if "weighting" in analysis.parameters:
        cautions.append(gettext("Responses are weighted: they count as in a population with the entered shares."))
    other = None if analysis.kind in (Kind.VERSIONS, Kind.SCORES) else partition_of(analysis).other
    if other is not None:
        names, fewest = ", ".join(map(named, other.names)), FEWEST_IN_GROUP
        cautions.append(
            gettext("Combined, because one of them has fewer than {fewest} responses: {names} ({label}).").format(
                fewest=fewest, names=names, label=named(other.label)
            )
        )
    if (analysis.result or {}).get("left_out"):
        text = (
            gettext(
                "{count} responses are left out: they do not tell the answer to the background question by itself, or "
                "too few gave it."
            )
            if analysis.kind == Kind.CROSS_TABLE
            else gettext(
                "{count} responses are left out: they do not tell each predictor by itself, or too few gave their "
                "answer."
            )
        )
        cautions.append(text.format(count=wording.count(analysis.result["left_out"])))
    elif "left_out" not in (analysis.result or {}) and speaker.design.background and rows:
        cautions.append(str(METHODS["told"]))
    if few:
        fewest = words.enough_for(lacking[0])
        cautions.append(
            gettext("Fewer than {fewest} responses: {few}. Not enough yet for an estimate.").format(
                fewest=fewest, few=", ".join(few)
            )
        )
    return cautions


def partition_of(analysis: Analysis) -> Partition:
    return stored(selectors.get_design(analysis.design_id), analysis.inputs["groups"])


def released_key(analysis: Analysis, key: str) -> str:
    """The key of what a group is told of as: its own, or that of several together."""
    partition = partition_of(analysis)
    return partition.keys[partition.row_of(key)]


def too_few(rows: Sequence[AnalysisRow], speaker: RowDescriber, reference: str = "") -> str:
    """The reason for missing comparisons: no numbers for the reference group, or for all groups but one."""
    lacking = next((row for row in rows if row.group == reference and reference and not row.known), None)
    ready = sum(row.n >= words.enough_for(row) for row in rows)
    if lacking is not None and ready > 1:
        return gettext("{named} has no estimate ({lacking}).").format(
            named=named(speaker.group(reference)), lacking=words.missing(lacking)
        )
    return gettext(
        "at least two of them need {fewest_in_group} responses, and {ready} of {count} have that many."
    ).format(fewest_in_group=words.enough_for(rows[0]), ready=ready, count=len(rows))
