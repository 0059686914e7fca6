from django.apps import AppConfig


class SurveysConfig(AppConfig):
    name = "surveys"
    verbose_name = "Candor"

    def ready(self) -> None:
        # What a rehearsal leaves goes with it, whoever deletes it.
        import surveys.rehearsals.services  # noqa: F401
