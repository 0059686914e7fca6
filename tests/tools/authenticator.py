"""A device with passkeys, in Python: it answers challenges as a browser's WebAuthn functions do, or wrongly."""

import base64
import hashlib
import json
import os
import struct
from dataclasses import dataclass, field

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.cose import ES256

PRESENT, VERIFIED, ATTESTED = 1, 4, 64


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@dataclass
class Authenticator:
    origin: str = "http://localhost:8000"
    host: str = "localhost"
    flags: int = PRESENT | VERIFIED
    count: int = 0
    counts: bool = True
    identifier: bytes = field(default_factory=lambda: os.urandom(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: str, **wrong: str) -> str:
        """The answer of `navigator.credentials.create`."""
        public = cbor.encode(ES256.from_cryptography_key(self.key.public_key()))
        credential = bytes(16) + struct.pack(">H", len(self.identifier)) + self.identifier + public
        attested = {"fmt": "none", "attStmt": {}, "authData": self._data(ATTESTED) + credential}
        client = self._client("webauthn.create", options, wrong)
        return self._answer(clientDataJSON=client, attestationObject=cbor.encode(attested))

    def get(self, options: str, **wrong: str) -> str:
        """The answer of `navigator.credentials.get`."""
        self.count += self.counts
        data, client = self._data(0), self._client("webauthn.get", options, wrong)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=client, authenticatorData=data, signature=signature)

    def _data(self, flags: int) -> bytes:
        return hashlib.sha256(self.host.encode()).digest() + struct.pack(">BI", self.flags | flags, self.count)

    def _client(self, kind: str, options: str, wrong: dict[str, str]) -> bytes:
        told = {"type": kind, "challenge": json.loads(options)["challenge"], "origin": self.origin}
        return json.dumps(told | wrong).encode()

    def _answer(self, **response: bytes) -> str:
        name = base64url(self.identifier)
        written = {key: base64url(value) for key, value in response.items()}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": written})
