"""What an entry of the log of pages says."""

from typing import Literal, NotRequired, TypedDict


class PageEntry(TypedDict):
    """A version of a survey as it opened or closed, as canonical JSON in the log.

    - `survey`: SHA-256 of its name; `design`: the digest of its design.
    - `pages`: addresses below the survey's own, which is the empty one, with the SHA-256 of what is there while it is
      open, in hex.
    - `fetched`: paths of the site that the pages load, with the hashes that they demand.
    """

    format: int
    survey: str
    version: int
    design: str
    state: Literal["open", "closed"]
    pages: NotRequired[dict[str, str]]
    fetched: NotRequired[dict[str, str]]
