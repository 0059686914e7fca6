"""A survey whose texts try what files can be broken by, and its reports: for tests of what is exported."""

import numpy as np

from collector.designs import Design
from collector.designs.services import freeze_design
from tests.factories import kinds, payloads, simulation

WORDING = '=HYPERLINK("x") – هل غششت؟ 😀 "quoted", it\'s; <b>&amp;</b>\nsecond line'
CHOICE = "+نعم 👩‍👩‍👧"
GROUP = '@السنة الأولى, "A"; 🎓'
TITLE = "-استطلاع 📊 <r>&</r>"


def design(**changes: object) -> Design:
    document = payloads.document(**changes)
    document["title"] = {"en": TITLE}
    document["items"][0]["wording"], document["items"][0]["choices"][1] = {"en": WORDING}, {"en": CHOICE}
    document["strata"]["groups"][0]["label"] = {"en": GROUP}
    return freeze_design(document)


def answer(design: Design, count: int = 120) -> None:
    """Store reports of which each symbol takes each of its values."""
    reports = np.arange(count)[:, None] // 2 % np.array(design.alphabets)
    strata = np.arange(count) % len(design.strata)
    simulation.store(design, simulation.People(strata, {}), reports.astype(np.uint8))


def of_every_kind() -> Design:
    """Every kind of question and every encoding, in two groups."""
    groups = payloads.definition()["strata"]
    return freeze_design(kinds.document(strata=groups))
