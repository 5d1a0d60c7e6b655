"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

LONGEST = ("e2e", "setup", "test_readme.py", "test_docs.py")
"""What of this folder takes minutes: begun first, it leaves no core without work at the end."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the tests, those of a file together: nothing else of their order changes."""
    items.sort(key=lambda item: set(LONGEST).isdisjoint(item.path.parts))


@pytest.fixture(autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of each test's own, instead of the user's."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder
