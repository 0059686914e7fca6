"""What is loaded as Django is set up: little, since workers, beat and most commands show no page."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig


class Configuration(AppConfig):
    """Celery's application and the installation's own system checks."""

    name = "config"

    def ready(self) -> None:
        import_module("config.celery")
        import_module("config.checks")


class Theme(AppConfig):
    """django-unfold without its own configuration, which imports all that it shows."""

    name = "unfold"


class Panel(SimpleAdminConfig):
    """The admin site of django-unfold; `config.urls` has the panel's pages registered there."""

    default_site = "unfold.sites.UnfoldAdminSite"

    def ready(self) -> None:
        """Django's own checks of it are `config.checks`."""
