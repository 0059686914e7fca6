"""The works that a report cites, by a short key, in the form of a reference list."""

import re
import unicodedata
from collections.abc import Iterable

from estimator.base import mechanisms

OF_ANALYSES = {
    "blair": "Blair, G., Imai, K., & Zhou, Y.-Y. (2015). Design and analysis of the randomized response technique. "
    "Journal of the American Statistical Association, 110(511), 1304–1319.",
    "cruyff": "Cruyff, M. J. L. F., van den Hout, A., & van der Heijden, P. G. M. (2008). The analysis of randomized "
    "response sum score variables. Journal of the Royal Statistical Society, Series B, 70(1), 21–30.",
    "deville": "Deville, J.-C., & Särndal, C.-E. (1992). Calibration estimators in survey sampling. Journal of the "
    "American Statistical Association, 87(418), 376–382.",
    "dunnett": "Dunnett, C. W. (1955). A multiple comparison procedure for comparing several treatments with a "
    "control. Journal of the American Statistical Association, 50(272), 1096–1121.",
    "gelman_little": "Gelman, A., & Little, T. C. (1997). Poststratification into many categories using hierarchical "
    "logistic regression. Survey Methodology, 23(2), 127–135.",
    "gelman": "Gelman, A., Jakulin, A., Pittau, M. G., & Su, Y.-S. (2008). A weakly informative default prior "
    "distribution for logistic and other regression models. Annals of Applied Statistics, 2(4), 1360–1383.",
    "graubard": "Graubard, B. I., & Korn, E. L. (1999). Predictive margins with survey data. Biometrics, 55(2), "
    "652–659.",
    "hayter": "Hayter, A. J. (1984). A proof of the conjecture that the Tukey–Kramer multiple comparisons procedure is "
    "conservative. Annals of Statistics, 12(1), 61–75.",
    "himmelfarb": "Himmelfarb, S., & Edgell, S. E. (1980). Additive constants model: A randomized response technique "
    "for eliminating evasiveness to quantitative response questions. Psychological Bulletin, 87(3), 525–530.",
    "hout_kooiman": "van den Hout, A., & Kooiman, P. (2006). Estimating the linear regression model with categorical "
    "covariates subject to randomized response. Computational Statistics & Data Analysis, 50(11), 3311–3323.",
    "hout_misclassified": "van den Hout, A., & van der Heijden, P. G. M. (2004). The analysis of multivariate "
    "misclassified data with special attention to randomized response data. Sociological Methods & Research, 32(3), "
    "384–410.",
    "hout_logistic": "van den Hout, A., van der Heijden, P. G. M., & Gilchrist, R. (2007). The logistic regression "
    "model with response variables subject to randomized response. Computational Statistics & Data Analysis, 51(12), "
    "6060–6069.",
    "koch": "Koch, G. G., Freeman, D. H., & Freeman, J. L. (1975). Strategies in the multivariate analysis of data "
    "from complex surveys. International Statistical Review, 43(1), 59–78.",
    "kott": "Kott, P. S., & Carr, D. A. (1997). Developing an estimation strategy for a pesticide data program. "
    "Journal of Official Statistics, 13(4), 367–383.",
    "kramer": "Kramer, C. Y. (1956). Extension of multiple range tests to group means with unequal numbers of "
    "replications. Biometrics, 12(3), 307–310.",
    "kwan": "Kwan, S. S. K., So, M. K. P., & Tam, K. Y. (2010). Applying the randomized response technique to elicit "
    "truthful responses to sensitive questions in IS research: The case of software piracy behavior. Information "
    "Systems Research, 21(4), 941–959.",
    "mackinnon": "MacKinnon, J. G., & White, H. (1985). Some heteroskedasticity-consistent covariance matrix "
    "estimators with improved finite sample properties. Journal of Econometrics, 29(3), 305–325.",
    "mccullagh": "McCullagh, P. (1980). Regression models for ordinal data. Journal of the Royal Statistical Society, "
    "Series B, 42(2), 109–142.",
    "mcfadden": "McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In P. Zarembka (Ed.), "
    "Frontiers in econometrics (pp. 105–142). Academic Press.",
    "newcombe": "Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: "
    "Comparison of eleven methods. Statistics in Medicine, 17(8), 873–890.",
    "ostapczuk": "Ostapczuk, M., Musch, J., & Moshagen, M. (2009). A randomized-response investigation of the "
    "education effect in attitudes towards foreigners. European Journal of Social Psychology, 39(6), 920–931.",
    "rue": "Rue, H., Martino, S., & Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian models by "
    "using integrated nested Laplace approximations. Journal of the Royal Statistical Society, Series B, 71(2), "
    "319–392.",
    "scheers": "Scheers, N. J., & Dayton, C. M. (1988). Covariate randomized response models. Journal of the American "
    "Statistical Association, 83(404), 969–974.",
    "sidak": "Šidák, Z. (1967). Rectangular confidence regions for the means of multivariate normal distributions. "
    "Journal of the American Statistical Association, 62(318), 626–633.",
    "tukey": "Tukey, J. W. (1953). The problem of multiple comparisons. Unpublished manuscript, Princeton University.",
    "white": "White, H. (1982). Maximum likelihood estimation of misspecified models. Econometrica, 50(1), 1–25.",
    "zou_donner": "Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect measures: A general "
    "approach. Statistics in Medicine, 27(10), 1693–1702.",
}

OF_REPORTS = {
    "kasiviswanathan": "Kasiviswanathan, S. P., Lee, H. K., Nissim, K., Raskhodnikova, S., & Smith, A. (2011). What "
    "can we learn privately? SIAM Journal on Computing, 40(3), 793–826.",
    "feldman": "Feldman, G. J., & Cousins, R. D. (1998). Unified approach to the classical statistical analysis of "
    "small signals. Physical Review D, 57(7), 3873–3889.",
    "blaker": "Blaker, H. (2000). Confidence curves and improved exact confidence intervals for discrete "
    "distributions. Canadian Journal of Statistics, 28(4), 783–798.",
    "clopper": "Clopper, C. J., & Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the "
    "case of the binomial. Biometrika, 26(4), 404–413.",
    "wilson": "Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of "
    "the American Statistical Association, 22(158), 209–212.",
    "robbins": "Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. Annals of "
    "Mathematical Statistics, 41(5), 1397–1409.",
    "waudby": "Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H., & Ramdas, A. (2024). Time-uniform central "
    "limit theory and asymptotic confidence sequences. Annals of Statistics, 52(6), 2613–2640.",
    "held": "Held, M., Wolfe, P., & Crowder, H. P. (1974). Validation of subgradient optimization. Mathematical "
    "Programming, 6, 62–88.",
    "cochran": "Cochran, W. G. (1977). Sampling techniques (3rd ed.). Wiley.",
    "cheu": "Cheu, A., Smith, A., & Ullman, J. (2021). Manipulation attacks in local differential privacy. 2021 IEEE "
    "Symposium on Security and Privacy, 883–900.",
    "clark": "Clark, S. J., & Desharnais, R. A. (1998). Honest answers to embarrassing questions: Detecting cheating "
    "in the randomized response model. Psychological Methods, 3(2), 160–168.",
    "imbens": "Imbens, G. W., & Manski, C. F. (2004). Confidence intervals for partially identified parameters. "
    "Econometrica, 72(6), 1845–1857.",
    "manski": "Manski, C. F. (1989). Anatomy of the selection problem. Journal of Human Resources, 24(3), 343–360.",
    "moshagen": "Moshagen, M., Musch, J., & Erdfelder, E. (2012). A stochastic lie detector. Behavior Research "
    "Methods, 44(1), 222–231.",
    "zou": "Zou, G. Y., Huang, W., & Zhang, X. (2009). A note on confidence interval estimation for a linear function "
    "of binomial proportions. Computational Statistics & Data Analysis, 53(4), 1080–1085.",
    "zou_waves": "Zou, G. Y. (2007). Toward using confidence intervals to compare correlations. Psychological Methods, "
    "12(4), 399–413.",
    "aapor": "American Association for Public Opinion Research (2021). AAPOR Code of Professional Ethics and "
    "Practices. AAPOR.",
}

WORKS = mechanisms.WORKS | OF_REPORTS | OF_ANALYSES
"""Reports list them by author."""

OF_INTERVALS = {
    "feldman_cousins": "feldman",
    "exact": "blaker",
    "clopper_pearson": "clopper",
    "score": "wilson",
    "convolution": "feldman",
    "recovered": "zou",
    "recovered_score": "zou",
    "beta_binomial_mixture": "robbins",
    "normal_mixture": "waudby",
}


def cited_in(texts: Iterable[str]) -> set[str]:
    """The keys of the works that texts cite by their first author and year."""
    text = "\n".join(texts)
    found = set()
    for key, work in WORKS.items():
        author, year = work.partition(",")[0], work.partition("(")[2][:4]
        if re.search(rf"\b{re.escape(author)}\b[^;()\d]*{year}", text):
            found.add(key)
    return found


def listed(keys: set[str]) -> list[str]:
    """The works of these keys in the order of their authors; an accent makes no difference."""
    return sorted((WORKS[key] for key in keys), key=lambda work: unicodedata.normalize("NFKD", work).casefold())
