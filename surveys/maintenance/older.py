"""Backups of older versions: what their rows have to become for the tables of this one.

A migration that changes columns or what they mean says it here; one that is not named is one whose backups can only be
restored with the version that made them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.migrations.loader import MigrationLoader

from collector.models import FrozenDesign

Row = list[Any]
Numbers = Mapping[str, int]
"""The number of each design by its digest."""


@dataclass(frozen=True)
class Change:
    """What a migration did to a table: its columns before, in a backup's order, and a row of then as one of now."""

    columns: list[str]
    convert: Callable[[Row, Numbers], Row]

    def then(self, later: "Change") -> "Change":
        """Both changes, one after the other."""
        return Change(self.columns, lambda row, numbers: later.convert(self.convert(row, numbers), numbers))


NEW_TABLE = Change([], lambda row, _: row)
"""Of a table that older versions did not have: their backups have no rows of it."""

CHANGES: dict[tuple[str, str], dict[str, Change]] = {
    ("collector", "0017_totals_by_number"): {
        "collector_tally": Change(
            ["design_id", "stratum", "position", "symbol", "count"],
            lambda row, numbers: [numbers[row[0]], *row[1:]],
        ),
        "collector_dailycount": Change(
            ["id", "design_id", "first_day", "last_day", "count"],
            lambda row, numbers: [numbers[row[1]], *row[2:]],
        ),
    },
    ("collector", "0018_parts_of_designs"): {
        "collector_frozendesign": Change(
            [
                *("digest", "number", "opened_on", "closed_on", "rewritten_on", "restored_on"),
                *("purged_on", "coin_reports", "sheets"),
            ],
            lambda row, _: [*row, None],
        ),
    },
    ("collector", "0019_report_archives"): {},  # a table that is in no backup
    ("collector", "0020_final_closing"): {
        "collector_frozendesign": Change(
            [
                *("digest", "number", "opened_on", "closed_on", "rewritten_on", "restored_on"),
                *("purged_on", "coin_reports", "sheets", "part_of_id"),
            ],
            lambda row, _: [*row[:4], row[3], *row[4:]],
        ),
    },
    ("estimator", "0013_analysis_names"): {
        "estimator_analysis": Change(
            [
                *("id", "state", "progress", "requested_at", "finished_at", "lease", "lease_until", "tries", "fault"),
                *("key", "kind", "design_id", "parameters", "repeats_id", "snapshot_at", "while_open", "reports"),
                *("inputs", "input_digest", "result", "result_digest", "version"),
            ],
            lambda row, _: [*row[:10], "", False, *row[10:]],
        ),
    },
    ("estimator", "0014_small_areas"): {},  # another value of a column
    ("estimator", "0015_name_of_regressions"): {},  # another label of a value
    ("estimator", "0016_number_of_yes"): {},  # another value of a column
    ("estimator", "0017_people_asked"): {
        "estimator_disclosure": Change(
            ["id", "slug", "texts", "probability_sample", "simple_random"], lambda row, _: [*row, None]
        ),
    },
    ("surveys", "0020_backups"): {},  # a table that is in no backup
    ("surveys", "0021_draft_revisions"): {},  # a table that is in no backup
    ("surveys", "0022_advice_dismissals"): {"surveys_advicedismissal": NEW_TABLE},
    ("surveys", "0023_tags"): {"surveys_surveytag": NEW_TABLE},
    ("surveys", "0024_about"): {
        "surveys_survey": Change(
            [
                *("id", "slug", "team_id", "state", "rehearsal", "languages", "title", "introduction", "consent"),
                *("strata_wording", "invitations", "repeats", "people", "participation", "embedded_in"),
                *("results_shown", "purge_after", "work_bits", "fetched_by_account", "created_at"),
            ],
            lambda row, _: [*row[:9], *({} for _ in range(5)), *row[9:]],
        ),
        "surveys_section": Change(
            ["id", "survey_id", "position", "key", "title", "introduction"], lambda row, _: [*row, False]
        ),
        "surveys_item": Change(
            [
                *("id", "survey_id", "position", "key", "kind", "wording", "choices", "prefer_not", "minimum"),
                *("maximum", "step", "required", "shuffle", "most", "section", "asked_if", "unasked", "mechanism"),
                *("truth", "yes", "on", "off", "size", "epsilon", "weights"),
            ],
            lambda row, _: [*row[:15], False, *row[15:]],
        ),
    },
    ("surveys", "0025_retention"): {},  # a default of new rows
    ("surveys", "0026_preview_links"): {},  # a table that is in no backup
    ("surveys", "0027_dropdown_and_heading"): {
        "surveys_item": Change(
            [
                *("id", "survey_id", "position", "key", "kind", "wording", "choices", "prefer_not", "minimum"),
                *("maximum", "step", "required", "shuffle", "most", "section", "help_after", "asked_if", "unasked"),
                *("mechanism", "truth", "yes", "on", "off", "size", "epsilon", "weights"),
            ],
            lambda row, _: [*row[:13], False, {}, *row[13:]],
        ),
    },
    ("surveys", "0028_sensitivity"): {
        "surveys_survey": Change(
            [
                *(
                    "id",
                    "slug",
                    "team_id",
                    "state",
                    "rehearsal",
                    "languages",
                    "title",
                    "introduction",
                    "consent",
                    "sender",
                ),
                *("institution", "contact", "data_protection", "help_line", "strata_wording", "invitations", "repeats"),
                *("people", "participation", "embedded_in", "results_shown", "purge_after", "work_bits"),
                *("fetched_by_account", "created_at"),
            ],
            lambda row, _: [*row[:19], "", *row[19:]],
        ),
        "surveys_item": Change(
            [
                *("id", "survey_id", "position", "key", "kind", "wording", "choices", "prefer_not", "minimum"),
                *("maximum", "step", "required", "shuffle", "dropdown", "heading", "most", "section", "help_after"),
                *("asked_if", "unasked", "mechanism", "truth", "yes", "on", "off", "size", "epsilon", "weights"),
            ],
            lambda row, _: [*row[:18], "", *row[18:]],
        ),
    },
    ("surveys", "0029_entry"): {
        "surveys_survey": Change(
            [
                *("id", "slug", "team_id", "state", "rehearsal", "languages", "title", "introduction", "consent"),
                *("sender", "institution", "contact", "data_protection", "help_line", "strata_wording", "invitations"),
                *("repeats", "people", "participation", "privacy_budget", "embedded_in", "results_shown"),
                *("purge_after", "work_bits", "fetched_by_account", "created_at"),
            ],
            lambda row, _: [*row[:9], [], {}, *row[9:]],
        ),
    },
    ("surveys", "0030_look"): {
        "surveys_survey": Change(
            [
                *("id", "slug", "team_id", "state", "rehearsal", "languages", "title", "introduction", "consent"),
                *("consent_statements", "screening", "sender", "institution", "contact", "data_protection"),
                *("help_line", "strata_wording", "invitations", "repeats", "people", "participation", "privacy_budget"),
                *("embedded_in", "results_shown", "purge_after", "work_bits", "fetched_by_account", "created_at"),
            ],
            lambda row, _: [*row[:16], *5 * ("",), {}, {}, *3 * ("",), {}, *row[16:]],
        ),
    },
    ("surveys", "0031_beside_questions"): {
        "surveys_item": Change(
            [
                *("id", "survey_id", "position", "key", "kind", "wording", "choices", "prefer_not", "minimum"),
                *("maximum", "step", "required", "shuffle", "dropdown", "heading", "most", "section", "help_after"),
                *("sensitivity", "asked_if", "unasked", "mechanism", "truth", "yes", "on", "off", "size", "epsilon"),
                "weights",
            ],
            lambda row, _: [*row[:5], {}, *row[5:7], [], *row[7:]],
        ),
        "surveys_picture": NEW_TABLE,
    },
    ("surveys", "0032_logo"): {
        "surveys_survey": Change(
            [
                *("id", "slug", "team_id", "state", "rehearsal", "languages", "title", "introduction", "consent"),
                *("consent_statements", "screening", "sender", "institution", "contact", "data_protection"),
                *("help_line", "accent", "accent_dark", "background", "background_dark", "font", "ending_text"),
                *("ending_label", "ending_address", "completion_code", "completion_address", "completion_carry"),
                *("strata_wording", "invitations", "repeats", "people", "participation", "privacy_budget"),
                *("embedded_in", "results_shown", "purge_after", "work_bits", "fetched_by_account", "created_at"),
            ],
            lambda row, _: [*row[:21], {}, *row[21:]],
        ),
    },
    ("surveys", "0033_keep_last"): {
        "surveys_item": Change(
            [
                *("id", "survey_id", "position", "key", "kind", "before", "wording", "choices", "choice_pictures"),
                *("prefer_not", "minimum", "maximum", "step", "required", "shuffle", "dropdown", "heading", "most"),
                *("section", "help_after", "sensitivity", "asked_if", "unasked", "mechanism", "truth", "yes", "on"),
                *("off", "size", "epsilon", "weights"),
            ],
            lambda row, _: [*row[:15], False, *row[15:]],
        ),
    },
    ("surveys", "0034_background_questions"): {
        "surveys_survey": Change(
            [
                *("id", "slug", "team_id", "state", "rehearsal", "languages", "title", "introduction", "consent"),
                *("consent_statements", "screening", "sender", "institution", "contact", "data_protection"),
                *("help_line", "accent", "accent_dark", "background", "background_dark", "font", "logo", "ending_text"),
                *("ending_label", "ending_address", "completion_code", "completion_address", "completion_carry"),
                *("strata_wording", "invitations", "repeats", "people", "participation", "privacy_budget"),
                *("embedded_in", "results_shown", "purge_after", "work_bits", "fetched_by_account", "created_at"),
            ],
            lambda row, _: [*row[:29], {}, *row[29:]],
        ),
    },
    ("surveys", "0035_known_share"): {
        "surveys_item": Change(
            [
                *("id", "survey_id", "position", "key", "kind", "before", "wording", "choices", "choice_pictures"),
                *("prefer_not", "minimum", "maximum", "step", "required", "shuffle", "keep_last", "dropdown"),
                *("heading", "most", "section", "help_after", "sensitivity", "asked_if", "unasked", "mechanism"),
                *("truth", "yes", "on", "off", "size", "epsilon", "weights"),
            ],
            lambda row, _: [*row[:22], "", *row[22:]],
        ),
    },
    ("surveys", "0036_page_log"): {"surveys_logentry": NEW_TABLE},
    ("surveys", "0037_single_sign_on"): {
        "surveys_membership": Change(["id", "team_id", "user_id", "role"], lambda row, _: [*row, ""]),
        "surveys_directorygroup": NEW_TABLE,
        "surveys_identity": NEW_TABLE,
    },
    ("surveys", "0038_passkeys"): {"surveys_passkey": NEW_TABLE},
}


def changes_since(made: Mapping[str, str], here: Mapping[str, list[str]]) -> dict[str, Change] | None:
    """The changes of each table since a backup was made; None where a migration is not among those known.

    Parameters
    ----------
    made
        The last migration of each app when the backup was made.
    here
        All migrations of each app in this version, the first one first.
    """
    found: dict[str, Change] = {}
    if made.keys() != here.keys():
        return None
    for app, names in here.items():
        if made[app] not in names:
            return None
        for name in names[names.index(made[app]) + 1 :]:
            if (app, name) not in CHANGES:
                return None
            for table, change in CHANGES[app, name].items():
                found[table] = found[table].then(change) if table in found else change
    return found


def migrations(loader: MigrationLoader) -> dict[str, list[str]]:
    """All migrations of each app, the first one first."""
    return {
        app: [name for one, name in loader.graph.forwards_plan((app, last)) if one == app]
        for app, last in loader.graph.leaf_nodes()
    }


def converted(change: Change, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The rows of a table as lines of JSON, converted; the designs are restored by then."""
    numbers = dict(FrozenDesign.objects.values_list("digest", "number"))
    for line in lines:
        yield json.dumps(change.convert(json.loads(line), numbers)).encode()
