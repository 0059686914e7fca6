from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from collector.errors import InputError
from estimator.analyses import exports, requests, services
from estimator.analyses.quantities import AnalysisError
from estimator.exports.analysis_bundle import zip_file
from estimator.models import Analysis
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import analyses
from surveys.management.base import SurveyCommand, find_survey, output_file, show_progress, usage_error

FILES = {"csv": exports.csv_file, "json": exports.json_file, "zip": zip_file}


class Command(SurveyCommand):
    help = "Make an analysis of the responses as they are, as the page Analyse does; see docs/how-to/analyse.md."

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("kind", choices=Analysis.Kind.values)
        parser.add_argument(
            "parameters", nargs="*", metavar="NAME=VALUE", help="such as outcome=cheated reference=year1 confidence=0.9"
        )
        parser.add_argument("--format", choices=FILES, default="csv")
        parser.add_argument("--output", type=Path, help="file to write its numbers to; - for standard output")

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey, kind = find_survey(options["slug"]), options["kind"]
        fields = dict(_pair(text) for text in options["parameters"])
        try:
            for design in analyses.designs_of(survey)[:1]:
                requests.require_known(kind, fields, design)
            asked = analyses.ask(survey, kind, fields, by=None)
        except AnalysisError as refusal:
            raise usage_error(str(refusal)) from refusal
        with show_progress("Analysing"):
            done = services.execute(asked.pk)
        if done.state != Analysis.State.DONE:
            raise InputError("analysis", done.fault or f"The analysis is {done.state}; a worker has it.")
        facts = {"slug": survey.slug, "analysis": done.key, "kind": kind, "reports": done.reports}
        if options["output"] is None:
            rows = exports.rows_of(done)
            return f"Analysis {done.key} of {survey.slug}: {len(rows)} numbers.", facts | {"rows": rows}
        with output_file(options["output"]) as file:
            file.write(FILES[options["format"]](done))
        record_event(None, "exported", survey=survey, detail=f"analysis {done.key}, as {options['format'].upper()}")
        facts |= {"format": options["format"], "output": str(options["output"])}
        return f"Analysis {done.key} of {survey.slug} is written to {options['output']}.", facts


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise usage_error(f"A parameter must be NAME=VALUE; got {text!r}.")
    return name, value
