from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import translation

from collector.errors import InputError
from estimator.exports import services
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.runs.selectors import last_done
from surveys.accounts import access
from surveys.accounts.audit_log import record_event
from surveys.lifecycle import selectors
from surveys.management.base import SurveyCommand, find_survey, output_file, show_progress, usage_error
from surveys.models import Survey


class Command(SurveyCommand):
    help = (
        "Write the estimates of a survey as a file, in any format that the panel has; see docs/reference/commands.md."
    )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument("--output", type=Path, required=True, help="file to write; - for standard output")
        parser.add_argument("--run", metavar="KEY", help="which estimates; the newest where it is left out")
        parser.add_argument("--language", default="", help="of a format that is to be read")
        parser.add_argument(
            "--with-reports", action="store_true", help="required for a format with a row for each response"
        )

    def act(self, **options: Any) -> tuple[str, dict[str, object]]:
        survey = find_survey(options["slug"])
        run, form, rows = _run(survey, options["run"]), FORMATS[options["format"]], options["with_reports"]
        if form.microdata and not rows:
            raise usage_error(f"--format {form.name} has a row for each response; add --with-reports if you want that.")
        if rows and not form.microdata:
            those = ", ".join(one.name for one in FORMATS.values() if one.microdata)
            raise usage_error(f"--with-reports is for a format with a row for each response: {those}.")
        try:
            services.check(run, form.name, language=options["language"], microdata=rows)
        except InputError as refusal:
            raise (usage_error if refusal.field == "language" else CommandError)(str(refusal)) from refusal
        output: Path = options["output"]
        with show_progress(str(form.label)) as watch, output_file(output, private=form.microdata) as file:
            with translation.override(services.written_in(form, options["language"])):
                form.write(run, selectors.report_context(run), file, watch)
            size = file.seek(0, 2)
        words = f"run {run.key}, as {form.name}{', a row for each response' if form.microdata else ''}"
        record_event(None, "exported", survey=survey, detail=words)
        facts = {"slug": survey.slug, "run": run.key, "format": form.name, "output": str(output), "bytes": size}
        return f"Run {run.key} of {survey.slug} is written to {output}.", facts


def _run(survey: Survey, key: str | None) -> Run:
    """The finished run with this key, or the newest one of the latest version."""
    if key:
        found = Run.objects.filter(key=key, state=Run.State.DONE).first()
        if found is None or survey not in access.surveys_of_runs(found.design_id):
            raise CommandError(f"{survey.slug} has no finished run {key!r}.")
        return found
    version = selectors.latest_version(survey)
    run = last_done(version.design_id) if version else None
    if run is None:
        raise CommandError(f"{survey.slug} has no estimates yet; manage.py estimate {survey.slug} makes them.")
    return run
