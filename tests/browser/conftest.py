"""Pages in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Browser, Tab, chromium_path, running
from voirdire.report.page import page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium on the path, and VOIRDIRE_CHROMIUM names none")
    with running(path) as found:
        yield found


@pytest.fixture
def shown(browser: Browser, tmp_path: Path) -> Iterator[Callable[[dict[str, Any]], Tab]]:
    """Opens the page of a report in a tab; afterwards, nothing may have been amiss there."""
    tabs: list[Tab] = []

    def show(report: dict[str, Any]) -> Tab:
        path = tmp_path / f"a page {len(tabs)}.html"
        path.write_text(page(report), encoding="utf-8")
        tabs.append(browser.tab())
        tabs[-1].open(path.as_uri())
        return tabs[-1]

    yield show
    for tab in tabs:
        assert tab.complaints() == []
        tab.close()
