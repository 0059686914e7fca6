"""The installation's metrics in Prometheus' text format. None of them reveals when somebody took part.

Whoever collects them every few seconds keeps a history, so a number that moves with each report would tell when each
one came. Hence all that is counted of reports moves in steps of STEP; a waiting report is told by its age alone.
"""

from collections.abc import Iterator, Sequence

from django.db import DatabaseError
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from collector.database.servers import Server, database_servers
from collector.database.settings import size_in_bytes
from collector.reports import selectors as reports
from estimator.runs import health, selectors
from randomized_response import __version__
from surveys.maintenance import archives, scheduled_backups

CONTENT_TYPE = CONTENT_TYPE_LATEST
STEP = 100
"""Minimum step of a metric that counts reports."""


class InstallationCollector(Collector):
    """Collects the metrics of the installation on request."""

    def collect(self) -> Iterator[Metric]:
        version = GaugeMetricFamily("candor_info", "The version that runs.", labels=["version"])
        version.add_metric([__version__], 1)
        yield version
        up = GaugeMetricFamily("candor_up", "Whether a part works: 1, or 0.", labels=["part"])
        for check in health.checks():
            up.add_metric([check.name], float(check.works))
        yield up
        try:
            yield from _database_metrics()
        except DatabaseError:
            return  # candor_up says so


def exposition() -> bytes:
    """All metrics as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(InstallationCollector())
    return generate_latest(registry)


def _database_metrics() -> Iterator[Metric]:
    seen, late = selectors.worker_seen(), health.lag()
    if seen is not None:
        age = max(0.0, (timezone.now() - seen).total_seconds())
        yield GaugeMetricFamily("candor_worker_seen_seconds", "Since a worker last looked for work.", value=age)
    if late is not None:
        words = "How long responses have waited to be counted, to 15 seconds."
        yield GaugeMetricFamily("candor_counting_lag_seconds", words, value=late.total_seconds())
    counted = reports.folded_in_all()
    words = f"Reports in the totals, in whole steps of {STEP}."
    yield GaugeMetricFamily("candor_reports", words, value=counted - counted % STEP)
    # Of these it moves with each one, which tells when a disk failed and not when somebody took part.
    words = "Reports that a disk or a hand has changed and that no total holds."
    yield GaugeMetricFamily("candor_reports_set_aside", words, value=reports.set_aside_in_all())
    jobs = GaugeMetricFamily("candor_jobs", "Jobs by what they do and where they stand.", labels=["kind", "state"])
    for (kind, state), count in sorted(health.job_counts().items()):
        jobs.add_metric([kind, state], count)
    yield jobs
    last = scheduled_backups.last_backup()
    if last is not None and last.made_at is not None:
        age = max(0.0, (timezone.now() - last.made_at).total_seconds() // 3600)
        yield GaugeMetricFamily("candor_last_backup_age_hours", "Whole hours since the last good backup.", value=age)
    if states := archives.state_counts():
        moves = GaugeMetricFamily("candor_archives", "Files with archived responses, by state.", labels=["state"])
        for state, count in states.items():
            moves.add_metric([state], count)
        yield moves
        words = "Size of the files with archived reports."
        yield GaugeMetricFamily("candor_archives_bytes", words, value=archives.size_in_bytes())
    yield GaugeMetricFamily("candor_database_bytes", "Size of the database.", value=size_in_bytes())
    yield from _server_metrics(database_servers().servers)
    if workers := health.workers_by_node():
        found = GaugeMetricFamily("candor_workers", "Workers that answer, by machine.", labels=["machine"])
        for machine, count in workers.items():
            found.add_metric([machine], count)
        yield found


def _server_metrics(servers: Sequence[Server]) -> Iterator[Metric]:
    """Of each server of the database, where it is not one alone; all of it in steps, as the servers are told."""
    works = GaugeMetricFamily("candor_server_up", "Whether a database server works.", labels=["server", "role"])
    for server in servers:
        works.add_metric([server.name, server.role], float(server.works))
    numbers = {
        "candor_replica_synchronous": ("Whether responses are acknowledged once it has them.", "synchronous"),
        "candor_replica_lag_bytes": ("What a replica has to read yet, in whole megabytes.", "lag_bytes"),
        "candor_replica_lag_seconds": ("How far a replica is behind, to 15 seconds.", "lag_seconds"),
        "candor_shards": ("Shards on a node.", "shards"),
        "candor_shards_bytes": ("Size of a node's shards, in whole megabytes.", "size"),
    }
    families = [works]
    for name, (words, field) in numbers.items():
        families.append(family := GaugeMetricFamily(name, words, labels=["server"]))
        for server in servers:
            value = getattr(server, field)
            if value is not None and (field != "synchronous" or server.role == "replica"):
                family.add_metric([server.name], float(value))
    yield from (family for family in families if family.samples)
