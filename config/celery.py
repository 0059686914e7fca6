"""The Celery application, used by worker and beat with `-A config`."""

import os
import sys
import warnings
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import beat_init, celeryd_init

from collector.errors import Conflict
from config import broker
from config.startup import load_settings

load_settings()
# Checking every page would load them into each worker; `manage.py check` does it before an installation starts.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# It warns of pickled messages read by root; messages here are JSON and hold nothing but ids.
warnings.filterwarnings("ignore", category=SecurityWarning)

broker.register()
app = Celery("candor")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
@beat_init.connect
def refuse_newer_database(**_: Any) -> None:
    """Exit worker or beat with a message if the database is of a newer version."""
    from surveys.maintenance.schema_version import check_database  # only now: it needs the models

    try:
        check_database()
    except Conflict as refusal:
        sys.exit(str(refusal))
