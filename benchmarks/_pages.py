"""What a benchmark writes into a page of docs: everything between two marks, of which the first names who writes it."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
MEASURED = Path(__file__).parent / "measured"
"""What was measured last, for the benchmarks that go on from there."""

END = "<!-- until here -->"


def put(page: str, writer: str, words: str) -> None:
    """Put words in the place of what this file of benchmarks wrote into the page before."""
    start = f"<!-- written by benchmarks/{writer} -->\n"
    head, rest = (DOCS / page).read_text().split(start)
    (DOCS / page).write_text(head + start + words.strip("\n") + "\n" + END + rest.partition(END)[2])
    print(words)
