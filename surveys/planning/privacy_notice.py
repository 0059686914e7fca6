"""A privacy notice for respondents (Article 13 GDPR), filled from a survey, as text to paste and to complete.

It is in the language of its readers. What only the institution knows is left in square brackets.
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import override

from collector.designs import Design
from estimator.reports import retention
from surveys.models import Survey


def privacy_notices(survey: Survey, design: Design) -> dict[str, str]:
    """The notice in each language of the survey, by language."""
    return {language: _written(survey, design, language) for language in design.languages}


def _written(survey: Survey, design: Design, language: str) -> str:
    with override(language):
        parts = [f"# {_('Privacy notice')}: {design.title[language]}"]
        parts += [f"## {title}\n\n{text}" for title, text in _sections(survey, design, language)]
    return "\n\n".join(parts) + "\n"


def _sections(survey: Survey, design: Design, language: str) -> Iterator[tuple[str, str]]:
    about = {name: texts[language] for name, texts in design.about.texts.items()}
    unknown = f"[{_('to be written')}]"
    responsible = about.get("institution") or unknown
    yield _("Who is responsible"), "\n".join(filter(None, (responsible, about.get("contact"))))
    yield _("Data protection officer"), about.get("data_protection") or unknown
    yield _("Purpose"), design.introduction[language] or unknown
    yield _("Legal basis"), f"[{_('consent, Article 6 (1) a and 9 (2) a GDPR, or another one')}]"
    yield _("What is sent, and what is not"), "\n\n".join(_sent(design, language))
    yield _("Who can take part"), _way_in(design)
    yield (
        _("Who receives it"),
        _(
            "The researchers of this survey. Everybody else reads published results alone, which are estimates for "
            "many people together."
        )
        + f" [{_('who runs the server, and in which country')}]",
    )
    yield _("For how long"), retention.in_words(survey.purge_after)
    yield _("On your device"), "\n\n".join(_device(design))
    yield _("Your rights"), "\n\n".join(_rights())


def _way_in(design: Design) -> str:
    if design.invitations == "blind":
        return _(
            "Everybody with an anonymous single-use link, once for each link. The server has signed it without seeing "
            "it, so nothing tells who answered with it. A hash of each used link is stored until the survey closes."
        )
    if design.invitations:
        return _(
            "Everybody with a single-use link, once for each link. A hash of its code is stored until it is used; "
            "nothing records which response was sent with it."
        )
    return _("Everybody with the link, any number of times.")


def _sent(design: Design, language: str) -> Iterator[str]:
    yield _(
        "Your device draws a ticket for each question and sends only randomised answers. Your true answer never leaves "
        "it. Besides them a random number is sent. No address, no browser and no time of day is stored or logged."
    )
    openly = [design.strata_wording[language]] if design.groups else []
    openly += [question.wording[language] for question in design.background.questions]
    if openly:
        yield _("Sent openly, not randomised: {questions}").format(questions="; ".join(openly))


def _device(design: Design) -> Iterator[str]:
    yield _(
        "What is sent, already randomised, waits on your device until it has arrived. Afterwards nothing of this "
        "survey is kept there, unless you add it to your own record. No cookies are set."
    )
    if design.remembers:
        yield _(
            "So that your answers stay protected if you are asked again, your device keeps a number from which it "
            "draws the same tickets. You can delete it on the survey’s page."
        )


def _rights() -> Iterator[str]:
    yield _("Taking part is voluntary. Until you press Send you can leave at any time, and nothing is sent.")
    yield _(
        "Nobody can tell which stored response is yours. So it cannot be shown to you, corrected or deleted (Article "
        "11 GDPR), and no decision about you rests on it."
    )
    yield _("You may complain to a supervisory authority:") + f" [{_('its name and address')}]"
