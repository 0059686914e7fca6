"""What the library raises where an argument cannot be used."""


class ParameterError(ValueError):
    """An argument that cannot be used: its `name`, and what it must be."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name} {message}")
        self.name = name.partition("[")[0]
