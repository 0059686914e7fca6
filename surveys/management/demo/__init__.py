"""The demo: a finished survey made from real answers, and an open one to be answered in the browser."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from django.contrib.auth.models import User

from collector.designs import Design
from collector.designs.selectors import get_design
from collector.errors import InputError
from estimator.analyses import services as analyses
from estimator.models import Run
from estimator.reports import disclosures
from estimator.runs import services as estimator
from estimator.runs.selectors import runs_of
from surveys.accounts.teams import home_team
from surveys.definition import definitions
from surveys.definition.parts import Definition
from surveys.lifecycle import selectors, services
from surveys.models import Survey, Version
from surveys.opening.services import open_survey
from surveys.planning.rehearsals import simulation
from surveys.planning.rehearsals.respondents import Respondent

FINISHED = "redbook-1974"
OPEN = "student-life"
QUESTIONS = ["years_married", "religion", "education", "affair", "rating"]
SEED = 1974
"""A fixed seed, so that every demo has the same report."""

Progress = Callable[[Iterable[int], int], Iterable[int]]


def definition(slug: str) -> Definition:
    """The definition of one of the demo's surveys."""
    return definitions.load((Path(__file__).parent / f"{slug}.yaml").read_text(encoding="utf-8"))


def redbook_respondents(design: Design) -> list[Respondent]:
    """The women of the Redbook survey, in random order: background answers, had an affair or not, rating (1 to 5).

    The file has how many women gave each combination of answers, by their places from 0.

    Source: Fair, R. (1978). A theory of extramarital affairs. Journal of Political Economy 86, 45-61.
    Raises InputError for a survey with other questions.
    """
    asked = [question.key for question in design.background.questions] + [item.key for item in design.items]
    if asked != QUESTIONS:
        raise InputError("answers", f"the survey must ask {', '.join(QUESTIONS)}; it asks {', '.join(asked)}")
    table = np.loadtxt(Path(__file__).parent / f"{FINISHED}.csv", np.intp, delimiter=",", skiprows=1)
    women = np.repeat(table[:, :-1], table[:, -1], axis=0)
    np.random.default_rng(SEED).shuffle(women)
    return [Respondent(design.background.cell_of(told), (affair, rating)) for *told, affair, rating in women.tolist()]


def build(owner: User, *, progress: Progress) -> None:
    """Create the missing parts of the demo; existing ones, and responses to them, are unchanged."""
    _disclosed()
    if finished_run() is None:
        _rehearse(_written(FINISHED, owner), progress)
    if open_version() is None:
        open_survey(_written(OPEN, owner))


def finished_run() -> Run | None:
    """The published run of the finished survey, else its newest finished one; None before it is built."""
    survey = Survey.objects.filter(slug=FINISHED).first()
    version = selectors.latest_version(survey) if survey else None
    done = runs_of(version.design_id).filter(state=Run.State.DONE) if version else Run.objects.none()
    return done.filter(published=True).first() or done.first()


def open_version() -> Version | None:
    """The newest version of the open survey; None before it is built."""
    survey = Survey.objects.filter(slug=OPEN).first()
    return selectors.latest_version(survey) if survey else None


def _disclosed() -> None:
    """Disclose how the finished survey was done, for its report, unless something is disclosed already."""
    if not disclosures.of(FINISHED).pk:
        texts = yaml.safe_load((Path(__file__).parent / "disclosed.yaml").read_text(encoding="utf-8"))
        disclosures.disclose(FINISHED, texts, probability_sample=False)


def _written(slug: str, owner: User) -> Survey:
    """The survey, created unless an interrupted earlier build has created it already."""
    return Survey.objects.filter(slug=slug).first() or services.write_survey(definition(slug), team=home_team(owner))


def _rehearse(survey: Survey, progress: Progress) -> None:
    version = simulation.start(survey)
    design = get_design(version.design_id)
    respondents = redbook_respondents(design)
    sent: Any = simulation.rehearse(version, respondents, np.random.default_rng(SEED))
    for _ in progress(sent, len(respondents)):
        pass
    run = simulation.finish(version)
    _analyse(get_design(design.digest))
    estimator.publish(estimator.execute(run.pk))


def _analyse(design: Design) -> None:
    """Publish the analyses of the finished survey."""
    for fields in yaml.safe_load((Path(__file__).parent / "analyses.yaml").read_text(encoding="utf-8")):
        asked = analyses.request(fields.pop("kind"), fields, [design])
        analyses.keep(analyses.execute(asked.pk), name=asked.name, published=True)
