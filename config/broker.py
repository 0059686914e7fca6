"""The folder broker: messages are files, each of which appears complete or not at all.

kombu's own filesystem transport opens a file, then locks and fills it; a worker that looks in between reads an empty
message or an empty table of queues, and dies of it. Here both are filled under another name first. (Messages that
workers take at once were never a problem: a file can be moved away only once.)
"""

import contextlib
import os
import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps

SCHEME = "folder"


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: dict[str, object], **kwargs: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        # The clock's place in the name is what keeps messages in order; the width makes text sort like numbers.
        name = f"{int(time.monotonic() * 1000):015}_{uuid.uuid4()}.{queue}.msg"
        draft = _written(folder, str_to_bytes(dumps(payload)))
        draft.rename(folder / name)

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        table = self._exchange_file(exchange)
        if not table.exists():
            draft = _written(self.control_folder, b"[]")
            # A link, unlike a rename, leaves a table alone that another process has made and filled meanwhile.
            with contextlib.suppress(FileExistsError):
                os.link(draft, table)
            draft.unlink()
        super()._queue_bind(exchange, routing_key, pattern, queue)  # type: ignore[no-untyped-call]


class Transport(filesystem.Transport):
    Channel = Channel


def register() -> None:
    """Register this broker with Celery under the URL scheme `folder://`."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:{Transport.__name__}"


def _written(folder: Path, content: bytes) -> Path:
    """Write a complete file under a name that readers ignore; create the folder again if it was deleted."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{uuid.uuid4()}.draft"
    draft.write_bytes(content)
    return draft
