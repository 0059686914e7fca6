"""From a questionnaire of another tool to a survey definition, with a line of the import report for each element."""

from dataclasses import dataclass, field
from typing import cast

from django.conf import settings
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy

from collector.designs.appearance import check_ending
from collector.errors import ValidationError
from estimator.base.languages import filled
from surveys.definition.bounds import MOST_ENTRIES
from surveys.definition.ceilings import TOTAL
from surveys.definition.keys import key_from
from surveys.definition.parts import EndingPart, ItemPart, LinkPart, SectionPart
from surveys.definition.questions import prefer_not
from surveys.exchange import protection
from surveys.exchange.items import LEFT_OUT, ItemMaker, MadeItem
from surveys.exchange.source import WRITTEN_BEFORE, Outcome, Question, Questionnaire, Section, Words, shown
from surveys.exchange.unasked import with_condition
from surveys.exchange.words import first_text, language_code, plain_text

NO_TITLE = gettext_lazy("Imported survey")
LONGEST_TITLE = 300
"""Characters of a title or heading that are taken over."""
CONDITIONAL = (
    gettext_lazy("A text with its own condition."),
    gettext_lazy("Write it above the wording of the question that it belongs to."),
)


@dataclass
class Texts:
    """The languages of the definition, and the texts of the source in them."""

    languages: list[str]
    own: str
    """The language of texts that name none."""

    @classmethod
    def of(cls, source: Questionnaire, default: str) -> "Texts":
        spoken = [code for code, _name in settings.LANGUAGES]
        tags = list(dict.fromkeys([source.language, *_tags(source)]))
        codes = list(dict.fromkeys(code for tag in tags if tag and (code := language_code(tag))))
        languages = [code for code in codes if code in spoken]
        own = language_code(source.language) if language_code(source.language) in spoken else ""
        own = own or (languages[0] if languages and "" not in _tags(source) else default)
        strange = [code for code in codes if code not in spoken]
        texts = cls(list(dict.fromkeys([own, *languages])), own)
        if strange and not languages:
            texts.adopted = strange.pop(0)
            said = gettext(
                "Respondents' pages are not available in {adopted}: its texts are used as {own}. "
                "Candor's own texts are in {own}."
            ).format(adopted=texts.adopted, own=own)
            source.report.add(
                "languages", texts.adopted, "changed", said, gettext("Check that respondents can read both.")
            )
        for code in strange:
            said = gettext("Respondents' pages are not available in this language; they are in {spoken}.").format(
                spoken=", ".join(spoken)
            )
            source.report.add("languages", code, "left out", said)
        for code in texts.languages:
            source.report.add("languages", code, "taken over")
        return texts

    adopted: str = ""
    """A language that the pages do not speak, whose texts stand in the survey's own."""

    def take(self, words: Words, place: list[str] | None = None) -> dict[str, str]:
        """A text in every language, empty where the source has none; what was changed is added to `place`."""
        taken = dict.fromkeys(self.languages, "")
        for tag, written in words.items():
            code = language_code(tag) if tag else self.own
            code = self.own if code == self.adopted else code
            if code in taken and written.strip() and not taken[code]:
                taken[code], said = plain_text(written)
                if place is not None:
                    place += [one for one in said if one not in place]
        return taken


def _tags(source: Questionnaire) -> list[str]:
    every = [source.title, source.introduction, source.consent, source.ending, source.link_label]
    for question in source.questions:
        every += [question.words, question.help, *(one.words for one in (*question.options, *question.rows))]
    return [tag for words in every for tag in words]


@dataclass
class Builder:
    """Makes the definition of a questionnaire, element by element."""

    source: Questionnaire
    texts: Texts
    items: list[ItemPart] = field(default_factory=list)
    made: dict[str, MadeItem] = field(default_factory=dict)
    sections: list[SectionPart] = field(default_factory=list)
    introduction: list[dict[str, str]] = field(default_factory=list)
    waiting: list[tuple[Question, dict[str, str], list[str]]] = field(default_factory=list)
    """Texts that stand before the next question, with what was changed of them."""

    current: Section | None = None

    def definition(self, filename: str) -> dict[str, object]:
        """The raw definition, as an author could have written it in YAML."""
        source = self.source
        title = self._titled(filename)
        self.introduction.append(self._part(source.introduction, "introduction"))
        consent = self._part(source.consent, "consent")
        for question in source.questions:
            self._add(question)
        ending = self._ending()
        self._report_empty_sections()
        self._protect()
        slug = slugify(str(source.stored.get("slug") or "") or title[self.texts.own] or source.name)[:50].strip("-_")
        raw = {
            "slug": slug or "imported",
            "languages": self.texts.languages,
            "title": title,
            "introduction": self._joined_introduction(),
            "consent": consent,
            **({"sections": self.sections} if self.sections else {}),
            "items": self.items,
            **({"ending": ending} if ending else {}),
        }
        return {**raw, **{name: value for name, value in source.stored.items() if name != "slug"}}

    def _titled(self, filename: str) -> dict[str, str]:
        title = self._part(self.source.title, "title")
        if not title[self.texts.own]:
            title[self.texts.own] = next(filter(None, title.values()), "") or shown(filename) or str(NO_TITLE)
            said = gettext("The file has no title in {own}: it is now {title}.").format(
                own=self.texts.own, title=title[self.texts.own]
            )
            self.source.report.add("title", "title", "changed", said)
        cut = list[str]()
        title = _heading(title, cut)
        for sentence in cut:
            self.source.report.add("title", title[self.texts.own], "changed", sentence)
        return title

    def _part(self, words: Words, name: str) -> dict[str, str]:
        said: list[str] = []
        taken = self.texts.take(words, said)
        if any(taken.values()):
            outcome: Outcome = "changed" if said else "taken over"
            self.source.report.add(name, first_text(taken, name), outcome, " ".join(said))
        return taken

    def _ending(self) -> EndingPart:
        """What stands at the end: its text, the texts that no question follows, and the link."""
        source, ending = self.source, EndingPart()
        text = self._part(source.ending, "end")
        for note, words, said in self.waiting:
            shown_as = first_text(words, note.name)
            if note.condition or (note.section and note.section.conditions):
                source.report.add(note.place, shown_as, "left out", *CONDITIONAL)
                continue
            text = _above(text, words)
            where = gettext("No question follows this text: it is shown at the end, after sending.")
            source.report.add(note.place, shown_as, "changed", " ".join([where, *said]))
        if any(text.values()):
            ending["text"] = text
        if source.link:
            label = self.texts.take(source.link_label)
            link: LinkPart = {"label": {code: label[code] or source.link for code in label}, "address": source.link}
            try:
                check_ending({"link": link}, self.texts.languages)
            except ValidationError as reason:
                source.report.add(
                    "end",
                    f"link: {source.link}",
                    "left out",
                    gettext("The link {problem}.").format(problem=reason.sentence(())),
                )
            else:
                ending["link"] = link
                how = gettext("Respondents follow it by a link at the end; nobody is redirected automatically.")
                source.report.add("end", f"link: {source.link}", "changed", how)
        return ending

    def _add(self, question: Question) -> None:
        report = self.source.report
        if question.kind == "note":
            self._note(question)
        elif question.kind in LEFT_OUT:
            why, suggestion = LEFT_OUT[question.kind]
            words = next(filter(None, self.texts.take(question.words).values()), question.name)
            report.add(question.place, words, "left out", f"{question.tool_kind}: {why}", suggestion)
        else:
            self._enter(question.section)
            for made in ItemMaker(self.texts, question, self.made).items():
                self._take(question, made)
        report.entries += question.notes

    def _take(self, question: Question, made: MadeItem) -> None:
        report, item = self.source.report, made.item
        if len(self.items) >= MOST_ENTRIES:
            why = gettext("A survey has at most {most_entries} questions.").format(most_entries=MOST_ENTRIES)
            report.add(made.place, made.shown, "left out", why, gettext("Ask them in a second survey."))
            return
        self._put_before(item, question)
        if self.sections:
            item["section"] = self.sections[-1]["key"]
        with_condition(made, question, self.made, prefer_not(self.texts.languages))
        item.update(cast("ItemPart", made.stored))
        if "shuffle" not in item:
            item.pop("keep_last", None)
        self.items.append(item)
        self.made[made.name] = made
        report.add(
            made.place,
            made.shown,
            "changed" if made.said else "taken over",
            " ".join(made.said),
            made.suggestion,
        )

    def _put_before(self, item: ItemPart, question: Question) -> None:
        """Put the texts that wait for a question before this one."""
        before: dict[str, str] = dict.fromkeys(self.texts.languages, "")
        for note, words, said in self.waiting:
            shown_as = first_text(words, note.name)
            if not _shown_with(note, question):
                self.source.report.add(note.place, shown_as, "left out", *CONDITIONAL)
                continue
            said = (
                said
                if note.condition or not question.condition
                else [*said, gettext("It is shown only where that question is asked.")]
            )
            before = _above(before, words)
            where = gettext("The text is shown before {item}.").format(item=item["key"])
            self.source.report.add(note.place, shown_as, "changed" if said else "taken over", " ".join([where, *said]))
        if any(before.values()):
            item["before"] = {"text": before}
        self.waiting.clear()

    def _note(self, question: Question) -> None:
        said: list[str] = []
        words = self.texts.take(question.words, said)
        report = self.source.report
        if WRITTEN_BEFORE in question.stored:
            report.add(
                question.place,
                first_text(words, question.name),
                "taken over",
                gettext("It is shown before its question."),
            )
        elif not any(words.values()):
            report.add(question.place, question.name, "left out", gettext("It has no text."))
        elif not question.condition and not self.items and (question.section is None or not self.sections):
            self.introduction.append(words)
            report.add(
                question.place, first_text(words, question.name), "changed", gettext("It is now in the introduction.")
            )
        else:
            self.waiting.append((question, words, said))

    def _enter(self, section: Section | None) -> None:
        """Begin a section of the definition where that of the source changes."""
        if section is self.current and (self.sections or section is None):
            return
        if section is None and not self.sections:
            return
        keys = [one["key"] for one in self.sections]
        if not self.sections and self.items:  # what stood before the first section needs one too
            self._section(Section("", "start"), keys)
            for item in self.items:
                item["section"] = self.sections[0]["key"]
            keys = [self.sections[0]["key"]]
        self._section(section or Section("", "further"), keys)
        self.current = section

    def _section(self, section: Section, keys: list[str]) -> None:
        said: list[str] = []
        title = self.texts.take(section.title, said)
        if not any(title.values()):
            title = self.texts.take(self.source.title)
            said.append(gettext("It has no heading and uses the survey's title."))
        if not title[self.texts.own]:
            title[self.texts.own] = next(filter(None, title.values()), section.name or str(NO_TITLE))
        introduction = self.texts.take(section.introduction, said)
        key = key_from(section.name or title[self.texts.own], keys, "section")
        title = _heading(title, said)
        self.sections.append({"key": key, "title": title, "introduction": introduction})
        place = section.place or "sections"
        self.source.report.add(place, title[self.texts.own], "changed" if said else "taken over", " ".join(said))

    def _report_empty_sections(self) -> None:
        entered = {one["title"].get(self.texts.own) for one in self.sections}
        for section in self.source.sections():
            title = self.texts.take(section.title)[self.texts.own]
            if title and _heading({"": title}, [])[""] not in entered:
                self.source.report.add(section.place, title, "left out", gettext("None of its questions was imported."))

    def _joined_introduction(self) -> dict[str, str]:
        joined = dict.fromkeys(self.texts.languages, "")
        for words in self.introduction:
            joined = _above(joined, words)
        return joined

    def _protect(self) -> None:
        bare = [item for item in self.items if "channel" not in item]
        odds = protection.odds_of_each(len(self.items))
        for item in bare:
            item["channel"] = protection.channel_of(item, odds)
        if bare:
            said = gettext(
                "{tool} does not randomise answers. Each question without a randomisation method got "
                "one ({bare} of {items}), so that all questions together stay within epsilon {total}."
            ).format(tool=self.source.tool, bare=len(bare), items=len(self.items), total=TOTAL)
            advice = gettext(
                "Give sensitive questions more protection and others less; ask for age or region as a group."
            )
            self.source.report.add("protection", "randomisation", "changed", said, advice)


def _heading(texts: dict[str, str], said: list[str]) -> dict[str, str]:
    """Titles on one line of at most LONGEST_TITLE characters; what was cut is added to `said`."""
    lines = {code: " ".join(words.split()) for code, words in texts.items()}
    if longest := [line for line in lines.values() if len(line) > LONGEST_TITLE]:
        said.append(
            filled(
                gettext("It was shortened to {longest_title} characters from {before:,}."),
                longest_title=LONGEST_TITLE,
                before=max(map(len, longest)),
            )
        )
    return {code: line[:LONGEST_TITLE] for code, line in lines.items()}


def _above(first: dict[str, str], second: dict[str, str]) -> dict[str, str]:
    """Two texts, one above the other, in each language."""
    return {code: "\n\n".join(filter(None, (first[code], second[code]))) for code in first}


def _shown_with(note: Question, question: Question) -> bool:
    """Whether a text is shown wherever the question after it is asked."""
    if note.section is not question.section and note.section and note.section.conditions:
        return False
    asked = question.condition.written if question.condition else ""
    return note.condition is None or note.condition.written == asked
