"""The panel's first page: the surveys of one's teams with what is to be done, found by words, tags and teams."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.accounts.access import Role, surveys_of
from surveys.accounts.teams import teams_of
from surveys.models import Survey, SurveyTag, Team
from surveys.panel.listing import ROWS, survey_rows
from surveys.panel.views import panel_page, signed_in

LONGEST = 100
"""Characters of a search."""

ORDER = {Survey.State.OPEN: 0, Survey.State.DRAFT: 1, Survey.State.CLOSED: 2}


@dataclass(frozen=True)
class Filters:
    """What the list is narrowed to; empty where it is not."""

    words: str = ""
    tag: str = ""
    team: str = ""
    archived: bool = False

    @property
    def narrowed(self) -> bool:
        return bool(self.words or self.tag or self.team)

    @property
    def query(self) -> str:
        """The filters as a further page's address has them, behind its number."""
        written = {"q": self.words, "tag": self.tag, "team": self.team, "archived": "yes" if self.archived else ""}
        return "".join(f"&{urlencode({name: value})}" for name, value in written.items() if value)


@require_safe
def dashboard(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    asked = request.GET
    wanted = Filters(
        asked.get("q", "").strip()[:LONGEST], asked.get("tag", "")[:LONGEST], asked.get("team", ""),
        asked.get("archived") == "yes",
    )  # fmt: skip
    mine = surveys_of(user)
    page: Page[Survey] = Paginator(_found(mine, wanted), ROWS).get_page(asked.get("p"))
    teams = list(teams_of(user, Role.VIEWER))
    context = {
        "rows": survey_rows(list(page.object_list), user),
        "page": page,
        "filters": wanted,
        "teams": teams if len(teams) > 1 else [],
        "tags": _tags(mine),
        "begins": not wanted.narrowed and not page.paginator.count and not mine.exists(),
        "team": _team(teams, wanted.team),
    }
    return panel_page(request, "panel/dashboard.html", context, title=gettext("Surveys"))


def _found(surveys: QuerySet[Survey], wanted: Filters) -> QuerySet[Survey]:
    away = Q(state=Survey.State.ARCHIVED)
    found = surveys.filter(away if wanted.archived else ~away)
    if wanted.team.isdecimal() and len(wanted.team) < 10:
        found = found.filter(team=int(wanted.team))
    if wanted.tag:
        found = found.filter(tags__name=wanted.tag)
    if wanted.words:
        found = found.filter(pk__in=_with_words(found, wanted.words.casefold().split()))
    places = [When(state=state, then=Value(place)) for state, place in ORDER.items()]
    place = Case(*places, default=Value(len(ORDER)), output_field=IntegerField())
    return found.select_related("team").order_by(place, "-pk")


def _with_words(surveys: QuerySet[Survey], words: list[str]) -> list[int]:
    """The surveys with all of these words in a title, the slug or a tag: SQLite knows no upper case beyond ASCII."""
    texts = {pk: " ".join((slug, *title.values())) for pk, slug, title in surveys.values_list("pk", "slug", "title")}
    for pk, name in SurveyTag.objects.filter(survey__in=surveys).values_list("survey", "name"):
        texts[pk] += f" {name}"
    return [pk for pk, text in texts.items() if all(word in text.casefold() for word in words)]


def _tags(surveys: QuerySet[Survey]) -> list[str]:
    named = SurveyTag.objects.filter(survey__in=surveys).order_by("name")
    return list(named.values_list("name", flat=True).distinct())


def _team(teams: list[Team], key: str) -> Team | None:
    return next((team for team in teams if str(team.pk) == key), None)
