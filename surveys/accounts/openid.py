"""Sign-in through the institution's provider: OpenID Connect 1.0, authorization code flow with PKCE.

Who comes back is believed only with an ID token that the provider signed, for this installation, for this very
attempt (OpenID Connect Core 1.0, section 3.1.3.7; RFC 7636; RFC 9207). Nothing of the provider is cached, so a key that
it has withdrawn verifies nothing from then on.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from django.conf import settings
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from surveys.accounts.institution import Confirmed, away, require_reachable, unproven, unreachable
from surveys.accounts.institution import name as institution_name

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signatures that only the provider can make; "none", and those with a secret that this installation knows, are not."""

TIMEOUT = 5
"""Seconds for each answer of the provider."""

LEEWAY = 60
"""Seconds by which its clock may differ from ours."""

VALID = 10 * 60
"""Seconds in which somebody must come back."""

REFUSED = "refused"
"""The error of an answer 401 or 403 to a question about a person."""

SALT = "candor.single-sign-on"

Told = Mapping[str, object]
"""A JSON object of the provider: metadata, keys, tokens or claims."""


@dataclass(frozen=True)
class Attempt:
    """What a browser carries, signed, from leaving for the provider until it comes back."""

    onward: str
    """The page that was asked for; empty for the first one."""

    connects: int = 0
    """The key of the account that is to be connected; 0 for a sign-in."""

    state: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    nonce: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    def signed(self) -> str:
        return signing.dumps(asdict(self), salt=SALT)

    @classmethod
    def read(cls, signed: str) -> "Attempt | None":
        """The attempt of a cookie; None where it is missing, forged or too old."""
        try:
            return cls(**signing.loads(signed, salt=SALT, max_age=VALID))
        except (signing.BadSignature, TypeError):
            return None


def address(attempt: Attempt, back: str) -> str:
    """The provider's page to which a browser is sent; it returns to `back`. Raises RequestRefused where it is away."""
    provider = _provider()
    strength = " ".join(settings.CANDOR_OIDC_STRENGTH)
    with _client(provider, back) as client:
        url, _state = client.create_authorization_url(
            provider["authorization_endpoint"],
            state=attempt.state,
            nonce=attempt.nonce,
            code_verifier=attempt.verifier,
            response_type="code",
            **({"acr_values": strength} if strength else {}),
        )
    return str(url)


def confirm(attempt: Attempt, answer: Mapping[str, str], back: str) -> Confirmed:
    """The person whom the provider sent back with this query.

    Raises
    ------
    PermissionDenied
        Where the answer is not one to this attempt, or does not prove who somebody is.
    RequestRefused
        Where the provider cannot be reached.
    """
    if not constant_time_compare(answer.get("state", ""), attempt.state):
        raise PermissionDenied(gettext("This sign-in was not begun in this browser, or it was begun anew since."))
    provider = _provider()
    # RFC 9207: who mixes two providers up has the answer of one taken for that of the other.
    sends_issuer = provider.get("authorization_response_iss_parameter_supported", False)
    if answer.get("iss", "" if sends_issuer else provider["issuer"]) != provider["issuer"]:
        raise unproven("iss")
    if "error" in answer or not answer.get("code"):
        raise PermissionDenied(
            gettext("The sign-in was cancelled or refused at {name}.").format(name=institution_name())
        )
    with _client(provider, back) as client:
        token = _ask(
            lambda: client.fetch_token(
                provider["token_endpoint"],
                grant_type="authorization_code",
                code=answer["code"],
                code_verifier=attempt.verifier,
                allow_redirects=False,
            )
        )
        claims = _proven(provider, token, nonce=attempt.nonce)
        _require_strength(claims)
        return _confirmed(client, provider, token, claims)


def confirm_again(subject: str, credentials: Mapping[str, str]) -> Confirmed:
    """Whether the provider still vouches for a person, with the groups of now; raises as `confirm` does.

    With a refresh token it is asked for new tokens, without one for the person by the access token.
    """
    provider = _provider()
    with _client(provider, "") as client:
        token: Told = credentials
        claims: Told = {"sub": subject}
        if old := credentials.get("refresh_token"):
            token = _ask(
                lambda: client.refresh_token(provider["token_endpoint"], refresh_token=old, allow_redirects=False)
            )
            token = {"refresh_token": old, **token}
            if "id_token" in token:
                claims = _proven(provider, token)
                if "acr" in claims:  # which providers may leave out here (OpenID Connect Core 1.0, section 12.2)
                    _require_strength(claims)
        if "id_token" not in token and not provider.get("userinfo_endpoint"):
            raise unproven("id_token")  # which groups somebody is in now would not be known
        if claims["sub"] != subject:
            raise unproven("sub")
        return _confirmed(client, provider, token, claims)


def _confirmed(client: OAuth2Session, provider: Told, token: Told, claims: Told) -> Confirmed:
    """With what the provider tells of the person beside the ID token, which must be of the same one."""
    if endpoint := provider.get("userinfo_endpoint"):
        client.token = {"token_type": "Bearer", "access_token": token.get("access_token")}
        told = _ask(lambda: _read(client.get(endpoint, allow_redirects=False)))
        if told.get("sub") != claims["sub"]:
            raise unproven("sub")
        claims = {**claims, **told}
    kept = "refresh_token" if token.get("refresh_token") else "access_token"
    return Confirmed(str(claims["sub"]), claims, _groups(claims), {kept: str(token.get(kept, ""))})


def _groups(claims: Told) -> frozenset[str]:
    """The groups of the claim that CANDOR_OIDC_GROUPS_CLAIM names; Keycloak writes them as paths."""
    told = claims.get(settings.CANDOR_OIDC_GROUPS_CLAIM)
    names = told if isinstance(told, list) else [told] if told else []
    return frozenset(str(name).removeprefix("/") for name in names)


def _proven(provider: Told, token: Told, *, nonce: str = "") -> Told:
    """The claims of an ID token: signed with a key that the provider has now, its own, for us, unexpired."""
    keys = _ask(lambda: _read(requests.get(str(provider["jwks_uri"]), timeout=TIMEOUT, allow_redirects=False)))
    try:
        published = KeySet.import_key_set(keys)  # type: ignore[arg-type]  # it looks at what it is given
        found = jwt.decode(str(token["id_token"]), published, algorithms=ALGORITHMS)
        claims = CodeIDToken(
            found.claims,
            found.header,
            {"iss": {"essential": True, "value": provider["issuer"]}, "sub": {"essential": True}},
            {"nonce": nonce, "client_id": settings.CANDOR_OIDC_CLIENT_ID, "access_token": token.get("access_token")},
        )
        claims.validate(leeway=LEEWAY)
    except (JoseError, ValueError, KeyError, TypeError) as fault:
        raise unproven(str(fault)) from fault
    audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if settings.CANDOR_OIDC_CLIENT_ID not in audience:
        raise unproven("aud")
    if not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 255:
        raise unproven("sub")
    return dict(claims)


def _require_strength(claims: Told) -> None:
    """Refuse a sign-in of a class that is not among those asked for: a provider need not keep to `acr_values`."""
    wanted = settings.CANDOR_OIDC_STRENGTH
    if wanted and claims.get("acr") not in wanted:
        words = gettext("{name} signed you in more weakly than is asked for here. Sign in with a second factor there.")
        raise PermissionDenied(words.format(name=institution_name()))


def _provider() -> Told:
    """What the provider publishes about itself (OpenID Connect Discovery 1.0, section 4)."""
    issuer = settings.CANDOR_OIDC_ISSUER
    require_reachable()
    place = issuer.rstrip("/") + "/.well-known/openid-configuration"
    found = _ask(lambda: _read(requests.get(place, timeout=TIMEOUT)))
    if found.get("issuer") != issuer:
        raise away("issuer")
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"):
        told = found.get(name, "" if name == "userinfo_endpoint" else None)
        # A provider with https names no endpoint at which what is sent could be read on the way.
        if told is None or (issuer.startswith("https://") and told and not str(told).startswith("https://")):
            raise away(name)
    return found


def _client(provider: Told, back: str) -> OAuth2Session:
    secret = settings.CANDOR_OIDC_CLIENT_SECRET
    ways = provider.get("token_endpoint_auth_methods_supported")
    basic = "client_secret_post" if ways == ["client_secret_post"] else "client_secret_basic"
    return OAuth2Session(
        settings.CANDOR_OIDC_CLIENT_ID,
        secret or None,
        token_endpoint_auth_method=basic if secret else "none",
        scope=settings.CANDOR_OIDC_SCOPES,
        redirect_uri=back,
        code_challenge_method="S256",
        default_timeout=TIMEOUT,
    )


def _read(answer: requests.Response) -> Told:
    """The JSON object of an answer. Raises OAuthError for a refusal, HTTPError for a fault."""
    if answer.status_code in (401, 403):
        raise OAuthError(REFUSED)
    if answer.status_code != requests.codes.ok:
        raise requests.HTTPError(response=answer)
    found = answer.json()
    if not isinstance(found, dict):
        raise requests.HTTPError(response=answer)
    return found


def _ask(question: Callable[[], Told]) -> Told:
    """What the provider answers; a refusal as PermissionDenied, no answer and no JSON as RequestRefused."""
    try:
        return question()
    except OAuthError as refusal:
        # What else it refuses, as a wrong secret of ours, says nothing about the person.
        proves = refusal.error in ("invalid_grant", "invalid_token", REFUSED)
        raise (unproven if proves else away)(str(refusal.error)) from refusal
    except (requests.RequestException, ValueError) as fault:
        status = getattr(getattr(fault, "response", None), "status_code", "")
        words = f"{type(fault).__name__} {status}".strip()
        raise unreachable(words) from fault
