"""Regression of a randomized yes/no answer on known covariates: logit, probit and complementary log-log."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from randomized_response import _logistic
from randomized_response import _scipy as scipy
from randomized_response._checks import as_level, as_prior
from randomized_response._diagnostics import Diagnostic, LikelihoodFit, LikelihoodRatio, likelihood_ratio
from randomized_response._links import LINKS, Link, LinkName
from randomized_response._logistic import Information
from randomized_response._rows import Channels, CovariateRows, Missing, fold, read_rows
from randomized_response.margins import MarginalEffects, average_effects
from randomized_response.results import Result

Floats = NDArray[np.float64]

_INFORMATION = ("observed", "expected", "opg", "robust", "cluster")


@dataclass(frozen=True, eq=False)
class Prediction(Result):
    """Proportions of yes for given covariates: delta-method standard errors, intervals made on the scale of the link.

    `mean` is the average over the rows and `mean_standard_error` its own, which is not the average of theirs.
    """

    proportions: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    mean: float
    mean_standard_error: float
    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class LogisticFit(LikelihoodFit):
    """The result of `logistic_regression`. Arrays are read-only and follow `names`, the intercept first.

    Attributes
    ----------
    coefficients, standard_errors, covariance : arrays of shape (p + 1,), (p + 1,), (p + 1, p + 1)
        On the scale of the link. Infinite, with NaN beside it, where the likelihood rises for ever; NaN where not
        identified.
    log_likelihood, null_log_likelihood : float
        Of this model and of the one with an intercept alone.
    likelihood_ratio : LikelihoodRatio
        The test of all slopes being 0.
    converged : bool
        True only where the coefficients are a finite maximum with an invertible information.
    reached : array of shape (p + 1,)
        Where the climb ended: `coefficients` where they are finite, else a point whose likelihood is the supremum to
        1e-9; `predict` uses it.
    diagnostics : tuple of Diagnostic
        Named "separation", "boundary", "not identified", "did not converge" or "several optima"; empty if none.
    n, distinct_rows, dropped : int
        Respondents used, different rows among them, and incomplete ones left out by `missing="drop"`.
    link : str
        "logit", "probit" or "cloglog".
    prior : float or None
        The scale of the priors; `log_likelihood` is without them.
    """

    log_likelihood: float
    null_log_likelihood: float
    likelihood_ratio: LikelihoodRatio
    information: Information
    converged: bool
    diagnostics: tuple[Diagnostic, ...]
    iterations: int
    n: int
    distinct_rows: int
    dropped: int
    reached: Floats
    link: LinkName
    prior: float | None
    rows: CovariateRows = field(repr=False)

    def goodness_of_fit(self) -> LikelihoodRatio:
        """Test the model against the saturated table: a proportion of its own for every distinct row of covariates.

        Raises
        ------
        ValueError
            Where there are not 5 respondents to each distinct row on average, or sampling weights: chi-square then says
            nothing of the statistic.
        """
        saturated, patterns = _logistic.saturated(self.rows)
        if self.n < 5 * patterns or not np.array_equal(self.rows.weights, self.rows.counts):
            need = "goodness_of_fit needs 5 respondents to each distinct row of covariates, and no sampling weights"
            raise ValueError(f"{need}; got {self.n} respondents and {patterns} distinct rows")
        return likelihood_ratio(saturated, self.log_likelihood, patterns - len(self.names))

    def get_margeff(self, covariates: ArrayLike | None = None, *, dummy: bool = True) -> MarginalEffects:
        """Average marginal effects: by how much the proportion of true yes changes with each covariate.

        Parameters
        ----------
        covariates : array of shape (n, p), optional
            Whose effects are averaged; the respondents of the fit by default, with their weights.
        dummy : bool
            Whether the effect of a covariate that is 0 or 1 for everybody is that of the step from 0 to 1; else every
            effect is the derivative.

        Returns
        -------
        MarginalEffects
            Standard errors by the delta method, the covariates taken as they are.
        """
        columns, mass = self.rows.columns, self.rows.weights
        if covariates is not None:
            columns = self._design(covariates)[0].T
            mass = np.ones(columns.shape[1])
        return average_effects(self.names, columns, mass, self.reached, self.covariance, LINKS[self.link], dummy=dummy)

    def predict(self, covariates: ArrayLike, confidence: float = 0.95) -> Prediction:
        """Predict the proportion of true yes answers for given covariates.

        Parameters
        ----------
        covariates : array of shape (n, p)
            The columns of the fit, without the intercept; those of a data frame by their names, in any order.
        confidence : float
            Level of the intervals, in (0, 1).

        Raises
        ------
        ValueError
            Where the columns are not as many as in the fit, a data frame's are not named so, or an entry is not finite.
        """
        design, spread = self._design(covariates)
        return predicted(design, spread, self.reached, self.covariance, as_level(confidence), LINKS[self.link])

    bounded = True

    def margin(self, columns: Floats, share: Floats) -> tuple[Floats, Floats]:
        """The predicted share of yes averaged over people, for `predictive_margins`."""
        eta, link = self.reached @ columns, LINKS[self.link]
        yes, no = link.shares(eta)
        return np.array([yes @ share]), (columns @ (link.slopes(eta, yes, no)[0] * share))[None]

    def _around_table(self) -> tuple[list[str], list[str]]:
        name = "Logistic" if self.link == "logit" else self.link.capitalize()
        kind = f"{self.information} information" if self.prior is None else f"posterior, prior {self.prior:g}"
        title = f"{name} regression through randomized response ({kind}, 95 % Wald intervals)"
        counts = f"n = {self.n}, distinct rows = {self.distinct_rows}, dropped = {self.dropped}"
        likelihood = f"log likelihood = {self.log_likelihood:.4f}, against the intercept alone: {self.likelihood_ratio}"
        criteria = f"AIC = {self.aic:.2f}, BIC = {self.bic:.2f}"
        return [title, counts], [likelihood, criteria, *(f"! {each}" for each in self.diagnostics)]


def logistic_regression(
    covariates: ArrayLike,
    reports: ArrayLike,
    channel: Channels,
    weights: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    information: Information | None = None,
    *,
    counts: ArrayLike | None = None,
    missing: Missing = "error",
    link: LinkName = "logit",
    clusters: ArrayLike | None = None,
    prior: float | None = None,
) -> LogisticFit:
    """Regress a yes/no answer that was reported through a channel on covariates that were not randomized.

    Model: respondents answer independently, P(answer = 1) = logistic(b0 + x b), and each report is drawn from the row
    of the channel that belongs to the answer, so that

        log L(b) = sum_i w_i log( P(y_i | 0) (1 - mu_i) + P(y_i | 1) mu_i ),    mu_i = F(b0 + x_i b),

    with F the logistic function, or the one of another `link`.

    Parameters
    ----------
    covariates : array of shape (n, p), p >= 0
        Finite numbers, without a constant column: the intercept is added, and is the first coefficient. Rows of pandas'
        objects, here and in what follows, are matched by their index; where that cannot be done they are refused.
    reports : array of shape (n,)
        Symbols from 0 to the number of reports less 1; no = 0, yes = 1 for a channel with two reports.
    channel : Channel, None, or a sequence of n of these
        Two answers (no = 0, yes = 1), any number of reports. None where the question was asked directly.
    weights : array of shape (n,), optional
        Sampling weights, positive; only their proportions matter. They need the robust information, and the
        likelihood-ratio test then has no p-value (NaN): its statistic is not chi-square.
    names : sequence of p names, optional
        x1, x2, ... by default, or the columns' own where `covariates` is a data frame.
    information : {"observed", "expected", "opg", "robust", "cluster"}, optional
        Whose inverse is the covariance: minus the second derivatives; their expectation; the outer product of the
        scores; or the sandwich of the first with the squared weighted scores (White 1982), the default with sampling
        weights, or with those of the clusters' sums times G / (G - 1) (Liang & Zeger 1986), the only one with
        `clusters`. Without either the default is "observed".
    counts : array of shape (n,), optional
        How many respondents, all equal, each row stands for: whole numbers from 1. The fit is that of as many rows.
    missing : {"error", "drop"}
        Whether a NaN (or None) among covariates or reports is an error or leaves its row out.
    link : {"logit", "probit", "cloglog"}
        F: logistic; normal; 1 - exp(-exp(eta)), of a first yes within a time whose hazards are proportional.
    clusters : array of shape (n,), optional
        Labels of at least 2 groups whose members may be alike; better of 40 and more.
    prior : float, optional
        Standard deviation of normal priors: of the intercept at the covariates' means, and of each slope times its
        covariate's standard deviation. 2.5 is weakly informative on the logit scale, and keeps every coefficient finite
        (Gelman et al. 2008; Laplace's approximation: coefficients are the posterior mode, the covariance the inverse of
        its curvature). With weights or clusters that inverse is the bread of the sandwich; weights then count as if
        their mean were 1 (Savitsky & Toth 2016).

    Returns
    -------
    LogisticFit

    Raises
    ------
    ValueError
        Naming the argument, the bound and the value.

    Notes
    -----
    The covariance is large-sample and takes the channel as kept to: respondents who say no whatever the coin tells
    them bias the intercept down and the slopes. The likelihood is not concave and may have several summits: the climb
    begins at fixed places, and finding another summit whose log likelihood is within 0.5 of the highest is named in
    `diagnostics`, as is every case in which no finite estimate exists. With more than 5,000 distinct rows the places
    are tried on an even 5,000 of them.

    References
    ----------
    Maddala, G. S. (1983). Limited-dependent and qualitative variables in econometrics, section 2.15. Cambridge.
    Scheers, N. J. & Dayton, C. M. (1988). Covariate randomized response models. JASA 83, 969-974.
    Blair, G., Imai, K. & Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. JASA 110,
    1304-1319, section 3.1. Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear
    models. Biometrika 73, 13-22. van den Hout, A., van der Heijden, P. G. M. & Gilchrist, R. (2007). The logistic
    regression model with response variables subject to randomized response. CSDA 51, 6060-6069. Gelman, A., Jakulin,
    A., Pittau, M. G. & Su, Y.-S. (2008). A weakly informative default prior distribution for logistic and other
    regression models. Annals of Applied Statistics 2, 1360-1383. Savitsky, T. D. & Toth, D. (2016). Bayesian
    estimation under informative sampling. Electronic Journal of Statistics 10, 1677-1708. White, H. (1982). Maximum
    likelihood estimation of misspecified models. Econometrica 50.

    Examples
    --------
    Two coins; 400 women of whom 200 reported yes, 600 men of whom 200 did: debiased, one half and one sixth.

    >>> from randomized_response import forced_response
    >>> woman, report = [1, 1, 0, 0], [1, 0, 1, 0]
    >>> fit = logistic_regression(woman, report, forced_response(truth="1/2"), counts=[200, 200, 200, 400])
    >>> fit.coefficients.round(6)
    array([-1.609438,  1.609438])
    >>> fit.predict([[0], [1]]).proportions.round(6)
    array([0.166667, 0.5     ])
    """
    chosen = _chosen(information, weighted=weights is not None, clustered=clusters is not None)
    if link not in LINKS:
        raise ValueError(f"link must be one of {', '.join(LINKS)}; got {link!r}")
    as_prior(prior)
    if prior is not None and chosen in ("expected", "opg"):
        raise ValueError(f'information must not be "{chosen}" with a prior; its posterior has the observed information')
    rows = read_rows(
        covariates, reports, channel, weights=weights, counts=counts, names=names, missing=missing, answers=2,
        clusters=clusters,
    )  # fmt: skip
    tested = weights is None and clusters is None and prior is None
    return _fitted(fold(rows), chosen, link, prior, tested=tested)


def _fitted(
    rows: CovariateRows, information: Information, link: LinkName, prior: float | None, *, tested: bool
) -> LogisticFit:
    found = _logistic.solve(rows, information, LINKS[link], prior)
    test = likelihood_ratio(found.log_likelihood, found.null_log_likelihood, len(rows.names) - 1)
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(found.covariance))
    return LogisticFit(
        names=rows.names,
        coefficients=found.coefficients,
        standard_errors=errors,
        covariance=found.covariance,
        log_likelihood=found.log_likelihood,
        null_log_likelihood=found.null_log_likelihood,
        likelihood_ratio=test if tested else replace(test, p_value=float("nan")),
        information=information,
        converged=found.converged,
        diagnostics=found.diagnostics,
        iterations=found.iterations,
        n=rows.respondents,
        distinct_rows=rows.reports.size,
        dropped=rows.dropped,
        reached=found.reached,
        link=link,
        prior=prior,
        rows=rows,
    )


def _chosen(information: Information | None, *, weighted: bool, clustered: bool) -> Information:
    """The information to use: with sampling weights only the sandwich is valid, with clusters only theirs."""
    if information is None:
        return "cluster" if clustered else "robust" if weighted else "observed"
    if information not in _INFORMATION:
        raise ValueError(f"information must be one of {', '.join(_INFORMATION)}; got {information!r}")
    if clustered != (information == "cluster"):
        raise ValueError(f'information must be "cluster" with clusters, and with them alone; got {information!r}')
    if weighted and information not in ("robust", "cluster"):
        raise ValueError(f'information must be "robust" with weights (respondents go to `counts`); got {information!r}')
    return information


def predicted(
    design: Floats, spread: Floats, coefficients: Floats, covariance: Floats, confidence: float, link: Link
) -> Prediction:
    eta = design @ coefficients
    proportions, others = link.shares(eta)
    reach = scipy.special.ndtri((1 + confidence) / 2) * spread
    slope, _ = link.slopes(eta, proportions, others)
    direction = slope @ design / len(design)
    return Prediction(
        proportions=proportions,
        standard_errors=slope * spread,
        low=link.shares(eta - reach)[0],
        high=link.shares(eta + reach)[0],
        mean=float(proportions.mean()),
        mean_standard_error=float(np.sqrt(direction @ covariance @ direction)),
        confidence=confidence,
    )
