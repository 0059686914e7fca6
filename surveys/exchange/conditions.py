"""Conditions of other tools ("asked only if"), from their expressions to the answers of one earlier question.

One grammar serves all: ``${a} = 'x' or selected(${a}, 'y')`` (XLSForm), ``(Q1.NAOK == "Y")`` (LimeSurvey),
``[a] = '1' and [b(2)] = '1'`` (REDCap), ``{a} anyof ['x', 'y']`` (SurveyJS).
What it cannot say is reported, never guessed.
"""

import re
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_lazy

from collector.errors import ValidationError
from estimator.base.languages import filled
from surveys.exchange.source import Condition, Wanted

LONGEST = 5_000
MOST_TOKENS = 500
DEEPEST = 30
"""Maximum characters, tokens and nesting of an expression."""

TOKEN = re.compile(
    r"\s*(?:(?P<ref>\$\{[^{}]{1,100}\}|\{[^{}]{1,100}\}|\[[A-Za-z_]\w*(?:\([^()\[\]]{1,64}\))?\])"
    r"|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<number>-?\d+(?:\.\d+)?(?![\w.]))"
    r"|(?P<operator>==|!=|<>|<=|>=|=|<|>|&&|\|\||!|\(|\)|,|\[|\])"
    r"|(?P<word>[A-Za-z_][\w.:-]*))"
)
EQUAL = {"=", "==", "eq", "equal", "contains", "contain"}
UNEQUAL = {"!=", "<>", "ne", "notequal", "notcontains", "notcontain"}
OTHERWISE = gettext_lazy("ask it of everybody, or rewrite the condition to use one earlier question")


def untranslatable(reason: str) -> ValidationError:
    """The error for an expression that is no condition on the answers of earlier questions."""
    return ValidationError((), reason)


@dataclass(frozen=True)
class _Token:
    kind: str
    words: str


def condition(written: str) -> Condition | None:
    """A condition from an expression; None where it says nothing, like LimeSurvey's 1."""
    written = written.strip()
    if not written:
        return None
    try:
        wanted = _Parser(written).whole()
    except ValidationError as reason:
        return Condition(written, None, str(reason))
    return Condition(written, wanted) if wanted else None


class _Parser:
    def __init__(self, written: str) -> None:
        if len(written) > LONGEST:
            raise untranslatable(filled(gettext("it has more than {longest:,} characters"), longest=LONGEST))
        self.tokens, self.at, self.depth = _tokens(written), 0, 0

    def whole(self) -> list[Wanted]:
        found = self._either()
        if self.at < len(self.tokens):
            raise untranslatable(
                gettext("it uses {words}, which Candor does not have").format(words=self.tokens[self.at].words)
            )
        return found

    def _either(self) -> list[Wanted]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise untranslatable(gettext("it is nested more than {deepest} levels deep").format(deepest=DEEPEST))
        found = self._all()
        while self._next_is("or", "||"):
            found = _either(found, self._all())
        self.depth -= 1
        return found

    def _all(self) -> list[Wanted]:
        found = self._single()
        while self._next_is("and", "&&"):
            found = _both(found, self._single())
        return found

    def _single(self) -> list[Wanted]:
        if self._next_is("!", "not"):
            return _opposite(self._single())
        if self._next_is("("):
            found = self._either()
            self._need(")")
            return found
        token = self._take()
        if token.words == "selected" and token.kind == "word":
            return self._selected()
        if token.kind == "number" or token.words in ("true", "false"):
            return self._constant(token)
        if token.kind not in ("ref", "word"):
            raise untranslatable(gettext("{words} is where a question should be").format(words=token.words))
        return self._compared(token)

    def _constant(self, token: _Token) -> list[Wanted]:
        if self._next_is("("):
            self._need(")")  # true()
        if token.words in ("1", "true"):
            return []
        raise untranslatable(gettext("it is never true: the question is never asked"))

    def _selected(self) -> list[Wanted]:
        self._need("(")
        name = self._take()
        self._need(",")
        code = self._literal()
        self._need(")")
        return [_wanted(name, [code])]

    def _compared(self, token: _Token) -> list[Wanted]:
        operator = self._take().words.lower()
        if operator in EQUAL | UNEQUAL:
            return [_wanted(token, self._literals(), negated=operator in UNEQUAL)]
        if operator == "anyof":
            return [_wanted(token, self._literals())]
        if operator == "noneof":
            return [_wanted(token, self._literals(), negated=True)]
        if operator in ("<", ">", "<=", ">="):
            raise untranslatable(gettext("it compares sizes, and Candor compares with single answers"))
        if operator in ("notempty", "empty"):
            raise untranslatable(gettext("it asks whether there is an answer, which only the answer could tell"))
        raise untranslatable(gettext("it uses {operator}, which Candor does not have").format(operator=operator))

    def _literals(self) -> list[str]:
        if not self._next_is("["):
            return [self._literal()]
        found = [self._literal()]
        while self._next_is(","):
            found.append(self._literal())
        self._need("]")
        return found

    def _literal(self) -> str:
        token = self._take()
        if token.kind == "text":
            words = token.words[1:-1]
            if not words.strip():
                raise untranslatable(gettext("it asks whether there is an answer, which only the answer could tell"))
            return words.strip()
        if token.kind == "number" or token.words in ("true", "false"):
            return token.words
        if token.kind == "ref" and re.fullmatch(r"\[\w+\]", token.words):
            self.at -= 1  # [item1] of a list without quotes is read as a reference
        raise untranslatable(gettext("it compares with {words}, which is not an answer").format(words=token.words))

    def _next_is(self, *words: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at].kind != "text":
            token = self.tokens[self.at]
            if token.kind in ("operator", "word") and token.words.lower() in words:
                self.at += 1
                return True
        return False

    def _need(self, words: str) -> None:
        if not self._next_is(words):
            raise untranslatable(
                gettext("a {words} is missing, or it calls a function that Candor does not have").format(words=words)
            )

    def _take(self) -> _Token:
        if self.at >= len(self.tokens):
            raise untranslatable(gettext("it ends too early"))
        self.at += 1
        return self.tokens[self.at - 1]


def _tokens(written: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(written.rstrip()):
        found = TOKEN.match(written, at)
        if found is None or found.lastgroup is None:
            raise untranslatable(gettext("{given} cannot be read").format(given=written[at : at + 20].strip()))
        tokens.append(_Token(found.lastgroup, found[found.lastgroup]))
        at = found.end()
        if len(tokens) > MOST_TOKENS:
            raise untranslatable(gettext("it has more than {most_tokens} parts").format(most_tokens=MOST_TOKENS))
    return tokens


def _wanted(token: _Token, codes: list[str], *, negated: bool = False) -> Wanted:
    """A part of a condition; ``[name(code)] = '1'`` says that this option is ticked, ``'0'`` that it is not."""
    if token.kind not in ("ref", "word"):
        raise untranslatable(gettext("{words} is where a question should be").format(words=token.words))
    name = token.words.strip("${}[]").strip()
    if inside := re.fullmatch(r"(\w+)\(([^()]+)\)", name):
        if codes not in (["1"], ["0"]):
            raise untranslatable(gettext("{name} is compared with something other than 1 and 0").format(name=name))
        return Wanted(inside[1], frozenset([inside[2].strip()]), negated != (codes == ["0"]))
    name = re.sub(r"\.(?:NAOK|value|shown|valueNAOK|code)$", "", name)
    return Wanted(name, frozenset(codes), negated)


def _either(first: list[Wanted], second: list[Wanted]) -> list[Wanted]:
    if not first or not second:
        return []
    one, other = first[0], second[0]
    if len(first) == len(second) == 1 and one.name == other.name and not (one.negated or other.negated):
        return [Wanted(one.name, one.codes | other.codes)]
    raise untranslatable(gettext("it joins answers to several questions by “or”, and Candor uses one earlier question"))


def _both(first: list[Wanted], second: list[Wanted]) -> list[Wanted]:
    joined = list(first)
    for one in second:
        same = next((other for other in joined if other.name == one.name), None)
        if same is None:
            joined.append(one)
        elif same.negated and one.negated:
            joined[joined.index(same)] = Wanted(one.name, same.codes | one.codes, negated=True)
        elif same != one:
            raise untranslatable(
                gettext("it joins several answers to one question by “and”, and Candor accepts any of them")
            )
    return joined


def _opposite(parts: list[Wanted]) -> list[Wanted]:
    if len(parts) != 1:
        raise untranslatable(gettext("it negates several conditions"))
    return [Wanted(parts[0].name, parts[0].codes, not parts[0].negated)]
