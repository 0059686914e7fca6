"""A directory server, OpenLDAP's slapd, with people and groups, for as long as a test needs it."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import ldap
import ldap.modlist
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from ldap.ldapobject import LDAPObject

from config.processes import free_port
from surveys.accounts.institution import Directory

BASE = "dc=example,dc=org"
MANAGER, SECRET = f"cn=manager,{BASE}", "of the manager"
READER, READERS_SECRET = f"cn=candor,{BASE}", "of the installation"
PASSWORD = "known to the directory alone"

CONFIGURATION = """
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
TLSCACertificateFile {folder}/authority.pem
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
database mdb
suffix "{base}"
rootdn "{manager}"
rootpw "{secret}"
directory {folder}/data
overlay ppolicy
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="{reader}" read by * none
"""


def find_slapd() -> str | None:
    return shutil.which("slapd", path="/usr/sbin:/usr/local/libexec:/usr/libexec:/usr/bin")


@dataclass
class DirectoryServer:
    """A running server; `authorities` is the file with what its certificate is signed by."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"ldap://127.0.0.1:{self.port}"

    @property
    def authorities(self) -> str:
        return str(self.folder / "authority.pem")

    @property
    def setting(self) -> Directory:
        """CANDOR_LDAP of an installation that is told of it."""
        return Directory(
            self.url,
            authorities=self.authorities,
            user=READER,
            password=READERS_SECRET,
            people=f"ou=people,{BASE}",
            person_filter="(uid={name})",
            identifier="entryUUID",
            groups=f"ou=groups,{BASE}",
            group_filter="(|(member={dn})(uniqueMember={dn})(memberUid={name}))",
        )

    def start(self) -> None:
        program = find_slapd()
        assert program, "there is no directory server; run bin/install-programs slapd"
        command = [program, "-d", "0", "-h", f"ldap://127.0.0.1:{self.port}/", "-f", self.folder / "slapd.conf"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=(self.folder / "log").open("ab"))
        deadline = time.monotonic() + 30
        while True:
            try:
                self.manager().unbind_s()
            except ldap.SERVER_DOWN:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def manager(self) -> LDAPObject:
        connection = ldap.initialize(self.url)
        connection.simple_bind_s(MANAGER, SECRET)
        return connection

    def add(self, place: str, **attributes: str | list[str]) -> None:
        told = {name: [values] if isinstance(values, str) else values for name, values in attributes.items()}
        encoded = {name: [value.encode() for value in values] for name, values in told.items()}
        self.manager().add_s(f"{place},{BASE}", ldap.modlist.addModlist(encoded))

    def add_person(self, name: str, part: str = "ou=people", **more: str) -> None:
        entry = {"cn": name, "sn": "Hopper", "givenName": "Grace", "mail": f"{name}@example.org", **more}
        self.add(f"uid={name},{part}", objectClass="inetOrgPerson", uid=name, userPassword=PASSWORD, **entry)

    def set_members(self, group: str, *names: str) -> None:
        """The members of a group; the manager is always one, since a group has at least one."""
        members = [MANAGER, *(f"uid={name},ou=people,{BASE}" for name in names)]
        change = [(ldap.MOD_REPLACE, "member", [one.encode() for one in members])]
        self.manager().modify_s(f"cn={group},ou=groups,{BASE}", change)

    def change(self, name: str, attribute: str, value: str) -> None:
        self.manager().modify_s(f"uid={name},ou=people,{BASE}", [(ldap.MOD_REPLACE, attribute, [value.encode()])])

    def move(self, name: str, part: str, *, before: str = "ou=people") -> None:
        self.manager().rename_s(f"uid={name},{before},{BASE}", f"uid={name}", f"{part},{BASE}")

    def remove(self, name: str) -> None:
        self.manager().delete_s(f"uid={name},ou=people,{BASE}")


@contextmanager
def directory_server(host: str = "127.0.0.1") -> Iterator[DirectoryServer]:
    """A server with the person `grace`, in the group `researchers`; its certificate is of `host`."""
    folder = Path(tempfile.mkdtemp(prefix="candor-ldap-"))
    (folder / "data").mkdir()
    _certify(folder, host)
    words = {"folder": folder, "base": BASE, "manager": MANAGER, "secret": SECRET, "reader": READER}
    (folder / "slapd.conf").write_text(CONFIGURATION.format(**words))
    server = DirectoryServer(folder)
    server.start()
    try:
        _fill(server)
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _fill(server: DirectoryServer) -> None:
    encoded = {"objectClass": [b"dcObject", b"organization"], "dc": [b"example"], "o": [b"Analytical University"]}
    server.manager().add_s(BASE, ldap.modlist.addModlist(encoded))
    for part in ("people", "groups", "students"):
        server.add(f"ou={part}", objectClass="organizationalUnit", ou=part)
    server.add(
        "cn=candor", objectClass=["organizationalRole", "simpleSecurityObject"], cn="candor",
        userPassword=READERS_SECRET,
    )  # fmt: skip
    server.add_person("grace")
    for group in ("researchers", "it"):
        server.add(f"cn={group},ou=groups", objectClass="groupOfNames", cn=group, member=MANAGER)
    server.set_members("researchers", "grace")


def _certify(folder: Path, host: str) -> None:
    """An authority of its own, and a certificate of the server that it signed."""
    now = datetime.now(UTC)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    names = [x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, one)]) for one in ("Authority", "Directory")]
    others = [x509.BasicConstraints(ca=True, path_length=0), x509.SubjectAlternativeName([_named(host)])]
    for file, key, name, extension in zip(("authority", "server"), keys, names, others, strict=True):
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(names[0]).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).add_extension(extension, critical=False)
        builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        certificate = builder.sign(keys[0], hashes.SHA256())
        (folder / f"{file}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    private = keys[1].private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.key").write_bytes(private)


def _named(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
