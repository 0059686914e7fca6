"""Settings of an installation; everything that differs between installations is an environment variable."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from collector.endpoint.rate_limits import Limit
from config import institution
from config.beat import SCHEDULER, every
from config.data_folder import make_private
from config.database import database
from config.panel import UNFOLD as UNFOLD
from config.secrets import read_or_create
from config.stores import Store, folder_of
from config.variables import check, registry
from estimator.base.extras import missing_package

ROOT = Path(__file__).resolve().parent.parent
try:
    check()
except ValueError as fault:
    raise ImproperlyConfigured(str(fault)) from None

DATA = registry.DATA.read().resolve()
make_private(DATA)

SECRET_KEY = registry.SECRET_KEY.read() or read_or_create(DATA / "secret_key")
# What this installation's backups are signed with; in none of them, so that nobody signs in its name.
CANDOR_BACKUP_KEY = read_or_create(DATA / "backup_key")
DEBUG = False

# What people see, on screens, on paper and in mails; respondents too, where theirs is empty. Never that of a request.
CANDOR_URL = registry.URL.read()
CANDOR_RESPONDENT_URL = registry.RESPONDENT_URL.read()
CANDOR_EPSILON_CEILING = float(registry.EPSILON_CEILING.read())
# Of one question, exact; above it opening takes a reason, which the design and the report show.
CANDOR_EPSILON_CEILING_QUESTION = registry.EPSILON_CEILING_QUESTION.read()
ALLOWED_HOSTS = [urlsplit(CANDOR_URL).hostname or "127.0.0.1", "localhost", "127.0.0.1"]
CSRF_TRUSTED_ORIGINS = [CANDOR_URL]
if CANDOR_RESPONDENT_URL:
    ALLOWED_HOSTS.append(str(urlsplit(CANDOR_RESPONDENT_URL).hostname))
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
    "config.forwarding.ForwardingMiddleware",
    "config.middleware.security_headers",
    "config.origins.keep_apart",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "surveys.middleware.speak_language",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "config.rate_limits.limited",
    "surveys.middleware.keep_forms",
    "surveys.middleware.end_unused_sessions",
    "surveys.middleware.require_institution",
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

DATABASES = {"default": database(registry.DATABASE_URL.read(), DATA)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# With "off" no password signs in, and sessions that one began have ended: their backend is none of these.
CANDOR_LOCAL_SIGN_IN = registry.LOCAL_SIGN_IN.read() == "on"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    *(["django.contrib.auth.backends.ModelBackend"] if CANDOR_LOCAL_SIGN_IN else []),
    "surveys.accounts.single_sign_on.Backend",
    "sesame.backends.ModelBackend",
]
# The institution: an OpenID Connect provider (surveys/accounts/openid.py), a directory (directory.py), or neither.
CANDOR_OIDC_ISSUER = registry.OIDC_ISSUER.read()
CANDOR_OIDC_CLIENT_ID = registry.OIDC_CLIENT_ID.read()
CANDOR_OIDC_CLIENT_SECRET = registry.OIDC_CLIENT_SECRET.read()
CANDOR_OIDC_SCOPES, CANDOR_OIDC_STRENGTH = registry.OIDC_SCOPES.read(), registry.OIDC_STRENGTH.read()
CANDOR_OIDC_GROUPS_CLAIM = registry.OIDC_GROUPS_CLAIM.read()
CANDOR_LDAP = institution.directory()
CANDOR_INSTITUTION_NAME = institution.name()
CANDOR_INSTITUTION_ADMIT = registry.INSTITUTION_ADMIT.read()
CANDOR_INSTITUTION_OWNERS = registry.INSTITUTION_OWNERS.read()
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "surveys.accounts.passwords.NoWordsOfTheSite"},
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
CANDOR_SECOND_FACTOR, CANDOR_SESSION_UNUSED = registry.SECOND_FACTOR.read(), registry.SESSION_UNUSED.read()
OTP_TOTP_ISSUER = "Candor"
SESAME_ONE_TIME = True
SESAME_MAX_AGE = 24 * 60 * 60

# How many proxies stand in front of the site, of which each adds the address that it saw to X-Forwarded-For. With 0 the
# address of the connection counts, and behind a proxy everybody would have the proxy's.
CANDOR_PROXIES = registry.PROXIES.read()
# The web process that answers what takes a package which this one lacks (config/forwarding.py).
CANDOR_PANEL = registry.PANEL.read()
# Like "1200/hour" or "off". A lecture hall of six hundred is behind one address, and everybody in it may have to try
# twice.
CANDOR_LIMITS = {
    name: Limit.read(things, variable.read())
    for name, things, variable in (
        ("reports by address", "responses from one address", registry.REPORTS_BY_ADDRESS),
        ("reports by survey", "responses to one survey", registry.REPORTS_BY_SURVEY),
        ("coins by survey", "own-coin responses to a survey that requires proof of work", registry.COINS_BY_SURVEY),
        ("tokens by address", "requests for blind invitations from one address", registry.TOKENS_BY_ADDRESS),
        ("sign-ins by address", "sign-ins from one address", registry.SIGN_INS_BY_ADDRESS),
        ("requests by researcher", "requests of one researcher", registry.REQUESTS_BY_RESEARCHER),
        ("files by reader", "files for one reader", registry.FILES_BY_READER),
    )
}

# Exported files, which web processes and workers share: in this folder, or where CANDOR_EXPORTS_STORE says
# (s3://bucket/prefix) and only as they are written in this folder. For how many days each is kept, and those with a
# row a report.
CANDOR_EXPORTS_STORE = registry.EXPORTS_STORE.read()
CANDOR_EXPORTS = folder_of(CANDOR_EXPORTS_STORE, DATA / "exports")
CANDOR_EXPORTS_KEPT = registry.EXPORTS_KEPT.read()
CANDOR_MICRODATA_KEPT = registry.MICRODATA_KEPT.read()

# Files with the reports of closed surveys, moved out of the database so many days after closing (0: not by itself).
CANDOR_ARCHIVES_STORE = registry.ARCHIVES_STORE.read()
CANDOR_ARCHIVES = folder_of(CANDOR_ARCHIVES_STORE, DATA / "archives")
CANDOR_ARCHIVE_AFTER = registry.ARCHIVE_AFTER.read()

# Encrypted backups, which a worker makes every so many hours (0: never by itself) and of which so many are kept.
CANDOR_BACKUPS_STORE = registry.BACKUPS_STORE.read()
CANDOR_BACKUPS = folder_of(CANDOR_BACKUPS_STORE, DATA / "backups")
CANDOR_BACKUP_RECIPIENTS = registry.BACKUP_RECIPIENTS.read()
CANDOR_BACKUP_EVERY = registry.BACKUP_EVERY.read()
CANDOR_BACKUPS_KEPT = registry.BACKUPS_KEPT.read()
CANDOR_BACKUP_IDENTITY = registry.BACKUP_IDENTITY.read()
if CANDOR_BACKUP_EVERY and not CANDOR_BACKUP_RECIPIENTS:
    raise ImproperlyConfigured(
        "CANDOR_BACKUP_EVERY is set, and CANDOR_BACKUP_RECIPIENTS is not: no backup is stored unencrypted. Make a key "
        "with age-keygen, keep it on another machine, and name its public key."
    )
if CANDOR_BACKUP_RECIPIENTS and (missing := missing_package("pyrage", "stores")):
    raise ImproperlyConfigured(f"CANDOR_BACKUP_RECIPIENTS is set, and {missing}")

# The mail server that invitations go out by. Without it none are mailed: a folder of mails, which some put in its
# place, would keep each address beside its code.
EMAIL_HOST = registry.EMAIL_HOST.read()
EMAIL_PORT = registry.EMAIL_PORT.read()
EMAIL_HOST_USER = registry.EMAIL_HOST_USER.read()
EMAIL_HOST_PASSWORD = registry.EMAIL_HOST_PASSWORD.read()
EMAIL_SECURITY = registry.EMAIL_SECURITY.read()
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "starttls", EMAIL_SECURITY == "tls"
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = registry.EMAIL_FROM.read()

# Networks of one's own that webhooks may lead to; any other private address is refused.
CANDOR_WEBHOOKS_INSIDE = registry.WEBHOOKS_INSIDE.read()

# With these prefixes a browser takes the cookies over https alone, and those of __Host- from no other host.
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = (f"{'__Host-' if SECURE else ''}{name}" for name in ("sessionid", "csrftoken"))
MESSAGE_STORAGE = "config.messages.Storage"
LANGUAGE_COOKIE_NAME = f"{'__Secure-' if SECURE else ''}candor_language"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Strict"
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
# What the respondents' pages speak, each by its own name; docs/explanation/respondent-page.md says how to add one.
# Reports speak fewer (estimator/base/languages.py) and have a catalog of their own; where
# both have a text, the respondents' one counts.
LOCALE_PATHS = [ROOT / "locale", ROOT / "estimator" / "locale", ROOT / "surveys" / "locale"]
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("ar", "العربية"),
]
# What the panel speaks; docs/explanation/respondent-page.md says how to add one.
PANEL_LANGUAGES = ("en", "de")
LANGUAGE_COOKIE_PATH = "/panel/"
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
TIME_ZONE = "UTC"
USE_I18N = USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = DATA / "static"
HELP_SITE = ROOT / "build" / "help"
FILE_UPLOAD_PERMISSIONS = None  # the process's own umask, as for every other file (config/__init__.py)
WHITENOISE_ALLOW_ALL_ORIGINS = False  # only pages of this site load its files; other sites' scripts have no access
# How to reach the S3-compatible store, where one is named; without a key what the AWS libraries find counts.
_STORE = Store(
    endpoint=registry.STORE_ENDPOINT.read(),
    region=registry.STORE_REGION.read(),
    key_id=registry.STORE_KEY_ID.read(),
    secret_key=registry.STORE_SECRET_KEY.read(),
    encryption=registry.STORE_ENCRYPTION.read(),
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.storage.ModuleManifestStorage"},
    "exports": _STORE.storage("CANDOR_EXPORTS", CANDOR_EXPORTS_STORE),
    "archives": _STORE.storage("CANDOR_ARCHIVES", CANDOR_ARCHIVES_STORE),
    "backups": _STORE.storage("CANDOR_BACKUPS", CANDOR_BACKUPS_STORE),
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
REDIS_URL = registry.REDIS_URL.read()
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
# A Redis that has become a replica answers with errors; a worker would end of them, instead of connecting anew.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# Every worker folds, and one does nothing else (config/processes.py).
CELERY_TASK_ROUTES = {"estimator.fold_waiting": {"queue": "folding"}}
# With Redis a beat may have a twin on another machine, of which one sends.
CELERY_BEAT_SCHEDULER = "config.beat_lease:LeasedScheduler" if REDIS_URL else SCHEDULER
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
    "make backups that are due": every(60, "surveys.keep_backups"),
    "check backups that are due": every(120, "surveys.check_backups"),
    "purge and rewrite what is due": every(60, "surveys.keep_house"),
    "archive reports that are due": every(300, "surveys.archive_reports"),
}

# Who may read /metrics; without it there is none.
CANDOR_METRICS_TOKEN = registry.METRICS_TOKEN.read()

LOG_FORMAT = registry.LOG.read()
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
