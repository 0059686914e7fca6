"""Settings of the tests: the installation's own, in a data folder that each test process makes and removes."""

import atexit
import os
import shutil
import tempfile

_data = tempfile.mkdtemp(prefix="candor-test-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)
os.environ["CANDOR_DATA"] = _data

from config.settings import *  # noqa: E402, F403

if not os.environ.get("DATABASE_URL"):
    # A file, as in an installation: threads and write-ahead logging behave as they do there.
    DATABASES["default"]["TEST"] = {"NAME": f"{_data}/test.sqlite3"}  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
