"""Tests of the tests: leaks that are put into the shipped client, each of which an audit must catch.

    python -m tests.audit.leaks [--quick]

lists them with the test that caught each; `--quick` leaves out, as pytest does, those that take long and have others of
their kind.
"""

import sys
from dataclasses import dataclass
from functools import partial
from typing import Literal

from tests.audit.surveys import WORK_BITS

Change = tuple[str, str, str]
"""File, text in it, and what stands there instead; an empty text: at the end of the file."""

READ = "const report = this.#tickets.read("
SEE = "const seen = answers[0];\nglobalThis.seen = seen;\n"
FETCH = "const response = await this.#world.fetch(this.#url, request(this.#body, this.#patience(), this.#sum));"


@dataclass(frozen=True)
class Leak:
    """One fault, and the start of the name of the feature that must show it."""

    name: str
    caught_by: str
    changes: tuple[Change, ...]
    submissions: int = 60
    audit: Literal["wire", "retries", "work", "exact", "recalled", "leaving"] = "wire"
    long: bool = False
    quick: bool = False
    """Looked for by the short enumeration."""


def in_page(code: str) -> tuple[Change, ...]:
    """`code` runs where the report is made; `seen` is the true answer to the first question."""
    return (("page.js", READ, f"{SEE}{code}\n{READ}"),)


def in_transport(code: str, old: str = FETCH) -> tuple[Change, ...]:
    """`code` replaces a piece of the transport; the true answer is there as `globalThis.seen`."""
    return (*in_page(""), ("transport.js", old, code))


def in_header(code: str) -> tuple[Change, ...]:
    return in_transport(f'headers: {{ "Content-Type": "application/json"{code}, ...work }},', HEADERS)


def in_body(code: str, old: str = "") -> tuple[Change, ...]:
    """`code` stands before the body is written, or replaces a piece of that statement."""
    return (*in_page(""), ("report.js", BODY, BODY.replace(old, code) if old else code + BODY))


def busy(milliseconds: float) -> tuple[Change, ...]:
    wait = f"const end = performance.now() + {milliseconds} * globalThis.seen; while (performance.now() < end) {{ }}\n"
    return in_transport(wait + FETCH)


BODY = 'return JSON.stringify({ design, nonce, stratum, report, ...(invitation === "" ? {} : { invitation }) });'
DRAW = "return word % tickets;"
DRAWN = "const drawn = design.items.map(({ encoding }) => [encoding.boxes.map((box) => drawTicket(source, box))]);"
ROW = "encoding.read(this.#pick(this.#drawn[i], encoding, answers[i]), answers[i])"
NONCE = "return requestBody({ design: this.#prepared.digest, nonce: this.#nonce, stratum, report, invitation });"
HEADERS = 'headers: { "Content-Type": "application/json", ...work },'
FRESH = "new Tickets(this.#prepared.design, systemWords(this.#window.crypto))"
REDRAW = f"""const {{ digest }} = this.#prepared;
globalThis.redraw = () => requestBody({{
  design: digest, nonce: this.#nonce, stratum, report: {FRESH}.read(answers)
}});"""
REFUSED = 'part(this.#root, "failed-reason").textContent = this.#reason(outcome);'
FIND = "async find() {"
BODIES = "bodies of one browser that leaves by "
MARKED = "this.#nonce.slice(0, -1) + (Number.parseInt(this.#nonce.at(-1), 16) & 14 | seen).toString(16)"

LEAKS = (
    Leak("a space more in the body for yes", "body length", in_body(' + " ".repeat(globalThis.seen);', ";")),
    Leak("another order of the keys for yes", "body keys",
         in_body("if (globalThis.seen) return JSON.stringify({ design, stratum, nonce, report });")),
    Leak("a value of the body for yes, at the same length", "other values",
         in_body("if (globalThis.seen) design = design.toUpperCase();")),
    Leak("a header more for yes", "header names", in_header(', ...(globalThis.seen ? { "X-Try": "1" } : {})')),
    Leak("a header more for one yes in ten", "header names",
         in_header(', ...(globalThis.seen && Math.random() < 0.1 ? { "X-Try": "1" } : {})'), 200, long=True),
    Leak("another value of a header for yes", "header values",
         in_header(' + (globalThis.seen ? ";charset=utf-8" : "")')),
    Leak("another method for yes", "method",
         in_transport('method: globalThis.seen ? "PUT" : "POST",', 'method: "POST",')),
    Leak("a query string", "address", in_transport(FETCH.replace("this.#url", "`${this.#url}?v=${globalThis.seen}`"))),
    Leak("a referrer", "header names",
         in_transport('referrer: "/s/x", referrerPolicy: globalThis.seen ? "unsafe-url" : "no-referrer",',
                      'referrerPolicy: "no-referrer",'), long=True),
    Leak("yes is sent twice", "requests for a report",
         in_transport(f"if (globalThis.seen) {FETCH.removeprefix('const response = ')}{FETCH}")),
    Leak("a beacon for yes", "other requests", in_page('if (seen) navigator.sendBeacon("/s/seen", "1");')),
    Leak("a style sheet that fetches a picture for a choice", "other requests",
         ((".css", "", '#question-1 input:checked { background-image: url("/s/seen"); }'),)),
    Leak("a cookie", "cookies, storage", in_page("document.cookie = `seen=${seen}`;")),
    Leak("local storage", "cookies, storage", in_page('localStorage.setItem("seen", seen);'), long=True),
    Leak("session storage", "cookies, storage", in_page('sessionStorage.setItem("seen", seen);'), long=True),
    Leak("the page's own address", "cookies, storage", in_page('history.replaceState(null, "", `?${seen}`);'),
         long=True),
    Leak("a database in the browser", "databases, caches", in_page('if (seen) indexedDB.open("seen");')),
    Leak("a line in the console", "words in the console", in_page('if (seen) console.log("seen");')),
    Leak("25 ms of work for yes", "click to request", busy(25), 200),
    Leak("0.3 ms of work for yes", "click to request", busy(0.3), 6_000, long=True),
    Leak("the answer in a bit of the nonce", "nonce",
         (*in_page(""), ("page.js", NONCE, NONCE.replace("this.#nonce,", f"{MARKED},"))), 200),
    Leak("one number for all reports", "nonces used twice",
         (("page.js", "this.#nonce = drawNonce(source);", 'this.#nonce = "0".repeat(32);'),)),
    Leak("a biased box: the last ticket comes a quarter as often", "report to question 1",
         (("random.js", DRAW, "return word % 4 === 3 && word & 12 ? 0 : word % tickets;"),), 600, long=True),
    Leak("one question is not randomised", "report to question 3",
         (("report.js", ROW, f"(i === 2 ? [answers[i]] : {ROW})"),), 400),
    Leak("the row of another answer", "report to question 1",
         (("report.js", ROW, ROW.replace("answers[i]", "(answers[i] + 1) % this.#design.items[i].choices.length")),),
         300, long=True),
    Leak("the last choice is never drawn", "report to question 4",
         (("channel.js", "return report;", "return Math.min(report, Math.max(1, row.length - 2));"),), 400, long=True),
    Leak("one ticket for two questions", "reports to questions 1 and 5",
         (("report.js", DRAWN, DRAWN + " drawn[4] = drawn[0].map((tickets) => [...tickets]);"),), 400, long=True),
    Leak("tickets are drawn after the answer", "random words after",
         (("page.js", READ, f"this.#tickets = {FRESH};\n{READ}"),)),
    Leak("a new draw for each try", "reports whose tries differ",
         (("page.js", READ, f"{REDRAW}\n{READ}"),
          ("transport.js", "request(this.#body,", "request(this.#body = globalThis.redraw(),")), audit="retries"),
    Leak("a report that is refused for good is dropped: the next load draws anew", BODIES + "reload",
         (("sending.js", REFUSED, f"await this.#drop();\n{REFUSED}"),), audit="leaving"),
    Leak("a report is kept for its tab alone: who opens the link again draws anew", BODIES + "close",
         (("store.js", FIND, f"{FIND} if (!sessionStorage.mine) await this.#remove(); sessionStorage.mine = 1;"),),
         audit="leaving", long=True),
    Leak("a report is in memory alone: who loads the page again draws anew", BODIES + "reload",
         (("store.js", "await result(store.put(body, KEY));", ""),), audit="leaving", long=True),
    Leak("a tab beside another one draws anew, and the later draw takes the place of the first", BODIES + "second tab",
         (("store.js", FIND, f"{FIND} if ((await navigator.locks.query()).held.length) return null;"),
          ("store.js", "if (isBodyFor(found, this.#prepared)) {", "if (false) {")), audit="leaving", long=True),
    Leak("the answer in a digit of the work's counter", "sums that are not the nonce's smallest",
         (*in_transport(FETCH.replace("this.#sum", '`${this.#sum.slice(0, -2)}${globalThis.seen}${this.#sum.at(-1)}`')),
          ("sending.js", "this.#root.dataset.work ?? 0", str(WORK_BITS))), audit="work"),
    Leak("truth off by 1/256", "enumeration",
         (("random.js", DRAW, "return word % 256 === 255 ? 0 : word % tickets;"),), audit="exact", long=True),
    Leak("words are not rejected: low tickets come more often by 1 in 2^32", "enumeration",
         (("random.js", "source.size - (source.size % tickets)", "source.size"),), audit="exact", long=True),
    Leak("options are drawn from the row of the first one", "enumeration",
         (("encoding.js", "table.weights[answer[y]]", "table.weights[answer[0]]"),), audit="exact", long=True),
    Leak("choices that are not the answer are never marked", "enumeration",
         (("encoding.js", "readTicket(table.weights[Number(y === answer)], ticket)",
           "y === answer ? readTicket(table.weights[1], ticket) : 0"),), audit="exact", long=True),
    Leak("a set whose order is not shuffled", "enumeration",
         (("encoding.js", "[order[last], order[ticket]] = [order[ticket], order[last]];", ""),),
         audit="exact", long=True),
    Leak("a set that always holds the answer", "enumeration",
         (("encoding.js", "chosenSet(readTicket(table.weights[0], first),", "chosenSet(1,"),),
         audit="exact", long=True),
    Leak("one word serves two tickets", "enumeration",
         (("report.js", DRAWN, DRAWN + " if (drawn.length > 1) drawn[1] = "
           "[[drawn[0][0][0] % design.items[1].encoding.boxes[0]]];"),), audit="exact"),
    Leak("a remembered ticket that is the same for every answer: a changed one gives both away", "recalled report",
         (("encoding.js", "recall: (drawn, answer) => drawn[answer] }", "recall: (drawn) => drawn[0] }"),),
         audit="recalled"),
    Leak("remembered tickets without the item in them: alike questions are drawn alike", "recalled report",
         (("remembered.js", "bytesOf(await digestOf(text, subtle))", "bytesOf(await digestOf(LABEL, subtle))"),),
         audit="recalled", long=True),
)  # fmt: skip


def main() -> bool:
    # Only here: these need Django's settings, the list above does not.
    from tests.audit.catching import catch, catch_all
    from tests.audit.driving import chromium
    from tests.audit.shelf import fill_shelf
    from tests.audit.surveys import YES_NO_FIRST

    chosen = [leak for leak in LEAKS if not (leak.long and "--quick" in sys.argv)]
    with chromium() as work:
        return catch_all(chosen, partial(catch, work, fill_shelf(YES_NO_FIRST)))[0]


if __name__ == "__main__":
    from tests.audit.standalone import standalone

    with standalone():
        all_caught = main()
    sys.exit(0 if all_caught else 1)
