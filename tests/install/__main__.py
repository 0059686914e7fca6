"""The commands of docs/how-to/deploy.md, on an empty machine of its own for each proxy: `python -m tests.install`.

It writes into docs/evidence/installation.md when they were run. A word after it chooses one proxy.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.audit.standalone import prepare as prepare_django
from tests.install import machine as machines
from tests.install.document import ROOT, Block, blocks
from tests.tools import provenance

PROXIES = ("nginx", "caddy")
PASSWORD, MAIL_PASSWORD = "seven green bottles", "a password of that server"
RECORD = ROOT / "docs" / "evidence" / "installation.md"
BEGIN, END = "<!-- written by make audit-install -->\n", "<!-- until here -->"


def main() -> None:
    chosen = sys.argv[1:] or PROXIES
    prepare_django()
    machines.prepare()
    found = [walk(proxy) for proxy in chosen]
    for line in found:
        print(line)
    if not sys.argv[1:]:
        before, _, rest = RECORD.read_text().partition(BEGIN)
        said = " ".join([provenance.of_run(), *found])
        RECORD.write_text(f"{before}{BEGIN}{said}\n{END}{rest.partition(END)[2]}")


def walk(proxy: str) -> str:
    """Install, use, back up and upgrade with this proxy; a sentence on how it went."""
    from tests.install.steps import Steps  # only now: it needs the settings

    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="candor-install-") as name:
        folder = Path(name)
        certify(folder)
        clone(folder)
        with machines.running(folder, f"candor-install-{proxy}") as machine, Steps.on(machine, MAIL_PASSWORD) as steps:
            typed = [_with_source(block) for block in blocks("machine", proxy)]
            answers = {"Password: ": PASSWORD, "Repeat password: ": PASSWORD}
            steps.before(typed[0].heading)
            for number, (block, printed) in enumerate(machine.type(typed, answers)):
                print(f"{proxy}: {block.heading}, {block.text.count(chr(10))} lines", flush=True)
                following = typed[number + 1].heading if number + 1 < len(typed) else ""
                if following != block.heading:
                    steps.after(block.heading, printed, name="ada", password=PASSWORD)
                    steps.before(following)
        version = steps.proxy_version
    lines = sum(block.text.strip().count("\n") + 1 for block in typed)
    return f"With {version}: {lines} lines in {(time.monotonic() - begun) / 60:.0f} minutes; {steps.summary}"


def certify(folder: Path) -> None:
    """A certificate for both names, which the machine is told to trust."""
    names = "subjectAltName=DNS:survey.example.org,DNS:mail.example.org"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=example.org"]
    files = ["-addext", names, "-keyout", str(folder / "key.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run([*command, *files], check=True, capture_output=True)


def clone(folder: Path) -> None:
    """The source as an operator gets it: what is committed, under the name main."""
    subprocess.run(["git", "clone", "-q", "--bare", str(ROOT), str(folder / "candor.git")], check=True)
    here = ["git", "-C", str(folder / "candor.git")]
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    subprocess.run([*here, "update-ref", "refs/heads/main", head.stdout.strip()], check=True)
    subprocess.run([*here, "symbolic-ref", "HEAD", "refs/heads/main"], check=True)


def _with_source(block: Block) -> Block:
    """The block with the place of the source on this machine, which everybody has to put in."""
    return Block(
        block.heading, block.labels, re.sub(r"^SOURCE=\S+", "SOURCE=/given/candor.git", block.text, flags=re.M)
    )


if __name__ == "__main__":
    main()
