"""The form of a complete definition: its keys are checked when it is completed, their values as it is frozen."""

from collections.abc import Iterator
from typing import Final, NotRequired, TypedDict

from collector.designs import Kind
from estimator.base.mechanisms.entry import Written

Text = dict[str, str]

SAME_PEOPLE: Final = "same_people_as"
"""Key of a definition that names a survey of the same respondents: not in the design, which has what was spent
before."""

BUDGET: Final = "privacy_budget"
"""Key of a definition for the total epsilon that its author keeps to: not in the design, which has the sum itself."""


class ConditionPart(TypedDict):
    item: str
    answers: list[int]


class PicturePart(TypedDict):
    """A picture by the SHA-256 of its bytes, which are stored with the survey."""

    digest: str
    type: str
    width: int
    height: int
    alternative: Text


class BeforePart(TypedDict):
    """What stands before a question, besides it."""

    heading: NotRequired[Text]
    text: NotRequired[Text]
    picture: NotRequired[PicturePart]


class ItemPart(TypedDict):
    """A question. `unasked` is the index of a choice or, of a number, that number as text."""

    key: str
    kind: Kind
    wording: Text
    choices: list[Text]
    minimum: NotRequired[str]
    maximum: NotRequired[str]
    step: NotRequired[str]
    prefer_not: NotRequired[Text]
    required: NotRequired[bool]
    shuffle: NotRequired[bool]
    keep_last: NotRequired[bool]
    dropdown: NotRequired[bool]
    heading: NotRequired[Text]
    most: NotRequired[int]
    section: NotRequired[str]
    before: NotRequired[BeforePart]
    choice_pictures: NotRequired[list[PicturePart | None]]
    help_after: NotRequired[bool]
    sensitivity: NotRequired[str]
    known_share: NotRequired[str]
    channel: Written
    asked_if: NotRequired[ConditionPart]
    unasked: NotRequired[int | str]


class SectionPart(TypedDict):
    key: str
    title: Text
    introduction: Text
    help_after: NotRequired[bool]


class GroupPart(TypedDict):
    key: str
    label: Text
    share: str | None


class StrataPart(TypedDict):
    wording: Text
    groups: list[GroupPart]


class ArmPart(TypedDict):
    explanation: str
    weight: int
    introduction: NotRequired[Text]
    instead: NotRequired[dict[str, str]]
    consent: NotRequired[Text]


class BackgroundQuestionPart(TypedDict):
    """A question that is asked openly; one with `arms` is answered by the browser, and has no `prefer_not`."""

    key: str
    wording: Text
    choices: list[Text]
    shares: NotRequired[list[str]]
    prefer_not: NotRequired[Text]
    arms: NotRequired[list[ArmPart]]


class BackgroundPart(TypedDict):
    """Questions that are asked openly, and how fine their answers are kept (docs/adr/0049-background-questions.md)."""

    expected_responses: int
    smallest_cell: int
    questions: list[BackgroundQuestionPart]


class ScreeningPart(TypedDict):
    wording: Text
    choices: list[Text]
    ends: list[int]
    text: Text


class FieldworkPart(TypedDict):
    rehearsal: bool
    invitations: NotRequired[str]
    repeats: NotRequired[str]
    participation: NotRequired[str | None]


class LinkPart(TypedDict):
    label: Text
    address: str


class CompletionPart(TypedDict, total=False):
    code: str
    address: str
    carry: dict[str, str]


class EndingPart(TypedDict, total=False):
    text: Text
    link: LinkPart
    completion: CompletionPart


class LookPart(TypedDict, total=False):
    """Colours as six hex digits, the name of a typeface, and the logo."""

    accent: str
    accent_dark: str
    background: str
    background_dark: str
    font: str
    logo: PicturePart


class AppearancePart(TypedDict, total=False):
    """The look of a survey and what stands at its end, each only where it says something."""

    look: LookPart
    ending: EndingPart


class Definition(FieldworkPart, AppearancePart):
    """A survey as its author writes it (docs/reference/survey-file.md)."""

    slug: str
    languages: list[str]
    title: Text
    introduction: Text
    consent: Text
    consent_statements: NotRequired[list[Text]]
    screening: NotRequired[ScreeningPart]
    about: NotRequired[dict[str, Text]]
    strata: StrataPart
    background_questions: NotRequired[BackgroundPart]
    same_people_as: NotRequired[str]
    privacy_budget: NotRequired[str]
    sections: NotRequired[list[SectionPart]]
    items: list[ItemPart]
    pictures: NotRequired[dict[str, str]]
    """Pictures as base64 by their digests, where the definition comes from a file; they are stored with the survey."""


def texts_of_background(definition: Definition) -> Iterator[tuple[int, tuple[str | int, ...], Text]]:
    """The texts of the background questions: the number of the question from 1, the path below it, the text."""
    asked = definition.get("background_questions")
    for number, question in enumerate(asked["questions"] if asked else (), start=1):
        yield number, ("wording",), question["wording"]
        yield from ((number, ("choices", place), choice) for place, choice in enumerate(question["choices"]))
        if "prefer_not" in question:
            yield number, ("prefer_not",), question["prefer_not"]
        for place, arm in enumerate(question.get("arms", ())):
            for name in ("introduction", "consent"):
                if name in arm:
                    yield number, ("arms", place, name), arm[name]


def texts_before(item: ItemPart) -> Iterator[tuple[str, Text]]:
    """The texts before a question by the last steps of their paths."""
    before = item.get("before", {})
    yield from ((name, before[name]) for name in ("heading", "text") if name in before)
    if "picture" in before:
        yield "picture/alternative", before["picture"]["alternative"]


def texts_of_pictures(item: ItemPart) -> Iterator[tuple[int, Text]]:
    """The alternative texts of the pictures of choices, by the places of those."""
    for place, picture in enumerate(item.get("choice_pictures", [])):
        if picture:
            yield place, picture["alternative"]
