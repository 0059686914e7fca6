"""Stores of files: what a store that does not take or give a file is called, and why in words without values."""

import os

from django.core.files.storage import FileSystemStorage, Storage


class StoreError(OSError):
    """Error: a store elsewhere refused or did not answer. `words` says so, with nothing that was sent or stored."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def fault_of(error: OSError) -> str:
    """Why a file could not be written or read, without its path."""
    if isinstance(error, StoreError):
        return error.words
    return os.strerror(error.errno) if error.errno else type(error).__name__


def is_folder(store: Storage) -> bool:
    """Return True if the files of a store are in a folder of this machine, where they can be renamed."""
    return isinstance(store, FileSystemStorage)
