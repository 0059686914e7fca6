"""The Celery application: worker and beat are started with `-A config`."""

import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning

from config import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# It warns of pickled messages read by root; messages here are JSON and hold nothing but ids.
warnings.filterwarnings("ignore", category=SecurityWarning)

broker.register()
app = Celery("candor")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
