"""Environment variables: in the registry and in docs/reference/configuration.md, checked by every process at start."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.variables import check, document
from config.variables.registry import PROCESSES, SECTIONS, VARIABLES

ROOT = Path(__file__).parents[2]
PRODUCT = ("collector", "config", "estimator", "randomized_response", "surveys")
MENTIONS = {"environ", "environb", "getenv", "getenvb"}
"""What of the module os gives the environment."""

RECIPIENT = "age1qsfr3p00ks6dsues6tn6a8nqhf2wgugmpyu3pqh50zj8xdect9kspwnfrd"
"""A public key of age; nobody has its private one."""

WRONG = {
    "CANDOR_URL": ["survey.example.org", "ftp://a", "https://a/", "https://a/b", "https://u@a", "http://a:0", "http://a:70000"],
    "SECRET_KEY": ["x" * 31, "x" * 40 + "\n"],
    "DATABASE_URL": ["mysql://ada:hidden@host/name", "hidden"],
    "REDIS_URL": ["http://:hidden@host", "hidden:6379"],
    "CANDOR_PANEL": ["panel:8000", "http://panel:8000/", "http://panel:8000/panel", "unix:///run/panel"],
    "CANDOR_EPSILON_CEILING": ["0", "100.1", "-1", "nan", "inf", "1e1", "0.0000001"],
    "CANDOR_EPSILON_CEILING_QUESTION": ["0", "8.000001", "9", "03"],
    "CANDOR_PROXIES": ["-1", "11", "1.0", "one", " 1", "1_0", "٣"],
    "CANDOR_REPORTS_BY_ADDRESS": ["12", "0/hour", "12/week", "-1/hour", "12 / hour", "never"],
    "CANDOR_SECOND_FACTOR": ["yes", "Required"],
    "CANDOR_SESSION_UNUSED": ["-1", "337"],
    "CANDOR_LOCAL_SIGN_IN": ["no", "Off"],
    "CANDOR_OIDC_ISSUER": ["login.example.org", "http://a", "https://u@a", "https://a?b", "https://a#b", "https://a b"],
    "CANDOR_OIDC_CLIENT_ID": ["a\nb"],
    "CANDOR_OIDC_CLIENT_SECRET": ["hidden\n"],
    "CANDOR_OIDC_SCOPES": ["profile", "openid  email", "openid,email", 'openid "'],
    "CANDOR_OIDC_GROUPS_CLAIM": ["my groups", "gr\u00fcppen"],
    "CANDOR_INSTITUTION_ADMIT": [",", "a\nb"],
    "CANDOR_INSTITUTION_OWNERS": [" , "],
    "EMAIL_HOST": ["smtp://mail.example.org", "mail example"],
    "EMAIL_PORT": ["0", "65536", "smtp"],
    "EMAIL_SECURITY": ["ssl"],
    "EMAIL_FROM": ["study", "a@b\nBcc: c@d"],
    "EMAIL_HOST_PASSWORD": ["hidden\n"],
    "CANDOR_EXPORTS_KEPT": ["0", "366"],
    "CANDOR_MICRODATA_KEPT": ["0", "366"],
    "CANDOR_EXPORTS_STORE": ["exports", "s3:bucket", "s3://B", "s3://bucket/../x", "s3://bucket?endpoint=x", "gs://bucket"],
    "CANDOR_BACKUPS_STORE": ["backups", "s3:"],
    "CANDOR_BACKUP_RECIPIENTS": ["age1abc", "ssh-ed25519 AAAA", ","],
    "CANDOR_ARCHIVE_AFTER": ["0", "3651", "0.5"],
    "CANDOR_BACKUP_EVERY": ["0", "8761", "0.5"],
    "CANDOR_BACKUPS_KEPT": ["0", "10001"],
    "CANDOR_BACKUP_IDENTITY": ["identity.txt"],
    "CANDOR_STORE_ENDPOINT": ["s3.example.org", "https://s3.example.org/path", "https://u:p@host"],
    "CANDOR_STORE_KEY_ID": ["hidden id"],
    "CANDOR_STORE_REGION": ["EU", "eu central", "e" * 41],
    "CANDOR_STORE_SECRET_KEY": ["hidden\n", "hidden key", "hidden" * 43],
    "CANDOR_STORE_ENCRYPTION": ["rot13"],
    "CANDOR_WEBHOOKS_INSIDE": ["10.1.2.3/24", "host"],
    "CANDOR_METRICS_TOKEN": ["hidden", "hidden hidden hidden"],
    "CANDOR_LOG": ["yaml"],
    "CANDOR_OIDC_STRENGTH": ["two words", ","],
    "CANDOR_LDAP_URL": ["http://ldap.example.org", "ldaps://", "ldaps://h/dc=example", "ldap://u:p@h", "ldapi://socket"],
    "CANDOR_LDAP_PEOPLE": ["ou=people\n"],
    "CANDOR_LDAP_PERSON_FILTER": ["uid={name}", "(uid=ada)"],
    "CANDOR_LDAP_ID": ["entry UUID", "1"],
    "CANDOR_LDAP_GROUP_FILTER": ["(member={})", "member={dn}"],
}  # fmt: skip
"""Values on the other side of each bound."""

RIGHT = {
    "CANDOR_URL": ["http://127.0.0.1:8000", "https://survey.example.org", "https://[2001:db8::1]:8443"],
    "DATABASE_URL": ["postgresql://u:p@h/n", "postgres://h/n"],
    "REDIS_URL": ["redis://h:6379/0", "unix:///tmp/redis.socket?db=0"],
    "CANDOR_PANEL": ["http://panel:8000", "https://10.0.0.1"],
    "CANDOR_EPSILON_CEILING": ["0.1", "100"],
    "CANDOR_EPSILON_CEILING_QUESTION": ["0.000001", "8", "8.000000"],
    "CANDOR_PROXIES": ["0", "10"],
    "CANDOR_REPORTS_BY_SURVEY": ["1/second", "off"],
    "EMAIL_PORT": ["1", "65535"],
    "EMAIL_FROM": ["study@example.org", "The study <study@example.org>"],
    "CANDOR_EXPORTS_KEPT": ["1", "365"],
    "CANDOR_EXPORTS_STORE": ["s3://survey-files", "s3://survey.files/campus/exports/", "/srv/candor/exports"],
    "CANDOR_BACKUP_RECIPIENTS": [RECIPIENT, f"{RECIPIENT}, {RECIPIENT}"],
    "CANDOR_ARCHIVE_AFTER": ["1", "3650"],
    "CANDOR_BACKUP_EVERY": ["1", "8760"],
    "CANDOR_STORE_ENDPOINT": ["https://s3.example.org", "http://127.0.0.1:9000"],
    "CANDOR_STORE_ENCRYPTION": ["AES256", "aws:kms"],
    "CANDOR_WEBHOOKS_INSIDE": ["10.1.2.0/24, 127.0.0.0/8", "fd00::/8"],
    "CANDOR_METRICS_TOKEN": ["sixteen-letters!"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_variable_out_of_bounds_names_bound_and_value(name: str, value: str) -> None:
    variable = VARIABLES[name]
    with pytest.raises(ValueError, match=f"^{name} must be ") as refusal:
        check({name: value})
    said = str(refusal.value)
    assert said.startswith(f"{name} must be {variable.format.allowed}")
    assert (repr(value) in said) is not variable.secret
    assert "hidden" not in said


def test_every_format_with_bounds_is_tried() -> None:
    """Any text is a folder; the password is compose's alone, which starts PostgreSQL with it."""
    tried = {VARIABLES[name].format.allowed for name in WRONG}
    untried = {name for name, variable in VARIABLES.items() if variable.format.allowed not in tried}
    assert untried == {"CANDOR_DATA", "CANDOR_STACK", "POSTGRES_PASSWORD"}
    for password in ("hidden-", "hidden@host", "hidden\n"):
        with pytest.raises(ValueError, match=r"^POSTGRES_PASSWORD must be letters and digits"):
            VARIABLES["POSTGRES_PASSWORD"].parse(password)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in RIGHT for value in RIGHT[name]])
def test_variable_within_bounds_is_taken(name: str, value: str) -> None:
    check({name: value})
    assert VARIABLES[name].read({name: value}) == VARIABLES[name].parse(value)


@pytest.mark.parametrize(
    "issuer", ["https://login.example.org", "https://login.example.org:8443/realms/staff/", "http://127.0.0.1:4000"]
)
def test_provider_and_client_belong_together(issuer: str) -> None:
    provider, client = {"CANDOR_OIDC_ISSUER": issuer}, {"CANDOR_OIDC_CLIENT_ID": "candor"}
    check(provider | client | {"CANDOR_LOCAL_SIGN_IN": "off"})
    assert VARIABLES["CANDOR_OIDC_ISSUER"].read(provider) == issuer
    for alone in (provider, client):
        with pytest.raises(ValueError, match="must both be set, or neither"):
            check(alone)
    with pytest.raises(ValueError, match="nobody could sign in"):
        check({"CANDOR_LOCAL_SIGN_IN": "off"})


DIRECTORY = {
    "CANDOR_LDAP_URL": "ldaps://ldap.example.org:3269",
    "CANDOR_LDAP_USER": "cn=candor,dc=example,dc=org",
    "CANDOR_LDAP_PASSWORD": "of the installation",
    "CANDOR_LDAP_PEOPLE": "ou=people,dc=example,dc=org",
}


def test_directory_needs_a_user_to_search_as() -> None:
    check(DIRECTORY | {"CANDOR_LOCAL_SIGN_IN": "off"})
    for name in DIRECTORY:
        with pytest.raises(ValueError, match=r"CANDOR_LDAP_URL and CANDOR_LDAP_\w+ must both be set, or neither"):
            check({other: value for other, value in DIRECTORY.items() if other != name})


def test_directory_and_provider_are_not_both_asked() -> None:
    provider = {"CANDOR_OIDC_ISSUER": "https://login.example.org", "CANDOR_OIDC_CLIENT_ID": "candor"}
    with pytest.raises(ValueError, match="CANDOR_OIDC_ISSUER and CANDOR_LDAP_URL cannot both be set"):
        check(DIRECTORY | provider)


def test_groups_of_a_directory_are_looked_for_somewhere() -> None:
    for name in ("CANDOR_INSTITUTION_ADMIT", "CANDOR_INSTITUTION_OWNERS"):
        check(DIRECTORY | {name: "staff", "CANDOR_LDAP_GROUPS": "ou=groups,dc=example,dc=org"})
        with pytest.raises(ValueError, match="need CANDOR_LDAP_GROUPS"):
            check(DIRECTORY | {name: "staff"})


def test_groups_are_names_with_a_comma_between_them() -> None:
    assert VARIABLES["CANDOR_INSTITUTION_ADMIT"].parse("research staff, field/office,") == (
        "research staff",
        "field/office",
    )


@pytest.mark.parametrize("name", VARIABLES)
def test_variable_empty_is_default(name: str) -> None:
    variable = VARIABLES[name]
    assert variable.read({variable.name: ""}) == variable.read({}) == variable.default


def test_variable_long_value_is_cut() -> None:
    with pytest.raises(ValueError, match=r"^CANDOR_LOG must be line or json; got 'x+\.\.\.'\.$") as refusal:
        check({"CANDOR_LOG": "x" * 10_000})
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("CANDOR_PROXYS", "CANDOR_PROXIES"),
        ("CANDOR_REPORT_BY_ADDRESS", "CANDOR_REPORTS_BY_ADDRESS"),
        ("CANDOR_QQQ", ""),
    ],
)
def test_unknown_candor_variable_is_named_with_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} is not a variable of Candor") as refusal:
        check({name: "a secret perhaps"})
    assert (f"Did you mean {nearest}?" in str(refusal.value)) is bool(nearest)
    assert "perhaps" not in str(refusal.value)


def test_variables_of_tests_and_others_are_let_through() -> None:
    check({"CANDOR_TEST_IMAGES": "folder", "EMAIL": "mine", "PATH": "/bin", "candor": ""})


def test_registry_sections_and_users_are_known() -> None:
    known = {*PROCESSES, "launcher", "compose", "your programs"}
    for variable in VARIABLES.values():
        assert variable.section in SECTIONS
        assert variable.used_by
        assert set(variable.used_by) <= known


def test_configuration_page_is_written_from_registry(tmp_path: Path) -> None:
    """`python -m config.variables` writes it."""
    page = tmp_path / "configuration.md"
    page.write_text(document.PAGE.read_text())
    document.write(page)
    assert page.read_text() == document.PAGE.read_text()
    assert all(f"| `{name}` |" in page.read_text() for name in VARIABLES)


def reads(source: str) -> list[str]:
    """The places of a module that may read the environment: every mention of it but for plain writes."""
    tree = ast.parse(source)
    written = {id(part) for node in ast.walk(tree) for part in _written(node)}
    return [ast.unparse(node) for node in ast.walk(tree) if _is_mention(node) and id(node) not in written]


def _is_mention(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(attr=name):
            return name in MENTIONS
        case ast.ImportFrom(module="os" | "posix"):
            return bool({*MENTIONS, "*"} & {one.name for one in node.names})
        case ast.Import():
            return any(one.name == "posix" or (one.name == "os" and one.asname) for one in node.names)
    return False


def _written(node: ast.AST) -> list[ast.AST]:
    """The mentions in a statement that only writes: an item that is set or deleted, `|=`, and `setdefault` alone."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=mention)]) | ast.Delete(targets=[ast.Subscript(value=mention)]):
            return [mention]
        case ast.AugAssign(op=ast.BitOr(), target=mention):
            return [mention]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="setdefault", value=mention))):
            return [mention]
    return []


def test_only_registry_reads_the_environment() -> None:
    files = [ROOT / "manage.py", *(path for room in PRODUCT for path in (ROOT / room).rglob("*.py"))]
    found = {str(path.relative_to(ROOT)): reads(path.read_text()) for path in files if "variables" not in path.parts}
    assert len(found) > 200
    assert {path: places for path, places in found.items() if places} == {}


@pytest.mark.parametrize(
    "source",
    [
        "x = os.environ.get('A')",
        "x = os.environ['A']",
        "x = os.getenv('A')",
        "x = os.environb[b'A']",
        "x = dict(os.environ)",
        "x = os.environ",
        "x: dict = os.environ",
        "x = {} | os.environ",
        "x |= os.environ",
        "x = {**os.environ}",
        "x = 'A' in os.environ",
        "x = os.environ.setdefault('A', 'b')",
        "os.environ['A'] += 'b'",
        "for x in os.environ: pass",
        "def f(x=os.environ): pass",
        "def f(): return os.environ",
        "from os import environ",
        "from os import getenv as other",
        "import os as other",
    ],
)
def test_reading_the_environment_is_found(source: str) -> None:
    assert reads(f"import os\n{source}")


def test_writing_the_environment_is_no_read() -> None:
    assert not reads("import os\nos.environ.setdefault('A', 'b')\nos.environ['A'] = 'b'\nos.environ |= {}")


COMMANDS = {
    "command": ["manage.py", "showmigrations"],
    "worker": ["-m", "celery", "-q", "-A", "config", "worker"],
    "beat": ["-m", "celery", "-q", "-A", "config", "beat"],
    "web": ["-m", "granian", "--interface", "rsgi", "config.rsgi:application", "--log-level", "critical"],
    "launcher": ["-m", "config.serve"],
}  # fmt: skip


@pytest.mark.parametrize("process", COMMANDS)
def test_process_with_wrong_variable_ends_with_sentence(process: str, tmp_path: Path) -> None:
    away = {"DJANGO_SETTINGS_MODULE", "CELERY_SKIP_CHECKS"}
    environment = {name: value for name, value in os.environ.items() if name not in away}
    environment |= {"CANDOR_DATA": str(tmp_path / "data"), "CANDOR_PROXYS": "1"}
    command = [sys.executable, *COMMANDS[process]]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("CANDOR_PROXYS is not a variable of Candor. Did you mean CANDOR_PROXIES? docs/")
    assert not (tmp_path / "data").exists()
