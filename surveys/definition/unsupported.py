"""Features of other platforms that are not supported: why they are rejected, and what to do instead."""

import re

from django.utils.translation import gettext, gettext_lazy

from collector.designs.texts import refused_character

OPEN_TEXT = gettext_lazy(
    "Candor has no free text: words cannot be randomised, and what people write can "
    "identify them. Offer the answers that you expect, as one choice or several choices"
)
FILES = gettext_lazy(
    "Candor takes no files: they cannot be randomised, and they can identify who made "
    "them. Ask what you want to learn from them as choices or as a number"
)
RANKING = gettext_lazy(
    "Candor has no ranking: an order of options has too many answers to be randomised and "
    "estimated as a whole. Ask for the first place as one choice, or let respondents rate "
    "each option on a scale"
)
DATES = gettext_lazy(
    "Candor asks for no exact date or time, which can identify people. Ask for its class: "
    "kind one_choice with classes, such as {by: month, from: 2024-01, to: 2024-12} or {by: "
    "time, hours: 6}"
)
SCRIPTS = gettext_lazy(
    "Candor runs no scripts and no HTML of a survey: they could read the answers. Texts "
    "are shown as they are; write them as plain text"
)
BRANCHING = gettext_lazy(
    "Candor asks no server which question comes next: the server would learn the answer "
    "from it. Use asked_if and unasked: the device decides, and everybody sends a response "
    "of the same shape"
)
QUOTAS = gettext_lazy(
    "Candor has no quotas on answers: nobody knows the answers to count, and a full quota "
    "would reveal what the people before answered. Ask for groups openly (strata, with "
    "their population shares), and for more people"
)

SCREENED = gettext_lazy(
    "an answer that ends the survey belongs to a question of its own before all others, "
    "whose answer is never sent: define it as screening"
)

KINDS = {
    **dict.fromkeys(("text", "open", "open_text", "free_text", "textarea", "comment", "email", "name"), OPEN_TEXT),
    **dict.fromkeys(("file", "upload", "image", "photo", "audio", "video", "signature"), FILES),
    **dict.fromkeys(("ranking", "rank", "rank_order", "ranked_choice", "sort", "order"), RANKING),
    **dict.fromkeys(("date", "datetime", "time", "month", "year"), DATES),
    **dict.fromkeys(("html", "script", "javascript", "embed", "iframe"), SCRIPTS),
    **dict.fromkeys(("branch", "branching", "logic", "skip"), BRANCHING),
    **dict.fromkeys(("quota", "quotas"), QUOTAS),
}
"""Question kinds of other platforms, and why they are not supported."""

KEYS = {
    **dict.fromkeys(("text", "open_text", "free_text", "comment", "other_text", "specify"), OPEN_TEXT),
    **dict.fromkeys(("file", "files", "upload", "uploads", "image", "photo", "audio", "video"), FILES),
    **dict.fromkeys(("ranking", "rank", "ranked", "ranks"), RANKING),
    **dict.fromkeys(
        ("html", "script", "scripts", "javascript", "js", "css", "style", "embed", "iframe", "markdown"), SCRIPTS
    ),
    **dict.fromkeys(
        ("branch", "branches", "branching", "logic", "goto", "go_to", "jump", "skip", "skip_to", "next", "routing",
         "show_if", "visible_if", "relevant", "webhook", "callback"),
        BRANCHING,
    ),
    **dict.fromkeys(("quota", "quotas"), QUOTAS),
    **dict.fromkeys(("screen_out", "screenout", "disqualify", "stop_if"), SCREENED),
}  # fmt: skip
"""Keys of other platforms' files, and why they are not supported."""

NOT_OFFERED = {"Open text": OPEN_TEXT, "Ranking": RANKING, "Files": FILES}
"""Kinds that authors look for in the list of kinds: there each says why it is missing and what to ask instead."""

TAG = re.compile(
    r"<\s*(?:/\s*)?(?:a|abbr|b|big|blockquote|body|br|button|center|code|div|em|embed|font|form|h[1-6]|head|hr|html|i|iframe|"
    r"img|input|link|li|meta|object|ol|p|pre|s|script|small|span|strong|style|sub|sup|svg|table|tbody|td|th|tr|u|ul|"
    r"video)\b[^<>]*>|<!--",
    re.IGNORECASE,
)


def unsupported_kind(kind: object) -> str:
    """The reason why this kind of question is not supported; empty for other kinds."""
    return str(KINDS.get(kind.lower(), "")) if isinstance(kind, str) else ""


def unsupported_key(key: object) -> str:
    """The reason why this key is not supported; empty if it is merely unknown."""
    return str(KEYS.get(key.lower(), "")) if isinstance(key, str) else ""


def unsupported_text(words: object) -> str:
    """The reason for rejecting a text with HTML or invisible characters; empty if it has neither."""
    if not isinstance(words, str):
        return ""
    if unseen := refused_character(words):
        return unseen.in_words
    found = TAG.search(words)
    return (
        gettext("contains HTML ({found}), which is not allowed: {why}").format(found=found[0][:20], why=SCRIPTS)
        if found
        else ""
    )
