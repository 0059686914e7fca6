"""The report and the files of a survey with every kind of question."""

import csv
import io
import json
import re
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.test import Client
from django.utils.translation import override

from collector.designs import Design
from collector.designs.services import freeze_design
from estimator.base import wording
from estimator.base.verdict import Verdict
from estimator.exports.formats import FORMATS
from estimator.models import Run
from estimator.reports import privacy, report, verification
from estimator.runs import estimation, results, services
from randomized_response import combine_means, combine_strata, load_bundle, mean_of_shares, poisoning_bound
from tests.factories import kinds, simulation
from tests.factories.kinds import GROUPS, PLACE_OF, every_kind
from tests.factories.runs import NUMBERS, run_of
from tests.factories.simulation import PEOPLE, simulated_run, weighted_run
from tests.tools.gate import few
from tests.tools.html import text_of

pytestmark = pytest.mark.django_db


def words(run: Run) -> str:
    response = Client().get(f"/reports/{run.key}/")
    assert response.status_code == 200
    return text_of(response.content.decode())


def blocks(run: Run) -> dict[str, report.QuestionBlock]:
    return {block.key: block for block in report.build(run).blocks}


def test_report_page_sections_are_headings() -> None:
    html = Client().get(f"/reports/{simulated_run().key}/").content.decode()
    headings = re.findall(r"<h([1-6])[^>]*>(.*?)</h", html)
    titles = [(int(level), title) for level, title in headings]
    place = titles.index((2, "Smoking"))
    assert titles[place + 1] == (3, "Question about smokes?")
    assert titles.index((2, "Everything else")) < titles.index((3, "Question about habits?"))
    assert (4, "Mean") in titles
    assert "About the last year." in html


@pytest.mark.long
@pytest.mark.parametrize("changes", [{}, {"strata": {"wording": {"en": "How old?"}, "groups": GROUPS}}])
def test_report_page_largest_share_has_joint_interval(changes: dict[str, Any]) -> None:
    """The reports pick it: the interval of one share fixed beforehand misses too often."""
    run = simulated_run(**changes)
    read, built = results.read(run), report.build(run)
    for key in ("substance", "place", "habits"):
        item, block = read.items[PLACE_OF[key]], blocks(run)[key]
        together = estimation.together(item.partition, item.position, item.totals, 0.95)
        assert together is not None
        largest = int(np.argmax(together.constrained))
        cell = run.estimates.get(position=item.position, measure="share", choice=largest, stratum=None)
        places = wording.decimals(cell.standard_error)
        ends = together.noise_low[largest], together.noise_high[largest]
        wide = f"95\u00a0% CI {wording.span(*ends, places)})"
        told = together.noise_low[largest] > np.delete(together.noise_high, largest).max()
        sentence = block.headline.sentence
        assert wide in sentence
        assert item.choices[largest] in sentence
        assert ("The data do not show which choice is the most frequent." in sentence) == (not told)
        assert cell.noise_low is not None
        assert together.noise_low[largest] < cell.noise_low
        assert sentence in [short.sentence for short in built.in_short]
        assert text_of(sentence) in words(run)


def test_report_page_quotes_mean_of_number() -> None:
    run = simulated_run()
    estimate = run.estimates.get(position=PLACE_OF["drinks"])
    (part,) = blocks(run)["drinks"].parts
    (line,) = part.lines
    found = re.fullmatch(
        r"The mean of the 700 respondents is an estimated (\S+) \(95\u00a0% CI (\S+)–(\S+)\)\.(?: This.+)?",
        line.sentence,
    )
    assert found is not None
    shown, low, high = map(float, found.groups())
    assert abs(shown - estimate.constrained) <= 0.5  # type: ignore[operator]
    assert low <= estimate.noise_low <= estimate.noise_high <= high  # type: ignore[operator]
    assert line.direct == "–"
    page = words(run)
    assert text_of(line.sentence) in page
    assert "A number from 0 to 40 in steps of 1" in page
    assert "Wald interval: the estimate and its standard error" in page


def test_report_page_scale_has_shares_and_mean() -> None:
    run = simulated_run()
    mean, shares = blocks(run)["mood"].parts
    assert (mean.title, shares.title) == ("Mean", "Shares")
    assert [line.choice for line in shares.lines][-1] == "Prefer not to say"
    (line,) = mean.lines
    assert line.sentence.startswith("Among those of the 700 respondents who chose a point, the mean is an estimated ")
    assert ">1</text>" in mean.overall.html
    assert ">5</text>" in mean.overall.html
    page = words(run)
    assert "For the mean, the choices count as 1 to 5; respondents who chose “Prefer not to say” are left out." in page
    assert "its standard error by the delta method" in page
    plain = blocks(run)["worry"].parts[0].lines[0].sentence
    assert plain.startswith("The mean of the 700 respondents is an estimated ")


MEAN_ALONE = (
    "For a scale with discrete Laplace noise only the mean is shown; the shares of its points are too imprecise to "
    "report."
)


@pytest.mark.long
@pytest.mark.parametrize("changes", [{}, {"strata": {"wording": {"en": "How old?"}, "groups": GROUPS}}])
def test_report_files_discrete_laplace_show_mean_only(changes: dict[str, Any]) -> None:
    """In report, panel and each file, of all and of each group; also of a run that has shares from before."""
    run = simulated_run(**changes)
    whole = run.estimates.get(position=PLACE_OF["worry"], stratum=None)
    old = {field.name: getattr(whole, field.name) for field in whole._meta.fields if not field.primary_key}
    run.estimates.create(**old | {"measure": "share", "sent": 1})
    assert [cell.estimate.measure for cell in results.read(run).items[PLACE_OF["worry"]].cells] == ["mean"] * (
        3 if changes else 1
    )
    block = blocks(run)["worry"]
    assert [part.caption for part in block.parts] == ["Estimated mean"]
    assert block.notes == ("For the mean, the choices count as 1 to 5.", MEAN_ALONE)
    assert not [text for text in block.bounds if "share shifts" in text or "a share" in text]
    assert block.headline.line in block.parts[0].lines
    assert words(run).count(MEAN_ALONE) >= 2, "under the question, and where methods are told"
    rows = [row for row in sheet(run) if row["item"] == "worry"]
    found = [row for row in json.loads(FORMATS["json"].whole(run))["estimates"] if row["item"] == "worry"]
    assert {row["measure"] for row in [*rows, *found]} == {"mean"}
    assert {row["estimate_method"] for row in found} == {"mean_of_shares"}


def test_report_page_multiple_choice_need_not_sum_to_100() -> None:
    run = simulated_run()
    (part,) = blocks(run)["habits"].parts
    assert [line.choice for line in part.lines] == list(kinds.HABITS)
    assert part.lines[-1].sentence.startswith(f"“{kinds.HABITS[-1]}”: too imprecise to report")
    assert "Several options could be ticked, so the shares need not add up to 100 %." in words(run)


def test_report_page_states_filter_and_default_answer() -> None:
    page = words(simulated_run())
    assert (
        "Asked only of respondents who answered “Yes” to “Question about smokes?”. The estimates are for all "
        "respondents; those who were not asked count as “Never”." in page
    )
    assert "answered “Drinking” or “Gambling” to “Question about habits?”" in page
    assert "those who were not asked count as “0”." in page


def test_report_page_unasked_multiple_choice_counts_empty() -> None:
    document = kinds.document()
    document["items"][PLACE_OF["habits"]]["asked_if"] = {"item": "smokes", "answers": [1]}
    design = freeze_design(document)
    assert "those who were not asked count as having ticked nothing." in words(run_of(design, published=True))


def test_report_page_yes_no_with_third_option_shows_all() -> None:
    document = every_kind().document
    smokes = document["items"][0]
    smokes["choices"].append({"en": "Prefer not to say"})
    table = [[4, 1, 1], [1, 4, 1], [1, 1, 4]]
    smokes |= {"prefer_not": True, "channel": {"name": "k_ary", "truth": "1/2", "weights": table}}
    run = run_of(freeze_design(document), published=True)
    (part,) = blocks(run)["smokes"].parts
    assert [line.choice for line in part.lines] == ["No", "Yes", "Prefer not to say"]


@pytest.mark.long
def test_report_page_mean_groups_share_chart_and_table() -> None:
    run = weighted_run()
    (part,) = blocks(run)["hours"].parts
    assert [row[0].text for row in part.main.rows] == ["All respondents, weighted", "Young", "Old"]
    assert (part.by_group, part.groups) == (None, None)
    assert part.lines[0].sentence.startswith(
        "Mean, weighted by the known group sizes: too imprecise to report (700 resp"
    )
    assert part.group_lines[0].sentence.startswith("Mean in the group “Young”: too imprecise to report (")
    mood = blocks(run)["mood"].parts[0]
    assert "the mean among those of the 700 respondents who chose a point is an estimated" in mood.lines[0].sentence
    assert re.search("who chose a point, the mean|too imprecise to report", mood.group_lines[0].sentence)


def test_report_page_too_few_reports_is_stated_for_all_kinds() -> None:
    run = simulated_run(count=9)
    lines = [line for block in report.build(run).blocks for part in block.parts for line in part.lines]
    assert len(lines) == 34, "of yes and no only one is shown"
    assert {line.missing for line in lines} == {"Not enough responses yet: 0 of 10"}, "how many below ten is not told"
    assert "Not enough responses yet: 0 of 10" in words(run)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            r"^(“.+”|Mean)( in the group “.+”)?: too imprecise to report \(12 respondents|^.+: too imprecise to report",
        ),
        ("de", r"^(„.+“|Mittelwert).*: zu ungenau zum Berichten \(bei "),
    ],
)
def test_report_page_wide_interval_is_not_quoted(language: str, said: str) -> None:
    """Of twelve responses every kind has estimates in its tables; no sentence quotes one that is too imprecise."""
    run = simulated_run(count=12)
    with override(language):
        built = report.build(run)
        read = results.read(run)
        wide = 0
        for block, item in zip(built.blocks, read.items, strict=True):
            lines = {(line.choice, line.group): line for part in block.parts for line in part.lines}
            for cell in (cell for cell in item.shown if cell.known):
                one = cell.estimate
                assert one.noise_low is not None
                assert one.noise_high is not None
                line = lines[cell.choice, cell.group]
                useful = item.verdict(one) is not Verdict.TOO_IMPRECISE
                assert bool(re.match(said, line.sentence)) is not useful
                assert line.estimate
                wide += not useful
        assert wide
        quoted = [short.sentence for short in built.in_short[1:-1]]
        assert any(re.match(said, one) for one in quoted)
        assert not any("most frequent" in one for one in quoted if "The data do not show" not in one)


def test_imprecise_sentence_gives_interval_alone() -> None:
    """By choice and mean, in a group, weighted, and of those alone who chose a point."""
    share = wording.Quote("share", 12, "33 %", "95 % CI 0–67 %", Verdict.TOO_IMPRECISE, choice="Yes")
    end = "too imprecise to report (12 respondents, 95 % CI 0–67 %)."
    assert wording.sentence(share) == f"“Yes”: {end}"
    assert wording.sentence(replace(share, of="one_of_several", group="Old")) == f"“Yes” in the group “Old”: {end}"
    assert wording.sentence(replace(share, weighted=True)) == f"“Yes”, weighted by the known group sizes: {end}"
    mean = replace(share, of="mean_of_some", choice="")
    assert wording.sentence(mean) == f"Mean: {end}"
    assert wording.sentence(replace(mean, group="Old")) == f"Mean in the group “Old”: {end}"


def test_report_page_too_few_points_is_stated() -> None:
    run = simulated_run()
    run.estimates.filter(position=PLACE_OF["mood"], measure="mean").update(
        constrained=None, flags=["too_few_gave_a_value"]
    )
    assert "Too few respondents chose a point for a mean" in words(run)


def test_rehearsal_known_mean_matches_simulation() -> None:
    design = every_kind(rehearsal=True)
    run = simulated_run(rehearsal=True)
    generator = np.random.default_rng(11)
    who = simulation.people(design, PEOPLE, generator)
    cells = {item.key: item.means[0] for item in results.read(run).items if item.means}
    assert cells["drinks"].truth == pytest.approx(who.answers["drinks"].mean())
    assert cells["hours"].truth == pytest.approx(who.answers["hours"].mean() / 2)
    mood = who.answers["mood"]
    assert cells["mood"].truth == pytest.approx((mood[mood < 5] + 1).mean())
    habits = next(item for item in results.read(run).items if item.key == "habits")
    assert [cell.truth for cell in habits.shares] == pytest.approx(who.answers["habits"].mean(axis=0))
    page = words(run)
    assert "of 34 main intervals contain the true value" in page
    assert "The mean of the 700 simulated respondents is" in page


def test_rehearsal_known_mean_is_weighted() -> None:
    """By hand from each simulated answer: sum over the groups of W times the mean, of a scale the mean of shares."""
    design = every_kind(rehearsal=True, strata={"wording": {"en": "How old?"}, "groups": GROUPS})
    who = simulation.people(design, PEOPLE, np.random.default_rng(11))
    known = [float(Fraction(group["share"])) for group in GROUPS]
    cells = {item.key: item.cells for item in results.read(weighted_run(rehearsal=True)).items}
    groups = [who.strata == h for h in range(len(known))]
    drinks = sum(W * who.answers["drinks"][h].mean() for W, h in zip(known, groups, strict=True))
    assert cells["drinks"][0].truth == pytest.approx(drinks)
    mood = [[np.mean(who.answers["mood"][h] == point) for point in range(6)] for h in groups]
    shares = np.average(mood, axis=0, weights=known)
    assert [cell.truth for cell in cells["mood"][:6]] == pytest.approx(shares)
    assert cells["mood"][6].truth == pytest.approx(shares[:5] @ range(1, 6) / shares[:5].sum())


def test_known_mean_incomplete_shares_is_none() -> None:
    run = simulated_run(rehearsal=True)
    design = results.read(run).design
    services.record_known_shares(design.digest, [])
    assert {cell.truth for item in results.read(run).items for cell in item.cells} == {None}


def test_privacy_label_describes_each_encoding() -> None:
    run = simulated_run()
    label = {item.key: item for item in privacy.label(results.read(run)).items}
    assert label["substance"].tickets.columns == ("not marked", "marked")
    assert [name for name, _ in label["substance"].tickets.rows] == ["Another choice", "This choice"]
    assert [name for name, _ in label["habits"].tickets.rows] == ["Not ticked", "Ticked"]
    assert label["drinks"].tickets.columns == ("lowest (0)", "highest (40)")
    assert [name for name, _ in label["drinks"].tickets.rows] == ["0", "10", "20", "30", "40"]
    assert label["drinks"].tickets.remark == "5 of 41 rows; report.json has all of them."
    assert label["hours"].tickets.columns == ("0 to 1.5", "2 to 3.5", "4 to 5.5", "6 to 7.5", "8 to 10")
    page = words(run)
    assert (
        "Mechanism: unary encoding, probability of a mark for the answer 1/2, probability of a mark for any other "
        "choice 1/3." in page
    )
    assert "A set of 3 of the 8 choices is sent." in page
    assert "Number of tickets, of 11, that send each response" in page
    assert "At most 2 can be ticked." in page
    assert "the more likely “highest”" in page
    assert label["place"].mechanism.ratio == 2
    assert (
        "Privacy loss (epsilon) 0.70: a response changes the odds between two answers by a factor of at most 2." in page
    )


def test_privacy_label_rounded_rows_sum_to_whole() -> None:
    for item in privacy.label(results.read(simulated_run())).items:
        for _, cells in item.tickets.rows:
            texts = [text.replace("\u00a0%", "").replace(",", "") for text, _ in cells]
            whole = 100 if "%" in cells[0][0] else item.frozen.channel.denominator
            assert sum(map(float, texts)) == pytest.approx(whole, abs=0.3), item.key


def test_poisoning_bounds_of_each_encoding() -> None:
    run = simulated_run()
    items = {item.key: item for item in results.read(run).items}
    bounds = {key: privacy.bounds(item) for key, item in items.items()}
    assert [bound.measure for bound in bounds["mood"]] == ["share", "share", "mean", "mean"]
    assert bounds["substance"][0].shift == pytest.approx(7 / PEOPLE * 6 * 2 * 5 / 6), "six marks spill into each other"
    assert [bound.measure for bound in bounds["worry"]] == ["mean", "mean"], "nothing is certain of shares near 0"
    assert bounds["place"][0].shift == poisoning_bound(PEOPLE, 7, items["place"].mechanism)
    assert bounds["drinks"][0].shift == pytest.approx(7 / PEOPLE * 40 * 3)
    text = " ".join(privacy.bounds_in_words(items["drinks"]))
    assert "With 1 % false responses (7 of 700), the mean shifts by no more than 1.2;" in text.replace("\u00a0", " ")
    assert "With 1 % false responses (7 of 700), no share shifts by more than 10.0 percentage points;" in words(run)


@pytest.mark.long
def test_direct_question_size_matches_standard_error() -> None:
    """Sampling included, as in the files. Where the interval touches 0 or 1 nothing is said."""
    run, told = simulated_run(), 0
    for item in results.read(run).items:
        if item.key in ("smokes", "often", "mood", "habits"):
            lines = {line.choice: line for line in blocks(run)[item.key].parts[-1].lines}
            for cell in item.shares:
                found: Any = cell.estimate
                direct = 1 + found.constrained * (1 - found.constrained) / found.standard_error**2
                within = found.low > 0 and found.high < 1
                assert lines[cell.choice].direct == (wording.count(direct) if within else "–")
                told += within
    assert told > 0


@pytest.mark.long
def test_direct_question_size_below_two_is_not_shown() -> None:
    """The variance of the answers was estimated as about 0: nobody can say how many such answers would need."""
    run = simulated_run()
    mean = run.estimates.get(position=PLACE_OF["mood"], measure="mean", stratum=None)
    for needed in (60.0, 1.01):
        mean.direct_question_n = needed
        mean.save()
        lines = [line for part in blocks(run)["mood"].parts for line in part.lines if not line.choice]
        assert [line.direct == "–" for line in lines] == [needed < 2]


def test_poisoning_bound_uses_largest_weight() -> None:
    run = weighted_run()
    (smokes, *_) = results.read(run).items
    sizes = smokes.totals[0].sum(axis=1)
    weight = max(0.4 * PEOPLE / sizes[0], 0.6 * PEOPLE / sizes[1])
    assert privacy.bounds(smokes)[0].shift == pytest.approx(weight * poisoning_bound(PEOPLE, 7, smokes.mechanism))


def sheet(run: Run) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(FORMATS["csv"].whole(run).decode("utf-8-sig"), newline="")))


def test_csv_export_separates_shares_and_means() -> None:
    rows = sheet(simulated_run())
    means = [row for row in rows if row["measure"] == "mean"]
    assert [row["item"] for row in means] == ["mood", "worry", "drinks", "hours"]
    assert {(row["choice"], row["choice_label"], row["sent"]) for row in means} == {("0", "", "")}
    assert {row["measure"] for row in rows} == {"share", "mean"}
    assert next(row for row in means if row["item"] == "drinks")["direct_question_n"] == ""


COLUMNS = ("estimate_unclipped", "estimate", "standard_error", "noise_standard_error",
           "low", "high", "noise_low", "noise_high", "direct_question_n")  # fmt: skip


def plain(estimate: Any, choice: int | None) -> list[float | None]:
    values = [getattr(estimate, name) if choice is None else getattr(estimate, name)[choice] for name in NUMBERS]
    return [None if np.isnan(value) else float(value) for value in values]


@pytest.mark.parametrize("known", few([False, True]), ids=["one group", "weighted"])
def test_json_export_rebuilds_bit_for_bit(known: bool, tmp_path: Path) -> None:
    run = weighted_run() if known else simulated_run()
    path = tmp_path / "report.json"
    path.write_bytes(FORMATS["json"].whole(run))
    bundle, document = load_bundle(path), json.loads(path.read_text(encoding="utf-8"))
    assert len(document["estimates"]) == (3 if known else 1) * 35
    for row in document["estimates"]:
        item, mean = bundle.items[row["item"]], row["measure"] == "mean"
        estimate = item.estimate_mean if mean else item.estimate
        if not row["stratum"]:
            whole = bundle.estimate_population_mean if mean else bundle.estimate_population
            assert plain(whole(row["item"]), None if mean else row["choice"]) == [row[name] for name in COLUMNS]
        if row["stratum"] or not known:
            again = estimate(row["stratum"])
        elif not item.question.fits_shares:
            again = combine_means([estimate(key) for key in bundle.strata], list(map(float, bundle.shares.values())))
        else:
            shares = [item.estimate(key) for key in bundle.strata]
            combined = combine_strata(shares, list(map(float, bundle.shares.values())))
            again = mean_of_shares(combined, item.question.values) if mean else combined
        assert plain(again, None if mean else row["choice"]) == [row[name] for name in COLUMNS], row["item"]
        assert again.interval == row["interval_method"]


@pytest.mark.long
def test_weighted_report_code_prints_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = weighted_run()
    (tmp_path / "report.json").write_bytes(FORMATS["json"].whole(run))
    monkeypatch.chdir(tmp_path)
    exec(compile(verification.code(results.read(run)), "report", "exec"), {"__name__": "report"})
    told = capsys.readouterr().out
    share = run.estimates.get(position=PLACE_OF["smokes"], choice=1, stratum=None)
    mean = run.estimates.get(position=PLACE_OF["drinks"], stratum=None)
    assert "weighted_by_known_shares" in share.flags
    smokes = next(line for line in told.splitlines() if line.startswith("smokes"))
    assert [f"{number:.8f}" in smokes for number in (share.constrained, share.noise_low)] == [True, True]
    assert f"drinks {mean.constrained} {mean.noise_low} {mean.noise_high}" in told
    assert "weighted by the known group sizes, as in this report" in words(run)


def test_tallies_are_those_of_the_snapshot() -> None:
    run = simulated_run()
    before = FORMATS["json"].whole(run)
    design = results.read(run).design
    generator = np.random.default_rng(1)
    who = simulation.people(design, 5, generator)
    simulation.store(design, who, simulation.symbols(design, who, generator))
    assert run_of(design).reports == PEOPLE + 5
    assert FORMATS["json"].whole(run) == before


def test_json_export_names_encodings_and_measures() -> None:
    document = json.loads(FORMATS["json"].whole(simulated_run()))
    encodings = {item["item"]: item["encoding"] for item in document["privacy"]["items"]}
    assert encodings["place"] == "subset"
    assert encodings["habits"] == "each_option"
    assert {bound["measure"] for bound in document["poisoning"] if bound["item"] == "worry"} == {"mean"}
    assert all(bound["largest_shift"] <= 40 for bound in document["poisoning"] if bound["item"] == "drinks")


def test_migration_0003_adds_tallies_to_old_runs() -> None:
    """What the migration does to them: single symbols alone stood in the estimates then."""
    document = kinds.document(
        items=[kinds.items()[0] | {"section": "first"}], sections=kinds.document()["sections"][:1]
    )
    design = freeze_design(
        document | {"strata": {"wording": {"en": "?"}, "groups": [g | {"share": None} for g in GROUPS]}}
    )
    _fill(design)
    run = run_of(design)
    kept = run.tallies
    Run.objects.update(tallies=[])
    import_module("estimator.migrations.0003_measures").tallies_of_earlier_runs(apps, None)
    assert Run.objects.get().tallies == kept != []


def _fill(design: Design) -> None:
    generator = np.random.default_rng(2)
    who = simulation.people(design, 80, generator)
    simulation.store(design, who, simulation.symbols(design, who, generator))
