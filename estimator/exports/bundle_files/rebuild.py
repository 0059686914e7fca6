"""Recompute every number of this report from its counts of randomised reports, and compare.

    python rebuild.py                   prints a table; the exit code is 1 where anything differs
    python rebuild.py --write out.csv   writes the numbers computed here, too

It needs Python 3.11 and the packages numpy and scipy. The mathematics is the library `randomized_response`, which lies
beside this file and reads `report.json`; nothing of the estimates in that file is used but to compare with. What the
library does for one question is in its `estimation.py` (single), `encodings.py` (one_hot, subset, each_option) and
`means.py`; this script says what is put together of it.
"""

import argparse
import csv
import hashlib
import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # the library of this folder, whatever else is installed

from randomized_response import (  # noqa: E402
    MeanEstimate,
    ProportionEstimate,
    collapse_strata,
    epsilon_total,
    load_bundle,
    mean_of_shares,
    poisoning_bound,
    poisoning_bound_of_mean,
)
from randomized_response.bundle import Bundle, Item  # noqa: E402
from randomized_response.questions import Question  # noqa: E402

TOLERANCE = 1e-9
"""Absolute for numbers up to 1, otherwise relative."""

FEWEST = 10
"""With fewer reports there are no numbers, and strata with fewer are weighted as one."""

OTHER = "other groups"
"""The key of groups that are combined."""

ALARM = 4
"""Standard errors of the randomisation by which an estimate may be out of range before it is flagged."""

BORDER = 1e-12
LET_BE = "at the border"
"""The key of a flag that depends on rounding: no column of the files."""

Fit = tuple[ProportionEstimate | None, MeanEstimate | None]
Row = dict[str, Any]

READ = ("design", "tallies", "run", "estimates", "poisoning", "privacy")
"""What is read of `report.json` beside the library."""


# What is estimated of one question


def fit(item: Item, stratum: str, confidence: float) -> Fit | None:
    """The shares and the mean of one stratum, or of all reports together (""); None if there are too few."""
    counts = item.counts[stratum]
    return None if counts[0].sum() < FEWEST else fit_of(item.question, counts, confidence)


def fit_of(question: Question, counts: Any, confidence: float) -> Fit:
    if not question.fits_shares:  # of a number the mean alone
        return None, question.estimate_mean(counts, confidence=confidence)
    shares = question.estimate(counts, confidence=confidence)
    return shares, mean_of_shares(shares, question.values) if question.reports_mean else None


def weighted_as_one(item: Item, known: list[str]) -> bool:
    """Return True if some of the weighted strata have fewer than FEWEST reports and share a weight."""
    sizes = [int(item.counts[stratum][0].sum()) for stratum in known]
    return OTHER in known or len(collapse_strata(sizes, FEWEST)) < len(known)


def everyone(report: Bundle, item: Item, confidence: float) -> Fit | None:
    """Estimate all respondents, with the strata weighted by their population shares W where these are known.

    The sum of W times estimate (Cochran 1977, chapter 5): `estimate_population` of the library's `bundle.py`.
    """
    if item.counts[""][0].sum() < FEWEST:
        return None
    question = item.question
    return (
        report.estimate_population(item.key, confidence=confidence) if question.fits_shares else None,
        report.estimate_population_mean(item.key, confidence=confidence) if question.reports_mean else None,
    )


def at_every_look(item: Item, found: Fit, stratum: str | None) -> Fit:
    """The same estimates with intervals that hold at all looks together, as used while a survey takes reports.

    By the beta-binomial mixture (Robbins 1970) where the counts are binomial, else by the normal one; weighted strata
    (None) have no counts of their own.
    """
    shares, mean = found
    counts = None if stratum is None else item.counts[stratum]
    return (
        shares and item.question.shares_at_every_look(shares, counts),
        mean and item.question.mean_at_every_look(mean, counts),
    )


def estimates(report: Bundle, item: Item, confidence: float, every_look: bool) -> Iterator[Row]:
    """The rows of one question: all respondents first, then each stratum."""
    known = list(report.shares)
    found = everyone(report, item, confidence)
    if found and every_look:
        found = at_every_look(item, found, None if known else "")
    flags = ["weighted_by_known_shares"] * bool(known)
    if known and weighted_as_one(item, known):
        flags.append("small_groups_weighted_as_one")
    yield from rows(item, "", found, flags)
    for stratum in report.strata:
        found = fit(item, stratum, confidence)
        if found and every_look:
            found = at_every_look(item, found, stratum)
        yield from rows(item, stratum, found, [])


# From estimates to the columns of the files (docs: README.txt)


def rows(item: Item, stratum: str, found: Fit | None, flags: list[str]) -> Iterator[Row]:
    counts, question = item.counts[stratum], item.question
    place = {"item": item.key, "stratum": stratum, "n": int(counts[0].sum())}
    shares, mean = found or (None, None)
    if question.reports_shares:
        for choice, sent in enumerate(question.sent(counts).tolist()):
            named = place | {"measure": "share", "choice": choice, "sent": sent}
            yield named | (share_of(shares, choice, flags) if shares else nothing("too_few_reports"))
    if question.reports_mean:
        named = place | {"measure": "mean", "choice": 0, "sent": None}
        why = "too_few_gave_a_value" if mean else "too_few_reports"
        yield named | (mean_of(mean, flags) if mean and not math.isnan(mean.unbiased) else nothing(why))


NUMBERS = (
    "estimate_unclipped", "estimate", "standard_error", "low", "high",
    "noise_standard_error", "noise_low", "noise_high", "direct_question_n",
)  # fmt: skip
FIELDS = (
    "unbiased", "constrained", "standard_error", "low", "high",
    "noise_standard_error", "noise_low", "noise_high", "direct_question_n",
)  # fmt: skip


def share_of(shares: ProportionEstimate, choice: int, flags: list[str]) -> Row:
    numbers = {name: number(getattr(shares, field)[choice]) for name, field in zip(NUMBERS, FIELDS, strict=True)}
    distance = max(-shares.unbiased[choice], shares.unbiased[choice] - 1)
    said = flagged(flags, "estimate_outside_0_1", distance, shares.misfit[choice])
    return numbers | methods(shares) | said


def mean_of(mean: MeanEstimate, flags: list[str]) -> Row:
    numbers = {name: number(getattr(mean, field)) for name, field in zip(NUMBERS, FIELDS, strict=True)}
    distance = max(mean.minimum - mean.unbiased, mean.unbiased - mean.maximum)
    return numbers | methods(mean) | flagged(flags, "mean_outside_range", distance, mean.misfit)


def flagged(flags: list[str], word: str, distance: float, misfit: float) -> Row:
    """Flag `word` if an estimate is out of range; at the very border, where rounding decides, it is optional."""
    alarm = ["reports_outside_table"] * bool(misfit > ALARM)
    return {"flags": [*flags, *[word] * bool(distance > 0), *alarm], LET_BE: word if abs(distance) < BORDER else ""}


def methods(estimate: ProportionEstimate | MeanEstimate) -> Row:
    return {"interval_method": estimate.interval, "noise_interval_method": estimate.noise_interval}


def nothing(why: str) -> Row:
    return dict.fromkeys(NUMBERS) | {
        "interval_method": "none",
        "noise_interval_method": "none",
        "flags": [why],
        LET_BE: "",
    }


def number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def described(report: Bundle, frozen: Row, item: Item, row: Row, run: Row) -> Row:
    """The row with its details from the design."""
    share, weighted = row["measure"] == "share", "_weighted" * bool(report.shares and not row["stratum"])
    by_encoding = {"one_hot": "nearest_shares", "subset": "nearest_shares", "each_option": "own_count"}
    of_mean = "mean_of_shares" if item.question.fits_shares else "mean_of_scores"
    return row | {
        "target": f"population{weighted}",
        "noise_target": f"respondents{weighted}",
        "estimate_method": by_encoding.get(frozen["encoding"], "maximum_likelihood") if share else of_mean,
        "wording": item.wording,
        "choice_label": item.choices[row["choice"]] if share else "",
        "stratum_label": report.strata.get(row["stratum"], ""),
        "confidence": run["confidence"],
        "interval_holds": run["interval_holds"],
        "truth_probability": frozen["channel"].get("truth"),
        "epsilon": number(item.mechanism.epsilon),
        "design": report.digest,
    }


# The poisoning bounds, and the odds


def bounds(report: Bundle, item: Item, confidence: float) -> Iterator[Row]:
    """The largest shift of a share, or the mean, by 1 % and 5 % false reports (Cheu, Smith & Ullman 2021)."""
    n, question = int(item.counts[""][0].sum()), item.question
    sizes = {stratum: int(item.counts[stratum][0].sum()) for stratum in report.shares}
    if not n or (sizes and not min(sizes.values())):
        return
    # All false reports may stand in the stratum whose reports weigh most.
    weight = max((float(report.shares[stratum]) * n / size for stratum, size in sizes.items()), default=1.0)
    shares = overall(report, item, confidence)
    for measure in ["share"] * question.reports_shares + ["mean"] * question.reports_mean:
        for share in (Fraction(1, 100), Fraction(1, 20)):
            false = math.ceil(share * n)
            if measure == "share":
                shift = poisoning_bound(n, false, item.mechanism, shares, weight)
            else:
                shift = shift_of_mean(item, false, weight, shares)
            if shift == math.inf:  # nothing is certain, so nothing is told
                continue
            place = {"item": item.key, "measure": measure, "n": n, "false_share": float(share)}
            yield place | {"false_reports": false, "largest_shift": shift}


def overall(report: Bundle, item: Item, confidence: float) -> ProportionEstimate | None:
    """The released shares among all respondents."""
    found = everyone(report, item, confidence)
    return found[0] if found else None


def shift_of_mean(item: Item, false: int, weight: float, shares: ProportionEstimate | None) -> float:
    values = item.question.values
    points = [value for value in values if value is not None]
    widest = max(points) - min(points)
    if shares is None and len(points) < len(values):
        return widest
    n = int(item.counts[""][0].sum())
    mechanism: Any = item.mechanism
    return min(poisoning_bound_of_mean(n, false, mechanism, values, shares, weight=weight), widest)


def odds(report: Bundle, design: Any) -> Iterator[Row]:
    """e^epsilon and epsilon of each question, and of a person who answers all of them (Dwork & Roth 2014, 3.14).

    Where the survey has versions that ask some questions instead of others: of the version that tells the most.
    """
    mechanisms = {key: item.mechanism for key, item in report.items.items()}
    for key, one in mechanisms.items():
        yield {"item": key, "epsilon": number(one.epsilon), "odds": str(one.ratio)}
    asked = [[mechanisms[key] for key in keys] for keys in versions(list(mechanisms), design)]
    ratios = [math.prod((one.ratio for one in version), start=Fraction(1)) for version in asked]
    most = ratios.index(max(ratios))
    yield {"item": "", "epsilon": number(epsilon_total(asked[most])), "odds": str(ratios[most])}


def versions(keys: list[str], design: Any) -> list[list[str]]:
    """The keys of the questions that each version of the page asks; all of them, once, without versions."""
    background = design.get("background_questions")
    arms = background["questions"][0].get("arms", []) if background else []
    changes = [arm.get("instead", {}) for arm in arms]
    others = {key for one in changes for key in one.values()}
    return [
        [key for key in keys if key not in one and (key not in others or key in one.values())] for one in changes
    ] or [keys]


# Comparing


def differs(computed: Any, stated: Any, let_be: str = "") -> bool:
    """Return True if a stated value differs from the computed one; an empty cell of a CSV file is None."""
    if isinstance(computed, list):
        words = stated.split() if isinstance(stated, str) else stated or []
        return [word for word in computed if word != let_be] != [word for word in words if word != let_be]
    if computed is None or stated in (None, ""):
        return (computed in (None, "")) != (stated in (None, ""))
    if isinstance(computed, int | float):
        try:
            return not abs(computed - float(stated)) <= TOLERANCE * max(1.0, abs(computed))
        except ValueError:
            return True
    return stated not in (computed, f"'{computed}")  # a text that a spreadsheet would compute is quoted


def compare(what: str, computed: list[Row], stated: list[Row], names: tuple[str, ...]) -> Iterator[str]:
    """Yield a line for each value that differs from the computed one; `names` identify rows."""
    place = {tuple(str(row[name]) for name in names): row for row in stated}
    if len(stated) != len(computed):
        yield f"{what}: {len(stated)} rows; {len(computed)} were computed"
    for row in computed:
        key = tuple(str(row[name]) for name in names)
        if key not in place:
            yield f"{what}: no row for {', '.join(key)}"
            continue
        for name, value in row.items():
            text = place[key].get(name)
            if name != LET_BE and differs(value, text, row.get(LET_BE, "")):
                yield f"{what}: {', '.join(key)}: {name} is {text!r}; computed {value!r}"


def digests(named: str, tallies: list[Row], inputs_named: str) -> Iterator[str]:
    """Yield a line for each file, and for the design and the counts, that does not match its digest."""
    design = hashlib.sha256((HERE / "design.json").read_bytes()).hexdigest()
    if design != named:
        yield f"design.json: its SHA-256 is {design}; the report names {named}"
    totals: dict[tuple[str, int], list[list[int]]] = {}
    for row in tallies:  # symbol by symbol in the order of the questions, in each the strata
        totals.setdefault((row["item"], row["symbol"]), []).append(row["counts"])
    inputs = {"design": named, "totals": list(totals.values())}
    digest = hashlib.sha256(json.dumps(inputs, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    if digest != inputs_named:
        yield f"report.json: the tallies have the digest {digest}; the run names {inputs_named}"
    for line in (HERE / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        expected, name = line.split("  ", 1)
        path = HERE / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != expected:
            yield f"{name}: it is not the file that SHA256SUMS names"


def table(computed: list[Row]) -> Iterator[str]:
    numbers = " ".join(f"{name:>12}" for name in ("estimate", "low", "high"))
    yield f"{'question':<20} {'group':<10} {'measure':<8} {'choice':>6} {numbers}  method"
    for row in computed:
        place = f"{row['item']:<20} {row['stratum']:<10} {row['measure']:<8} {row['choice']:>6}"
        if row["estimate"] is None:
            yield f"{place} {'-':>12} {'-':>12} {'-':>12}  {' '.join(row['flags'])}"
        else:
            numbers = " ".join(f"{row[name]:>12.6f}" for name in ("estimate", "low", "high"))
            yield f"{place} {numbers}  {row['interval_method']}"


def write(path: Path, computed: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        names = [name for name in computed[0] if name != LET_BE]
        writer = csv.DictWriter(file, fieldnames=names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row | {"flags": " ".join(row["flags"])} for row in computed)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compute every number of this report again, and compare.")
    parser.add_argument("--write", metavar="FILE", type=Path, help="write the numbers computed here as CSV")
    chosen = parser.parse_args()
    try:
        report = load_bundle(HERE / "report.json")
        document = json.loads((HERE / "report.json").read_text(encoding="utf-8"))
        design, tallies, run, stated, poisoning, privacy = (document[name] for name in READ)
        found = list(digests(report.digest, tallies, run["input_digest"]))
    except (OSError, ValueError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 1
    confidence, every_look = run["confidence"], run["interval_holds"] == "every_look"
    computed = [
        described(report, frozen, item, row, run)
        for frozen, item in zip(design["items"], report.items.values(), strict=True)
        for row in estimates(report, item, confidence, every_look)
    ]
    with (HERE / "estimates.csv").open(encoding="utf-8-sig", newline="") as file:
        sheet = list(csv.DictReader(file))
    place = ("item", "measure", "choice", "stratum")
    found += compare("report.json", computed, stated, place)
    found += compare("estimates.csv", computed, sheet, place)
    limits = [bound for item in report.items.values() for bound in bounds(report, item, confidence)]
    found += compare("poisoning", limits, poisoning, ("item", "measure", "false_share"))
    total = {"item": "", "epsilon": privacy["epsilon_total"], "odds": privacy["odds_total"]}
    found += compare("privacy", list(odds(report, design)), [*privacy["items"], total], ("item",))
    print("\n".join(table(computed)))
    if chosen.write:
        write(chosen.write, computed)
    numbers = sum(value is not None for row in computed for name, value in row.items() if name in NUMBERS)
    if found:
        print(f"\n{len(found)} differences:", *found[:50], sep="\n", file=sys.stderr)
        return 1
    print(
        f"\nNo difference above {TOLERANCE:g} in {len(computed)} estimates ({numbers} numbers), {len(limits)} bounds."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
