"""What of a definition is refused for its size or its shape, before it costs anything."""

import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from collector.errors import LONGEST_SENTENCE, ValidationError
from surveys.definition import bounds, yaml_positions
from surveys.definition.definitions import load, load_checked, take_checked
from tests.factories import payloads

HEAD = "slug: a\ntitle: A\nitems:\n"
QUESTION = "  - {{key: i{0}, wording: W{1}}}\n"
NUMBER = "  - {{key: i{0}, kind: number, wording: W, minimum: 0, maximum: 255, step: 1, channel: {1}}}\n"


def refusal_of(source: str) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        load_checked(source)
    return caught.value


TOO_LARGE = "a definition must have at most 524,288 bytes besides its pictures; this one has"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("12", 12),
        ("-12", -12),
        ("+5", 5),
        ("0", 0),
        ("9" * 20, int("9" * 20)),
        ("9" * 21, "9" * 21),
        ("0x1F", "0x1F"),
        ("0xfff" + "f" * 5000, "0xfff" + "f" * 5000),
        ("0b11", "0b11"),
        ("0o17", "0o17"),
        ("007", "007"),
        ("1_000", "1_000"),
        ("1:59:59", "1:59:59"),
        ("1" + ":59" * 6000, "1" + ":59" * 6000),
        ("0.25", "0.25"),
        ("1e6", "1e6"),
        ("1e999999999", "1e999999999"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("2026-11-22", "2026-11-22"),
        ("<<", "<<"),
        ("=", "="),
        ("yes", "yes"),
        ("True", "True"),
        ("true", True),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ('"true"', "true"),
    ],
)
def test_plain_scalar_is_number_constant_or_text(written: str, read: Any) -> None:
    value, _node = yaml_positions.read(f"a: {written}\n")
    assert value == {"a": read}
    assert type(value["a"]) is type(read)


def test_keys_are_always_texts() -> None:
    value, _node = yaml_positions.read("{1: a, no: b, null: c, true: d, <<: {x: y}}")
    assert value == {"1": "a", "no": "b", "null": "c", "true": "d", "<<": {"x": "y"}}


def test_hexadecimal_share_of_5000_digits_is_refused() -> None:
    strata = f"strata: {{wording: G, groups: [{{key: a, label: A, share: 0x{'f' * 5000}}}, {{key: b, label: B}}]}}\n"
    fault = refusal_of("slug: a\ntitle: A\n" + strata + "items: [{key: a, wording: W}]\n")
    assert len(str(fault)) < LONGEST_SENTENCE + 100


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a: &x b", "line 1: anchors (&) and aliases (*) are not allowed"),
        ("a: b\nc: *x", "line 2: anchors (&) and aliases (*) are not allowed"),
        ("&a [*a]", "line 1: anchors (&) and aliases (*) are not allowed"),
        ("a: !!python/object:os.system x", "line 1: tags are not allowed; got tag:yaml.org,2002:python"),
        ("a: !!str x", "line 1: tags are not allowed"),
        ("a: !x [b]", "line 1: tags are not allowed; got !x"),
        ("--- a\n--- b", "line 2: a file holds one definition"),
        ("[a]: b", "line 1: a key must be a text"),
        ("{a: 1, b: 2, a: 3}", "line 1: the key a is used twice here"),
        ("[" * 50 + "]" * 50, "line 1: this is nested too deeply: at most 12 levels"),
        ("[" * 200_000, "line 1: this is nested too deeply"),
        ("{a: " * 100_000, "line 1: this is nested too deeply"),
        ("- " * 200_000, "line 1: this is nested too deeply"),
        ("? " * 200_000, "line 1: a key must be a text"),
        (f"[{'1,' * 200_000}]", "line 1: a list or mapping must have at most 256 entries"),
        ("".join(f"a{n}: b\n" for n in range(300)), "line 257: a list or mapping must have at most 256 entries"),
        (f"a: [{', '.join(['[' + '1,' * 255 + ']'] * 255)}]\nb: [{', '.join(['[' + '1,' * 255 + ']'] * 255)}]",
         "line 2: a definition must have at most 100,000 parts"),
        ("a: b" + " " * bounds.LARGEST, f"{TOO_LARGE} 524,292"),
        ("ä" * (bounds.LARGEST // 2 + 1), f"{TOO_LARGE} 524,290"),
        ("\ud800", "this is not text: character 1 is half of a surrogate pair"),
        ("a: \0", "this is not YAML: unacceptable character"),
    ],
)  # fmt: skip
def test_yaml_out_of_bounds_names_bound_and_line(source: str, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        load(source)
    assert str(caught.value).startswith(words)


def test_8000_questions_are_refused_after_256() -> None:
    fault = refusal_of(HEAD + "".join(QUESTION.format(n, "") for n in range(8000)))
    assert str(fault).startswith("line 260: a list or mapping must have at most 256 entries")


@pytest.mark.parametrize("letter", ["\\0", "\\x07", "\\e", "\\x7f", "\\b"])
def test_control_character_in_text_is_refused(letter: str) -> None:
    fault = refusal_of(HEAD + QUESTION.format(1, "") + f'consent: "a{letter}b"\n')
    assert "consent has U+00" in str(fault)
    assert fault.line == 5


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (10**20, "consent must be a number of at most 20 digits"),
        (-(10**4000), "consent must be a number of at most 20 digits"),
        (float("1e999"), "consent must be a finite number; got inf"),
        (float("nan"), "consent must be a finite number; got nan"),
        (1e300, "consent must be a number of at most 20 digits"),
        ("x" * 20_001, "consent must have at most 20,000 characters; got 20,001"),
        ([1] * 257, "consent must have at most 256 entries; got 257"),
        (json.loads("[" * 12 + "]" * 12), "consent[0][0][0][0][0][0][0][0][0][0][0] is nested too deeply"),
        ([[[1] * 256] * 256] * 2, "consent must have at most 100,000 parts"),
    ],
)
def test_json_out_of_bounds_names_place_and_bound(value: Any, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        take_checked(payloads.definition(consent=value))
    assert str(caught.value).startswith(words)


def test_tables_of_all_questions_are_bounded() -> None:
    load_checked(HEAD + "".join(NUMBER.format(n, "{name: one_bit, truth: 1/2}") for n in range(3)))  # of two columns
    wide = [NUMBER.format(n, f"{{name: discrete_laplace, epsilon: 0.5{n}}}") for n in range(3)]
    load_checked(HEAD + "".join(wide[:2]))
    assert "items[2]: the tables of the questions up to here have 196,608" in str(refusal_of(HEAD + "".join(wide)))


@pytest.mark.long
def test_largest_table_is_within_the_bounds() -> None:
    rows = [[2 if x == y else 1 for y in range(256)] for x in range(256)]
    definition = load_checked(HEAD + NUMBER.format(1, f"{{name: custom, weights: {rows}}}"))
    assert definition["items"][0]["channel"]["weights"] == rows


@pytest.mark.parametrize("words", ["[[" * 9_000, "<" + " " * 19_000, "<b " * 6_000, "[[a" * 6_000])
def test_patterns_of_texts_take_linear_time(words: str) -> None:
    """Each took seconds of backtracking, and a file holds many of them; the run's own time limit would notice."""
    for _ in range(20):
        take_checked(payloads.definition(consent={"en": words}))


@pytest.mark.django_db
def test_import_reads_no_more_than_the_bound(tmp_path: Any) -> None:
    file = tmp_path / "large.yaml"
    with file.open("wb") as opened:
        opened.truncate(10 * bounds.LARGEST)
    with pytest.raises(CommandError, match="must have at most 3,670,016 bytes"):
        call_command("import_survey", str(file))
