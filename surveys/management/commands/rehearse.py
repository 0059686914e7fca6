import math
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from collector.designs import Design, selectors
from collector.errors import InputError
from estimator.runs import services as estimator
from surveys.management import demo
from surveys.management.base import SurveyCommand, find_survey, show_progress, usage_error
from surveys.models import Survey
from surveys.planning.rehearsals import services, simulation
from surveys.planning.rehearsals.misreporting import Misreporting
from surveys.planning.rehearsals.population import Assumptions, Given, population
from surveys.planning.rehearsals.respondents import Respondent, read_answers

MISREPORTING = {
    "at_random": "who answer every question at random",
    "misunderstanding": "of the others who say the opposite of what is true",
    "denial": "of the rest who say No although Yes is true",
}


class Command(SurveyCommand):
    help = "Have simulated respondents with known answers answer a survey, and estimate it."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        source = parser.add_mutually_exclusive_group()
        source.add_argument("--respondents", type=int, default=500, help="how many to simulate")
        source.add_argument("--answers", type=Path, help="CSV file of true answers: a column an item, and stratum")
        source.add_argument("--redbook", action="store_true", help="the answers of the Redbook survey (the demo's)")
        parser.add_argument(
            "--share",
            action="append",
            default=[],
            metavar="ITEM=S1[,S2...]",
            help="true shares of choices, or a number's mean",
        )
        for name, said in MISREPORTING.items():
            option, words = f"--{name.replace('_', '-')}", f"share {said}, and where it differs: 0.1,y2=0.2"
            parser.add_argument(option, default="0", metavar="SHARE[,GROUP=SHARE...]", help=words)
        parser.add_argument("--repetitions", type=int, default=1, help="how often to do it, 1 to 200")
        parser.add_argument("--seed", type=int, help="makes the rehearsal repeatable")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        _check(options)
        survey = find_survey(options["slug"])
        seed = services.new_seed() if options["seed"] is None else options["seed"]
        return (_as_a_whole if survey.rehearsal else _beside)(survey, seed, options)


def _beside(survey: Survey, seed: int, options: dict[str, Any]) -> tuple[str, dict[str, object]]:
    """Rehearse a survey, storing the rehearsal beside it, as the panel does."""
    people = _people(services.design_to_rehearse(survey, 1), options)
    assumptions: Assumptions = {"respondents": options["respondents"], "shares": _shares(options["share"])}
    if people is not None:
        assumptions = {"respondents": len(people), "shares": {}, "file": True}
    assumptions |= _misreporting(options)
    rehearsal = services.request_rehearsal(survey, assumptions, repetitions=options["repetitions"], seed=seed)
    with show_progress("Rehearsing") as watch:
        while rehearsal.waits:
            services.execute(rehearsal.pk, seconds=math.inf, people=people, watch=watch)
            rehearsal.refresh_from_db()
            watch(rehearsal.progress / 100)
            time.sleep(0.5 if rehearsal.waits else 0)  # a worker was faster
    if rehearsal.run is None:
        raise InputError("shares", rehearsal.fault or "The rehearsal was stopped.")
    facts = {"slug": survey.slug, "rehearsal": rehearsal.number, "repetitions": rehearsal.done.count(), "seed": seed}
    facts |= {"reports": rehearsal.run.reports, "run": rehearsal.run.key}
    words = "{slug}: rehearsal {rehearsal} with {reports} responses, {repetitions} times; run {run}."
    return words.format_map(facts), facts


def _as_a_whole(survey: Survey, seed: int, options: dict[str, Any]) -> tuple[str, dict[str, object]]:
    """Rehearse a survey that exists only for this, in a new version."""
    version, generator = simulation.start(survey), np.random.default_rng(seed)
    design = selectors.get_design(version.design_id)
    people = _people(design, options)
    if people is None:
        assumptions: Assumptions = {"respondents": options["respondents"], "shares": _shares(options["share"])}
        people = list(population(design, assumptions).draw(generator))
    misreporting = Misreporting.of(_misreporting(options))
    misreporting.require_groups(design)
    sent = simulation.rehearse(version, people, generator, misreporting)
    stored = sum(1 for _ in tqdm(sent, total=len(people), unit=" responses", leave=False, disable=None))
    run = estimator.execute(simulation.finish(version).pk)
    facts = {"slug": survey.slug, "version": version.number, "reports": stored, "run": run.key}
    return f"{survey.slug}: {stored} responses are stored and estimated in run {run.key}.", facts


def _check(options: dict[str, Any]) -> None:
    for name, most in (("respondents", 1_000_000), ("repetitions", 200)):
        if not 1 <= options[name] <= most:
            raise usage_error(f"--{name} must be from 1 to {most}; got {options[name]}.")


def _people(design: Design, options: dict[str, Any]) -> list[Respondent] | None:
    """The given respondents; None if they are drawn."""
    if options["redbook"]:
        return demo.redbook_respondents(design)
    if not options["answers"]:
        return None
    with options["answers"].open(newline="", encoding="utf-8") as file:
        return read_answers(design, file)


def _misreporting(options: Mapping[str, Any]) -> Assumptions:
    """The shares of people who do not say what is true, of everybody and by group."""
    found: Any = {}
    for name in MISREPORTING:
        for part in options[name].split(","):
            group, _, share = part.rpartition("=")
            try:
                shares = found.setdefault("misreporting_groups", {}).setdefault(group, {}) if group else found
                shares[name] = float(share)
            except ValueError:
                option = f"--{name.replace('_', '-')}"
                raise usage_error(f"{option} must be SHARE[,GROUP=SHARE...]; got {options[name]!r}.") from None
    return found  # type: ignore[no-any-return]


def _shares(texts: Iterable[str]) -> dict[str, Given]:
    shares: dict[str, Given] = {}
    for text in texts:
        key, _, values = text.partition("=")
        try:
            shares[key] = [float(value) for value in values.split(",")]
        except ValueError:
            raise usage_error(f"--share must be ITEM=S1[,S2...] with shares from 0 to 1; got {text!r}.") from None
    return shares
