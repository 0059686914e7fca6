"""Texts in several languages in one form field: a part for each language, side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from surveys.definition.parts import Text
from surveys.definition.unsupported import unsupported_text
from surveys.lifecycle.selectors import direction_of, language_names


class WordsWidget(forms.Widget):
    """A text field for each language. The `plain` one, else the first, has the name and the id of the field itself."""

    def __init__(self, languages: Sequence[str], part: Callable[[], forms.Widget], plain: str = "") -> None:
        super().__init__()
        self.languages = tuple(languages)
        self.part = part
        self.plain = plain or self.languages[0]

    def name_of(self, name: str, code: str) -> str:
        return name if code == self.plain else f"{name}_{code}"

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Text:
        return {code: data.get(self.name_of(name, code), "") for code in self.languages}

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return all(self.name_of(name, code) not in data for code in self.languages)

    def render(self, name: str, value: Any, attrs: dict[str, object] | None = None, renderer: Any = None) -> SafeString:
        texts, attrs = value if isinstance(value, dict) else {}, {**self.attrs, **(attrs or {})}
        parts = []
        for code, language in zip(self.languages, language_names(self.languages), strict=True):
            own = self.name_of(name, code)
            local = attrs | {"lang": code, "dir": direction_of(code)}
            if own != name:
                local = {key: one for key, one in local.items() if key not in ("required", "aria-describedby")}
                local |= {"id": f"{attrs['id']}_{code}"} if "id" in attrs else {}
            html: SafeString = self.part().render(own, texts.get(code, ""), local, renderer)
            plain = code == self.plain
            parts.append({"code": code, "language": language, "html": html, "id": local.get("id", ""), "plain": plain})
        if len(parts) == 1:
            return html
        return render_to_string("panel/words.html", {"parts": parts})


class WordsField(forms.Field):
    """A text by language. `required` concerns the language that the form is written in; others may follow later."""

    def __init__(
        self, *, part: Callable[[], forms.Widget], most: int | None = None, by_line: bool = False, **kwargs: Any
    ) -> None:
        """`by_line`: each line is a separate text, so that an empty one marks an untranslated text."""
        super().__init__(widget=WordsWidget(["en"], part), **kwargs)
        self.part, self.most, self.by_line = part, most, by_line

    def speak(self, languages: Sequence[str], plain: str = "") -> None:
        """Set the languages, with a part for each."""
        self.languages, self.plain = tuple(languages), plain or languages[0]
        self.widget = WordsWidget(languages, self.part, plain)
        self.widget.is_required = self.required

    def to_python(self, value: Any) -> Text:
        texts = value if isinstance(value, dict) else {}
        return {code: self._tidy(str(texts.get(code) or "").replace("\r\n", "\n")) for code in self.languages}

    def _tidy(self, words: str) -> str:
        return "\n".join(map(str.strip, words.split("\n"))).rstrip("\n") if self.by_line else words.strip()

    def validate(self, value: Any) -> None:
        if self.required and not value[self.plain]:
            raise ValidationError(self.error_messages["required"], code="required")
        for code, words in value.items():
            if self.most and len(words) > self.most:
                raise ValidationError(
                    gettext("{code}: at most {most} characters; these are {count}.").format(
                        code=_in(code), most=self.most, count=len(words)
                    )
                )
            if reason := unsupported_text(words):
                raise ValidationError(gettext("{code}: this {reason}.").format(code=_in(code), reason=reason))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(initial) != self.to_python(data))

    languages: tuple[str, ...] = ("en",)
    plain = "en"


def _in(code: str) -> str:
    return language_names([code])[0]
