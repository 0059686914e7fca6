"""A finished run of the payloads' survey, and its known truth, for tests of what is made from runs."""

from collector.designs import Design
from collector.designs.services import close_design
from collector.endpoint.receiving import receive_simulated
from estimator.models import KnownShare, Run
from estimator.runs import services
from tests.factories import payloads
from tests.factories.reports import store_report

REPORTS = ("0100", "0002", "0101")


def fill(design: Design, *, count: int = 90, first: int = 60) -> None:
    """Store reports: the first `first` of the first year, the others of the later ones."""
    strata = ["y1" if number < first else "y2" for number in range(count)]
    bodies = [payloads.body(design, stratum=one, report=REPORTS[n % len(REPORTS)]) for n, one in enumerate(strata)]
    if design.rehearsal:
        receive_simulated(bodies, slug=design.slug)
        return
    for body in bodies:
        store_report(body, slug=design.slug)


def fill_open(design: Design, *, count: int = 90, first: int = 60) -> None:
    """Store so many reports of an open design that these are counted: ten more of each group wait."""
    fill(design, count=count, first=first)
    fill(design, count=20, first=10)


def run_of(design: Design, *, published: bool = False, final: bool = True) -> Run:
    """A finished run: after closing where it is `final`, else one of a design that takes reports still."""
    if final:
        close_design(design.digest)
    run = services.execute(services.request_run(design.digest).pk)
    services.publish(run, published=published)
    run.refresh_from_db()
    return run


def know(design: Design, shares: dict[tuple[int, int, int | None], int], *, respondents: int = 90) -> None:
    """Record true answers, as holders of (item, choice, stratum)."""
    services.record_known_shares(
        design.digest,
        [
            KnownShare(
                design_id=design.digest,
                position=position,
                choice=choice,
                stratum=stratum,
                respondents=respondents,
                holders=holders,
            )
            for (position, choice, stratum), holders in shares.items()
        ],
    )


NUMBERS = ("unbiased", "constrained", "standard_error", "noise_standard_error",
         "low", "high", "noise_low", "noise_high", "direct_question_n")  # fmt: skip
