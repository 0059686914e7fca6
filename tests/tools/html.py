"""The words of a page, without its marks."""

import re
from html import unescape


def text_of(html: str) -> str:
    """The page's words, without its marks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", html)).replace("\u00a0", " ").split())


def words(html: str) -> str:
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).replace("\u00a0", " ").split())


FORBIDDEN_IN_PAGES = re.compile(
    r"""<style|<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+=["']|javascript:|\sx-cloak|\shx-on""", re.I
)
"""What a page would have to be excused for."""
