"""Covariates from a formula and a data frame: `"q1 ~ age * C(region)"`, as in R. Needs the package formulaic."""

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomized_response._rows import Missing
from randomized_response.errors import ParameterError

_INTERCEPT = "Intercept"


@dataclass(frozen=True, eq=False)
class ModelMatrix:
    """Reports and covariates of a formula. Made by `model_matrix`.

    Attributes
    ----------
    reports : array of shape (n,)
        The left side.
    covariates : pandas data frame of n rows
        The right side without its constant, which the regressions add; factors as indicators against their first level.
    kept : array of booleans
        The rows of the data that are used: those of weights, clusters and channels too, as in `data["w"][found.kept]`.
    formula : str

    Examples
    --------
    >>> import pandas
    >>> found = model_matrix("q1 ~ age", pandas.DataFrame({"q1": [0, 1], "age": [30, 50]}))
    >>> found.of(pandas.DataFrame({"age": [40]})).to_dict("list")
    {'age': [40.0]}
    """

    reports: NDArray[np.float64]
    covariates: Any
    kept: NDArray[np.bool_]
    formula: str
    spec: Any

    def of(self, data: Any) -> Any:
        """The same columns for other people, for `predict` and `get_margeff`.

        Raises
        ------
        ValueError
            Where a variable is missing, or a factor has a level that it did not have.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                return _without_constant(self.spec.get_model_matrix(data, na_action="raise", output="pandas"))
            except Exception as error:
                raise ParameterError("data", f"must have the variables and levels of the formula; {error}") from error


def model_matrix(formula: str, data: Any, *, missing: Missing = "error") -> ModelMatrix:
    """Read reports and covariates from a formula, for every regression of this library.

    Parameters
    ----------
    formula : str
        "report ~ terms" with the operators of R: +, :, *, C(factor), functions. A formula is a program: do not run one
        that a stranger wrote.
    data : data frame (pandas, polars)
    missing : {"error", "drop"}
        Whether a missing value of a variable in the formula is an error or leaves its row out.

    Returns
    -------
    ModelMatrix

    Raises
    ------
    ValueError
        Where the formula has no left side, more than one report, or no constant ("- 1", "0 +"); where values are
        missing. ModuleNotFoundError where formulaic is not installed (`pip install randomized-response[formulas]`).

    References
    ----------
    Wilkinson, G. N. & Rogers, C. E. (1973). Symbolic description of factorial models for analysis of variance. JRSS C
    22, 392-399.

    Examples
    --------
    >>> import pandas
    >>> from randomized_response import forced_response, logistic_regression
    >>> data = pandas.DataFrame({"q1": [0, 1, 0, 1, 1, 0], "school": ["a", "a", "b", "b", "c", "c"]})
    >>> found = model_matrix("q1 ~ C(school)", data)
    >>> list(found.covariates), found.kept.all()
    (['C(school)[T.b]', 'C(school)[T.c]'], np.True_)
    >>> fit = logistic_regression(found.covariates, found.reports, forced_response(truth="1/2"))
    >>> fit.names
    ('intercept', 'C(school)[T.b]', 'C(school)[T.c]')
    """
    if missing not in ("error", "drop"):
        raise ParameterError("missing", f'must be "error" or "drop"; got {missing!r}')
    try:
        read = import_module("formulaic").Formula(formula)
    except ModuleNotFoundError:
        raise
    except Exception as error:  # formulaic has many kinds for a formula that it cannot read
        raise ParameterError("formula", f"cannot be read; {error}") from error
    if not hasattr(read, "lhs"):
        raise ParameterError("formula", f"must have the report on its left side, as in 'q1 ~ age'; got {formula!r}")
    kept = _complete(read, data, missing)
    used = data if kept.all() else import_module("narwhals").from_native(data).filter(kept.tolist()).to_native()
    try:
        matrices = read.get_model_matrix(used, na_action="raise", output="pandas")
    except Exception as error:
        raise ParameterError("formula", f"cannot be computed from the data; {error}") from error
    left, right = matrices.lhs, matrices.rhs
    if left.shape[1] != 1:
        need = "must have one report on its left side, as numbers from 0"
        raise ParameterError("formula", f"{need}; got {', '.join(map(str, left.columns))}")
    if _INTERCEPT not in right.columns:
        raise ParameterError("formula", f"must keep the constant, which regressions add; got {formula!r}")
    reports = left.to_numpy(dtype=np.float64)[:, 0]
    return ModelMatrix(reports, _without_constant(right), kept, formula, right.model_spec)


def _without_constant(matrix: Any) -> Any:
    plain = matrix.__wrapped__ if hasattr(matrix, "__wrapped__") else matrix
    return plain.drop(columns=_INTERCEPT).astype(np.float64)


def _complete(formula: Any, data: Any, missing: Missing) -> NDArray[np.bool_]:
    """The rows without a missing value in the variables of the formula."""
    try:
        frame = import_module("narwhals").from_native(data, eager_only=True)
    except TypeError as error:
        raise ParameterError("data", f"must be a data frame; got {type(data).__name__}") from error
    kept = np.ones(len(frame), dtype=bool)
    for name in sorted(map(str, formula.required_variables)):
        if name not in frame.columns:
            raise ParameterError("data", f"must have a column {name!r}, which the formula names; got none")
        column = np.asarray(frame[name].to_list(), dtype=object)
        here = np.array([value is None or value != value for value in column], dtype=bool)
        if here.any() and missing == "error":
            place = int(np.argmax(here))
            raise ParameterError("data", f'must have {name!r} in every row, or missing="drop"; row {place} has none')
        kept &= ~here
    if not kept.any():
        raise ParameterError("data", "must have at least one row with every variable of the formula; got none")
    return kept
