"""The columns of all tables with their labels; docs/reference/report.md describes them in detail."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "whole", "number", "moment"]


@dataclass(frozen=True)
class Column:
    """A table column: text, whole number, number, or time as ISO 8601 in UTC; any cell may be empty (None).

    A label has at most 80 characters, as Stata takes no more.
    """

    name: str
    kind: Kind
    label: str


ITEM = Column("item", "text", "Key of the question")
WORDING = Column("wording", "text", "The question as it was asked")
ENCODING = Column("encoding", "text", "How an answer becomes symbols")
EPSILON = Column("epsilon", "number", "Epsilon of the question, natural logarithm")
STRATUM_LABEL = Column("stratum_label", "text", "The group as it was offered")
N = Column("n", "whole", "Responses counted")
CONFIDENCE = Column("confidence", "number", "Level of each interval by itself")
QUANTITY = (
    ITEM,
    WORDING,
    Column("measure", "text", "share of a choice, or mean"),
    Column("choice", "whole", "Number of the choice, from 0; 0 for a mean"),
    Column("choice_label", "text", "The choice as it was offered; empty for a mean"),
)
INTERVAL = (
    Column("low", "number", "Lower end of the interval with sampling, not the main one"),
    Column("high", "number", "Upper end of the interval with sampling, not the main one"),
)
NOISE = (
    Column("noise_standard_error", "number", "Standard error from randomisation alone"),
    Column("noise_low", "number", "Lower end of the main interval, from randomisation alone"),
    Column("noise_high", "number", "Upper end of the main interval, from randomisation alone"),
)
ESTIMATES = (
    *QUANTITY,
    Column("stratum", "text", "Key of the group; empty for all respondents"),
    STRATUM_LABEL,
    N,
    Column("sent", "whole", "Randomised, not the true answer: responses that say this choice"),
    Column("estimate_unclipped", "number", "Unbiased estimate of the true share or mean; may lie outside the range"),
    Column("estimate", "number", "The estimate to quote: shares within [0, 1], a mean within its range"),
    Column("estimate_method", "text", "How the estimate was made"),
    Column("standard_error", "number", "Of the unbiased estimate: randomisation and sampling together"),
    *INTERVAL,
    Column("interval_method", "text", "How the interval with sampling was made"),
    Column("target", "text", "Of whom low and high speak, of a simple random sample: population(_weighted)"),
    *NOISE,
    Column("noise_interval_method", "text", "How the main interval was made"),
    Column("noise_target", "text", "Of whom the main interval speaks: respondents(_weighted), by known group sizes"),
    CONFIDENCE,
    Column("interval_holds", "text", "every_look of a run made before closing, else one_look"),
    Column("direct_question_n", "number", "Equivalent direct answers: honest ones with the same standard error"),
    Column("truth_probability", "text", "Of the mechanism, an exact fraction; empty where it has none"),
    EPSILON,
    Column("flags", "text", "Warnings, separated by spaces"),
    Column("known_truth", "number", "Among simulated respondents; always empty for real ones"),
    Column("design", "text", "SHA-256 of the frozen design"),
    Column("estimator_version", "text", "Version of the library randomized_response"),
    Column("snapshot_at", "moment", "When the totals were read, UTC"),
    Column("half_width", "number", "Half of the main interval, noise_low to noise_high"),
    Column("verdict", "text", "Precision: usable, rough or too_imprecise (to report); empty without numbers"),
)
TALLIES = (
    ITEM,
    Column("stratum", "text", "Key of the group; empty where there are no groups"),
    Column("symbol", "whole", "Number of the symbol within the responses to the question, from 0"),
    Column("value", "whole", "Value of the symbol, from 0"),
    Column("value_label", "text", "What the value stands for, as it was offered"),
    Column("count", "whole", "Randomised, not the true answer: responses that hold this value"),
)
PRIVACY = (
    ITEM,
    WORDING,
    ENCODING,
    Column("mechanism", "text", "Name of the table's constructor"),
    EPSILON,
    Column("odds", "text", "e^epsilon, exact"),
    Column("tickets", "whole", "Tickets of each row of the table"),
)
POISONING = (
    ITEM,
    Column("measure", "text", "share or mean"),
    N,
    Column("false_share", "number", "Share of responses that are false"),
    Column("false_reports", "whole", "How many responses that is"),
    Column("largest_shift", "number", "By how much they can move any share, or the mean, at most"),
)
CHANGES = (
    *QUANTITY,
    Column("version", "whole", "Version, or wave, of the report"),
    Column("since_version", "whole", "The earlier one that it is compared with"),
    Column("since_design", "text", "SHA-256 of the earlier one's frozen design"),
    N,
    Column("since_n", "whole", "Responses counted then"),
    Column("change", "number", "Difference of the estimates to quote"),
    Column("change_unclipped", "number", "Difference of the unbiased estimates"),
    Column("standard_error", "number", "Of that difference: randomisation and sampling together"),
    *INTERVAL,
    Column("interval_method", "text", "How the interval with sampling was made, of both waves"),
    Column("target", "text", "Of whom low and high speak: population(_weighted), or mixed where it changed"),
    *NOISE,
    Column("noise_interval_method", "text", "How the main interval was made, of both waves"),
    Column("noise_target", "text", "Of whom the main interval speaks: respondents(_weighted), or mixed"),
    Column("remembered", "whole", "1 where devices remembered their tickets, else 0"),
    CONFIDENCE,
)
QUESTIONS = (
    ITEM,
    Column("kind", "text", "Kind of the question"),
    ENCODING,
    WORDING,
    Column("choice", "whole", "Number of the choice, or of the point of a number's grid, from 0"),
    Column("choice_label", "text", "As it was offered"),
    Column("value", "number", "The number it stands for; empty where it stands for none"),
)
GROUPS = (
    Column("stratum", "text", "Key of the group"),
    STRATUM_LABEL,
    Column("share", "text", "Known share of the population, exact; empty where none is known"),
    Column("told_as", "text", "Key of its stratum in the other sheets; empty where it is not shown"),
    Column("about", "whole", "Number of respondents in it, with noise; empty where not released"),
)


def tickets(width: int) -> tuple[Column, ...]:
    """The columns of the sheet of all questions' tables, the widest of which has `width` columns."""
    return (
        ITEM,
        Column("row", "whole", "Number of the table's row, from 0"),
        Column("row_label", "text", "What the row is for"),
        *(Column(f"tickets_{y}", "whole", f"How many tickets of the row send {y}") for y in range(width)),
    )
