"""Every analysis of every kind of question, from the page's form through the job to the page of what came out.

What a form offers is asked for: of each question the first and the last of its options, with every mechanism that a
survey may have. What it does not offer is refused in words, whoever sends it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from collector.designs import Design, selectors
from estimator.analyses import services as analyses
from estimator.models import Analysis
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.definition.definitions import complete
from surveys.lifecycle.services import close_survey, revise_survey, write_survey
from surveys.models import Survey
from surveys.opening.services import open_survey
from tests.factories import simulation, three_groups
from tests.factories.surveys import example
from tests.tools.analysis_script import differing

pytestmark = pytest.mark.django_db
SVG = "{http://www.w3.org/2000/svg}"

TABLES: dict[str, tuple[str, list[str] | None, list[list[int]]]] = {
    "asked": ("yes_no", None, [[7, 3], [2, 8]]),
    "ranked": ("one_choice", ["Low", "Middle", "High"], [[5, 3, 1], [2, 5, 2], [1, 3, 5]]),
    "listed": ("several_choices", ["Tea", "Coffee", "Milk"], [[5, 4], [4, 5]]),
    "tired": ("scale", ["Never", "Sometimes", "Always"], [[6, 3, 1], [2, 6, 2], [1, 3, 6]]),
    "cups": ("number", None, [[5, 3, 1], [2, 5, 2], [1, 3, 5]]),
}
"""Tables of one's own: kind, choices, weights. None of those of three tells one choice from all others."""

OFFERED = {
    # question: how many of its (shares and means, variables of a table, answers of a regression) the forms offer
    "kinds": {
        "smokes": (1, 1, 1), "often": (4, 5, 4), "substance": (6, 6, 6), "place": (8, 8, 8), "habits": (5, 5, 5),
        "mood": (6, 6, 5), "worry": (1, 0, 0), "drinks": (1, 0, 0), "hours": (1, 0, 0),
    },
    "tables": {"asked": (1, 1, 1), "ranked": (3, 1, 0), "listed": (3, 3, 3), "tired": (4, 1, 0), "cups": (1, 0, 0)},
}  # fmt: skip
"""By survey: that of the example, and that of tables of one's own."""


def own_tables() -> dict[str, Any]:
    items = []
    for key, (kind, choices, weights) in TABLES.items():
        item: dict[str, Any] = {"key": key, "kind": kind, "wording": f"Question about {key}?"}
        item |= {"channel": {"name": "custom", "weights": weights}}
        item |= {"choices": choices} if choices else {}
        items.append(item | ({"minimum": 0, "maximum": 2, "step": 1} if kind == "number" else {}))
    return complete({"slug": "tables", "title": "Tables of one's own", "items": items})


@pytest.fixture(params=["kinds", pytest.param("tables", marks=pytest.mark.long)])
def survey(request: pytest.FixtureRequest, alice: User, monkeypatch: pytest.MonkeyPatch) -> Survey:
    """alice's open survey of three groups, with 600 reports."""
    monkeypatch.setattr(analyses, "wake", lambda _: None)
    shares = {"asked": [0.6, 0.4], "ranked": [0.5, 0.3, 0.2], "listed": [0.7, 0.2, 0.4], "tired": [0.2, 0.5, 0.3]}
    monkeypatch.setattr(simulation, "SHARES", simulation.SHARES | shares)
    definition = example() if request.param == "kinds" else own_tables()
    found = write_survey(definition | {"strata": three_groups.groups()}, team=home_team(alice))
    fill(selectors.get_design(open_survey(found, reason="It is a test.").design_id), seed=11)
    return found


def page_of(survey: Survey) -> str:
    return reverse("panel:survey-analyse", args=[survey.slug])


def fill(design: Design, *, seed: int) -> None:
    generator = np.random.default_rng(seed)
    who = simulation.people(design, 600, generator)
    simulation.store(design, who, simulation.symbols(design, who, generator))


def offered(client: Client, survey: Survey, kind: str, name: str) -> dict[str, list[str]]:
    """By question the options of one list of the form."""
    page = client.get(page_of(survey), {"kind": kind}).content.decode()
    found = re.search(rf'<select class="candor-field" id="analyse-{name}".*?</select>', page, re.S)
    assert found is not None, page
    tokens = re.findall(r'<option value="([^"]*)"', found[0])
    return {key: [token for token in tokens if token.partition(":")[0] == key] for key in OFFERED[survey.slug]}


def ends(options: dict[str, list[str]]) -> Iterator[str]:
    for tokens in options.values():
        yield from dict.fromkeys((*tokens[:1], *tokens[-1:]))


def found_of(client: Client, survey: Survey, **said: str) -> tuple[Analysis, str]:
    """What the job made of what the form sent, and the page of it."""
    answer = client.post(page_of(survey), said)
    assert answer.status_code == 302, (said, answer.content.decode())
    return finished(client, answer.url)  # type: ignore[attr-defined]


def finished(client: Client, address: str) -> tuple[Analysis, str]:
    done = analyses.execute(Analysis.objects.get(key=address.split("/")[-2]).pk)
    assert done.state == Analysis.State.DONE, (done.parameters, done.fault)
    return done, client.get(address).content.decode()


def check_page(done: Analysis, page: str) -> None:
    """Sentences; each picture a whole SVG with its title and its rows in words, above a table of as many rows."""
    assert re.findall(r'<p class="quote">[^<]{20,}</p>', page), done.parameters
    # “None” is also a choice of the example.
    assert not re.search(r'"number">None|\(None|\b(nan|inf)\b', page.partition("analysis-found")[2]), done.parameters
    parts = re.findall(r'<section class="block".*?</section>', page, re.S)
    pictures = [part for part in parts if "<figure>" in part]
    known = any(row["estimate"] is not None for row in done.result["rows"])
    assert bool(pictures) == known, (done.parameters, page)
    assert parts
    for part in pictures:
        heads, body = re.findall(r"<th scope=\"col\"", part), part.partition("<tbody>")[2]
        rows = body.count("<tr>")
        assert rows
        spans = [int(span or 1) for span in re.findall(r'<t[hd]\b(?:[^>]*colspan="(\d+)")?', body)]
        assert sum(spans) == rows * len(heads)
        for drawn in re.findall(r"<svg xmlns.*?</svg>(?=<svg xmlns|</figure>)", part, re.S):
            svg = ElementTree.fromstring(drawn)
            title, words = svg.findtext(f"{SVG}title"), svg.findtext(f"{SVG}desc")
            assert title
            assert words
            assert svg.get("role") == "img"
            assert len(words.split("; ")) == rows - body.count('scope="rowgroup"')
            labels = svg.get("aria-labelledby", "").split()
            assert [page.count(f'id="{label}"') for label in labels] == [1, 1]


def check_script(done: Analysis) -> None:
    """The bundle's script computes the same numbers."""
    with TemporaryDirectory() as folder:
        assert differing(done, Path(folder)) == 0, done.parameters


def check_again(client: Client, done: Analysis) -> None:
    answer = client.post(reverse("panel:analysis-again", args=[done.key]))
    again, page = finished(client, answer.url)  # type: ignore[attr-defined]
    assert (again.input_digest, again.result_digest) == (done.input_digest, done.result_digest)
    assert "analyse-beside" in page
    for name in ("panel:analysis-csv", "panel:analysis-json", "panel:analysis-bundle"):
        assert client.get(reverse(name, args=[again.key])).status_code == 200


def test_analysis_forms_offer_what_can_be_estimated(her: Client, survey: Survey) -> None:
    lists = [("comparison", "quantity"), ("cross-table", "rows"), ("regression", "outcome")]
    told = [offered(her, survey, *one) for one in lists]
    assert {key: tuple(len(one[key]) for one in told) for key in OFFERED[survey.slug]} == OFFERED[survey.slug]
    assert {key: len(tokens) for key, tokens in offered(her, survey, "weighting", "item").items()} == dict.fromkeys(
        OFFERED[survey.slug], 1
    )


@pytest.mark.long
def test_analysis_compares_groups_of_every_kind(her: Client, survey: Survey) -> None:
    for against, token in zip(["pairs", "y2"] * 20, ends(offered(her, survey, "comparison", "quantity")), strict=False):
        done, page = found_of(her, survey, kind="comparison", quantity=token, against=against)
        check_page(done, page)
        check_script(done)
        assert page.count("not distinguishable") + page.count('<td class="number">differ') >= (
            3 if against == "pairs" else 2
        )
    check_again(her, done)


@pytest.mark.long
def test_analysis_weights_populations_of_every_kind(her: Client, survey: Survey) -> None:
    shares = {"share-y1": "20", "share-y2": "30", "share-y3": "50"}
    for key in OFFERED[survey.slug]:
        done, page = found_of(her, survey, kind="weighting", item=key, **shares)
        check_page(done, page)
        check_script(done)
        assert "n a population with these shares" in page
        assert "Weighted by the entered shares" in page
    check_again(her, done)


@pytest.mark.long
def test_analysis_crosses_every_two_questions(her: Client, survey: Survey) -> None:
    options = offered(her, survey, "cross-table", "rows")
    tokens = [*ends(options), *(options.get("habits") or options["listed"])[1:2]]
    groups = ["", "y1", "", "y3"] * 10
    for first, second, group in zip(tokens, [*tokens[1:], tokens[0]], groups, strict=False):
        same = first.partition(":")[0] == second.partition(":")[0]
        if same and first.partition(":")[0] not in ("habits", "listed"):
            answer = her.post(page_of(survey), {"kind": "cross-table", "rows": first, "columns": second})
            assert (answer.status_code, "Choose two different questions" in answer.content.decode()) == (400, True)
            continue
        done, page = found_of(her, survey, kind="cross-table", rows=first, columns=second, group=group)
        check_page(done, page)
        check_script(done)
        assert "the two answers are associated" in page
    check_again(her, done)


def test_analysis_regresses_every_kind_on_groups(her: Client, survey: Survey) -> None:
    for token in ends(offered(her, survey, "regression", "outcome")):
        done, page = found_of(her, survey, kind="regression", outcome=token, reference="y2")
        check_page(done, page)
        check_script(done)
        assert re.search("The groups differ|The data do not show that the groups differ", page)
    check_again(her, done)


@pytest.mark.long
def test_analysis_compares_versions_of_every_kind(her: Client, survey: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definitions, "ceiling_of", lambda **_: 16.0)  # of both waves together
    close_survey(survey)
    revise_survey(survey)
    fill(selectors.get_design(open_survey(survey, reason="It is a test.").design_id), seed=12)
    for token in ends(offered(her, survey, "versions", "quantity")):
        done, page = found_of(her, survey, kind="versions", quantity=token)
        check_page(done, page)
        check_script(done)
        assert re.search("From wave 1 to wave 2, (the|the data do not show whether the) (share|mean)", page)
    check_again(her, done)


REFUSED = {
    "kinds": [
        ({"kind": "cross-table", "rows": "drinks", "columns": "smokes"}, "A number cannot be used in a cross table"),
        ({"kind": "cross-table", "rows": "substance", "columns": "smokes"}, "are marks, one for each choice"),
        ({"kind": "cross-table", "rows": "place", "columns": "smokes"}, "are marks, one for each choice"),
        ({"kind": "cross-table", "rows": "habits", "columns": "smokes"}, "are marks, one for each choice"),
        (
            {"kind": "regression", "outcome": "hours", "reference": "y1"},
            "A number cannot be used in a cross table or a regression",
        ),
        ({"kind": "regression", "outcome": "worry:2", "reference": "y1"}, "Only the mean of"),
        ({"kind": "cross-table", "rows": "smokes", "columns": "worry"}, "Only the mean of"),
        ({"kind": "comparison", "quantity": "worry:1", "against": "pairs"}, "Only the mean of"),
        (
            {"kind": "comparison", "quantity": "drinks:1", "against": "pairs"},
            "Only the mean of a number can be",
        ),
        ({"kind": "comparison", "quantity": "smokes:mean", "against": "pairs"}, "Choose one choice"),
        ({"kind": "versions", "quantity": "smokes:1"}, "there is nothing to compare with"),
    ],
    "tables": [
        ({"kind": "cross-table", "rows": "asked", "columns": "cups"}, "A number cannot be used in a cross table"),
        ({"kind": "cross-table", "rows": "ranked:1", "columns": "asked"}, "depends on which other answer is true"),
        ({"kind": "regression", "outcome": "tired", "reference": "y1"}, "needs two answers"),
        ({"kind": "regression", "outcome": "tired:0", "reference": "y1"}, "depends on which other answer is true"),
    ],
}


def test_analysis_impossible_request_is_refused(her: Client, survey: Survey) -> None:
    for said, why in REFUSED[survey.slug]:
        answer = her.post(page_of(survey), said)
        assert answer.status_code == 400, said
        (fault,) = re.findall(r'<p class="candor-fault" role="alert">(.*?)</p>', answer.content.decode())
        assert why in fault
    assert not Analysis.objects.exists()
