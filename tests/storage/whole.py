"""An installation with something of everything in it, and what must be the same of it in another place.

    python -m tests.storage.whole restore BACKUP ANOTHER SIGNER

makes the tables, restores BACKUP into them, says in JSON what is there, and writes ANOTHER backup of it;

    python -m tests.storage.whole upgrade RUN BUNDLE

migrates the database that is there, says in JSON what it holds and exports, and writes the BUNDLE of a RUN.
"""

import json
import os
import subprocess
import sys
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def build() -> None:
    """Two versions of a survey with reports, one of them purged; a rehearsal, analyses, people and their secrets."""
    from django.contrib.auth.models import Group, Permission, User
    from django.utils import timezone
    from django_otp.plugins.otp_static.models import StaticDevice
    from django_otp.plugins.otp_totp.models import TOTPDevice

    from collector.designs.selectors import get_design
    from collector.endpoint import receiving
    from collector.models import FrozenDesign, SetAsideReport
    from estimator.analyses import services as analyses
    from estimator.runs import services as estimator
    from surveys.accounts.invitations import invite
    from surveys.accounts.teams import home_team
    from surveys.lifecycle import selectors, services
    from surveys.maintenance import retention
    from surveys.models import Role, Version
    from surveys.opening import schedules
    from surveys.opening.schedules import OpeningPlan
    from surveys.opening.services import open_survey
    from surveys.outreach.webhooks import services as webhooks
    from surveys.planning.rehearsals import services as rehearsals
    from tests.factories import payloads, runs

    alice = User.objects.create_user("alice", password="a long passphrase", is_staff=True)
    readers = Group.objects.create(name="readers")
    readers.permissions.add(Permission.objects.order_by("pk")[3])
    alice.groups.add(readers)
    alice.user_permissions.add(Permission.objects.order_by("-pk")[0])
    TOTPDevice.objects.create(user=alice, name="phone", key="2a" * 20)
    StaticDevice.objects.create(user=alice, name="paper").token_set.create(token="sesame")
    team = home_team(alice)
    invite(team, Role.VIEWER, by=alice)

    survey = services.write_survey(payloads.definition(participation="0.5"), team=team, by=alice)
    rehearsal = rehearsals.request_rehearsal(survey, {"respondents": 60, "shares": {}}, repetitions=2, seed=5)
    rehearsals.execute(rehearsal.pk)
    first = open_survey(survey)
    runs.fill(get_design(first.design_id))
    estimator.publish(estimator.run_now(first.design_id))
    retention.set_retention(survey, 30, by=alice)
    services.close_survey(survey, by=alice)
    Version.objects.filter(pk=first.pk).update(closed_at=timezone.now() - timedelta(days=31))
    retention.purge_due()
    estimator.run_now(first.design_id)  # which draws the sizes of its groups, though its reports are gone

    services.revise_survey(survey)
    second = open_survey(survey, reason="It is a test.")
    damaged = {"stratum": 0, "nonce": b"damaged report !", "report": b"?"}
    SetAsideReport.objects.create(design=FrozenDesign.objects.get(digest=second.design_id), **damaged)
    design = get_design(second.design_id)
    runs.fill(design, count=120)
    form = f"design={design.digest}&stratum=y2&item-1=1&item-2=0"
    looked = receiving.preview_form(form.encode(), slug="campus")
    receiving.receive_form(f"{form}&nonce={looked.nonce}".encode(), slug="campus")
    estimator.run_now(design.digest, confidence=0.9)
    asked = {"rows": "cheated", "columns": "mood", "group": ""}
    analyses.execute(analyses.request("cross-table", asked, [design]).pk)
    other = services.write_survey(payloads.definition(slug="other"), team=team)
    terms = OpeningPlan(opens_at=timezone.now() + timedelta(days=1), closes_at=timezone.now() + timedelta(days=9))
    schedules.open_on(other, terms, confirmed=selectors.design_to_open(other)[0].digest)
    services.show_results(survey, shown=True)
    webhooks.send_test(webhooks.add(survey, "https://example.org/", ["closed"], [], by=alice)[0])
    # What the log says of this one points nowhere afterwards, and its number must not be given again.
    services.duplicate_survey(survey, slug="gone", by=alice).delete()


ROW = (
    "position", "measure", "choice", "stratum", "n", "sent", "unbiased", "constrained", "standard_error",
    "noise_standard_error", "low", "high", "interval", "noise_low", "noise_high", "noise_interval",
    "direct_question_n", "flags",
)  # fmt: skip
"""The fields of an estimate, in the order in which the files have them."""


def told() -> dict[str, Any]:
    """What a restored installation must have in common with the one that it was, to the last bit."""
    from collector.designs.selectors import get_design
    from collector.models import FrozenDesign, SetAsideReport
    from collector.reports import selectors as store
    from estimator.models import Analysis, Estimate, GroupSize, Run
    from estimator.runs import estimation, groups
    from surveys.models import AuditEntry, Delivery, Page, Survey

    designs: dict[str, Any] = {}
    for frozen in FrozenDesign.objects.order_by("digest"):
        design, totals = get_design(frozen.digest), store.totals(frozen.digest)
        partition = groups.of_totals(design, totals)
        mine = partition.merge_all(totals)
        estimates = [
            f"Row({', '.join(f'{name}={getattr(row, name)!r}' for name in ROW)})"
            for position, field in enumerate(design.fields)
            for row in estimation.estimate_item(partition, position, mine[field.start : field.stop], 0.95)
        ]
        designs[frozen.digest] = {
            "document": sha256(frozen.document.encode()).hexdigest(),
            "totals": [table.tolist() for table in totals],
            "recount": None if frozen.purged_on else [table.tolist() for table in store.recount(frozen.digest)],
            "by hand": store.coin_report_count(frozen.digest),
            "days": [[str(day.first_day), str(day.last_day), day.count] for day in store.daily_counts(frozen.digest)],
            "estimates": estimates,
        }
    runs = Run.objects.order_by("pk")
    return {
        "designs": designs,
        "set aside": [bytes(one.report).hex() for one in SetAsideReport.objects.all()],
        "runs": [[run.key, str(run.snapshot_at), run.input_digest, run.tallies, run.published] for run in runs],
        "estimates": [repr(row) for row in Estimate.objects.order_by("pk").values_list()],
        "group sizes": [list(row) for row in GroupSize.objects.order_by("pk").values_list()],
        "analyses": [[one.key, one.result_digest, one.input_digest] for one in Analysis.objects.order_by("pk")],
        "pages": [sha256(bytes(page.content)).hexdigest() for page in Page.objects.order_by("pk")],
        "surveys": [[one.slug, one.state, one.title, str(one.created_at)] for one in Survey.objects.order_by("pk")],
        "webhooks": [[one.key, one.body, one.webhook.url, one.webhook.salt] for one in Delivery.objects.order_by("pk")],
        "log": [[str(one.at), str(one)] for one in AuditEntry.objects.order_by("pk")],
    }


def upgrade(run: str, bundle: Path) -> dict[str, Any]:
    """Migrate the database; what it holds, its exports as text by run, and the bundle of one run in a file."""
    from django.core.management import call_command

    from estimator.exports.formats import FORMATS
    from estimator.models import Run
    from surveys.lifecycle.selectors import report_context

    call_command("migrate", verbosity=0)
    done = Run.objects.filter(state=Run.State.DONE).order_by("pk")
    context = {one.key: report_context(one) for one in done}
    bundle.write_bytes(FORMATS["bundle"].whole(done.get(key=run), context[run]))
    exports = {
        one.key: {name: FORMATS[name].whole(one, context[one.key]).decode() for name in ("csv", "json")} for one in done
    }
    return {"told": told(), "exports": exports}


def restore(old: Path, new: Path, signer: str) -> dict[str, Any]:
    """Restore a backup into new tables and write another; what it holds."""
    from django.core.management import call_command

    from surveys.maintenance import backup

    call_command("migrate", verbosity=0)
    backup.restore(old, signed_by=signer)
    restored = told()
    backup.back_up(new)
    return restored


def restored_elsewhere(old: Path, new: Path, *, url: str, data: Path) -> dict[str, Any]:
    """As `restore`, in a process of another installation: on this database, or in a file where the URL is empty."""
    from tests.tools.backups import signed_by
    from tests.tools.prepared import DATABASE, copy_database

    if not url:
        data.mkdir(mode=0o700, exist_ok=True)
        copy_database(data / DATABASE)
    left = ("PYTEST_", "CANDOR_", "DATABASE", "DJANGO")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left)}
    command = [sys.executable, "-m", "tests.storage.whole", "restore", str(old), str(new), signed_by(old)]
    there = kept | {"CANDOR_DATA": str(data), "DATABASE_URL": url}
    done = subprocess.run(command, cwd=ROOT, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def main() -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    match sys.argv[1:]:
        case ["upgrade", run, bundle]:
            found = upgrade(run, Path(bundle))
        case ["restore", old, new, signer]:
            found = restore(Path(old), Path(new), signer)
        case unknown:
            raise SystemExit(f"usage: upgrade RUN BUNDLE or restore BACKUP ANOTHER SIGNER; got {unknown}")
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
