"""Authentication: a program with a token, or a browser with a session."""

from django.core.exceptions import PermissionDenied
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from surveys.accounts import second_factor, tokens
from surveys.models import AccessToken

UNKNOWN = "The token is invalid: it was revoked, has expired or never existed."
SET_UP_FIRST = "This installation requires two-factor authentication: set it up in the panel, then create a token."


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer candor_...`: acts as the user who created the token."""

    def authenticate(self, request: Request) -> "tuple[object, AccessToken] | None":
        """The user and the token; None where no token is given. Cookies are ignored where one is."""
        if not tokens.authenticates(request._request):
            return None
        token = tokens.token_of(request._request)
        if token is None:
            raise AuthenticationFailed(UNKNOWN)
        if second_factor.required() and not second_factor.is_on(token.user):
            raise AuthenticationFailed(SET_UP_FIRST)
        tokens.note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """The WWW-Authenticate header, with which an unknown client gets a 401."""
        return 'Bearer realm="Candor"'


class MayAsk(BasePermission):
    """Permission for researchers only; a read-only token changes nothing."""

    message = "Only researchers of this installation have access."

    def has_permission(self, request: Request, view: object) -> bool:
        reads = isinstance(request.auth, AccessToken) and request.auth.scope == AccessToken.Scope.READ
        if reads and request.method not in SAFE_METHODS:
            raise PermissionDenied("This token is read-only. Create a token with read and write access.")
        return bool(request.user and request.user.is_staff)
