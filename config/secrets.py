"""Secrets that the installation generates and stores."""

import secrets
from pathlib import Path


def read_or_create(path: Path) -> str:
    """Return the secret stored in `path`; the first call creates it, readable only by its owner.

    The file appears complete or not at all, and of several processes that start at once only one makes it, also
    in containers that share the folder, where all of them may have the same number.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(50))
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text()
