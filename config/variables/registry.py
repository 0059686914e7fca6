"""Every environment variable that a process of Candor reads; docs/reference/configuration.md is written from here.

A new one is added here, in its section, and in compose.yaml; then `python -m config.variables` writes the document.
"""

from pathlib import Path

from config.variables import formats
from config.variables.formats import decimal, matching, one_of, text, whole
from config.variables.variable import Variable

ROOT = Path(__file__).resolve().parents[2]

WEB, WORKER, FOLDING, BEAT, COMMANDS = PROCESSES = ("web", "worker", "folding", "beat", "commands")
"""What runs in an installation, by the names of the services in compose.yaml; commands are those of manage.py."""

LAUNCHER, COMPOSE, CLIENT = "launcher", "compose", "your programs"
"""`make run` and `make stack`; what starts compose.yaml; programs that ask the API."""

PLACE = "Address and data"
SERVERS = "Database and messages"
PRIVACY = "Privacy"
ABUSE = "Proxies and limits"
ACCOUNTS = "Accounts"
MAIL = "Mail"
FILES = "Exported files"
ARCHIVES = "Archived responses"
BACKUPS = "Backups"
STORES = "S3-compatible store"
OUTSIDE = "Webhooks and programs"
WATCHING = "Monitoring and logs"
SECTIONS = (PLACE, SERVERS, PRIVACY, ABUSE, ACCOUNTS, MAIL, FILES, ARCHIVES, BACKUPS, STORES, OUTSIDE, WATCHING)

URL = Variable(
    "CANDOR_URL", PLACE, "The address that people see. Links in the panel, on paper and in mails begin with it, and "
    "responses are accepted from its pages alone.",
    formats.SITE, "http://127.0.0.1:8000", (WEB, WORKER, COMMANDS, LAUNCHER),
    shown="`http://127.0.0.1:8000`, with `make run` its port",
)  # fmt: skip
RESPONDENT_URL = Variable(
    "CANDOR_RESPONDENT_URL", PLACE, "An address for respondents alone: their pages are served and responses accepted "
    "only there, and nothing else is ([why](../how-to/harden.md#an-address-for-respondents-alone)). Its host must be "
    "another one than that of `CANDOR_URL`.",
    formats.SITE, "", (WEB, WORKER, COMMANDS), shown="none: `CANDOR_URL` is for all",
)  # fmt: skip
DATA = Variable(
    "CANDOR_DATA", PLACE, "The folder of everything that is kept: keys, exported files and, without `DATABASE_URL`, "
    "the database.",
    formats.FOLDER, ROOT / "var", (*PROCESSES, LAUNCHER), shown="`var` in the project's folder; `/data` in the image",
)  # fmt: skip
STACK = Variable(
    "CANDOR_STACK", PLACE, "The folder in which `make stack` keeps its PostgreSQL, its Redis and their data.",
    formats.FOLDER, ROOT / "var-stack", (LAUNCHER,), shown="`var-stack` in the project's folder",
)  # fmt: skip
SECRET_KEY = Variable(
    "SECRET_KEY", PLACE, "What signs sessions and links, and what the secrets of webhooks follow from.",
    text(32), "", PROCESSES, shown="made at the first start, in the file `secret_key` of `CANDOR_DATA`", secret=True,
)  # fmt: skip

DATABASE_URL = Variable(
    "DATABASE_URL", SERVERS, "A PostgreSQL, its user and the database there ([which settings it "
    "needs](../how-to/harden.md#a-postgresql-of-your-own)).",
    formats.POSTGRESQL, "", (*PROCESSES, LAUNCHER), shown="none: an SQLite file in `CANDOR_DATA`", secret=True,
)  # fmt: skip
REDIS_URL = Variable(
    "REDIS_URL", SERVERS, "A Redis for messages to workers and for what several web processes count together.",
    formats.REDIS, "", (*PROCESSES, LAUNCHER),
    shown="none: a folder in `CANDOR_DATA`, and counts in the web process", secret=True,
)  # fmt: skip
PANEL = Variable(
    "CANDOR_PANEL", SERVERS, "A web process with all packages: it answers the pages for which the one that is asked "
    "lacks a package ([why](../how-to/containers.md#images)).",
    formats.PROCESS, "", (WEB,), shown="none: each web process answers all pages; `http://panel:8000` in compose.yaml",
)  # fmt: skip
POSTGRES_PASSWORD = Variable(
    "POSTGRES_PASSWORD", SERVERS, "The password of the PostgreSQL that compose.yaml starts; it goes into "
    "`DATABASE_URL` there.",
    matching(r"[A-Za-z0-9]+", "letters and digits"), "", (COMPOSE,),
    shown="none: compose.yaml asks for it", secret=True,
)  # fmt: skip

EPSILON_CEILING = Variable(
    "CANDOR_EPSILON_CEILING", PRIVACY, "The largest privacy loss (epsilon) of all answers of a survey together; above "
    "it none is opened.",
    decimal(100), "8", (WEB, WORKER, COMMANDS),
)  # fmt: skip
EPSILON_CEILING_QUESTION = Variable(
    "CANDOR_EPSILON_CEILING_QUESTION", PRIVACY, "The privacy loss of one question above which opening [takes a "
    "reason](../how-to/open-and-close.md#a-reason-above-a-ceiling).",
    decimal(8), "3", (WEB, WORKER, COMMANDS),
)  # fmt: skip

PROXIES = Variable(
    "CANDOR_PROXIES", ABUSE, "How many proxies stand one behind the other in front of the web server. Each adds the "
    "address that it saw to `X-Forwarded-For` ([why](../how-to/harden.md#proxies-and-rate-limits)).",
    whole(0, 10), 0, (WEB,), shown="`0`; `1` in compose.yaml",
)  # fmt: skip
REPORTS_BY_ADDRESS = Variable(
    "CANDOR_REPORTS_BY_ADDRESS", ABUSE, "Attempts to respond from one address.", formats.RATE, "1200/hour", (WEB,)
)
REPORTS_BY_SURVEY = Variable(
    "CANDOR_REPORTS_BY_SURVEY", ABUSE, "Reports of one survey.", formats.RATE, "1000000/hour", (WEB,)
)  # fmt: skip
COINS_BY_SURVEY = Variable(
    "CANDOR_COINS_BY_SURVEY", ABUSE, "Reports of the own-coin page, where the survey asks browsers for work.",
    formats.RATE, "60/hour", (WEB,),
)  # fmt: skip
TOKENS_BY_ADDRESS = Variable(
    "CANDOR_TOKENS_BY_ADDRESS", ABUSE,
    "Requests to sign a [blind invitation](../explanation/anonymous-links.md), from one address.",
    formats.RATE, "1200/hour", (WEB,),
)  # fmt: skip
SIGN_INS_BY_ADDRESS = Variable(
    "CANDOR_SIGN_INS_BY_ADDRESS",
    ABUSE,
    "Passwords, codes and links, from one address.",
    formats.RATE,
    "60/hour",
    (WEB,),
)
REQUESTS_BY_RESEARCHER = Variable(
    "CANDOR_REQUESTS_BY_RESEARCHER", ABUSE, "What the panel's pages and programs ask of `/api/v1/`.",
    formats.RATE, "1200/minute", (WEB,),
)  # fmt: skip
FILES_BY_READER = Variable(
    "CANDOR_FILES_BY_READER", ABUSE, "Tables, documents and sheets taken away.", formats.RATE, "600/hour", (WEB,)
)

SECOND_FACTOR = Variable(
    "CANDOR_SECOND_FACTOR", ACCOUNTS, "`required` makes the panel ask everybody for a [second "
    "factor](../how-to/work-in-a-team.md#sign-in).",
    one_of("required"), "", (WEB,), shown="none: each researcher decides",
)  # fmt: skip

SESSION_UNUSED = Variable(
    "CANDOR_SESSION_UNUSED", ACCOUNTS, "Hours after which a session ends that nobody used; 0: only after two weeks.",
    whole(0, 336), 24, (WEB,),
)  # fmt: skip
LOCAL_SIGN_IN = Variable(
    "CANDOR_LOCAL_SIGN_IN", ACCOUNTS, "`off` lets nobody sign in with a password of Candor's: only through the "
    "[institution](../how-to/sign-in-through-your-institution.md), and by links that `manage.py sign_in_link` makes.",
    one_of("on", "off"), "on", (WEB, COMMANDS),
)  # fmt: skip
OIDC_ISSUER = Variable(
    "CANDOR_OIDC_ISSUER", ACCOUNTS, "The issuer of your institution's OpenID Connect provider, as its "
    "`/.well-known/openid-configuration` names it ([how](../how-to/sign-in-through-your-institution.md)).",
    formats.ISSUER, "", (WEB, COMMANDS), shown="none: accounts of Candor's alone",
)  # fmt: skip
OIDC_CLIENT_ID = Variable(
    "CANDOR_OIDC_CLIENT_ID", ACCOUNTS, "What the provider knows this installation by.", text(), "", (WEB, COMMANDS)
)
OIDC_CLIENT_SECRET = Variable(
    "CANDOR_OIDC_CLIENT_SECRET", ACCOUNTS, "The secret that belongs to it.", text(), "", (WEB, COMMANDS),
    shown="none: a public client", secret=True,
)  # fmt: skip
OIDC_SCOPES = Variable(
    "CANDOR_OIDC_SCOPES", ACCOUNTS, "The scopes that are asked for. `offline_access` lets access tokens of programs "
    "work while their owner is signed out.",
    formats.SCOPES, "openid profile email", (WEB,),
)  # fmt: skip
OIDC_STRENGTH: Variable[tuple[str, ...]] = Variable(
    "CANDOR_OIDC_STRENGTH", ACCOUNTS, "Classes of sign-in (`acr`) of which the provider must have reached one, the "
    "preferred one first, such as those with a second factor.",
    formats.CLASSES, (), (WEB, COMMANDS), shown="none: it is left to the provider",
)  # fmt: skip
OIDC_GROUPS_CLAIM = Variable(
    "CANDOR_OIDC_GROUPS_CLAIM", ACCOUNTS, "The claim that lists somebody's groups.", matching(r"[!-~]{1,100}",
    "up to 100 printable ASCII characters without spaces"), "groups", (WEB,),
)  # fmt: skip
LDAP_URL = Variable(
    "CANDOR_LDAP_URL", ACCOUNTS, "Your institution's directory, where it has no OpenID Connect provider "
    "([how](../how-to/sign-in-through-your-institution.md#by-ldap)). `ldap://` begins with StartTLS.",
    formats.DIRECTORY, "", (WEB, COMMANDS), shown="none: accounts of Candor's alone",
)  # fmt: skip
LDAP_AUTHORITIES = Variable(
    "CANDOR_LDAP_AUTHORITIES", ACCOUNTS, "The file with the certificates of authorities that its certificate is "
    "checked against.", text(), "", (WEB, COMMANDS), shown="none: those of the machine",
)  # fmt: skip
LDAP_USER = Variable(
    "CANDOR_LDAP_USER", ACCOUNTS, "The distinguished name that Candor searches as.", text(), "", (WEB, COMMANDS)
)
LDAP_PASSWORD = Variable("CANDOR_LDAP_PASSWORD", ACCOUNTS, "Its password.", text(), "", (WEB, COMMANDS), secret=True)
LDAP_PEOPLE = Variable(
    "CANDOR_LDAP_PEOPLE", ACCOUNTS, "The distinguished name below which people are, like "
    "`ou=people,dc=example,dc=org`.",
    matching(r"[^\x00-\x1f\x7f]{1,400}", "a distinguished name of at most 400 characters"), "", (WEB, COMMANDS),
)  # fmt: skip
LDAP_PERSON_FILTER = Variable(
    "CANDOR_LDAP_PERSON_FILTER", ACCOUNTS, "The filter that finds a person by the user name, `{name}`.",
    formats.PERSON_FILTER, "(uid={name})", (WEB, COMMANDS),
)  # fmt: skip
LDAP_ID = Variable(
    "CANDOR_LDAP_ID", ACCOUNTS, "The attribute that names a person for good: `objectGUID` of Active Directory, "
    "`ipaUniqueID` of FreeIPA.", matching(r"[A-Za-z][A-Za-z0-9-]{0,100}", "the name of an attribute"), "entryUUID",
    (WEB, COMMANDS),
)  # fmt: skip
LDAP_GROUPS = Variable(
    "CANDOR_LDAP_GROUPS", ACCOUNTS, "The distinguished name below which groups are.", text(), "", (WEB, COMMANDS),
    shown="none: nobody is in a group",
)  # fmt: skip
LDAP_GROUP_FILTER = Variable(
    "CANDOR_LDAP_GROUP_FILTER", ACCOUNTS, "The filter that finds the groups of a person, by the distinguished name "
    "`{dn}` or the user name `{name}`.", formats.GROUP_FILTER,
    "(|(member={dn})(uniqueMember={dn})(memberUid={name}))", (WEB, COMMANDS),
)  # fmt: skip
INSTITUTION_NAME = Variable(
    "CANDOR_INSTITUTION_NAME", ACCOUNTS, "What the sign-in page calls the institution.", text(), "", (WEB,),
    shown="the host of its provider or directory",
)  # fmt: skip
INSTITUTION_ADMIT: Variable[tuple[str, ...]] = Variable(
    "CANDOR_INSTITUTION_ADMIT", ACCOUNTS, "Groups of which one is needed to sign in.", formats.GROUPS, (),
    (WEB, COMMANDS), shown="none: everybody whom the institution lets in",
)  # fmt: skip
INSTITUTION_OWNERS: Variable[tuple[str, ...]] = Variable(
    "CANDOR_INSTITUTION_OWNERS", ACCOUNTS, "Groups whose members own everything in this installation.", formats.GROUPS,
    (), (WEB, COMMANDS),
)  # fmt: skip

EMAIL_HOST = Variable(
    "EMAIL_HOST", MAIL,
    "The mail server that [invitations](../how-to/invite-people.md) go out by. Without it and `EMAIL_FROM` "
    "none are mailed.",
    formats.HOST, "", (WEB, WORKER),
)  # fmt: skip
EMAIL_PORT = Variable("EMAIL_PORT", MAIL, "Its port.", whole(1, 65_535), 587, (WORKER,))
EMAIL_SECURITY = Variable(
    "EMAIL_SECURITY", MAIL, "`starttls`; `tls` where it begins with the first byte (port 465); `none` for a server on "
    "this machine.",
    one_of("starttls", "tls", "none"), "starttls", (WORKER,),
)  # fmt: skip
EMAIL_HOST_USER = Variable("EMAIL_HOST_USER", MAIL, "The user there.", text(), "", (WORKER,), shown="none: no sign-in")
EMAIL_HOST_PASSWORD = Variable("EMAIL_HOST_PASSWORD", MAIL, "Its password.", text(), "", (WORKER,), secret=True)
EMAIL_FROM = Variable("EMAIL_FROM", MAIL, "The sender, like `study@example.org`.", formats.SENDER, "", (WEB, WORKER))

EXPORTS_KEPT = Variable(
    "CANDOR_EXPORTS_KEPT", FILES, "Days after which an exported file is deleted.", whole(1, 365), 7, (WEB, WORKER)
)
MICRODATA_KEPT = Variable(
    "CANDOR_MICRODATA_KEPT", FILES, "The same for a file with a row for each response.", whole(1, 365), 1, (WEB, WORKER)
)
EXPORTS_STORE = Variable(
    "CANDOR_EXPORTS_STORE", FILES, "Where [exported files](../how-to/operate.md#machines-that-share-no-folder) are: an "
    "S3-compatible bucket, or another folder.",
    formats.STORE, "", PROCESSES, shown="none: the folder `exports` in `CANDOR_DATA`",
)  # fmt: skip

ARCHIVES_STORE = Variable(
    "CANDOR_ARCHIVES_STORE", ARCHIVES,
    "Where the [files with the responses of closed "
    "surveys](../how-to/backup-and-restore.md#files-with-the-responses-of-closed-surveys) "
    "are: an S3-compatible bucket, or another folder.",
    formats.STORE, "", PROCESSES, shown="none: the folder `archives` in `CANDOR_DATA`",
)  # fmt: skip
ARCHIVE_AFTER = Variable(
    "CANDOR_ARCHIVE_AFTER", ARCHIVES, "Days after closing at which a worker moves a survey's responses out of the "
    "database into such a file, where there are 1,000 or more.",
    whole(1, 3_650), 0, (WEB, WORKER, COMMANDS), shown="none: by the command `archive_reports` alone",
)  # fmt: skip

BACKUPS_STORE = Variable(
    "CANDOR_BACKUPS_STORE", BACKUPS,
    "Where [encrypted backups](../how-to/backup-and-restore.md#backups-on-a-schedule) are stored: an "
    "S3-compatible bucket, or another folder.",
    formats.STORE, "", PROCESSES, shown="none: the folder `backups` in `CANDOR_DATA`",
)  # fmt: skip
BACKUP_RECIPIENTS: Variable[tuple[str, ...]] = Variable(
    "CANDOR_BACKUP_RECIPIENTS", BACKUPS, "Public keys of age that stored backups are encrypted to; any one of their "
    "private keys reads them. Without one none are stored.",
    formats.RECIPIENTS, (), (WEB, WORKER, COMMANDS),
)  # fmt: skip
BACKUP_EVERY = Variable(
    "CANDOR_BACKUP_EVERY", BACKUPS, "Hours between the stored backups that a worker makes.", whole(1, 8_760), 0,
    (WEB, WORKER, COMMANDS), shown="none: none by itself",
)  # fmt: skip
BACKUPS_KEPT = Variable(
    "CANDOR_BACKUPS_KEPT", BACKUPS, "How many stored backups are kept; older ones are deleted after each new one.",
    whole(1, 10_000), 7, (WORKER, COMMANDS),
)  # fmt: skip
BACKUP_IDENTITY = Variable(
    "CANDOR_BACKUP_IDENTITY", BACKUPS, "A file with the private key, with which a worker restores the newest stored "
    "backup every night as a test. Better on another machine: "
    "[why](../how-to/backup-and-restore.md#a-restore-every-night-as-a-test).",
    matching(r"/[^\x00-\x1f\x7f]+", "the full path of a file"), "", (WEB, WORKER, COMMANDS),
)  # fmt: skip

STORE_ENDPOINT = Variable(
    "CANDOR_STORE_ENDPOINT", STORES, "Where the S3-compatible store is.", formats.ENDPOINT, "", PROCESSES,
    shown="none: Amazon's",
)  # fmt: skip
STORE_REGION = Variable(
    "CANDOR_STORE_REGION", STORES, "Its region.", matching(r"[a-z0-9-]{1,40}", "like eu-central-1"), "", PROCESSES,
    shown="none: what the AWS libraries find",
)  # fmt: skip
STORE_KEY_ID = Variable(
    "CANDOR_STORE_KEY_ID", STORES, "The name of the key that Candor signs its requests to the store with.",
    matching(r"[!-~]{1,128}", "up to 128 printable ASCII characters without spaces"), "", PROCESSES,
    shown="none: what the AWS libraries find, as the role of a machine", secret=True,
)  # fmt: skip
STORE_SECRET_KEY = Variable(
    "CANDOR_STORE_SECRET_KEY", STORES, "That key.",
    matching(r"[!-~]{1,256}", "up to 256 printable ASCII characters without spaces"), "", PROCESSES, secret=True,
)  # fmt: skip
STORE_ENCRYPTION = Variable(
    "CANDOR_STORE_ENCRYPTION", STORES, "What the store is asked to encrypt files with.", one_of("AES256", "aws:kms"),
    "", PROCESSES, shown="none: the bucket's own setting",
)  # fmt: skip

WEBHOOKS_INSIDE: Variable[formats.Networks] = Variable(
    "CANDOR_WEBHOOKS_INSIDE", OUTSIDE,
    "Networks of your own that [webhooks](../how-to/webhooks.md) may lead to; any other "
    "private address is refused.",
    formats.NETWORKS, (), (WEB, WORKER),
)  # fmt: skip
TOKEN = Variable(
    "CANDOR_TOKEN", OUTSIDE, "The access token that the [example of a program](api.md) sends; no process of an "
    "installation reads it.",
    text(), "", (CLIENT,), secret=True,
)  # fmt: skip

METRICS_TOKEN = Variable(
    "CANDOR_METRICS_TOKEN", WATCHING, "Who may read `/metrics`: whoever sends this token.",
    matching(r"[!-~]{16,}", "at least 16 printable ASCII characters without spaces"), "", (WEB,),
    shown="none: no `/metrics`", secret=True,
)  # fmt: skip
LOG = Variable(
    "CANDOR_LOG", WATCHING, "`json` makes each line of the [log](../how-to/operate.md#logs) a JSON object.",
    one_of("line", "json"), "line", PROCESSES,
)  # fmt: skip

VARIABLES: dict[str, Variable[object]] = {
    value.name: value for value in list(globals().values()) if isinstance(value, Variable)
}
"""Every variable by its name, in the order of this file."""
