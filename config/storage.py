"""Storage of static files with content hashes in their names, so that a page keeps its versions of scripts."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Storage that also rewrites the import statements of ES modules to the hashed names.

    Files are compressed once: a hashed name stands for one content, so what is compressed stays. Their originals,
    which no page asks for, are not.
    """

    support_js_module_import_aggregation = True
    max_post_process_passes = 12
    """A pass for each link of the longest chain of imports, types in comments too."""

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        hashed = set(self.hashed_files.values())
        yield from super().compress_files([path for path in paths if path in hashed and not self.exists(f"{path}.gz")])

    def create_compressor(self, **options: Any) -> Compressor:
        return WholeCompressor(**options)


class WholeCompressor(Compressor):
    """Compressor whose files have their names once they are complete, as they are not made again."""

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: os.stat_result) -> str:
        part = super().write_data(path, data, f".part-{os.getpid()}", stat_result)
        return str(Path(part).replace(path + suffix))
