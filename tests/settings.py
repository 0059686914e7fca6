"""Settings of the tests: the installation's own, in a data folder that each test process makes and removes."""

import atexit
import os
import shutil
import tempfile

_data = tempfile.mkdtemp(prefix="candor-test-")
atexit.register(shutil.rmtree, _data, ignore_errors=True)
os.environ["CANDOR_DATA"] = _data

from config.settings import *  # noqa: E402, F403
