"""Django app configurations: few imports, since workers, beat and most commands show no page."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig


class Configuration(AppConfig):
    """The project's app: Celery's application and its system checks."""

    name = "config"

    def ready(self) -> None:
        import_module("config.celery")
        import_module("config.checks")


class Theme(AppConfig):
    """django-unfold without its app configuration, which imports all that it displays."""

    name = "unfold"


class Panel(SimpleAdminConfig):
    """The admin site of django-unfold; `config.urls` registers the panel's pages there."""

    default_site = "unfold.sites.UnfoldAdminSite"

    def ready(self) -> None:
        """Skip Django's checks of the site, which `config.checks` runs."""
