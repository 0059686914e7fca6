from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from tqdm import tqdm

from surveys.lifecycle import links
from surveys.management import demo
from surveys.management.base import SurveyCommand

RESEARCHER = "researcher"


class Command(SurveyCommand):
    help = "Build the demo where it is missing, and print its three links."

    def add_options(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", default=RESEARCHER, help="user name of the demo's researcher")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        user = _researcher(options["user"])

        def progress(steps: Iterable[int], total: int) -> Iterable[int]:
            return tqdm(steps, total=total, desc="The Redbook survey", unit=" responses", leave=False, disable=None)

        demo.build(user, progress=progress)
        version, run = demo.open_version(), demo.finished_run()
        assert version is not None, "the demo was built"
        assert run is not None, "the demo was built"
        facts: dict[str, object] = {
            "survey": links.respondent_link(version),
            "panel": links.sign_in_link(user),
            "report": links.report_link(run),
        }
        lines = ("  Answer the survey    {survey}", "  Researcher panel     {panel}", "  A finished report    {report}")
        return "\n".join(lines).format(**facts), facts


def _researcher(name: str) -> User:
    user, created = User.objects.get_or_create(username=name, defaults={"is_staff": True, "is_superuser": True})
    if created:
        user.set_unusable_password()
        user.save()
    return user
