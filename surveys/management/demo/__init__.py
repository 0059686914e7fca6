"""The demo: a finished survey made from real answers, and an open one to be answered in the browser."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from django.contrib.auth.models import User

from estimator.models import Run
from estimator.reports import disclosures
from estimator.runs import services as estimator
from estimator.runs.selectors import runs_of
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.lifecycle import selectors, services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.planning.rehearsals import simulation
from surveys.planning.rehearsals.respondents import Respondent

FINISHED = "redbook-1974"
OPEN = "student-life"
SEED = 1974
"""One seed, so that everybody sees the same report."""

Progress = Callable[[Iterable[int], int], Iterable[int]]


def definition(slug: str) -> definitions.Definition:
    """The definition of one of the demo's surveys."""
    return definitions.load((Path(__file__).parent / f"{slug}.yaml").read_text(encoding="utf-8"))


def redbook_respondents() -> list[Respondent]:
    """The women of the Redbook survey: whether they had an affair, how they rate their marriage (1 to 5), its years.

    Each is one letter of the file, in the order of the source: "0" and ten letters on for each group of years, five on
    for an affair, one on for each step of the rating.

    Source: Fair, R. (1978). A theory of extramarital affairs. Journal of Political Economy 86, 45-61.
    """
    letters = (Path(__file__).parent / f"{FINISHED}.txt").read_text(encoding="ascii").replace("\n", "")
    codes = [ord(letter) - ord("0") for letter in letters]
    return [Respondent(code // 10, (code // 5 % 2, code % 5)) for code in codes]


def build(owner: User, *, progress: Progress) -> None:
    """Make what is missing of the demo; what is there, and what people did with it, stays."""
    _disclosed()
    if finished_run() is None:
        _rehearse(_written(FINISHED, owner), progress)
    if open_version() is None:
        open_survey(_written(OPEN, owner))


def finished_run() -> Run | None:
    """The published run of the finished survey, or its newest where none is; None before it is built."""
    survey = Survey.objects.filter(slug=FINISHED).first()
    version = selectors.latest_version(survey) if survey else None
    done = runs_of(version.design_id).filter(state=Run.State.DONE) if version else Run.objects.none()
    return done.filter(published=True).first() or done.first()


def open_version() -> Version | None:
    """The newest version of the open survey; None before it is built."""
    survey = Survey.objects.filter(slug=OPEN).first()
    return selectors.latest_version(survey) if survey else None


def _disclosed() -> None:
    """What a report of the finished survey says of how it was done, unless somebody has said something else."""
    if not disclosures.of(FINISHED).pk:
        said = yaml.safe_load((Path(__file__).parent / "disclosed.yaml").read_text(encoding="utf-8"))
        disclosures.disclose(FINISHED, said, probability_sample=False)


def _written(slug: str, owner: User) -> Survey:
    """The survey, which an earlier building that was cut off may have written already."""
    return Survey.objects.filter(slug=slug).first() or services.write_survey(definition(slug), team=home_team(owner))


def _rehearse(survey: Survey, progress: Progress) -> None:
    respondents = redbook_respondents()
    version = simulation.start(survey)
    sent: Any = simulation.rehearse(version, respondents, np.random.default_rng(SEED))
    for _ in progress(sent, len(respondents)):
        pass
    estimator.publish(estimator.execute(simulation.finish(version).pk))
