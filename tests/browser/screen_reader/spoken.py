"""Whether the texts of a page are among what a screen reader said."""

import re

from playwright.sync_api import Page

VISIBLE = """(root) => {
    const found = [];
    const walk = (node) => {
        if (node.nodeType === Node.TEXT_NODE) {
            found.push(node.data);
        } else if (node.nodeType === Node.ELEMENT_NODE && node.ariaHidden !== "true" && node.checkVisibility() &&
            node.dataset.part !== "sending-seconds") {
            node.childNodes.forEach(walk);
        }
    };
    document.querySelectorAll(root).forEach(walk);
    return found;
}"""
"""The texts that are there for a screen reader, but for the one that counts seconds."""

LETTERS = re.compile(r"[^\W\d_]{2}")
"""What a text has that is read out; of figures and brackets alone Orca says some by their names."""


def plain(text: str) -> str:
    """Its words alone: Orca says a dash and a dot between letters by their names."""
    named = re.sub(r"\b(dot|dash|slash|colon)\b", " ", text.lower())
    return " ".join(["", *re.findall(r"[^\W_]+", named), ""])


def unspoken(page: Page, said: str, root: str = "main") -> list[str]:
    """The sentences of the page that were not said; between two, Orca may name what they are in."""
    spoken = plain(said)
    sentences = [one.strip() for text in page.evaluate(VISIBLE, root) for one in re.split(r"(?<=[.!?]) ", text)]
    return [one for one in sentences if LETTERS.search(one) and plain(one) not in spoken]
