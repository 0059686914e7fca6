"""What MkDocs does beside its own work for this site: docs/adr/0046-docs-site.md."""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ICON = "surveys/static/surveys/icon.svg"
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
FROM_REPOSITORY = "repository"
"""The folder of the site for files that pages link to and that lie outside docs/."""

WEIGHTS = {
    "how-to/": 3,
    "tutorials/": 2,
    "reference/glossary.md": 2,
    "reference/endpoints.md": 0.3,
    "reference/library/": 0.3,
    "reference/options.md": 0.3,
    "adr/": 0.2,
    "evidence/": 0.2,
}
"""How much more, or less, the search makes of a page than of others, by the beginning of its path: how to do something
comes before what is looked up, and that before what was measured or decided."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = expand(config.nav or [])
    return config


def expand(entries: list[Any]) -> list[Any]:
    """Replace `folder/*.md` by the pages of the folder that no other entry names, in the order of their names."""
    named = set(re.findall(r"[\w/.-]+\.md", str(entries)))

    def pages(pattern: str) -> list[str]:
        found = (path.relative_to(DOCS).as_posix() for path in sorted(DOCS.glob(pattern)))
        return [path for path in found if path not in named]

    def expanded(entry: Any) -> Any:
        match entry:
            case dict():
                return {title: expanded(value) for title, value in entry.items()}
            case list():
                return [one for part in entry for one in (pages(part) if "*" in part else [expanded(part)])]
            case str() if "*" in entry:
                return pages(entry)
        return entry

    replaced: list[Any] = expanded(entries)
    return replaced


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the site's icon, and each file outside docs/ that a page links to: the site is read without a repository."""
    files.append(File.generated(config, "assets/candor.svg", abs_src_path=str(ROOT / ICON)))
    linked = {"CHANGELOG.md"}
    for page in files.documentation_pages():
        targets = (repository_path(page.src_uri, target) for _, target, _ in LINK.findall(page.content_string))
        linked |= {path for path in targets if path and not path.startswith("docs/") and (ROOT / path).is_file()}
    for path in sorted(linked):
        files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to files outside docs/ to their copies in the site, and weigh the page for the search."""
    here = page.file.src_uri
    if here.startswith(FROM_REPOSITORY):
        page.meta["search"] = {"exclude": True}
    for beginning, weight in WEIGHTS.items():
        if here.startswith(beginning):
            page.meta["search"] = {"boost": weight}

    def led(link: re.Match[str]) -> str:
        path = repository_path(here, link[2])
        if path is None or site_path(path) not in files.src_uris:
            return link[0]
        return link[1] + relpath(site_path(path), PurePosixPath(here).parent.as_posix()) + link[3]

    return LINK.sub(led, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the theme's search for who does not see it."""
    unnamed = 'data-md-component="search" role="dialog"'
    return output.replace(unnamed, f'{unnamed} aria-label="Search"')


def repository_path(page: str, target: str) -> str | None:
    """Where in the repository a link on a page of the site leads; None where that is not in it."""
    if "://" in target or target.startswith(("/", "mailto:")):
        return None
    copied = page.startswith(f"{FROM_REPOSITORY}/")
    source = PurePosixPath(page).relative_to(FROM_REPOSITORY) if copied else "docs" / PurePosixPath(page)
    path = normpath(source.parent / target)
    return None if path.startswith("../") else path


def site_path(path: str) -> str:
    """Where the site has a file of the repository."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{FROM_REPOSITORY}/{path}"
