"""Secrets of an installation: one file each, made once."""

import os
from pathlib import Path
from threading import Barrier, Thread

import pytest

from config.secrets import read_or_create


def test_secret_is_created_once_for_its_owner(tmp_path: Path) -> None:
    first = read_or_create(tmp_path / "data" / "key")
    assert read_or_create(tmp_path / "data" / "key") == first
    assert len(first) > 50
    assert ((tmp_path / "data" / "key").stat().st_mode & 0o777) == 0o600


def test_secret_of_processes_with_one_number_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In containers each process is number 1; they share the folder."""
    monkeypatch.setattr(os, "getpid", lambda: 1)
    for number in range(20):
        together, found = Barrier(4), []

        def make(key: Path, together: Barrier = together, found: list[str] = found) -> None:
            together.wait()
            found.append(read_or_create(key))

        threads = [Thread(target=make, args=(tmp_path / f"key-{number}",)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert len(set(found)) == 1
    assert len(list(tmp_path.iterdir())) == 20, "no draft is left"
