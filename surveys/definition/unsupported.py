"""Features of other platforms that are not supported: why they are rejected, and what to do instead."""

import re

from collector.designs.texts import refused_character

OPEN_TEXT = (
    "Open text is not supported: it cannot be randomised and can identify respondents. Ask for one choice or several "
    "choices among the expected answers"
)
FILES = (
    "Files are not supported: they cannot be randomised and can identify respondents. Ask for a choice or a number "
    "instead"
)
RANKING = (
    "Rankings are not supported: an order of options has too many possible answers to be randomised and estimated. "
    "Ask for the first place as one choice, or for a rating of each option on a scale"
)
DATES = (
    "Exact dates and times are not supported: they can identify respondents. Ask for a range: kind one_choice with "
    "classes, such as {by: month, from: 2024-01, to: 2024-12} or {by: time, hours: 6}"
)
SCRIPTS = (
    "Scripts and HTML are not supported: they could read true answers. Write plain text, which is shown exactly as "
    "written"
)
BRANCHING = (
    "Server-side branching is not supported: it would reveal the answer to the server. Use asked_if and unasked, so "
    "that the device decides and all responses have the same form"
)
QUOTAS = (
    "Quotas on answers are not supported: the server does not know true answers, and a full quota would reveal earlier "
    "ones. Use a background question (strata, with shares of the population) and invite more people"
)

SCREENED = (
    "An answer can end the survey only in a screening question, which comes before all others and is not sent: use "
    "screening"
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
    return KINDS.get(kind.lower(), "") if isinstance(kind, str) else ""


def unsupported_key(key: object) -> str:
    """The reason why this key is not supported; empty if it is merely unknown."""
    return KEYS.get(key.lower(), "") if isinstance(key, str) else ""


def unsupported_text(words: object) -> str:
    """The reason for rejecting a text with HTML or invisible characters; empty if it has neither."""
    if not isinstance(words, str):
        return ""
    if unseen := refused_character(words):
        return unseen.in_words
    found = TAG.search(words)
    return f"contains HTML ({found[0][:20]}), which is not allowed. {SCRIPTS}" if found else ""
