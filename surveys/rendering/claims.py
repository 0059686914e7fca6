"""What a respondent is told about protection: one sentence, chosen by the total privacy loss of the design."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from collector.designs import Design
from estimator.base.protection import Level, level_of_design

CLAIMS: dict[Level, Promise] = {
    Level.LITTLE: gettext_lazy("So your response says little about you, and it proves nothing."),
    Level.HINT: gettext_lazy("So your response can be a hint about your true answers. It proves nothing."),
    Level.STRONG: gettext_lazy("So your response can say a lot about your true answers, but nobody can be certain."),
    Level.WARNING: gettext_lazy("Be careful: your response can come close to proving your true answers."),
}
"""The sentence of each level. It follows the odds, and claims no more than the bounds of the level allow."""


def claim(design: Design) -> Promise:
    """The sentence on protection of everything that a person sends."""
    return CLAIMS[level_of_design(design)]


def of_page(design: Design) -> dict[str, object]:
    """The sentence, and whether it is a warning: then a short one stands above the first question, unfolded."""
    return {"claim": claim(design), "warns": level_of_design(design) is Level.WARNING}
