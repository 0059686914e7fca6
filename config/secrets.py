"""Secrets that the installation generates and stores."""

import os
import secrets
from pathlib import Path


def read_or_create(path: Path) -> str:
    """Return the secret stored in `path`; the first call creates it, readable only by its owner.

    The file appears complete or not at all, and of several processes that start at once only one makes it.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()
