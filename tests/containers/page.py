"""docs/evidence/containers.md: the numbers that `make containers` writes there."""

from tests.tools import provenance

PAGE = provenance.ROOT / "docs" / "evidence" / "containers.md"
END = "<!-- until here -->"


def write(part: str, lines: list[str]) -> None:
    """Put lines into the block of this name, below the sentence that says when they were found."""
    begin = f"<!-- written by make containers: {part} -->\n"
    before, found, rest = PAGE.read_text().partition(begin)
    assert found, f"{PAGE.name} has no block {part}"
    said = "\n".join([provenance.of_run(), *lines])
    PAGE.write_text(f"{before}{begin}{said}\n{END}{rest.partition(END)[2]}")
