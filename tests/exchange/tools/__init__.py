"""Questionnaires in the files of other tools, as those tools write them: names, numbering, usual settings.

Independent of `surveys.exchange`: nothing here is read or written by the product. A tool that has no such kind of
question leaves it out, and `written` says which questions a file has.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.exchange.tools.limesurvey import limesurvey_3, limesurvey_6, limesurvey_tsv
from tests.exchange.tools.qualtrics import qualtrics
from tests.exchange.tools.questionnaires import Asked, questions
from tests.exchange.tools.surveyjs import surveyjs
from tests.exchange.tools.tables import listing, redcap, table
from tests.exchange.tools.xlsform import xlsform


@dataclass(frozen=True)
class Tool:
    """How a tool writes: the name that Candor has for the format, the ending of its files, what it cannot ask."""

    form: str
    suffix: str
    write: Callable[[dict[str, Any]], bytes]
    lacks: frozenset[str] = frozenset()
    languages: bool = True
    sections: bool = True

    def written(self, questionnaire: dict[str, Any]) -> list[Asked]:
        """The questions that a file of this tool has."""
        return [one for one in questions(questionnaire) if one["kind"] not in self.lacks]


TOOLS = {
    "xlsform": Tool("xlsform", ".xlsx", xlsform),
    "limesurvey_3": Tool("limesurvey", ".lss", limesurvey_3),
    "limesurvey_6": Tool("limesurvey", ".lss", limesurvey_6),
    "limesurvey_tsv": Tool("limesurvey_tsv", ".txt", limesurvey_tsv),
    "qualtrics": Tool("qualtrics", ".qsf", qualtrics),
    "redcap": Tool("redcap", ".csv", redcap, frozenset({"ranking"}), languages=False),
    "surveyjs": Tool("surveyjs", ".json", surveyjs),
    "csv": Tool("csv", ".csv", table, frozenset({"grid", "scale", "note", "ranking"})),
    "text": Tool(
        "text", ".md", listing, frozenset({"grid", "scale", "note", "ranking", "date", "file"}), languages=False
    ),
}
