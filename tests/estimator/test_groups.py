"""Which groups are told of: never a number of fewer than ten reports, nor a difference of two that is of fewer."""

import importlib
import io
import json
import runpy
from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations, pairwise
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from django.apps import apps
from django.utils import timezone

from collector.designs import FEWEST_IN_GROUP, MOST_GROUPS, Design, check
from collector.designs.services import freeze_design
from collector.errors import ValidationError
from collector.models import FrozenDesign
from collector.reports import selectors as store
from estimator.analyses import presentation, snapshots
from estimator.analyses import services as analyses
from estimator.analyses.exports import json_file
from estimator.analyses.quantities import variable_of
from estimator.base.cells import ExportError
from estimator.exports.formats import FORMATS
from estimator.models import Analysis, Run
from estimator.reports import report
from estimator.runs import groups, results, services
from estimator.runs.groups import OTHER
from randomized_response import load_bundle
from surveys.rendering import results_page
from tests.factories.groups import answered, document
from tests.tools.bundles import run_rebuild, unpack_bundle

AS_ONE = [one for one in FORMATS if not FORMATS[one].microdata]


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "wake", lambda run_id: None)
    monkeypatch.setattr(analyses, "wake", lambda analysis_id: None)


@cache
def design_of(count: int) -> Design:
    return Design.of(document(count))


def told(run: Run) -> dict[str, int]:
    """How many reports stand behind the numbers of each stratum that the report names."""
    return {row["stratum"]: row["n"] for row in json.loads(FORMATS["json"].whole(run))["estimates"]}


# The rule


@pytest.mark.parametrize(
    ("sizes", "members"),
    [
        ((30, 10, 12), ((0,), (1,), (2,))),
        ((30, 3, 12, 8), ((0,), (2,), (1, 3))),
        ((30, 9, 12), ((0,), (1, 2))),  # nine alone: the next larger one joins
        ((12, 30, 12, 2), ((1,), (2,), (0, 3))),  # of equal ones the first
        ((30, 0, 12), ((0,), (1, 2))),
        ((30, 9), ((0, 1),)),
        ((1, 1, 1, 1), ((0, 1, 2, 3),)),
        ((9, 9, 9), ((0, 1, 2),)),
        ((0, 0), ((0, 1),)),
        ((2000, 1), ((0, 1),)),
    ],
)
def test_released_groups_join_small_ones(sizes: tuple[int, ...], members: tuple[tuple[int, ...], ...]) -> None:
    found = groups.released(Design.of(document(len(sizes))), sizes)
    assert found.members == members
    assert bool(found.parts) == (len(members) > 1), "of one row nothing is told by group"


@pytest.mark.django_db
def test_run_below_ten_reports_releases_nothing() -> None:
    """A survey that is closed after its first answer would tell that one symbol by symbol."""
    design = freeze_design(document(2))
    run = answered(design, [1, 8])
    assert run.reports == 9
    assert not np.array(run.tallies[0]).any()
    assert {row.sent for row in run.estimates.all()} == {0}
    for name in AS_ONE:
        FORMATS[name].whole(run)
    asked = {"rows": "cheated", "columns": "mood", "group": ""}
    crossed = analyses.execute(analyses.request("cross-table", asked, [design]).pk)
    assert not np.array(crossed.inputs["pairs"]).any()
    ten = groups.released(design, (1, 9))
    assert ten.merge(np.array([[1, 0], [4, 5]])).tolist() == [[5, 5]]


def test_released_groups_every_union_is_ten_or_none() -> None:
    """20,000 designs of up to 50 groups: every union of what is told, and what all leave of it, is of ten or none."""
    generator = np.random.default_rng(10)
    for _ in range(20_000):
        count = int(generator.integers(2, MOST_GROUPS + 1))
        sizes = generator.integers(0, int(generator.choice([3, 12, 30, 500])), size=count).tolist()
        found = groups.released(design_of(count), sizes)
        assert sorted(chain.from_iterable(found.members)) == list(range(count))
        if len(found.members) > 1:
            # They are disjoint, so every sum and difference of them that is not nothing is at least one of them.
            assert min(sum(sizes[group] for group in members) for members in found.members) >= FEWEST_IN_GROUP
        assert groups.released(found.design, sizes) == found, "the same totals, the same partition"


def test_released_groups_two_releases_differ_by_ten_or_none() -> None:
    """While it is open a group's count is a multiple of ten, a step behind: whatever was told before and is told now,
    no set of groups of the one less a set of the other leaves fewer than ten."""
    generator = np.random.default_rng(11)
    for _ in range(1_500):
        count = int(generator.integers(2, 5))
        design = design_of(count)
        arrived, history = np.zeros(count, dtype=int), []
        for _ in range(int(generator.integers(1, 5))):
            arrived += generator.integers(0, 18, size=count)
            history.append(np.maximum(arrived // 10 - 1, 0) * 10)
        history.append(arrived)
        for before, after in pairwise(history):
            for one in _sets(groups.released(design, before.tolist())):
                for other in _sets(groups.released(design, after.tolist())):
                    left = int(after[list(other)].sum() - before[list(one)].sum())
                    something = before[list(one)].sum() > 0  # before the first step nothing is told
                    assert not (something and one <= other) or left == 0 or left >= FEWEST_IN_GROUP


def _sets(partition: groups.Partition) -> Iterator[frozenset[int]]:
    """Every set of groups that released numbers can be added up to."""
    for size in range(1, len(partition.members) + 1):
        for chosen in combinations(partition.members, size):
            yield frozenset(chain.from_iterable(chosen))


@pytest.mark.parametrize(
    ("sizes", "members"),
    [((10, 19), ((0, 1),)), ((10, 20), ((0,), (1,))), ((15, 15), ((0,), (1,))), ((3, 27), ((0, 1),))],
)
def test_released_groups_weighting_needs_thirty_reports(sizes: tuple[int, int], members: groups.Members) -> None:
    """Of two groups of ten the interval of the sum covers .927 of 95 %; without shares each of ten is told of."""
    for rehearsal in (False, True):
        found = groups.released(Design.of(document(2, "1/2", "1/2", rehearsal=rehearsal)), sizes)
        assert found.members == members or (rehearsal and sum(sizes) >= 30)
    alone = groups.released(Design.of(document(2)), sizes)
    assert len(alone.members) == (1 if min(sizes) < FEWEST_IN_GROUP else 2)


@pytest.mark.django_db
def test_report_page_below_thirty_explains_missing_weights() -> None:
    run = answered(freeze_design(document(2, "1/4", "3/4")), [12, 13])
    page = report.build(run)
    facts = " ".join(fact.text for fact in (*page.label_facts, *page.disclosed))
    assert "two groups of 10 responses and, since the groups’ population shares are known, 30" in facts
    assert "The known group sizes are not used: weighting takes at least two groups of 10 responses, and 30" in facts
    assert {row.n for row in run.estimates.all()} == {25}
    assert all(row.constrained is not None for row in run.estimates.all())


def test_released_groups_rehearsal_releases_each_group() -> None:
    """Its respondents are simulated, and it measures what is told of each group."""
    assert groups.released(Design.of(document(3, rehearsal=True)), (1, 2, 3)).members == ((0,), (1,), (2,))


def test_design_more_than_fifty_groups_is_rejected() -> None:
    check(document(MOST_GROUPS))
    with pytest.raises(ValidationError, match=r"^strata\.groups must have at most 50 groups; got 51$"):
        check(document(MOST_GROUPS + 1))


# The attack


@pytest.mark.long
@pytest.mark.django_db
def test_released_groups_of_one_are_all_suppressed(tmp_path: Path) -> None:
    """40 of 40 reports came out by name before: the tallies of a group of one are its report."""
    run = answered(freeze_design(document(40)), [1] * 40)
    assert set(told(run)) == {""}
    assert {row["stratum"] for row in json.loads(FORMATS["json"].whole(run))["tallies"]} == {""}
    assert {len(table) for table in run.tallies} == {1}
    assert run.estimates.exclude(stratum=None).count() == 0
    for name in AS_ONE:
        assert _keys_in(name, FORMATS[name].whole(run), tmp_path) <= {"", "nan"}, name
    with pytest.raises(ExportError):
        FORMATS["reports-csv"].whole(run)


def _keys_in(name: str, content: bytes, folder: Path) -> set[str]:
    """The values of the column of groups in a file of estimates."""
    path = folder / f"file{FORMATS[name].suffix}"
    path.write_bytes(content)
    frames = {"csv": pd.read_csv, "parquet": pd.read_parquet, "sav": pyreadstat.read_sav, "dta": pyreadstat.read_dta}
    if name not in frames:
        return set()
    found = frames[name](path)
    frame = found[0] if isinstance(found, tuple) else found
    return {str(value) for value in frame["stratum"].unique()}


def _ask(design: Design, kind: str, **said: str) -> Analysis:
    return analyses.execute(analyses.request(kind, said, [design]).pk)


SHARES = {f"share-g{place:03d}": "1/4" for place in range(4)}
KINDS = [
    ("comparison", {"quantity": "cheated:1", "against": "pairs"}),
    ("comparison", {"quantity": "cheated:1", "against": "g002"}),
    ("weighting", {"item": "mood", **SHARES}),
    ("cross-table", {"rows": "cheated", "columns": "mood", "group": ""}),
    ("cross-table", {"rows": "cheated", "columns": "mood", "group": "g002"}),
    ("regression", {"outcome": "cheated", "reference": "g000"}),
    ("regression", {"outcome": "cheated", "reference": "g003"}),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "said"), KINDS)
def test_analysis_releases_no_group_below_ten(kind: str, said: dict[str, str]) -> None:
    """What is shown, what is exported and what is kept of it are of the groups as they are released."""
    design = freeze_design(document(4))
    answered(design, [60, 45, 5, 3])
    found = _ask(design, kind, **said)
    tables = found.inputs.get("pairs") or found.inputs["totals"]
    sizes = [int(np.sum(table if "pairs" in found.inputs else table[0])) for table in tables]
    assert (found.inputs["groups"], sizes) == ([[0], [1, 2, 3]], [60, 53])
    assert {row["group"] for row in found.result["rows"]} <= {"", "g000", OTHER}
    assert {row["n"] for row in found.result["rows"]} <= {60, 53, 113}
    shown = presentation.present(found)
    assert "Other groups" in repr(shown)
    assert json.loads(json_file(found))["inputs"] == found.inputs


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "said"), KINDS)
def test_analysis_without_released_groups_is_overall(kind: str, said: dict[str, str]) -> None:
    design = freeze_design(document(4))
    answered(design, [60, 2, 1, 0])
    found = _ask(design, kind, **said)
    assert len(found.inputs.get("pairs") or found.inputs["totals"]) == 1
    assert {row["group"] for row in found.result["rows"]} <= {""}
    shown = presentation.present(found)
    assert kind in ("weighting",) or said.get("group") == "" or "No estimates by group" in shown.sentences[0]


# Everything that leaves goes by one partition


@pytest.mark.django_db
@pytest.mark.parametrize(
    "shares", [pytest.param((), marks=pytest.mark.long), ("2/5", "3/10", "1/5", "1/10")], ids=["alike", "weighted"]
)
def test_bundle_rebuilds_joined_groups(shares: tuple[str, ...], tmp_path: Path) -> None:
    """The overall estimate is made of what is released too, so that whoever has the files comes to it."""
    run = answered(freeze_design(document(4, *shares)), [70, 45, 5, 3])
    assert told(run) == {"": 123, "g000": 70, OTHER: 53}
    folder = unpack_bundle(run, tmp_path)
    done = run_rebuild(folder)
    assert (done.returncode, done.stderr) == (0, "")
    bundle = load_bundle(folder / "report.json")
    assert dict(bundle.strata) == {"g000": "Faculty 00", OTHER: "Other groups"}
    assert {key: str(share) for key, share in bundle.shares.items()} == (
        {"g000": "2/5", OTHER: "3/5"} if shares else {}
    )
    document_of_all = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    script = runpy.run_path(str(Path(__file__).parents[2] / "docs/examples/recompute.py"))
    for row, unbiased, _ in script["recompute"](document_of_all):
        assert unbiased == pytest.approx(row["estimate_unclipped"], abs=1e-9), row
    everybody = document_of_all["estimates"][1]
    assert ("weighted_by_known_shares" in everybody["flags"]) == bool(shares)
    assert everybody["estimate"] is not None


@pytest.mark.django_db
def test_microdata_files_use_released_groups(tmp_path: Path) -> None:
    run = answered(freeze_design(document(5)), [60, 45, 5, 3, 40])
    expected = {"g000": 60, "g001": 45, OTHER: 48}
    assert told(run) == {"": 153, **expected}
    counted = {}
    for name, read in {
        "reports-csv": lambda path: pd.read_csv(path)["stratum"],
        "reports-parquet": lambda path: pd.read_parquet(path)["stratum"],
        "reports-sav": lambda path: pyreadstat.read_sav(path, apply_value_formats=True)[0]["stratum"],
        "reports-dta": lambda path: pyreadstat.read_dta(path, apply_value_formats=True)[0]["stratum"],
    }.items():
        path = tmp_path / f"{name}{FORMATS[name].suffix}"
        path.write_bytes(FORMATS[name].whole(run))
        counted[name] = {str(key).partition(":")[0]: n for key, n in read(path).value_counts().items()}
    labelled = {"Faculty 00": 60, "Faculty 01": 45, "Other groups": 48}
    assert counted == {
        "reports-csv": expected, "reports-parquet": expected, "reports-sav": labelled, "reports-dta": labelled,
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.django_db
def test_export_files_count_no_suppressed_group() -> None:
    """Groups of 47 and 3 reports: neither number stands anywhere, and the names of both stand without one."""
    run = answered(freeze_design(document(4)), [66, 47, 3, 71])
    with ZipFile(io.BytesIO(FORMATS["bundle-with-reports"].whole(run))) as archive:
        texts = {
            name: archive.read(name).decode("utf-8", "ignore") for name in archive.namelist() if name[-4:] != ".pdf"
        }
    assert "Other groups: Faculty 01, Faculty 02" in texts["codebook.html"]
    assert '"groups": [\n    "g001",\n    "g002"\n   ]' in texts["report.json"]
    assert "are combined as “Other groups”: Faculty 01, Faculty 02." in texts["report.html"]
    assert ">50<" in texts["codebook.html"]
    assert ">47<" not in texts["codebook.html"] + texts["report.xml"]
    assert "g001" not in texts["estimates.csv"] + texts["tables/tallies.csv"] + texts["reports.csv"]
    assert {row.group_key for item in results.read(run).items for row in item.cells} == {"", "g000", "g003", OTHER}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Other groups"),
        ("de", "Andere Gruppen"),
        ("fr", "Autres groupes"),
        ("es", "Otros grupos"),
        ("ar", "مجموعات أخرى"),
    ],
)
def test_joined_groups_label_is_translated(language: str, said: str) -> None:
    assert groups.other_label(language) == said


@pytest.mark.django_db
def test_results_page_names_joined_groups() -> None:
    run = answered(freeze_design(document(4)), [66, 47, 3, 71])
    page = results_page.rendered(run.key, "en").decode()
    assert "Other groups" in page
    assert "Faculty 01" not in page


@pytest.mark.long
@pytest.mark.django_db
def test_released_groups_old_design_of_300_groups(tmp_path: Path) -> None:
    """It was frozen before there was a bound: two groups of many, 290 of one, and 8 of none, with known shares."""
    old = document(300, *["1/300"] * 300)
    design = Design.of(old)
    with pytest.raises(ValidationError):
        freeze_design(old)
    FrozenDesign.objects.create(
        digest=design.digest, number=1, document=design.canonical.decode(), opened_on=timezone.now().date()
    )
    run = answered(design, [40, 35] + [1] * 290 + [0] * 8)
    assert told(run) == {"": 365, "g000": 40, "g001": 35, OTHER: 290}
    found = results.read(run).items[0].cells[0]
    assert found.known
    assert run_rebuild(unpack_bundle(run, tmp_path)).returncode == 0


# What an earlier version kept


@pytest.mark.django_db
@pytest.mark.parametrize(("sizes", "again"), [([60, 45], False), ([60, 9], True)])
def test_migration_0010_recomputes_small_groups(sizes: list[int], again: bool) -> None:
    """Both kept the exact totals of each group; a published report stays published."""
    migration = importlib.import_module("estimator.migrations.0010_groups_of_ten")
    design = freeze_design(document(2))
    run = answered(design, sizes)
    asked = _ask(design, "comparison", quantity="cheated:1", against="pairs")
    crossed = _ask(design, "cross-table", rows="cheated", columns="mood", group="")
    exact = store.totals(design.digest)
    Run.objects.update(tallies=[table.tolist() for table in exact], groups=[], published=True)
    Analysis.objects.filter(pk=asked.pk).update(inputs={"totals": np.stack(exact[:1], axis=1).tolist()})
    pairs = snapshots.count_together(design, [variable_of(design, key) for key in ("cheated", "mood")])
    Analysis.objects.filter(pk=crossed.pk).update(inputs={"pairs": pairs.tolist()})
    migration.groups_of_earlier_runs(apps, None)
    migration.groups_of_earlier_analyses(apps, None)
    found = [Run.objects.get(), *Analysis.objects.order_by("pk")]
    assert [one.state for one in found] == ["queued" if again else "done"] * 3
    run = services.execute(run.pk)
    assert (run.published, run.groups) == (True, [[0, 1]] if again else [[0], [1]])
    assert told(run) == ({"": 69} if again else {"": 105, "g000": 60, "g001": 45})
    for one in (asked, crossed):
        done = analyses.execute(one.pk)
        assert done.inputs["groups"] == run.groups
        assert presentation.present(done)


@pytest.mark.django_db
def test_migration_0012_recomputes_small_runs() -> None:
    """Earlier versions gave none of fewer than 30 reports; a published report stays published."""
    migration = importlib.import_module("estimator.migrations.0012_from_ten_reports")
    design = freeze_design(document(2))
    run = answered(design, [15, 10])
    run.estimates.all().delete()
    Run.objects.update(published=True)
    migration.runs_of_few(apps, None)
    assert Run.objects.get().state == "queued"
    run = services.execute(run.pk)
    assert (run.published, run.reports) == (True, 25)
    assert told(run) == {"": 25, "g000": 15, "g001": 10}
    migration.runs_of_few(apps, None)
    assert services.execute(run.pk).estimates.exists()
