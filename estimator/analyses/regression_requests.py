"""Parameters of regressions on background questions, and of weights: read from fields, or refused with a message."""

from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from math import prod

from django.utils.translation import gettext

from collector.designs import Design
from estimator.analyses.latent import MOST_ANSWERS, MOST_TOGETHER
from estimator.analyses.quantities import (
    STEPS,
    AnalysisError,
    CoinKinds,
    Score,
    Variable,
    outcome_of,
    variable_of,
    variables_of,
)
from estimator.analyses.selectors import weightings_of
from estimator.runs.groups import AND, strata_asked

MODELS = (ORDINAL := "ordinal", "probit", "cloglog")
"""Of a regression on background questions, beside the usual one of its outcome."""
PRIOR = 2.5
"""The scale of weakly informative priors of a regression (Gelman et al. 2008)."""
YES = ("yes", "on", "true", "1")
MOST_INTERACTIONS = 3
ANSWERS = ("answer", "answer-2", "answer-3")
"""The fields of randomised predictors."""


def background_regression(fields: Mapping[str, str], design: Design) -> dict[str, object]:
    """The parameters of a regression on background questions."""
    outcome = outcome_of(design, fields.get("outcome", ""))
    keys = [question.key for question in design.background.questions]
    given = {key: fields.get(f"predictor-{key}", "") for key in keys}
    wrong = next((key for key, value in given.items() if value not in ("", "no", *YES, STEPS)), None)
    if wrong is not None:
        text = gettext("predictor-{key} must be yes, steps or no; got “{value}”.")
        raise AnalysisError(text.format(key=wrong, value=given[wrong][:32]))
    predictors = [key for key in keys if fields.get(f"predictor-{key}", "") not in ("", "no")]
    crossed, modifier = _interactions(fields, design), _modifier(fields, keys)
    interacting = [*crossed, *modifier.values()]
    predictors = [key for key in keys if key in predictors or key in interacting]
    if design.background.arms and keys[0] in predictors and not strata_asked(design, outcome.position).all():
        text = gettext("“{version}” cannot be a predictor of a question that is not asked in all versions.")
        raise AnalysisError(text.format(version=design.background.questions[0].wording[design.language]))
    if isinstance(outcome, CoinKinds) and keys[0] in predictors:
        text = gettext("“{version}” cannot be a predictor of who follows the coin: the versions tell it.")
        raise AnalysisError(text.format(version=design.background.questions[0].wording[design.language]))
    steps = _steps(fields, design, interacting)
    more: dict[str, object] = {"steps": steps} if steps else {}
    more |= read_weights(fields, design)
    more |= {"interaction": crossed} if crossed else {}
    answers = _answers(fields, design, outcome)
    more |= answers | modifier
    if modifier and not answers:
        text = gettext(
            "Choose a randomised predictor whose effect differs by a background question, or leave this out."
        )
        raise AnalysisError(text)
    if not answers and not predictors:
        raise AnalysisError(gettext("Choose at least one background question as a predictor."))
    more |= _model(fields.get("model", ""), outcome)
    if fields.get("prior", "") not in ("", "no"):
        if isinstance(outcome, Score):
            raise AnalysisError(gettext("A linear regression has no use for priors; leave them out."))
        more["prior"] = PRIOR
    return {"outcome": fields["outcome"], "predictors": predictors, **more}


def _modifier(fields: Mapping[str, str], keys: Sequence[str]) -> dict[str, str]:
    """The key of the background question that the effects of randomised predictors differ by, if any."""
    key = fields.get("modifier", "")
    if not key:
        return {}
    if key not in keys:
        raise AnalysisError(gettext("Choose one of the background questions that effects may differ by, or none."))
    return {"modifier": key}


def _steps(fields: Mapping[str, str], design: Design, crossed: Sequence[str]) -> list[str]:
    """The keys of the predictors that enter in steps."""
    asked = design.background.questions
    steps = [one for one in asked if fields.get(f"predictor-{one.key}", "") == STEPS]
    for one in steps:
        wrong = one.arms or one.key in crossed
        if wrong:
            text = gettext("“{question}” cannot enter in steps: it is the version of the page, or interacts.")
            raise AnalysisError(text.format(question=one.wording[design.language]))
    return [one.key for one in steps]


def answers_of(design: Design) -> dict[str, list[str]]:
    """The randomised answers that may be predictors: of each question, by its key, the tokens; never none.

    Of one answer among few the whole question; else, as of several answers, each choice against all others.
    """
    found = {}
    for position, item in enumerate(design.items):
        tokens = list(variables_of(design, position))
        whole = item.key in tokens and variable_of(design, item.key).channel.answers <= MOST_ANSWERS
        found[item.key] = [item.key] if whole else [token for token in tokens if ":" in token]
    return {key: tokens for key, tokens in found.items() if tokens}


def _answers(fields: Mapping[str, str], design: Design, outcome: Variable | Score) -> dict[str, object]:
    """Randomised answers as predictors; the outcome is then of two answers, or a mean."""
    tokens = [fields[name] for name in ANSWERS if fields.get(name, "")]
    if not tokens:
        return {}
    if not isinstance(outcome, Score) and outcome.channel.answers > 2:
        raise AnalysisError(gettext("A randomised answer can be a predictor of a yes, of one choice, or of a mean."))
    if not set(tokens) <= set(chain(*answers_of(design).values())):
        raise AnalysisError(gettext("Choose one of the questions whose answer can be a predictor, or none."))
    others = [variable_of(design, token) for token in tokens]
    require_asked(design, outcome.position, *(one.position for one in others))
    if any(one.position == outcome.position for one in others):
        raise AnalysisError(gettext("Choose another question than the outcome’s as the randomised predictor."))
    if len({one.position for one in others}) < len(others):
        raise AnalysisError(gettext("Choose each question once as a randomised predictor."))
    together = prod(one.channel.answers for one in others)
    if together > MOST_TOGETHER:
        text = gettext("Randomised predictors have at most {most} combinations of answers; these have {count}.")
        raise AnalysisError(text.format(most=MOST_TOGETHER, count=together))
    return {"answer": tokens[0], **({"further_answers": tokens[1:]} if tokens[1:] else {})}


def _model(name: str, outcome: Variable | Score) -> dict[str, object]:
    """The model by name; none where it is the usual one of the outcome: linear, logistic or multinomial."""
    if not name:
        return {}
    if name not in MODELS:
        raise AnalysisError(gettext("Choose one of the models."))
    if isinstance(outcome, Score):
        raise AnalysisError(gettext("The regression of a mean is linear; choose the usual model."))
    if isinstance(outcome, CoinKinds):
        raise AnalysisError(gettext("Who follows the coin has no order; choose the usual model."))
    several = outcome.channel.answers > 2
    if several != (name == ORDINAL):
        raise AnalysisError(
            gettext("Probit and complementary log-log regressions are for two answers; choose another model.")
            if several
            else gettext("An ordinal regression needs a question with more than two choices; choose another model.")
        )
    return {"model": name}


def require_asked(design: Design, *positions: int) -> None:
    """Refuse questions, by their places, that no version of the page asks together."""
    if not strata_asked(design, *positions).any():
        text = gettext("Choose questions that one version of the page asks: nobody was asked all of them.")
        raise AnalysisError(text)


def interaction_fields(design: Design) -> dict[str, tuple[str, str]]:
    """The names of the fields of interactions, and the keys of the two background questions of each."""
    both = combinations([question.key for question in design.background.questions], 2)
    return {f"interaction-{one}{AND}{other}": (one, other) for one, other in both}


def _interactions(fields: Mapping[str, str], design: Design) -> list[str]:
    """The keys of the background questions that interact, two by two."""
    names = interaction_fields(design)
    wrong = next((name for name in names if fields.get(name, "") not in ("", "no", *YES)), None)
    if wrong is not None:
        text = gettext("{name} must be yes or no; got “{value}”.")
        raise AnalysisError(text.format(name=wrong, value=fields[wrong][:32]))
    crossed = [pair for name, pair in names.items() if fields.get(name, "") not in ("", "no")]
    if len(crossed) > MOST_INTERACTIONS:
        text = gettext("A regression has at most {most} interactions; {count} are chosen.")
        raise AnalysisError(text.format(most=MOST_INTERACTIONS, count=len(crossed)))
    return [key for pair in crossed for key in pair]


def read_weights(fields: Mapping[str, str], design: Design) -> dict[str, object]:
    """The margins and the method of the weighting that is named by its key; none if all responses count alike."""
    key = fields.get("weights", "")
    if not key:
        return {}
    named = weightings_of(design).filter(key=key).first()
    if named is None:
        raise AnalysisError(gettext("Choose one of the weightings of this version of the survey, or none."))
    return {"weighting": {name: named.parameters[name] for name in ("margins", "method", "largest")}}
