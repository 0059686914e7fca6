"""Twenty tasks of new users: what they want, where they ask it, what they type, and where the answer is."""

from typing import NamedTuple

README = "README"
"""In place of a page of the panel: who has only the repository."""


class Task(NamedTuple):
    """`page` of the site has `words` in its text, in small letters; in the view `begins` Help is pressed."""

    wish: str
    begins: str
    search: str
    page: str
    words: str


TASKS = (
    Task("Make a survey", "panel:new", "first survey", "tutorials/first-survey", "survey"),
    Task("Download the data for SPSS", "panel:export", "SPSS", "how-to/export", "spss"),
    Task("Know what a column means", "panel:export", "standard_error", "reference/files", "standard_error"),
    Task("Find how many people I need", "panel:plan", "how many people", "how-to/choose-protection", "responses"),
    Task("Add a question with options", "panel:edit", "options", "how-to/write-questions", "add options"),
    Task("Translate a survey", "panel:edit", "translate", "how-to/translate", "ranslat"),
    Task("Ask only some people", "panel:edit", "only some people", "how-to/write-questions", "ask only some people"),
    Task("Try a survey", "panel:rehearse", "simulated respondents", "how-to/simulate", "imulated respondents"),
    Task("Invite people one by one", "panel:share", "invite people", "how-to/invite-people", "invitation"),
    Task("Ask on paper", "panel:paper", "paper", "how-to/paper-and-coin", "paper"),
    Task("Ask the same people again", "panel:survey", "wave", "how-to/repeat-a-survey", "wave"),
    Task("Close a survey, and undo it", "panel:share", "close a survey", "how-to/open-and-close", "closing"),
    Task("Compare groups", "panel:survey-analyse", "compare groups", "how-to/analyse", "group"),
    Task("Add a colleague", "panel:team", "invite a colleague", "how-to/work-in-a-team", "invite a colleague"),
    Task("Import from LimeSurvey", "panel:upload", "LimeSurvey", "how-to/import-a-questionnaire", "limesurvey"),
    Task("Understand a word", "admin:index", "privacy loss", "reference/glossary", "privacy loss"),
    Task("Know what is stored", "admin:index", "what is stored", "explanation/privacy-model", "stored"),
    Task("Set the site's address", README, "CANDOR_URL", "reference/configuration", "candor_url"),
    Task("Back up and restore", "panel:operation", "backup", "how-to/backup-and-restore", "ackup"),
    Task("Use Candor from a program", "panel:tokens", "API token", "reference/api", "token"),
)  # fmt: skip
