from typing import Any

from surveys import links, services
from surveys.commands import SurveyCommand, find_survey


class Command(SurveyCommand):
    help = "Freeze the design of a draft and let respondents answer it."

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        version = services.open_survey(find_survey(options["slug"]))
        link = links.respondent_link(version)
        facts = {"slug": options["slug"], "version": version.number, "digest": version.design_id, "link": link}
        return f"{options['slug']} is open: {link}", facts
