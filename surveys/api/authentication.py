"""Authentication: a program with a token, or a browser with a session."""

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from collector.errors import RequestRefused
from surveys.accounts import second_factor, single_sign_on, tokens
from surveys.models import AccessToken

UNKNOWN = "This token lets nobody in: it was revoked, has expired, or never was one."
SET_UP_FIRST = "This installation asks for a second factor: set one up in the panel, and make a token then."


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
        _require_confirmed(token.user)
        tokens.note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """The WWW-Authenticate header, with which an unknown client gets a 401."""
        return 'Bearer realm="Candor"'


def _require_confirmed(user: User) -> None:
    """Have the institution confirm an account that has no other way in, and the roles that groups gave any other."""
    if not single_sign_on.is_bound(user):
        single_sign_on.renew_roles(user)
        return
    try:
        single_sign_on.require_confirmed(user)
    except PermissionDenied as refusal:
        raise AuthenticationFailed(str(refusal)) from None
    except RequestRefused as refusal:
        from surveys.api.problems import Problem  # imports the framework, which imports this module

        raise Problem(refusal.status, refusal.message, headers={"Retry-After": str(refusal.retry)}) from None


class MayAsk(BasePermission):
    """Permission for researchers only; a read-only token changes nothing."""

    message = "This is for researchers of this installation."

    def has_permission(self, request: Request, view: object) -> bool:
        reads = isinstance(request.auth, AccessToken) and request.auth.scope == AccessToken.Scope.READ
        if reads and request.method not in SAFE_METHODS:
            raise PermissionDenied("This token only reads. Make one that reads and writes for this.")
        return bool(request.user and request.user.is_staff)
