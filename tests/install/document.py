"""The commands of docs/how-to/deploy.md and upgrade.md, by the way of installing, and the files that they use."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "how-to" / name for name in ("deploy.md", "upgrade.md")]
PROXIES = ROOT / "deploy" / "proxy"
LABELS = {"machine", "containers", "nginx", "caddy"}


@dataclass(frozen=True)
class Block:
    """Commands that stand together, under a heading, and the ways of installing that run them."""

    heading: str
    labels: frozenset[str]
    text: str


def written() -> str:
    return "\n".join(page.read_text() for page in PAGES)


def blocks(*labels: str) -> list[Block]:
    """The blocks of the pages that have one of these labels, in this order; all without."""
    found, heading = [], ""
    pattern = r"^## (?P<heading>[^\n]+)$|^<!-- run: (?P<labels>[a-z, ]+) -->\n```sh\n(?P<text>.*?)^```$"
    for match in re.finditer(pattern, written(), re.MULTILINE | re.DOTALL):
        if match["heading"]:
            heading = match["heading"]
        else:
            found.append(Block(heading, frozenset(match["labels"].split(", ")), match["text"]))
    return [block for block in found if not labels or block.labels & set(labels)]


def nginx(folder: Path, *, ports: tuple[int, int] = (8080, 8443)) -> Path:
    """A configuration of nginx with our file in its block "http", for any user; `ports` are those of http and https."""
    site = (PROXIES / "nginx.conf").read_text()
    for old, new in (("/etc/ssl/candor", str(folder)), ("/var/log/nginx", str(folder))):
        site = site.replace(old, new)
    for usual, port in zip((80, 443), ports, strict=True):
        site = re.sub(rf"(listen (?:\[::\]:)?){usual}\b", rf"\g<1>{port}", site)
    (folder / "candor.conf").write_text(site)
    kinds = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = f"pid {folder}/pid; error_log {folder}/errors; events {{}} http {{ {kinds} include {folder}/candor.conf; }}"
    (folder / "main.conf").write_text(main)
    return folder / "main.conf"
