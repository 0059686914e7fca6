"""What the environment says of the institution that accounts may belong to."""

from urllib.parse import urlsplit

from config.variables import registry
from surveys.accounts.institution import Directory


def directory() -> Directory | None:
    """The setting CANDOR_LDAP; None where no directory is named."""
    url = registry.LDAP_URL.read()
    if not url:
        return None
    return Directory(
        url,
        authorities=registry.LDAP_AUTHORITIES.read(),
        user=registry.LDAP_USER.read(),
        password=registry.LDAP_PASSWORD.read(),
        people=registry.LDAP_PEOPLE.read(),
        person_filter=registry.LDAP_PERSON_FILTER.read(),
        identifier=registry.LDAP_ID.read(),
        groups=registry.LDAP_GROUPS.read(),
        group_filter=registry.LDAP_GROUP_FILTER.read(),
    )


def name() -> str:
    """The setting CANDOR_INSTITUTION_NAME: without a name the host; empty where there is no institution."""
    address = registry.OIDC_ISSUER.read() or registry.LDAP_URL.read()
    host = urlsplit(address).hostname or ""
    return registry.INSTITUTION_NAME.read() or host if address else ""
