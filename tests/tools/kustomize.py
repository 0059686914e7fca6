"""The part of kustomize that deploy/kubernetes uses: every other word in a kustomization is an error."""

from pathlib import Path
from typing import Any

import yaml

Document = dict[str, Any]
KNOWN = {"apiVersion", "kind", "namespace", "resources", "configMapGenerator", "images"}
WITHOUT_NAMESPACE = {"Namespace"}


def rendered(folder: Path) -> list[Document]:
    """The objects that `kubectl kustomize` prints, but for the hash in the names of ConfigMaps."""
    wanted = yaml.safe_load((folder / "kustomization.yaml").read_text())
    if unknown := set(wanted) - KNOWN:
        raise ValueError(f"{folder}: {unknown} are not known here.")
    found: list[Document] = []
    for name in wanted["resources"]:
        there = folder / name
        found += rendered(there) if there.is_dir() else list(yaml.safe_load_all(there.read_text()))
    for generator in wanted.get("configMapGenerator", []):
        _generate(folder, generator, found)
    for document in found:
        for image in wanted.get("images", []):
            _rename(document, image)
        if "namespace" in wanted and document["kind"] not in WITHOUT_NAMESPACE:
            document["metadata"]["namespace"] = wanted["namespace"]
    return found


def variables(file: Path) -> dict[str, str]:
    """The variables that a file sets, as kustomize and `kubectl create secret --from-env-file` read it."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def _generate(folder: Path, generator: Document, found: list[Document]) -> None:
    data = {name: value for file in generator.get("envs", []) for name, value in variables(folder / file).items()}
    data |= dict(line.split("=", 1) for line in generator.get("literals", []))
    if generator.get("behavior") == "merge":
        there = next(one for one in found if (one["kind"], one["metadata"]["name"]) == ("ConfigMap", generator["name"]))
        there["data"] |= data
        return
    metadata = {"name": generator["name"], **generator.get("options", {})}
    found.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})


def _rename(document: Any, image: Document) -> None:
    """Give the image its new name wherever a container of the document has it."""
    if isinstance(document, dict):
        if document.get("image") == image["name"]:
            document["image"] = f"{image['newName']}:{image['newTag']}"
        for value in document.values():
            _rename(value, image)
    elif isinstance(document, list):
        for value in document:
            _rename(value, image)
