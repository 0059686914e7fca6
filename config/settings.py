"""Settings of an installation; everything that differs between installations is an environment variable."""

import os
import re
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from collector.endpoint.rate_limits import Limit
from config.beat import SCHEDULER, every
from config.data_folder import make_private
from config.database import database
from config.panel import UNFOLD as UNFOLD
from config.secrets import read_or_create
from config.stores import folder_of, store_settings
from estimator.base.extras import missing_package

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CANDOR_DATA", ROOT / "var")).resolve()
make_private(DATA)

SECRET_KEY = os.environ.get("SECRET_KEY") or read_or_create(DATA / "secret_key")
# What this installation's backups are signed with; in none of them, so that nobody signs in its name.
CANDOR_BACKUP_KEY = read_or_create(DATA / "backup_key")
DEBUG = False

# The address that people see; links in the panel, on paper and in mails are made from it, never from a request.
CANDOR_URL = os.environ.get("CANDOR_URL", "http://127.0.0.1:8000")
CANDOR_EPSILON_CEILING = float(os.environ.get("CANDOR_EPSILON_CEILING", "8"))
if not CANDOR_EPSILON_CEILING > 0:  # neither is "nan", above which nothing is
    raise ImproperlyConfigured(
        f"CANDOR_EPSILON_CEILING must be a number above 0, like 8; got {CANDOR_EPSILON_CEILING:g}."
    )
# Of one question, exact, above 0 and at most 8; above it opening takes a reason, which the design and the report show.
CANDOR_EPSILON_CEILING_QUESTION = os.environ.get("CANDOR_EPSILON_CEILING_QUESTION", "3")
if not re.fullmatch(r"[0-7](\.[0-9]{1,6})?|8(\.0{1,6})?", CANDOR_EPSILON_CEILING_QUESTION) or not float(
    CANDOR_EPSILON_CEILING_QUESTION
):
    raise ImproperlyConfigured(
        "CANDOR_EPSILON_CEILING_QUESTION must be a decimal number above 0 and at most 8, like 3; "
        f"got {CANDOR_EPSILON_CEILING_QUESTION!r}."
    )
ALLOWED_HOSTS = [urlsplit(CANDOR_URL).hostname or "127.0.0.1", "localhost", "127.0.0.1"]
CSRF_TRUSTED_ORIGINS = [CANDOR_URL]
CSRF_FAILURE_VIEW = "surveys.panel.accounts.account.unverified"
SECURE = urlsplit(CANDOR_URL).scheme == "https"

INSTALLED_APPS = [
    "config.apps.Configuration",
    "config.apps.Theme",
    "config.apps.Panel",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "collector",
    "estimator",
    "surveys",
]

MIDDLEWARE = [
    "config.middleware.security_headers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "config.rate_limits.limited",
    "surveys.middleware.require_second_factor",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "config.rate_limits.DatabaseUnavailableMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": database(os.environ.get("DATABASE_URL", ""), DATA)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "sesame.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "surveys.accounts.tokens.EndedByNewPassword"},
]
LOGIN_URL = "admin:login"
# Ten wrong passwords for one name, known or not, from one address, and that name waits there for a quarter of an hour.
# By the name alone anybody could lock a colleague out. What is kept is a hash of both and a number, in memory: no row.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "surveys.panel.accounts.account.locked"
AXES_CLIENT_IP_CALLABLE = "surveys.panel.accounts.account.hashed_address"
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
# "required" makes the panel ask everybody for a second factor; else each researcher decides.
CANDOR_SECOND_FACTOR = os.environ.get("CANDOR_SECOND_FACTOR", "")
OTP_TOTP_ISSUER = "Candor"
SESAME_ONE_TIME = True
SESAME_MAX_AGE = 24 * 60 * 60

# How many proxies stand in front of the site, of which each adds the address that it saw to X-Forwarded-For. With 0 the
# address of the connection counts, and behind a proxy everybody would have the proxy's.
CANDOR_PROXIES = int(os.environ.get("CANDOR_PROXIES", "0"))
# Each by its variable: CANDOR_REPORTS_BY_ADDRESS and so on, like "1200/hour" or "off". A lecture hall of six hundred is
# behind one address, and everybody in it may have to try twice.
CANDOR_LIMITS = {
    name: Limit.read(things, os.environ.get(f"CANDOR_{re.sub('[ -]', '_', name).upper()}", rate))
    for name, things, rate in (
        ("reports by address", "reports from one address", "1200/hour"),
        ("reports by survey", "reports of one survey", "1000000/hour"),
        ("coins by survey", "own-coin reports of a survey that asks browsers for work", "60/hour"),
        ("tokens by address", "requests for blind invitations from one address", "1200/hour"),
        ("sign-ins by address", "sign-ins from one address", "60/hour"),
        ("requests by researcher", "requests of one researcher", "1200/minute"),
        ("files by reader", "files for one reader", "600/hour"),
    )
}

# Exported files, which web processes and workers share: in this folder, or where CANDOR_EXPORTS_STORE says
# (s3://bucket/prefix) and only as they are written in this folder. For how many days each is kept, and those with a
# row a report.
CANDOR_EXPORTS_STORE = os.environ.get("CANDOR_EXPORTS_STORE", "")
CANDOR_EXPORTS = folder_of("CANDOR_EXPORTS_STORE", CANDOR_EXPORTS_STORE, DATA / "exports")
CANDOR_EXPORTS_KEPT = int(os.environ.get("CANDOR_EXPORTS_KEPT", "7"))
CANDOR_MICRODATA_KEPT = int(os.environ.get("CANDOR_MICRODATA_KEPT", "1"))

# The mail server that invitations go out by. Without it none are mailed: a folder of mails, which some put in its
# place, would keep each address beside its code.
EMAIL_HOST = os.environ.get("EMAIL_HOST", "")
EMAIL_PORT = int(os.environ.get("EMAIL_PORT") or "587")
EMAIL_HOST_USER = os.environ.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("EMAIL_HOST_PASSWORD", "")
# "starttls", or "tls" from the first byte (port 465), or "none" for a server on this machine.
EMAIL_SECURITY = os.environ.get("EMAIL_SECURITY") or "starttls"
if EMAIL_SECURITY not in ("starttls", "tls", "none"):
    raise ImproperlyConfigured("EMAIL_SECURITY must be starttls, tls or none.")
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "starttls", EMAIL_SECURITY == "tls"
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM", "")

# Networks of one's own that webhooks may lead to, like "10.1.2.0/24,127.0.0.0/8"; any other private address is refused.
CANDOR_WEBHOOKS_INSIDE = [ip_network(one) for one in os.environ.get("CANDOR_WEBHOOKS_INSIDE", "").split(",") if one]

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Strict"
# Whatever ends https stands in front of us and redirects there; whether to ask for a browser's preload list is for the
# owner of the domain to decide.
SECURE_SSL_REDIRECT = False
# Without Redis there is one web process, whose memory axes may count in.
SILENCED_SYSTEM_CHECKS = ["security.W008", "security.W021", "axes.W001"]
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE
SECURE_REFERRER_POLICY = "no-referrer"
X_FRAME_OPTIONS = "DENY"
# The form of a survey with 256 questions in five languages has as many fields; the size of a request is bounded anyway.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

LANGUAGE_CODE = "en"
# What the respondents' pages speak, each by its own name; docs/client.md says how to add one. Reports speak fewer
# (estimator/base/languages.py) and have a catalog of their own; where both have a text, the respondents' one counts.
LOCALE_PATHS = [ROOT / "locale", ROOT / "estimator" / "locale"]
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("ar", "العربية"),
]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
FILE_UPLOAD_PERMISSIONS = None  # the process's own umask, as for every other file (config/__init__.py)
WHITENOISE_ALLOW_ALL_ORIGINS = False
"""Only pages of this site load its files; other sites' scripts have no access."""
# How to reach the S3-compatible store, where one is named; without a key what the AWS libraries find counts.
_STORE = {
    "endpoint": os.environ.get("CANDOR_STORE_ENDPOINT", ""),
    "region": os.environ.get("CANDOR_STORE_REGION", ""),
    "key_id": os.environ.get("CANDOR_STORE_KEY_ID", ""),
    "secret_key": os.environ.get("CANDOR_STORE_SECRET_KEY", ""),
    "encryption": os.environ.get("CANDOR_STORE_ENCRYPTION", ""),
}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.storage.ModuleManifestStorage"},
    "exports": store_settings("CANDOR_EXPORTS_STORE", CANDOR_EXPORTS_STORE, "CANDOR_EXPORTS", _STORE),
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "surveys.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["surveys.api.authentication.MayAsk"],
    "EXCEPTION_HANDLER": "surveys.api.problems.answer",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["surveys.api.parsing.Parser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    # No OPTIONS, and no ?format= beside the Accept header: both would answer what no document says.
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
}
# The document at /api/schema/, of which config/openapi.py is in charge.
SPECTACULAR_SETTINGS: dict[str, object] = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Candor",
    "DESCRIPTION": (
        "Addresses under /api/ are for researchers' programs, signed in as in the panel. The one under /s/ takes "
        "respondents' reports and knows nobody. A method that is not listed is answered with 405."
    ),
    "SCHEMA_PATH_PREFIX": "/api/v[0-9]",
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "config.openapi.with_report_endpoint"],
    "ENUM_NAME_OVERRIDES": {
        "JobState": "estimator.base.jobs.Job.State",
        "SurveyState": "surveys.models.Survey.State",
    },
    "PATH_CONVERTER_OVERRIDES": {
        "int": {"type": "integer", "minimum": 0},
        "slug": {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"},
    },
}

# The database is the truth and a message is only a wake-up, so a folder is broker enough: a lost message costs
# seconds until beat wakes the work again, never a result.
REDIS_URL = os.environ.get("REDIS_URL")
BROKER = DATA / "broker"
if REDIS_URL:
    if missing := missing_package("redis", "servers"):
        raise ImproperlyConfigured(f"REDIS_URL is set, and {missing}")
    # Wrong passwords are counted over all web processes.
    CACHES: dict[str, object] = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    }
    CELERY_BROKER_URL = REDIS_URL
    # What a killed worker held comes back at once. A broker that is away must not hold up a request.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
        "visibility_timeout": 300,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 1,
        "socket_timeout": 5,
    }
else:
    # Its usual 300 entries would let whoever tries some hundred names have the counts of others forgotten.
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 100_000},
        }
    }
    BROKER.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_URL = "folder://localhost"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER),
        "data_folder_out": str(BROKER),
        "control_folder": str(BROKER / "control"),
        "polling_interval": 0.05,
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Every worker folds, and one does nothing else (config/processes.py).
CELERY_TASK_ROUTES = {"estimator.fold_waiting": {"queue": "folding"}}
CELERY_BEAT_SCHEDULER = SCHEDULER
CELERY_BEAT_SCHEDULE = {
    "fold new reports": every(2, "estimator.fold_waiting"),
    "estimate what has changed": every(10, "estimator.estimate_changed"),
    "take up runs that waited": every(5, "estimator.resume_waiting"),
    "take up rehearsals that waited": every(5, "surveys.resume_rehearsals"),
    "open and close what is due": every(5, "surveys.keep_appointments"),
    "delete exports that are due": every(60, "estimator.keep_exports"),
    "notice what webhooks are told": every(60, "surveys.notice_events"),
    "send webhooks that are due": every(5, "surveys.resume_deliveries"),
    "take up mails that waited": every(5, "surveys.resume_mailings"),
    "purge and rewrite what is due": every(60, "surveys.keep_house"),
}

# Who may read /metrics; without it there is none.
CANDOR_METRICS_TOKEN = os.environ.get("CANDOR_METRICS_TOKEN", "")

# "json" for a line of JSON each; else lines for people.
LOG_FORMAT = "json" if os.environ.get("CANDOR_LOG") == "json" else "line"
# No record of a request: no address, no browser, no body. What is logged are faults of the program, by path.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"without values": {"()": "config.logs.ValueFilter"}},
    "formatters": {
        "line": {"()": "config.logs.LocationFormatter", "format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {
            "()": "config.logs.LocationJsonFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger", "exc_info": "places"},
        },
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["without values"]}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},
        "django.security": {"level": "ERROR"},
        "celery": {"level": "WARNING"},
        "axes": {"level": "CRITICAL"},  # it would name who tried to sign in, and from where
    },
}
