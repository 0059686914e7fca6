"""What each process does from its begin to its first work, as programs: for the test of imports and for benchmarks."""

import os
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]

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

_WITHOUT = """
import sys
from importlib.abc import MetaPathFinder
class Without(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {missing!r}:
            raise ModuleNotFoundError(f"{{name}} is not in this image", name=name)
sys.meta_path.insert(0, Without())
"""
"""What a program begins with to find none of these packages, as in an image that lacks them."""


def without(missing: set[str]) -> str:
    return _WITHOUT.format(missing=missing)


def pinned(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", (ROOT / lock).read_text(), re.MULTILINE))


def missing_in(lock: str) -> set[str]:
    """Modules of the packages that all of Candor has and this lock file does not."""
    lacking = pinned("requirements.lock") - pinned(lock)
    named = packages_distributions().items()
    return {module for module, names in named if {name.lower().replace("_", "-") for name in names} <= lacking}


def run(program: str, data: Path, **variables: str) -> str:
    """What a program prints that runs in a process of its own, on an installation's folder."""
    away = {"DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL"}
    environment = {name: value for name, value in os.environ.items() if name not in away}
    environment |= {"CANDOR_DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
