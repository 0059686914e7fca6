"""The documents: each says for whom it is, users' pages name no code, the questions are answered briefly."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if DOCS / "adr" not in path.parents)
FOR_USERS = [path for path in PAGES if path.parent.name in {"tutorials", "how-to"} or path.name == "faq.md"]
CODE = re.compile(r"`(?:tests|benchmarks|collector|estimator|surveys|config|randomized_response)/[^`]*`|`[\w/]+\.py`")
OPERATORS = {"citus.md"}
"""Pages for operators that name what is inside, since they have to set it."""


def relative(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_page_begins_with_its_readers(page: Path) -> None:
    written = re.sub(r"<!--.*?-->\n*", "", page.read_text(encoding="utf-8"))
    assert re.match(r"# .+\n\n\*?For ", written), "the line below the title says for whom the page is"


@pytest.mark.parametrize("page", FOR_USERS, ids=relative)
def test_page_for_users_names_no_code(page: Path) -> None:
    assert page.name in OPERATORS or CODE.findall(page.read_text(encoding="utf-8")) == []


def test_questions_are_twenty_and_answered_in_five_sentences() -> None:
    _, *questions = re.split(r"^## ", (DOCS / "faq.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(questions) == 20
    for question in questions:
        title, answer = question.split("\n", 1)
        assert title.endswith("?")
        assert len(re.split(r"(?<=[.?!])\s+", answer.strip())) <= 5, title
        assert "](" in answer, f"{title} leads nowhere"


def test_readme_is_at_most_80_lines() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 80
