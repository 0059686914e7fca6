"""The templates, as they are read by those who change them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LONGEST = 160


def test_template_lines_stay_short() -> None:
    places = ("templates/**/*.html", "estimator/**/*.typ", "surveys/**/*.typ")
    paths = sorted(path for place in places for path in ROOT.glob(place))
    assert len(paths) > 100
    lines = [
        f"{path.relative_to(ROOT)}:{number}: {len(line)}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > LONGEST
    ]
    assert lines == [], "a line can end between attributes, at block elements and in `blocktranslate trimmed`"
