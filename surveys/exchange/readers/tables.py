"""Which tool a table is from: told by the head of a CSV file and by the sheets of a workbook."""

from surveys.exchange.files import table_rows, workbook_sheets
from surveys.exchange.readers import table, xlsform

REDCAP_HEAD = ("variable / field name", "field_name")
LIMESURVEY_HEAD = {"class", "type/scale", "name"}


def workbook_format(content: bytes) -> str:
    """XLSForm where a sheet is named survey, else a table of questions."""
    return "xlsform" if xlsform.is_workbook(workbook_sheets(content)) else "csv"


def text_format(text: str) -> str:
    """The format of a text file that is no JSON, XML or YAML; a list of questions where its head is no table's."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "text"
    tabs = [cell.strip().strip('"').lower() for cell in lines[0].split("\t")]
    if set(tabs) >= LIMESURVEY_HEAD:
        return "limesurvey_tsv"
    head = [cell.lower() for cell in (table_rows(lines[0]) or [[]])[0]]
    if head and head[0] in REDCAP_HEAD:
        return "redcap"
    if head and head[0] in xlsform.SHEETS and not any(head[1:]):
        return "xlsform"
    if head and head[0] == "survey":
        return "xlsform"
    return "csv" if len(head) > 1 and table.has_questions(head) else "text"
