"""The panel's speed on a big installation: every page's median through the real WSGI application, and an estimate.

    make bench

1,000 surveys of 50 questions; one of them has 8 groups and 10 million stored reports. A number of reports may be given:
`python -m benchmarks.panel 100000`. Processor time stands beside the wall's, which other work on the machine lengthens.
"""

import argparse
import io
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.cookies import SimpleCookie
from typing import Any
from wsgiref.util import setup_testing_defaults

SURVEYS, ITEMS, GROUPS, REPORTS = 1_000, 50, 8, 10_000_000
REPEATS = 5
LIMIT, LIMIT_OF_AN_ESTIMATE = 0.3, 2.0
HOST = "127.0.0.1"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reports", type=int, nargs="?", default=REPORTS)
    count = parser.parse_args().reports
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as folder:
        os.environ |= {"CANDOR_DATA": folder, "CANDOR_URL": f"http://{HOST}:8000"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        started = time.perf_counter()
        key = build(count)
        seconds = time.perf_counter() - started
        print(f"{SURVEYS:,} surveys x {ITEMS} questions, {count:,} reports: built in {seconds:.0f} s")
        estimates()
        editing()
        pages(key)


def build(count: int) -> str:
    """Fill the installation; the session of the researcher who may see all of it."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from django.db import connection

    from surveys.accounts.teams import home_team
    from surveys.lifecycle.services import write_survey
    from surveys.opening.services import open_survey

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    user = User.objects.create_user("alice", is_staff=True)
    team = home_team(user)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
    big = open_survey(write_survey(definition("big", groups=GROUPS), team=team), reason="It is measured.")
    write_survey(definition("draft"), team=team)
    _others(team)
    _store(big.design_id, count)
    session = SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def definition(slug: str, *, groups: int = 0) -> dict[str, Any]:
    """50 questions: of ten, six with yes and no, two with five choices, a scale and a number."""
    from surveys.definition.definitions import complete

    def item(number: int) -> dict[str, Any]:
        said = {"key": f"q{number}", "wording": f"Question {number} of a long survey: is it so with you?"}
        choices = [f"Choice {place}" for place in range(5)]
        match number % 10:
            case 6 | 7:
                return said | {"kind": "one_choice", "choices": choices, "channel": {"name": "k_ary", "truth": "1/30"}}
            case 8:
                return said | {"kind": "scale", "choices": choices, "channel": {"name": "k_ary", "truth": "1/30"}}
            case 9:
                grid = {"minimum": "0", "maximum": "10", "step": "1"}
                return said | {"kind": "number", **grid, "channel": {"name": "one_bit", "truth": "1/16"}}
        return said | {"kind": "yes_no", "channel": {"name": "forced_response", "truth": "1/16"}}

    strata = {"wording": "Where?", "groups": [{"key": f"g{n}", "label": f"Group {n}"} for n in range(groups)]}
    return complete(
        {
            "slug": slug,
            "title": f"The survey {slug}",
            "introduction": "Many questions.",
            "consent": "You may leave at any time.",
            **({"strata": strata} if groups else {}),
            "items": [item(number) for number in range(ITEMS)],
        }
    )


def _others(team: Any) -> None:
    """The other surveys, each open with 100 counted reports and a run, written as copies of one that was made so."""
    from collector.models import DailyCount, FrozenDesign
    from estimator.models import Estimate, Run
    from estimator.runs import services as estimator
    from surveys.definition.definitions import design_of
    from surveys.lifecycle.services import write_survey
    from surveys.models import Item, Survey, Version
    from surveys.opening.services import open_survey

    first = open_survey(write_survey(definition("survey-0"), team=team), reason="It is measured.")
    _store(first.design_id, 100)
    run = estimator.execute(estimator.request_run(first.design_id).pk)
    day, texts = first.design.opened_on, ("title", "introduction", "consent")
    designs = [design_of(definition(f"survey-{n}"), version=1) for n in range(1, SURVEYS - 2)]
    surveys = Survey.objects.bulk_create(
        Survey(slug=one.slug, team=team, state="open", languages=["en"], **{name: one.document[name] for name in texts})
        for one in designs
    )
    for number, (survey, one) in enumerate(zip(surveys, designs, strict=True), start=first.design.number + 1):
        FrozenDesign.objects.create(digest=one.digest, number=number, document=one.canonical.decode(), opened_on=day)
        Version.objects.create(survey=survey, number=1, design_id=one.digest)
        DailyCount.objects.create(design_id=number, first_day=day, last_day=day, count=100)
    _copy(Item, first.survey.items.all(), [{"survey_id": survey.pk} for survey in surveys])
    _copy(Run, [run], [{"design_id": one.digest, "key": one.digest[:32]} for one in designs])
    _copy(
        Estimate,
        run.estimates.all(),
        [{"run_id": pk} for pk in Run.objects.values_list("pk", flat=True)[: SURVEYS - 3]],
    )


def _copy(model: Any, rows: Any, changes: list[dict[str, Any]]) -> None:
    """Every row once more with each of the changes."""
    names = [field.attname for field in model._meta.fields if not field.primary_key]
    said = [{name: getattr(row, name) for name in names} for row in rows]
    model.objects.bulk_create((model(**one | change) for change in changes for one in said), batch_size=2_000)


def _store(digest: str, count: int) -> None:
    """Reports of a design, and the totals and days that folding would have made of them."""
    import numpy as np
    from django.db import connection, transaction
    from django.utils import timezone

    from collector.designs.selectors import get_design
    from collector.models import DailyCount, FrozenDesign
    from collector.reports import folding

    design, number = get_design(digest), FrozenDesign.objects.get(digest=digest).number
    generator = np.random.default_rng(1)
    kinds, strata = 1_000, len(design.strata)
    symbols = np.stack([generator.integers(0, size, size=kinds) for size in design.alphabets], axis=1).astype(np.uint8)
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("CREATE TEMP TABLE IF NOT EXISTS sample (place INTEGER PRIMARY KEY, report BLOB)")
        cursor.execute("DELETE FROM sample")
        cursor.executemany("INSERT INTO sample VALUES (%s, %s)", [(n, row.tobytes()) for n, row in enumerate(symbols)])
        cursor.execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s) "
            "INSERT INTO collector_report (nonce, design_id, stratum, report, mode) "
            "SELECT CAST(printf('%%016d', n) AS BLOB), %s, n %% %s, "
            "(SELECT report FROM sample WHERE place = n %% %s), 0 "
            "FROM numbers",
            [count - 1, number, strata, kinds],
        )
        rows = [(place % strata, symbols[place % kinds].tobytes()) for place in range(min(count, kinds * strata))]
        folding._add(digest, number, rows)
        factor = max(1, count // len(rows))
        cursor.execute("UPDATE collector_tally SET count = count * %s WHERE design_id = %s", [factor, number])
    day = timezone.now().date()
    DailyCount.objects.create(design_id=number, first_day=day, last_day=day, count=factor * len(rows))


def estimates() -> None:
    """From asking to the numbers being there, as a worker computes them; and the schedule's look at every design."""
    from collector.reports import folding
    from estimator.runs import services
    from surveys.models import Version

    digest = Version.objects.get(survey__slug="big").design_id
    wall, processor = timed(lambda: services.execute(services.request_run(digest).pk))
    line(f"an estimate of {ITEMS} questions, all and {GROUPS} groups", wall, processor, LIMIT_OF_AN_ESTIMATE)
    line("the schedule's look for changed totals", *median(lambda: services.estimate_changed()), LIMIT_OF_AN_ESTIMATE)
    line("folding where nothing waits", *median(lambda: folding.fold(digest)), LIMIT_OF_AN_ESTIMATE)


def editing() -> None:
    """What the editor asks for at each pause of typing, of 60 questions with 40 options in 5 languages."""
    from surveys.definition.definitions import complete
    from surveys.panel.preview import page_while_written
    from surveys.planning.draft_prices import price_of

    texts = [f"Option {place} of a long list" for place in range(40)]
    asked = {"kind": "one_choice", "choices": texts, "wording": "Which of these is it in your own case?"}
    channels = [{"name": "k_ary", "truth": f"1/{30 + n}"} for n in range(60)]
    items = [{"key": f"q{n}", **asked, "channel": channel} for n, channel in enumerate(channels)]
    draft = complete({"slug": "long", "title": "A long draft", "items": items})
    text, codes = json.dumps(draft), ["en", "de", "es", "fr", "ar"]
    line("the page beside the editor, 60 x 40 options", *median(lambda: page_while_written(text, codes, None)), LIMIT)
    line("the prices of these questions", *median(lambda: price_of(draft["items"], 1000)), LIMIT)


def pages(key: str) -> None:
    """Every address of the panel that answers a GET."""
    from django.db import connection, reset_queries

    print(f"\n{'page, median of ' + str(REPEATS):<60}{'wall':>9}{'processor':>11}{'of limit':>10}{'queries':>9}")
    for address in addresses():
        status = visit(address, key)
        assert status in ("200 OK", "302 Found", "403 Forbidden", "404 Not Found"), (address, status)
        connection.force_debug_cursor = True
        reset_queries()
        visit(address, key)
        queries = len(connection.queries)
        connection.force_debug_cursor = False
        line(address, *median(partial(visit, address, key)), LIMIT, queries)


def addresses() -> Iterator[str]:
    """Each address of the panel once, of the survey with the reports, of a draft and of an ordinary survey."""
    from django.urls import reverse

    from estimator.models import Run
    from surveys.models import Survey
    from tests.panel.access import ADMIN, ROWS

    big, draft = (Survey.objects.get(slug=slug) for slug in ("big", "draft"))
    key = Run.objects.filter(design=big.versions.get().design_id)[0].key
    places: dict[str, list[list[Any]]] = {
        "": [[]], "run": [[key]], "draft": [[draft.pk]], "survey": [["big"], ["draft"], ["survey-7"]],
        "question": [["draft", draft.items.all()[7].pk]],
    }  # fmt: skip
    pages = {**ROWS, **{name: row for name, row in ADMIN.items() if name.startswith("admin:surveys_")}}
    for name, row in pages.items():
        yield from (reverse(name, args=place) for place in places.get(row.about, ()) if "GET" in row.methods)
    yield reverse("admin:surveys_survey_changelist") + "?p=12"
    yield reverse("admin:surveys_survey_changelist") + "?q=survey-77"


def visit(address: str, key: str) -> str:
    """Ask the WSGI application as a server does; the status of its answer."""
    from django.conf import settings

    from config.wsgi import application

    path, _, query = address.partition("?")
    environ: dict[str, Any] = {"PATH_INFO": path, "QUERY_STRING": query, "HTTP_HOST": HOST, "wsgi.input": io.BytesIO()}
    environ["HTTP_COOKIE"] = SimpleCookie({settings.SESSION_COOKIE_NAME: key}).output(header="", sep=";").strip()
    setup_testing_defaults(environ)
    told: list[str] = []

    def start(status: str, headers: Any, fault: Any = None) -> Callable[[bytes], None]:
        told.append(status)
        return lambda chunk: None

    answer = application(environ, start)
    b"".join(answer)
    answer.close()
    return told[0]


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def median(work: Callable[[], object]) -> tuple[float, float]:
    times = [timed(work) for _ in range(REPEATS)]
    return statistics.median(wall for wall, _ in times), statistics.median(processor for _, processor in times)


def line(name: str, wall: float, processor: float, limit: float, queries: int | None = None) -> None:
    asked = "" if queries is None else f"{queries:>9}"
    print(f"{name:<60}{1000 * wall:>6.0f} ms{1000 * processor:>8.0f} ms{wall / limit:>10.2f}{asked}")


if __name__ == "__main__":
    main()
