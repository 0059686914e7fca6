"""Control questions to choose from, in every language of respondents' pages, with the share that truly says Yes."""

from dataclasses import dataclass

from surveys.definition.parts import Text


@dataclass(frozen=True)
class ControlQuestion:
    """A yes/no question whose true share of Yes is known; `known_share` is exact, as text."""

    name: str
    known_share: str
    wording: Text


CONTROL_QUESTIONS = (
    ControlQuestion(
        "understanding",
        "1",
        {
            "en": "Can what this device sends differ from what I tick?",
            "de": "Kann das, was dieses Gerät sendet, von dem abweichen, was ich ankreuze?",
            "es": "¿Puede lo que envía este dispositivo ser distinto de lo que marco?",
            "fr": "Ce que cet appareil envoie peut-il différer de ce que je coche ?",
            "ar": "هل يمكن أن يختلف ما يرسله هذا الجهاز عمّا أختاره؟",
        },
    ),
    ControlQuestion(
        "nobody",
        "0",
        {
            "en": "Have you ever been to the Moon?",
            "de": "Waren Sie schon einmal auf dem Mond?",
            "es": "¿Ha estado usted alguna vez en la Luna?",
            "fr": "Êtes-vous déjà allé(e) sur la Lune ?",
            "ar": "هل سبق لك أن كنت على سطح القمر؟",
        },
    ),
    ControlQuestion(
        "sequence",
        "1",
        {
            "en": "2, 4, 6: is the next number of this sequence 8?",
            "de": "2, 4, 6: Ist die nächste Zahl dieser Folge 8?",
            "es": "2, 4, 6: ¿es 8 el siguiente número de esta serie?",
            "fr": "2, 4, 6 : le nombre suivant de cette suite est-il 8 ?",
            "ar": "2، 4، 6: هل العدد التالي في هذه المتتالية هو 8؟",
        },
    ),
    # 120 of 365 days; births are spread a little unevenly over the year, by less than a survey of thousands tells.
    ControlQuestion(
        "birthday",
        "120/365",
        {
            "en": "Were you born in January, February, March or April?",
            "de": "Sind Sie im Januar, Februar, März oder April geboren?",
            "es": "¿Nació usted en enero, febrero, marzo o abril?",
            "fr": "Êtes-vous né(e) en janvier, février, mars ou avril ?",
            "ar": "هل وُلدت في يناير أو فبراير أو مارس أو أبريل؟",
        },
    ),
)
