"""An OpenID Connect provider on this machine that can be told to answer wrongly, as no kept one can.

It keeps to the standard in all that a test does not name: single-use codes, PKCE, the client's secret, refresh tokens
that work once. `sign_in` stands for the browser and the person at its page.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from joserfc import jws, jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "candor", "a secret of the client"


@cache
def key(name: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


class Provider:
    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.person: dict[str, Any] = {
            "sub": "7f3a", "preferred_username": "grace", "email": "grace@example.org", "groups": ["researchers"],
        }  # fmt: skip
        self.keys = ["first"]
        """Names of the keys that it publishes."""

        self.signs_with = "first"
        self.header: dict[str, Any] = {}
        self.claims: dict[str, Any] = {}
        """What ID tokens have in place of the right header and claims; None: not at all."""

        self.metadata: dict[str, Any] = {}
        self.answer: dict[str, Any] = {}
        """What comes back with the browser in place of the right values; None: not at all."""

        self.userinfo: dict[str, Any] = {}
        self.refuses = ""
        """The error of the token endpoint, and of the person's claims: "invalid_grant" for whoever has left."""

        self.is_away = False
        self.refreshes = True
        self.redirects: dict[str, str] = {}
        """Endpoints that lead elsewhere, with the address."""

        self.asked: list[str] = []
        """The endpoints that were asked, in order."""

        self._codes: dict[str, dict[str, str]] = {}
        self.refresh_tokens: set[str] = set()
        self._access: set[str] = set()

    def sign_in(self, address: str) -> dict[str, str]:
        """The query with which the browser returns from the page at this address."""
        query = dict(parse_qsl(urlsplit(address).query))
        assert address.startswith(f"{self.issuer}/authorize?"), address
        assert (query["response_type"], query["client_id"], query["code_challenge_method"]) == ("code", CLIENT, "S256")
        code = secrets.token_urlsafe(16)
        self._codes[code] = query
        told: dict[str, Any] = {"code": code, "state": query["state"], "iss": self.issuer} | self.answer
        return {name: value for name, value in told.items() if value is not None}

    def answer_to(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        self.asked.append(path)
        if self.is_away:
            return 503, {"error": "temporarily_unavailable"}
        if path == "/.well-known/openid-configuration":
            return 200, self._metadata()
        if path == "/keys":
            return 200, {"keys": [key(name).as_dict(private=False) for name in self.keys]}
        if path == "/userinfo":
            known = authorization.removeprefix("Bearer ") in self._access and not self.refuses
            return (200, self.person | self.userinfo) if known else (401, {"error": "invalid_token"})
        if path == "/token":
            return self._tokens(form, authorization)
        return 404, {}

    def _metadata(self) -> dict[str, Any]:
        ways = ["client_secret_basic", "client_secret_post"]
        told = {name: f"{self.issuer}/{name.partition('_')[0]}" for name in ("token_endpoint", "userinfo_endpoint")}
        told |= {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "jwks_uri": f"{self.issuer}/keys",
        }
        told |= {"authorization_response_iss_parameter_supported": True, "token_endpoint_auth_methods_supported": ways}
        told |= {"id_token_signing_alg_values_supported": ["RS256", "HS256", "none"]} | self.metadata  # type: ignore[dict-item]
        return {name: value for name, value in told.items() if value is not None}

    def _tokens(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if authorization != f"Basic {expected}":
            return 401, {"error": "invalid_client"}
        if self.refuses:
            return 400, {"error": self.refuses}
        nonce = None
        if form["grant_type"] == "refresh_token":
            if form["refresh_token"] not in self.refresh_tokens:
                return 400, {"error": "invalid_grant"}
            self.refresh_tokens.remove(form["refresh_token"])
        else:
            query = self._codes.pop(form["code"], None)
            challenge = _base64(hashlib.sha256(form.get("code_verifier", "").encode()).digest()).decode()
            if query is None or challenge != query["code_challenge"] or form["redirect_uri"] != query["redirect_uri"]:
                return 400, {"error": "invalid_grant"}
            nonce = query["nonce"]
        access = secrets.token_urlsafe(16)
        self._access.add(access)
        told = {"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": self.id_token(nonce)}
        if self.refreshes:
            told["refresh_token"] = secrets.token_urlsafe(16)
            self.refresh_tokens.add(told["refresh_token"])
        return 200, told

    def id_token(self, nonce: str | None) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.person,
        } | self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": "RS256", "kid": "first"} | self.header
        if header["alg"] in ("none", "HS256"):
            known = SECRET.encode() if self.signs_with == "secret" else key("first").as_pem(private=False)
            signed = b".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
            mac = hmac.digest(known, signed, "sha256") if header["alg"] == "HS256" else b""
            return b".".join((signed, _base64(mac))).decode()
        return str(jwt.encode(header, claims, key(self.signs_with), registry=_lenient()))


def _base64(content: bytes) -> bytes:
    return base64.urlsafe_b64encode(content).rstrip(b"=")


def _lenient() -> jws.JWSRegistry:
    return jws.JWSRegistry(algorithms=["RS256"], strict_check_header=False)


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider at a free port."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
            path = urlsplit(self.path).path
            if path in found.redirects:
                self.send_response(307)
                self.send_header("Location", found.redirects[path])
                self.end_headers()
                return
            status, told = found.answer_to(path, form, self.headers.get("Authorization", ""))
            body = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 - names of http.server

        def log_message(self, *_given: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Provider(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
