from importlib import import_module

from django.apps import AppConfig


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = "Candor"

    def ready(self) -> None:
        import_module("surveys.accounts.receivers")
