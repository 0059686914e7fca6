"""What the forms of the page Analyse say of each kind of analysis."""

from django.utils.translation import gettext_lazy

from estimator.models import Analysis

Kind = Analysis.Kind
WHAT = {
    Kind.COMPARISON: gettext_lazy("Is a share or mean higher in one group than in another, and by how much?"),
    Kind.WEIGHTING: gettext_lazy(
        "What would the result be in a population whose groups have other sizes than among the respondents?"
    ),
    Kind.CROSS_TABLE: gettext_lazy(
        "Are two answers associated? The effect of randomisation is removed from the counts of pairs."
    ),
    Kind.SCORES: gettext_lazy("To how many of several questions do people say Yes, and which answers go together?"),
    Kind.REGRESSION: gettext_lazy(
        "How do the odds of an answer differ between groups, and do the groups differ at all?"
    ),
    Kind.AREAS: gettext_lazy("How high is a share in each of many areas, of which some have few responses?"),
    Kind.VERSIONS: gettext_lazy("Did the result change from one version of this survey to the next?"),
}
"""The question that each kind answers."""

SUPPORTED = {
    Kind.COMPARISON: gettext_lazy(
        "For every kind of question: the share of a choice, or the mean of a scale or a "
        "number. Of a scale with discrete Laplace noise, the mean alone."
    ),
    Kind.WEIGHTING: gettext_lazy("For every kind of question."),
    Kind.CROSS_TABLE: gettext_lazy(
        "For yes/no questions, choices and scales, and for two options of one question of "
        "which several may be ticked. Not for numbers and scales with discrete Laplace noise, "
        "of which the mean alone is told. A question that is answered by marks, or has many "
        "choices, enters with one choice against all others. The first may be a background question."
    ),
    Kind.SCORES: gettext_lazy(
        "For 2 to 6 yes/no questions, options of which several may be ticked, or choices against all others."
    ),
    Kind.REGRESSION: gettext_lazy(
        "For yes/no questions, and for one choice or option against all others. With background questions also for "
        "all choices at once, and for the mean of a scale or a number, by a linear regression. Other randomised "
        "answers may then be predictors, too."
    ),
    Kind.AREAS: gettext_lazy(
        "For yes/no questions, and for one choice or option against all others. The areas are the answers to a "
        "background question."
    ),
    Kind.VERSIONS: gettext_lazy(
        "For a question that two versions asked in the same words, with the same choices and the same table."
    ),
}
"""The questions that each kind supports."""
