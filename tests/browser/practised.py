"""The practice question and the check question, computed a second time from what they show."""

import re
from typing import Any

from playwright.sync_api import Page

from randomized_response.symbols import read_symbols
from tests.browser.expected_texts import Told, count

TWO_COINS = [[3, 1], [1, 3]]


def check_practice(page: Page, first: Told) -> set[str]:
    """Practise with the first answer and the last, reply wrong and right; returns the texts that were read."""
    labels = page.locator("[data-part=practice-choices] label").all_inner_texts()
    known = set(labels)
    for answer in (0, len(labels) - 1):
        page.locator("[data-part=practice-choices] label").nth(answer).click()
        known |= set(_practised(page, first, labels, answer))
    return known | _replied(page, first)


def _practised(page: Page, first: Told, labels: list[str], answer: int) -> list[str]:
    shown = page.locator("[data-part=practice-ticket]").inner_text()
    lines = page.locator("[data-part=practice-lines] li").all_inner_texts()
    said = page.locator("[data-part=practice-said]").inner_text()
    marks = first.manner if first.manner in ("list", "set") and len(labels) == len(first.labels) else ""
    weights = first.weights
    if not marks and not len(weights) == len(weights[0]) == len(labels):
        weights = TWO_COINS
    sent = _sent(first, shown, lines, labels, weights, marks)
    listed = [", ".join(labels[y] for y in choices) or first.sentences["practice-none"] for choices in sent]
    line = _pattern(first, "practice-line", marks)
    assert lines == [_filled(line, answer=labels[x], sent=told) for x, told in enumerate(listed)]
    own = weights[-1][1] if marks else weights[answer][answer]
    key = "practice-own" if answer in sent[answer] else "practice-other"
    values = {"answer": labels[answer], "sent": listed[answer], "own": count(own), "tickets": count(sum(weights[0]))}
    assert said == _filled(_pattern(first, key, marks), **values)
    return [shown, *lines, said]


def _sent(
    first: Told, shown: str, lines: list[str], labels: list[str], weights: list[list[int]], marks: str
) -> list[list[int]]:
    """Which choices are sent for each answer, by the tickets that the page shows."""
    pattern = _pattern(first, "practice-ticket", marks).replace("{tickets}", count(sum(weights[0])))
    found = re.fullmatch(re.sub(r"\\{numbers?\\}", "([0-9, ]+)", re.escape(pattern)), shown)
    assert found, shown
    numbers = [int(number.replace(",", "")) for number in found[1].split(", ")]
    assert all(1 <= number <= sum(weights[0]) for number in numbers)
    tickets = [number - 1 for number in numbers]
    if marks == "set":
        return _sets(first, lines, labels, holds=tickets[0] >= weights[0][0])
    encoding = "one_hot" if marks else "single"
    symbols = [read_symbols(encoding, weights, tickets, x) for x in range(len(labels))]
    return [[y for y, bit in enumerate(row) if bit] if marks else list(row) for row in symbols]


def _sets(first: Told, lines: list[str], labels: list[str], *, holds: bool) -> list[list[int]]:
    """The order of the other choices is not shown; size, and whether the answer is in, are what can be checked."""
    sets = [[y for y, label in enumerate(labels) if label in line.split(": ")[1].split(", ")] for line in lines]
    for x, choices in enumerate(sets):
        assert len(choices) == first.item["channel"]["size"]
        assert (x in choices) is holds
    return sets


def _replied(page: Page, first: Told) -> set[str]:
    question = page.locator("[data-part=check-question]")
    texts = question.locator("[data-part=wording], label").all_inner_texts()
    assert texts == [first.say(key) for key in ("check-question", "check-choice-0", "check-choice-1", "check-choice-2")]
    for wrong in (0, 2):
        question.locator("label").nth(wrong).click()
        assert page.locator("[data-part=check-said]").inner_text() == first.say("check-wrong")
        lines = page.locator("[data-part=check-odds] > p").all_inner_texts()
        assert lines == first.odds()[: len(lines)]
        people = page.locator("[data-part=check-odds] svg")
        assert [one.locator(".person-sends").count() for one in people.all()] == [
            one["people"] for one in first.arrays()
        ]
    question.locator("label").nth(1).click()
    assert page.locator("[data-part=check-said]").inner_text() == first.say("check-right")
    return {*texts, first.say("check-right")}


def _pattern(first: Told, key: str, marks: str) -> str:
    names = [f"{key}-{marks}", f"{key}-set", key] if marks else [key]
    return next(first.sentences[name] for name in names if name in first.sentences)


def _filled(pattern: str, **values: Any) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), pattern)
