"""What each process does from its begin to its first work, as programs: for the test of imports and for benchmarks."""

PREPARE = """
import json
import django; django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from collector.designs.selectors import get_design
from surveys.accounts.teams import home_team
from surveys.lifecycle.services import write_survey
from surveys.opening.services import open_survey
from tests.factories import payloads
from tests.factories.reports import store_report
call_command("migrate", verbosity=0)
owner = User.objects.create(username="alice", is_staff=True)
version = open_survey(write_survey(payloads.definition(), team=home_team(owner)), by=owner)
design = get_design(version.design_id)
for _ in range(40):  # more than one step
    store_report(json.dumps(payloads.report(design)).encode(), slug="campus")
"""
"""An open survey, of which a step of reports waits to be folded; the static files have to be there."""

MORE_REPORTS = """
import json
import django; django.setup()
from collector.designs.selectors import get_design
from collector.models import FrozenDesign
from tests.factories import payloads
from tests.factories.reports import store_report
design = get_design(FrozenDesign.objects.get().digest)
for _ in range(40):
    store_report(json.dumps(payloads.report(design)).encode(), slug="campus")
"""
"""As many again."""

WEB = """
from wsgiref.util import setup_testing_defaults
from config import rsgi, wsgi  # which the server imports
for path in "/s/campus/", "/panel/login/":
    environ = {"PATH_INFO": path, "HTTP_HOST": "127.0.0.1"}
    setup_testing_defaults(environ)
    b"".join(wsgi.application(environ, lambda status, *_: print(status)))
"""

FOLDING = """
from config.celery import app
app.Worker(pool="solo", queues=["folding"])
app.tasks["estimator.fold_waiting"].apply(throw=True)
from collector.models import DailyCount
print(DailyCount.objects.count())
"""

BEAT = """
from config.celery import app
app.Beat().init_loader()
print(len(app.conf.beat_schedule))
"""

COMMAND = """
import runpy, sys
sys.argv = ["manage.py", "showmigrations", "surveys"]
try:
    runpy.run_path("manage.py", run_name="__main__")
except SystemExit:
    pass
"""

LAUNCHER = "from config import serve"
