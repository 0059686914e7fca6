"""Twenty tasks of new users: each is answered within two clicks from the panel or the README, and found by search."""

import re
from functools import cache
from posixpath import normpath

import pytest

from surveys.templatetags.help import PAGES
from tests.tools.help_site import ROOT, built, links, search_index
from tests.tools.help_tasks import README, TASKS, Task


@cache
def linked_from(page: str) -> set[str]:
    """Where the text of a page leads; not its menu, in which everything stands."""
    html = (built() / page).read_text()
    article = re.search(r"<article.*?</article>", html, re.DOTALL)
    assert article, page
    targets = {target.partition("#")[0] for target in links(article[0])}
    return {normpath(f"{page}/../{target}") for target in targets if target and "://" not in target}


def first_click(task: Task) -> set[str]:
    """The pages that one click from where the task begins opens."""
    if task.begins != README:
        return {PAGES[task.begins]}
    targets = re.findall(r"\]\(docs/([^)#]+)\.md", (ROOT / "README.md").read_text())
    return {f"{target}.html" for target in targets if not target.startswith("adr")}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.wish)
def test_task_is_answered_within_two_clicks(task: Task) -> None:
    first = first_click(task)
    second = {page for one in first for page in linked_from(one)}
    assert f"{task.page}.html" in first | second


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.wish)
def test_task_is_in_the_search_index(task: Task) -> None:
    found = [one for one in search_index() if one["location"].partition("#")[0] == f"{task.page}.html"]
    assert any(task.words in (one["title"] + one["text"]).casefold() for one in found)


def test_tasks_are_twenty() -> None:
    assert len({task.wish for task in TASKS}) == len(TASKS) == 20
