"""Settings of the tests: the installation's own, in a data folder that each test process makes and removes."""

import atexit
import os
import shutil
import tempfile

_data = tempfile.mkdtemp(prefix="candor-test-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)
os.environ["CANDOR_DATA"] = _data
# Of the process that started those of the tests, which have it from there.
os.environ.setdefault("CANDOR_TEST_SHARED", _data)
# All tests of a process sign in from one address, and within an hour.
os.environ |= dict.fromkeys(
    ("CANDOR_SIGN_INS_BY_ADDRESS", "CANDOR_REQUESTS_BY_RESEARCHER", "CANDOR_FILES_BY_READER"), "off"
)

from config.settings import *  # noqa: E402, F403

if not os.environ.get("DATABASE_URL"):
    # A file, as in an installation: threads and write-ahead logging behave as they do there.
    DATABASES["default"]["TEST"] = {"NAME": f"{_data}/test.sqlite3"}  # noqa: F405
    # No test cuts the power: that an installation waits for the disk is tested of its own settings.
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"  # noqa: F405
if os.environ.get("REDIS_URL"):
    # Each process of the tests counts wrong passwords, and sends messages, in a database of its own.
    _number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    REDIS_URL = os.environ["REDIS_URL"].removesuffix("/0") + f"/{_number}"
    CACHES["default"]["LOCATION"] = CELERY_BROKER_URL = REDIS_URL  # type: ignore[index]  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
