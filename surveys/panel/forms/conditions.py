"""The condition for asking a question, in the words of its form."""

from surveys.definition.mechanisms import answers_of
from surveys.lifecycle import selectors
from surveys.models import Item

CONDITION_FIELDS = ("asked_if_item", "asked_if_answers", "sent_if_unasked")


def condition_in_words(item: Item, language: str) -> dict[str, str]:
    """The condition of a saved question in the form's words."""
    condition, unasked = item.asked_if or {}, item.unasked
    # Of all items, which the form has read at once, rather than by a query for each question.
    earlier = next((one for one in item.survey.items.all() if one.key == condition.get("item")), None)
    answers = [_words_at(earlier, place, language) for place in condition.get("answers", []) if earlier]
    words = _words_at(item, unasked, language) if isinstance(unasked, int) else unasked or ""
    return dict(zip(CONDITION_FIELDS, (condition.get("item", ""), "\n".join(answers), words), strict=True))


def _words_at(item: Item, place: int, language: str) -> str:
    texts = answer_words(item, language)
    return texts[place] if place < len(texts) else str(place)


def answer_words(item: Item, language: str) -> list[str]:
    """The answers by the words that conditions use: in this language, else in one that has some."""
    texts = answers_of(selectors.item_of(item))
    return [text.get(language) or next(filter(None, text.values()), "") for text in texts]
