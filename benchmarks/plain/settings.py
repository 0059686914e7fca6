from config.settings import *  # noqa: F403

INSTALLED_APPS += ["benchmarks.plain"]  # noqa: F405
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]  # says how long an answer is
ROOT_URLCONF = "benchmarks.plain.views"
