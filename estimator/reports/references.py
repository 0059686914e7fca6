"""The works that a report cites, by a short key, in the form of a reference list."""

from estimator.base import mechanisms

WORKS = mechanisms.WORKS | {
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


def listed(keys: set[str]) -> list[str]:
    """The works of these keys in the order of their authors."""
    return sorted((WORKS[key] for key in keys), key=str.casefold)
