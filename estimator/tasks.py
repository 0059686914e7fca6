"""Celery tasks: an id comes in, a service is called, done.

Each imports what it calls, so that beat and the worker that only folds start without it.
"""

from celery import shared_task


@shared_task(name="estimator.fold_waiting")
def fold_waiting() -> None:
    from collector.database import write_ahead_log
    from collector.reports import folding, rewriting, selectors
    from estimator.runs import worker_records

    worker_records.record_worker_seen()
    for digest in selectors.waiting_designs():
        folding.fold(digest, wait=False)  # what another worker has in hand is its own
    rewriting.shuffle_waiting()
    worker_records.record_caught_up()
    write_ahead_log.truncate()


@shared_task(name="estimator.estimate_changed")
def estimate_changed() -> None:
    from estimator.runs import services

    services.estimate_changed()


@shared_task(name="estimator.resume_waiting")
def resume_waiting() -> None:
    from estimator.analyses import services as analyses
    from estimator.exports import services as exports
    from estimator.runs import services

    services.resume_waiting()
    analyses.resume_waiting()
    exports.resume_waiting()


@shared_task(name="estimator.execute_run")
def execute_run(run_id: int) -> None:
    from estimator.runs import services

    services.execute(run_id)


@shared_task(name="estimator.execute_analysis")
def execute_analysis(analysis_id: int) -> None:
    from estimator.analyses import services as analyses

    analyses.execute(analysis_id)


@shared_task(name="estimator.keep_exports")
def delete_expired_exports() -> None:
    from estimator.exports import services as exports

    exports.delete_expired()
