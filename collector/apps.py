from importlib import import_module

from django.apps import AppConfig


class CollectorConfig(AppConfig):
    name = "collector"
    verbose_name = "The collector"

    def ready(self) -> None:
        import_module("collector.database.settings")  # registers its system check
