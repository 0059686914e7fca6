"""Every key of a survey's YAML file. What a key means is written here; which keys there are, tests ask the parser."""

from docs.make.markdown import code, page, table
from estimator.base.mechanisms import REGISTRY
from surveys.definition import bounds
from surveys.definition.classes import HOURS, PERIODS
from surveys.definition.mechanisms import KINDS
from surveys.definition.questions import SENSITIVITIES

Keys = dict[str, tuple[str, str]]
"""Of each key its type and what it means."""

SURVEY: Keys = {
    "slug": ("link name", "The survey's name in its link, `/s/<slug>/`: lower-case letters, digits and hyphens."),
    "languages": ("list of codes", "Main language first: `en`, `de`, `es`, `fr`, `ar`. `[en]` where it is left out."),
    "title": ("text", "The title, on every page and report."),
    "introduction": ("text", "What the survey is about, before the first question."),
    "consent": ("text", "What respondents agree to by taking part."),
    "consent_statements": ("list of texts", "Statements that respondents tick before the first question; at most 20."),
    "screening": ("mapping", "One question whose answers may end the survey: see [screening](#screening)."),
    "about": ("mapping", "Who asks, and whom respondents can turn to: see [about](#about)."),
    "look": ("mapping", "Colours, typeface and logo: see [look](#look)."),
    "ending": ("mapping", "What stands at the end: see [ending](#ending)."),
    "strata": ("mapping", "The question that assigns the group: see [strata](#strata)."),
    "background_questions": ("mapping", "Up to six questions that are asked openly, in place of `strata`: see [background_questions](#background_questions)."),
    "sections": ("list of mappings", "Sections in their order: see [sections](#sections)."),
    "items": ("list of mappings", "The questions in their order: see [items](#items). Required."),
    "pictures": ("mapping", "Pictures as base64, each under a name that questions and the logo refer to."),
    "invitations": ("`secret` or `blind`", "`secret`: single-use links; `blind`: anonymous single-use links. An open link where it is left out."),
    "repeats": ("`fresh` or `remember`", "In a later wave: randomise anew, or let the device send the same response for the same answer. `fresh` where it is left out."),
    "same_people_as": ("link name", "A survey that asks the same people: its privacy loss counts on in this one."),
    "participation": ("number", "Epsilon, above 0 and at most 8, with which the sizes of groups are released once, with noise."),
    "rehearsal": ("true or false", "`true` for a survey that only simulated respondents answer."),
    "privacy_budget": ("number", "Total epsilon that the editor keeps to, above 0 and at most 100; 4 where it is left out. Stays with the authors."),
}  # fmt: skip
ITEM: Keys = {
    "key": (
        "name",
        "The variable's name in every file: letters, digits and `_`; made from the question where it is left out.",
    ),
    "kind": ("word", f"{', '.join(map(code, KINDS))}."),
    "wording": ("text", "The question."),
    "choices": ("list of texts", "The response options in their order; for `yes_no` other words for no and yes, in this order."),
    "channel": ("mapping", "The mechanism: see [channel](#channel). For `yes_no` it may be left out: forced response with truth 1/2."),
    "classes": ("mapping", "Options made of dates or times of day, in place of `choices`: see [classes](#classes)."),
    "points": ("whole number", "A scale of 2 to 256 points, in place of `choices`."),
    "low": ("text", "Beside `points`: the label of the first point."),
    "high": ("text", "Beside `points`: the label of the last point."),
    "minimum": ("number", "Of a `number`: the least value."),
    "maximum": ("number", "Of a `number`: the largest value."),
    "step": ("number", "Of a `number`: the distance between two values; at most 256 values."),
    "prefer_not": ("true, false or text", "\"Prefer not to say\" as the last option, randomised like the others. Not for a `number`."),
    "required": ("true or false", "`false`: may be left blank. `true` where it is left out."),
    "shuffle": ("true or false", "`true`: options in random order, drawn on the device and not sent."),
    "keep_last": ("true or false", "Beside `shuffle`: the last option stays last."),
    "dropdown": ("true or false", "`true`: options in a list that unfolds."),
    "heading": ("text", "Makes the question a row of a grid, with the neighbours that have the same heading and options."),
    "most": ("whole number", "Of `several_choices`: how many options may be ticked."),
    "section": ("key", "The section that the question belongs to; all questions have one where there are sections."),
    "help_after": ("true or false", "`true`: the help line is shown after the question."),
    "known_share": ("number or fraction", "Of a control question: the share that truly says yes, such as `0` or `1/3`. In the design, so respondents may read it."),
    "sensitivity": ("word", f"{', '.join(map(code, SENSITIVITIES))}: how the editor divides the privacy budget. Stays with the authors."),
    "asked_if": ("mapping", "Asks the question only after certain answers: see [asked_if](#asked_if)."),
    "unasked": ("option or number", "Beside `asked_if`: what those who are not asked send, so that nobody sees who was."),
    "before": ("mapping", "Heading, text and picture above the question: see [before](#before)."),
    "choice_pictures": ("list of pictures", "A [picture](#pictures) or `null` for each option."),
}  # fmt: skip
PICTURE: Keys = {
    "file": ("name", "The name of the picture under `pictures`."),
    "alternative": ("text", "What the picture shows, for those who do not see it."),
    "digest": ("SHA-256", "In exported files: names the picture in place of `file`."),
    "type": ("media type", "In exported files: `image/png`, `image/jpeg` or `image/webp`."),
    "width": ("whole number", "In exported files: its width in points."),
    "height": ("whole number", "In exported files: its height in points."),
}
PARTS: dict[str, tuple[str, Keys]] = {
    "strata": ("The background question that assigns the group. It is sent openly, not randomised.", {
        "wording": ("text", "The question."),
        "groups": ("list of mappings", "At most 50 [groups](#groups)."),
    }),
    "groups": ("An entry of `strata.groups`.", {
        "key": ("name", "The group's name in every file. Shorter keys are filled up to one length."),
        "label": ("text", "The response option."),
        "share": ("number", "The group's known share of the population, by which estimates are weighted. All groups have one, or none."),
    }),
    "background_questions": ("Asked openly, and sent as a cell of all their answers that is as fine as the expected responses allow.", {
        "expected_responses": ("whole number", "How many responses the cells are made for; 1000 where it is left out."),
        "smallest_cell": ("whole number", "How many of them are expected in each cell at least; 5 or more, 10 where it is left out."),
        "questions": ("list of mappings", "One to six [background questions](#background_question). The first is kept finest, the last is given up first."),
    }),
    "background_question": ("An entry of `background_questions.questions`. Respondents may skip it, or prefer not to say.", {
        "key": ("name", "Its name in every file; made from its words where it is left out."),
        "wording": ("text", "The question."),
        "choices": ("list of texts", "2 to 40 choices."),
        "shares": ("list of numbers", "The share of respondents that is expected to give each answer; together 1. Equal where they are left out."),
        "prefer_not": ("text", "Other words for \"Prefer not to say\", which is the last choice."),
        "arms": ("list of mappings", "In the first question alone: nobody is asked, the browser draws one of these [versions of the page](#arm); its `choices` are their names."),
    }),
    "arm": ("An entry of `arms` of the first background question.", {
        "explanation": ("`before`, `after` or `own_coin`", "Whether the page explains the tickets before the questions or after Send, or has respondents toss a coin or die of their own."),
        "weight": ("whole number", "How often it is drawn beside the others, 1 to 100."),
        "introduction": ("text", "In place of the survey's introduction."),
        "instead": ("mapping", "The key of a question that it asks instead of another, by the key of the one that it leaves out: `{used: crosswise}`. Both have the same kind and choices. Not in the first version."),
        "consent": ("text", "A statement that is ticked beside the `consent_statements` by whoever gets this version; needed where its questions together protect less than another version's."),
    }),
    "sections": ("An entry of `sections`.", {
        "key": ("name", "What questions name in `section`."),
        "title": ("text", "The heading of the section."),
        "introduction": ("text", "A text below it."),
        "help_after": ("true or false", "`true`: the help line is shown at the end of the section."),
    }),
    "screening": ("Its answer stays on the device.", {
        "wording": ("text", "The question."),
        "choices": ("list of texts", "At most 20 options."),
        "ends": ("list of whole numbers", "The places, from 0, of the options that end the survey."),
        "text": ("text", "What is shown to those for whom it ends."),
    }),
    "about": ("Shown before the first question and at the end.", {
        "sender": ("text", "Who asks."),
        "institution": ("text", "The institution behind the survey."),
        "contact": ("text", "Whom respondents can ask about the survey."),
        "data_protection": ("text", "Who is responsible for data protection."),
        "help_line": ("text", "Where respondents find help with the subject; shown also where `help_after` asks for it."),
    }),
    "look": ("Colours as `#` and six hexadecimal digits. Texts need a contrast of 4.5:1.", {
        "accent": ("colour", "Links and buttons on light screens."),
        "accent_dark": ("colour", "Links and buttons on dark screens."),
        "background": ("colour", "The page on light screens."),
        "background_dark": ("colour", "The page on dark screens."),
        "font": ("word", "`sans`, `serif`, `humanist` or `rounded`: a typeface that devices have."),
        "logo": ("picture", "A [picture](#pictures) above the title."),
    }),
    "ending": ("Shown after the response was sent.", {
        "text": ("text", "A text of thanks, or what happens next."),
        "link": ("mapping", "A [link](#link)."),
        "completion": ("mapping", "The way back to a panel of respondents: see [completion](#completion)."),
    }),
    "link": ("Of `ending.link`.", {
        "label": ("text", "The words of the link."),
        "address": ("address", "Where it leads; begins with `https://`."),
    }),
    "completion": ("Of `ending.completion`. The code is the same for everybody.", {
        "code": ("code", "3 to 64 letters, digits, `-` and `_`."),
        "address": ("address", "Where the panel takes respondents back; begins with `https://`."),
        "carry": ("mapping", "Which parameter of that address gets which parameter of the survey's link."),
    }),
    "before": ("Of an item's `before`.", {
        "heading": ("text", "A heading above the question."),
        "text": ("text", "A text; an empty line begins a new paragraph."),
        "picture": ("picture", "A [picture](#pictures)."),
    }),
    "asked_if": ("Of an item's `asked_if`. The device decides; nothing is sent of it.", {
        "item": ("key", "An earlier question."),
        "answers": ("list", "Options by their texts or their places from 0; the question is asked after one of these."),
    }),
    "classes": ("Of an item's `classes`.", {
        "by": ("word", f"{', '.join(map(code, PERIODS))}, `date` or `time`."),
        "from": ("date or time", "The first period, like `2024-01` or `2024`; of times where the first class begins, like `06:00`."),
        "to": ("date", "The last period."),
        "earlier": ("true or false", "`true`: an option for all before the first period."),
        "later": ("true or false", "`true`: an option for all after the last period."),
        "at": ("list of dates", "With `by: date`: where classes begin."),
        "hours": ("whole number", f"With `by: time`: the length of a class, {', '.join(map(str, HOURS))}."),
    }),
    "pictures": ("Wherever a picture is shown: by `before`, `choice_pictures` and `look.logo`.", PICTURE),
}  # fmt: skip
"""Each mapping within a definition, by the heading that describes it."""


def text() -> str:
    return page(
        "Survey file keys",
        "For researchers who write surveys as files, and for programs.",
        "Every key of the YAML file that `manage.py import_survey`, the panel's upload and the API take. What they are for is "
        "explained with examples in [survey file](survey-file.md); [every-kind.yaml](../examples/every-kind.yaml) has "
        "every kind, mechanism and option once.",
        "A **text** is plain text in a survey of one language, else a mapping with an entry for each language, "
        "`{en: Student life, de: Studentenleben}`. A **number** is written exactly: `1/2`, `0.4`, `40 %`. Keys that are not "
        f"listed here are refused. A file has at most {bounds.LARGEST // 1024} KiB besides its pictures, "
        f"{bounds.MOST_ENTRIES} entries in a list and {bounds.LONGEST_TEXT:,} characters in a text.",
        "## Top level",
        _table(SURVEY),
        "## items",
        "An entry of `items`: one question.",
        _table(ITEM),
        "## channel",
        "Of an item's `channel`: `name` and the parameters of this mechanism, for example `{name: k_ary, truth: 1/3}`. Which is "
        "recommended at which privacy loss is in [choose the protection](../how-to/choose-protection.md).",
        table(("`name`", "Mechanism", "For", "Parameters"), [_mechanism(name) for name in REGISTRY]),
        *(f"## {title}\n\n{about}\n\n{_table(keys)}" for title, (about, keys) in PARTS.items()),
    )


def _table(keys: Keys) -> str:
    return table(("Key", "Value", "Meaning"), [(code(key), kind, meaning) for key, (kind, meaning) in keys.items()])


def _mechanism(name: str) -> tuple[str, str, str, str]:
    entry = REGISTRY[name]
    parameters = [f"{code(one.name)}: {one.help.rstrip('.')}" for one in entry.parameters]
    return code(name), entry.label, ", ".join(map(code, entry.kinds)), ". ".join(parameters)
