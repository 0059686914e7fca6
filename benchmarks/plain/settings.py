from config.settings import *  # noqa: F403

INSTALLED_APPS += ["benchmarks.plain"]  # noqa: F405
MIDDLEWARE: list[str] = []
ROOT_URLCONF = "benchmarks.plain.views"
