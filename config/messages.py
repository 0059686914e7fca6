"""Messages of the panel: in a cookie, or where it is too small for them in the session, as Django keeps them."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class _Cookie(CookieStorage):
    """With the prefix that the panel's other cookies have over https (config/settings.py)."""

    cookie_name = f"{'__Host-' if settings.SECURE else ''}messages"


class Storage(FallbackStorage):
    storage_classes = (_Cookie, SessionStorage)
