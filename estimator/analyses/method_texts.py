"""What a page says of the methods of its numbers, and of the reasons for there being none."""

from django.utils.translation import gettext_lazy

METHODS = {
    "share": gettext_lazy(
        "Shares and means of each group or wave: as in the report, with intervals that include sampling."
    ),
    "difference": gettext_lazy(
        "Differences of shares: intervals that recover the variances from the intervals of "
        "both groups (Newcombe 1998; Zou & Donner 2008). Differences of means: normal "
        "intervals."
    ),
    "pairs": gettext_lazy(
        "The {count} comparisons hold simultaneously at {level}, by the studentized range "
        "(Tukey 1953; Kramer 1956; Hayter 1984)."
    ),
    "reference": gettext_lazy(
        "The {count} comparisons with one reference group hold simultaneously at {level} (Dunnett 1955)."
    ),
    "together": gettext_lazy(
        "The {count} comparisons hold simultaneously at {level}, whatever their correlations (Šidák 1967)."
    ),
    "weighted_difference": gettext_lazy(
        "Weighted groups are not independent: the same shares tie them together, and differences take their "
        "covariance into account (Zou 2007)."
    ),
    "weighting": gettext_lazy(
        "Post-stratification: the groups’ estimates weighted by the entered shares, which are "
        "taken as known (Cochran 1977, chapter 5); intervals recover the variances from the "
        "groups’ exact intervals (Zou, Huang & Zhang 2009), and are normal where there are "
        "none."
    ),
    "cross-table": gettext_lazy(
        "Joint shares: maximum likelihood through both randomisation schemes; Wald intervals "
        "of the unbiased estimates. Shares by row and association: delta method; association "
        "where a cell is zero: profile likelihood interval. Independence: likelihood-ratio "
        "test (van den Hout & van der Heijden 2002)."
    ),
    "correlation": gettext_lazy(
        "Correlation: Pearson’s, of the numbers that the answers stand for, through the randomisation; delta method, "
        "with an interval on the scale of atanh (Himmelfarb & Edgell 1980; Kwan, So & Tam 2010). Of two answers Yes is "
        "1 and No 0."
    ),
    "answers_in_steps": gettext_lazy(
        "The answers to the background question count 1, 2, 3, … in their order; who prefers not to say is left out."
    ),
    "scores": gettext_lazy(
        "Shares by number of yes: the most likely joint distribution of the answers through all tickets, with Wald "
        "intervals of the unbiased estimates (Cruyff, van den Hout & van der Heijden 2008). Mean: of the sums of "
        "unbiased values. That answers do not go together is tested by the likelihood ratio."
    ),
    "association": gettext_lazy(
        "Phi of every two questions: delta method; where a cell of the most likely table is zero, profile likelihood."
    ),
    "regression": gettext_lazy(
        "Logistic regression of a randomised answer by maximum likelihood; Wald intervals of "
        "the logarithms of the odds ratios (Scheers & Dayton 1988; Blair, Imai & Zhou 2015)."
    ),
    "probit": gettext_lazy(
        "Probit regression of a randomised answer by maximum likelihood (van den Hout, van der Heijden & Gilchrist "
        "2007)."
    ),
    "cloglog": gettext_lazy(
        "Complementary log-log regression of a randomised answer by maximum likelihood (van den Hout, van der Heijden "
        "& Gilchrist 2007)."
    ),
    "multinomial": gettext_lazy(
        "Multinomial logistic regression of a randomised answer by maximum likelihood: the odds are those of a choice "
        "against the first one; Wald intervals of the logarithms of the odds ratios (McFadden 1974; van den Hout & van "
        "der Heijden 2004)."
    ),
    "ordinal": gettext_lazy(
        "Ordinal regression of a randomised answer by maximum likelihood: the odds are those of a higher choice, and "
        "their ratio is taken to be the same at every choice (proportional odds; McCullagh 1980)."
    ),
    "latent": gettext_lazy(
        "Another randomised answer as a predictor: one likelihood through the tickets of both, with a multinomial "
        "model of the shares of that answer (Blair, Imai & Zhou 2015). Averages by other predictors leave that answer "
        "as it is: they are over the shares that the model predicts."
    ),
    "corrected": gettext_lazy(
        "Another randomised answer as a predictor of a mean: least squares with the unbiased values of both responses "
        "in the normal equations; standard errors that hold where variances differ (HC1; van den Hout & Kooiman 2006, "
        "section 3). Averages by other predictors leave that answer as it is."
    ),
    "modified": gettext_lazy(
        "The effects of randomised predictors differ by the answers to one background question: a coefficient for each "
        "of these but the first is added to each effect. Numbers with an answer are averages as if all had given it."
    ),
    "answers": gettext_lazy(
        "Of several randomised predictors effects add up, and the shares of all combinations of their answers are "
        "free. Averages by one leave the answers to the others as they are."
    ),
    "predictors": gettext_lazy(
        "Each odds ratio or difference compares two answers with the other predictors held fixed. Shares are averaged "
        "over the respondents as if all had given the answer (predictive margins; Graubard & Korn 1999); differences "
        "of them are marginal effects, with normal intervals. Responses that do not tell a predictor by itself are "
        "left out."
    ),
    "linear": gettext_lazy(
        "Linear regression of the unbiased value of each response, by least squares; standard errors that hold where "
        "variances differ (HC3; MacKinnon & White 1985)."
    ),
    "means": gettext_lazy(
        "Each difference compares two answers with the other predictors held fixed. Means are averaged over the "
        "respondents as if all had given the answer. Responses that do not tell a predictor by itself are left out."
    ),
    "interaction": gettext_lazy(
        "Of two predictors that interact each two answers have a share of their own; those that fewer than 30 gave "
        "together are left out. Whether the effects add up is a Wald test."
    ),
    "interactions": gettext_lazy(
        "Where a predictor is in several interactions, the effects of answers that nobody gave together are taken to "
        "add up."
    ),
    "weighted_table": gettext_lazy(
        "Weighted tables: the most likely table of the weighted responses, and linearised standard errors. "
        "Independence is Wald’s test of the unbiased shares (Koch, Freeman & Freeman 1975)."
    ),
    "coin": gettext_lazy(
        "People who follow a coin of their own answer differently by a known amount where the coins of versions "
        "differ; those who mark No whatever it shows do not (Clark & Desharnais 1998; Ostapczuk, Musch & Moshagen "
        "2009). Nobody is taken to depart from a coin in another way. Responses to versions without a coin are not "
        "used."
    ),
    "steps": gettext_lazy(
        "A predictor in steps enters by the number of its answer, so that each further answer changes the odds, or the "
        "mean, alike; who prefers not to say is left out. The difference is that of the last answer and the first."
    ),
    "weighted_regression": gettext_lazy(
        "Weighted likelihood with robust standard errors (White 1982), the weights taken as known; tests are Wald’s."
    ),
    "prior": gettext_lazy(
        "Weakly informative priors: normal with standard deviation 2.5 for standardised predictors (Gelman and others "
        "2008). The numbers are the mode of the posterior with intervals by its curvature; tests are Wald’s."
    ),
    "calibration": gettext_lazy(
        "Weights: {method} to the entered shares, which are taken as known (Deville & Särndal 1992). A response that "
        "tells several answers together counts as each of them in the proportions of the population, one that tells "
        "none as the population. Standard errors are linearised: of what the shares do not explain. Intervals: "
        "Wilson’s score interval at the number of responses that these standard errors amount to (Kott & Carr 1997), "
        "normal ones where a table has none. Effective number of responses: Kish 1965."
    ),
    "areas": gettext_lazy(
        "Multilevel logistic regression of a randomised answer with an intercept for each area, and poststratification "
        "to the census (Gelman & Little 1997): areas with few responses are drawn towards the others. Intervals: equal "
        "tails of the approximate posterior with weakly informative priors (Rue, Martino & Chopin 2009). Who does not "
        "tell the area and each predictor by itself is left out."
    ),
    "told": gettext_lazy("Groups hold the responses that tell the answer by itself."),
    "versions": gettext_lazy(
        "Changes: intervals that recover the variances from the intervals of both (Newcombe "
        "1998; Zou 2007); normal ones for means. Each interval holds by itself, not all "
        "together."
    ),
    "different": gettext_lazy(
        "It is not known how many people took part in both, so the waves are treated as "
        "independent. If many respondents are the same, the interval is too wide where answers "
        "mostly stayed the same, and too narrow where they changed."
    ),
    "returned": gettext_lazy(
        "How many kept their answer is not known; the estimates only bound it. The interval "
        "uses the smallest possible number, which makes it widest."
    ),
    "remembered": gettext_lazy(
        "Devices remembered their tickets: an unchanged answer was sent as the same response "
        "in both, with the same random error."
    ),
    "fresh": gettext_lazy("Each wave was randomised anew, so its random error is independent of the other."),
}
MODEL_NAMES = {
    "ordinal": gettext_lazy("Ordinal, for choices in an order (proportional odds)"),
    "probit": gettext_lazy("Probit, for two answers"),
    "cloglog": gettext_lazy("Complementary log-log, for two answers"),
}
CALIBRATIONS = {
    "raking": gettext_lazy("raking"),
    "linear": gettext_lazy("linear calibration"),
    "logit": gettext_lazy("logit calibration"),
}
UNMET = {
    "nobody": gettext_lazy(
        "There are no weights: no response tells “{answer}” to “{question}”. Leave its share empty and let the others "
        "sum to 100 %; the result is then of a population without these people."
    ),
    "outside": gettext_lazy(
        "There are no weights: responses tell “{answer}” to “{question}”, but no share was entered for it."
    ),
    "unmodelled": gettext_lazy(
        "The census has people with “{answer}” to “{question}”, and no response tells it by itself: put them together "
        "with others, or leave the question out."
    ),
    "unreached": gettext_lazy(
        "There are no weights that meet the share of “{answer}” to “{question}” together with the other shares. Allow "
        "a larger weight, or leave out a question."
    ),
}
"""Why there are no weights, by the reason."""
