from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandError
from tqdm import tqdm

from collector import selectors as reports
from collector.designs import Design
from estimator import services as estimator
from surveys import demo, rehearsal
from surveys.commands import SurveyCommand, find_survey
from surveys.respondents import Respondent, read_answers, simulated


class Command(SurveyCommand):
    help = "Send simulated respondents with known answers through a draft's own copy, and estimate it."

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
        parser.add_argument("--seed", type=int, help="makes the rehearsal repeatable")

    def act(self, **options: Any) -> tuple[str, dict[str, Any]]:
        version = rehearsal.start(find_survey(options["slug"]))
        generator = np.random.default_rng(options["seed"])
        respondents = _respondents(reports.get_design(version.design_id), options, generator)
        sent = rehearsal.send(version, respondents, generator)
        stored = sum(1 for _ in tqdm(sent, total=len(respondents), unit=" reports", disable=options["json"] or None))
        run = estimator.execute(rehearsal.finish(version).pk)
        facts = {"slug": version.survey.slug, "version": version.number, "reports": stored, "run": run.key}
        return f"{version.survey.slug}: {stored} reports are stored and estimated in run {run.key}.", facts


def _respondents(design: Design, options: dict[str, Any], generator: np.random.Generator) -> list[Respondent]:
    if options["redbook"]:
        return demo.redbook_respondents()
    if options["answers"]:
        with options["answers"].open(newline="", encoding="utf-8") as file:
            return read_answers(design, file)
    if not 1 <= options["respondents"] <= 1_000_000:
        raise CommandError(f"--respondents must be from 1 to 1000000; got {options['respondents']}.")
    shares = _shares(options["share"])
    return list(simulated(design, respondents=options["respondents"], shares=shares, generator=generator))


def _shares(texts: Iterable[str]) -> dict[str, list[float]]:
    shares = {}
    for text in texts:
        key, _, values = text.partition("=")
        try:
            shares[key] = [float(value) for value in values.split(",")]
        except ValueError:
            raise CommandError(f"--share must be ITEM=S1[,S2...] with shares from 0 to 1; got {text!r}.") from None
    return shares
