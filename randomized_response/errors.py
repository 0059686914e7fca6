"""The exception that the library raises for invalid arguments."""


class ParameterError(ValueError):
    """An argument out of its bounds, by its `name`; the message says what it must be and what it was.

    `place` is the entry of the argument where it is one, such as "weights[3]", else the name.

    Examples
    --------
    >>> from randomized_response import warner
    >>> try:
    ...     warner(truth=2)
    ... except ParameterError as error:
    ...     error.name
    'truth'
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name} {message}")
        self.name, self.place = name.partition("[")[0], name
        self._arguments = name, message

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """A copy for another process: the message is made of two arguments."""
        return type(self), self._arguments
