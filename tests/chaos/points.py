"""The places where a death could matter, by name: every act that changes something, and the moments about it.

Each name is "operation: side act in function". tests/chaos/test_points.py lets every operation happen and compares what
it comes by with this list, so no statement is added to the product without a death before it.
"""

OPERATIONS = {
    "collector.reports.storing.store": "taking",
    "collector.invitations.redemption.without_invitation": "redeeming",
    "collector.reports.folding.fold": "folding",
    "surveys.lifecycle.services.request_estimate": "asking",
    "estimator.runs.services.execute": "estimating",
    "surveys.opening.services.open_survey": "opening",
    "surveys.opening.services.open_wave": "opening a wave",
    "surveys.lifecycle.services.close_survey": "closing",
    "collector.reports.purging.purge": "purging",
    "surveys.maintenance.retention.purge_due": "keeping",
    "collector.reports.rewriting.rewrite": "rewriting",
    "surveys.maintenance.backup.back_up": "backing up",
    "surveys.maintenance.backup.restore": "restoring",
    "celery.beat.tick": "beat",
    "kombu.message.ack_log_error": "worker",
}
"""Functions that are an operation; of several within each other the innermost names the point."""


def _both(act: str) -> tuple[str, str]:
    return f"before {act}", f"after {act}"


ASKED = _both("message estimator.execute_run")
INTO_THE_FIELD = (
    "before UPDATE surveys_survey in move",
    "before UPDATE surveys_appointment in move",
    "before INSERT collector_frozendesign in freeze_design",
    "before INSERT surveys_version in _into_the_field",
    "before INSERT surveys_page in _into_the_field",
    "before INSERT surveys_logentry in record",
    "before INSERT surveys_auditentry in record_event",
)
FOLDED = (
    "before INSERT collector_tally in _add",
    "before INSERT collector_dailycount in _count_day",
    "before UPDATE collector_dailycount in _count_day",
    *_both("COMMIT of _fold_chunk"),
    *_both("COMMIT of _join_last_days"),
)
REFILLED = (
    "before CREATE TEMPORARY TABLE kept in _refill",
    "before DELETE collector_tally in _refill",
    "before INSERT collector_tally in _refill",
    "before DROP TABLE kept in _refill",
    "before DELETE collector_setasidereport in _refill",
    "before INSERT collector_setasidereport in _refill",
    *_both("COMMIT of _refill"),
)
REPLACED = (
    "before LOCK TABLE collector_report in _replace",
    "before CREATE TABLE collector_report_anew in _replace",
    "before ALTER TABLE collector_report_anew in _replace",
    "before INSERT collector_report_anew in _replace",
    "before ALTER TABLE collector_report_anew in _build_indexes",
    "before CREATE INDEX report_from_a_coin_anew in _build_indexes",
    "before CREATE TRIGGER report_is_frozen in _copy_triggers",
    "before CREATE TRIGGER report_in_its_world in _copy_triggers",
    "before ALTER TABLE collector_report_anew in _copy_foreign_keys",
    "before LOCK TABLE collector_frozendesign in _lock_for_exchange",
    "before DROP TABLE collector_report in _replace",
    "before ALTER INDEX collector_report_pkey_anew in _replace",
    "before ALTER INDEX report_from_a_coin_anew in _replace",
    *_both("COMMIT of _rewrite_postgresql"),
    *_both("ANALYZE collector_report in _rewrite_postgresql"),
)
EMPTIED = (
    "before LOCK TABLE collector_waitingreport in _lock_for_exchange",
    "before LOCK TABLE collector_usedtoken in _lock_for_exchange",
    "before CREATE TEMPORARY TABLE kept in _refill_locked",
    "before TRUNCATE collector_waitingreport in _refill_locked",
    "before TRUNCATE collector_usedtoken in _refill_locked",
    "before INSERT collector_waitingreport in _refill_locked",
    "before INSERT collector_usedtoken in _refill_locked",
    "before DROP TABLE kept in _refill_locked",
    *_both("COMMIT of _refill_locked"),
)
COMPACTED = (
    "collector_waitingreport", "collector_invitation", "collector_tally", "collector_setasidereport",
    "estimator_run", "estimator_estimate", "estimator_analysis", "surveys_signingsecret", "surveys_fetchcode",
)  # fmt: skip

EVERYWHERE = {
    "asking": (
        "before INSERT estimator_run in request_run",
        "before INSERT surveys_auditentry in record_event",
        *_both("COMMIT of request_estimate"),
        *ASKED,
    ),
    "estimating": (
        *_both("UPDATE estimator_run in take"),
        *_both("UPDATE estimator_run in acquire_lease"),
        "before INSERT estimator_estimate in _compute",
        *_both("COMMIT of _compute"),
    ),
    "opening": (*INTO_THE_FIELD, *_both("COMMIT of open_by")),
    "opening a wave": (*INTO_THE_FIELD, *_both("COMMIT of open_by")),
    "closing": (
        "before UPDATE surveys_survey in move",
        "before UPDATE surveys_appointment in move",
        "before UPDATE surveys_version in close_survey",
        "before INSERT surveys_logentry in record",
        "before UPDATE collector_frozendesign in close_design",
        "before DELETE surveys_fetchcode in delete",
        "before DELETE surveys_signingsecret in delete",
        "before INSERT surveys_auditentry in record_event",
        "before INSERT estimator_run in request_run",
        *_both("COMMIT of close_survey"),
        *ASKED,
    ),
    "purging": (
        "before UPDATE collector_frozendesign in _mark",
        "before UPDATE collector_reportarchive in _mark",
        "before DELETE collector_setasidereport in _mark",
        "before DELETE collector_invitation in delete",
        "before DELETE collector_usedtoken in delete",
        *_both("COMMIT of _mark"),
        "before DELETE collector_report in _delete_chunk",
        *_both("COMMIT of _delete_chunk"),
        *_both("UPDATE collector_frozendesign in purge"),
    ),
    "keeping": (
        "before DELETE collector_invitation in delete",
        "before DELETE collector_usedtoken in delete",
        *_both("COMMIT of delete"),
        "before UPDATE surveys_version in purge",
        "before INSERT surveys_auditentry in record_event",
        *_both("COMMIT of purge"),
        *_both("UPDATE collector_frozendesign in rewrite_closed"),
    ),
    "backing up": _both("naming the file"),
    "restoring": (
        "before DELETE auth_permission in _read",
        "before INSERT collector_frozendesign in write",
        "before INSERT collector_tally in write",
        "before INSERT collector_report in insert",
        *_both("COMMIT of restore"),
    ),
    "beat": _both("message estimator.fold_waiting"),
    "worker": _both("acknowledging estimator.execute_run"),
}
"""All in one transaction come to the same where none of it is committed: of a restore, which fills every table in one,
five stand for the others."""

EMBEDDED: dict[str, tuple[str, ...]] = EVERYWHERE | {
    "taking": ("before INSERT collector_waitingreport in _write", *_both("COMMIT of store")),
    "redeeming": ("before DELETE collector_invitation in without_invitation",),
    "folding": (
        "before INSERT collector_report in _move",
        "before DELETE collector_waitingreport in _move",
        *FOLDED,
    ),
    "rewriting": (*REFILLED, *_both("VACUUM in _rewrite_sqlite")),
}
"""By operation, as SQLite goes about it."""

STACK: dict[str, tuple[str, ...]] = EVERYWHERE | {
    "taking": _both("SELECT * FROM collector_store in _by_function"),
    "folding": ("before WITH claimed AS in _move", *FOLDED),
    "rewriting": (
        *REPLACED,
        *REFILLED,
        *EMPTIED,
        *(point for table in COMPACTED for point in _both(f"VACUUM {table} in _rewrite_postgresql")),
        *_both("CHECKPOINT in _ask"),
    ),
}
"""As PostgreSQL does."""


def names(points: dict[str, tuple[str, ...]]) -> list[str]:
    return [f"{operation}: {point}" for operation, some in points.items() for point in some]
