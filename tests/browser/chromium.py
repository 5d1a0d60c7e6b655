"""A real Chromium without a window, spoken to through its own protocol over two pipes.

No package is needed for that, and no port is opened.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30.0
"""Seconds that the browser, or what it is to show, is waited for."""
_FLAGS = (
    "--headless --remote-debugging-pipe --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
    " --disable-dev-shm-usage --hide-scrollbars --force-color-profile=srgb --no-proxy-server"
).split()
# Whatever a page would fetch from elsewhere, it finds nobody there.
_FLAGS.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
# It reads from descriptor 3 and writes to 4, which a child of ours has to be given first.
_LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4);"
    " os.execv(sys.argv[3], sys.argv[3:])"
)


def chromium_path() -> str | None:
    """The browser that ``VOIRDIRE_CHROMIUM`` names, or the first one on the path."""
    named = os.environ.get("VOIRDIRE_CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A running browser; :func:`running` makes one."""

    def __init__(self, to: int, fro: int) -> None:
        self._to, self._fro = to, fro
        self._rest = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """What the browser answers to a command; what it tells meanwhile goes to ``events``."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            found = self._next()
            if found.get("id") == self._last:
                assert "error" not in found, f"{method}: {found['error']}"
                result: dict[str, Any] = found["result"]
                return result
            if "method" in found:
                self.events.append(found)

    def _next(self) -> dict[str, Any]:
        parts = [self._rest]
        while b"\0" not in parts[-1]:
            ready, _, _ = select.select([self._fro], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            part = os.read(self._fro, 1 << 20)
            assert part, "the browser ended"
            parts.append(part)
        message, _, self._rest = b"".join(parts).partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def tab(self, width: int = 1400, height: int = 900) -> Tab:
        """A new tab."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.call(f"{domain}.enable")
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        return tab


class Tab:
    """One tab."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A command to this tab."""
        return self._browser.call(method, self._session, **params)

    def open(self, url: str) -> None:
        """Go there, and wait until the page is loaded."""
        found = self.call("Page.navigate", url=url)
        assert "errorText" not in found, found
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def close(self) -> None:
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, a promise's once it is kept."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, script: str, patience: float = PATIENCE) -> Any:
        """The value of an expression as soon as it is true."""
        end = time.monotonic() + patience
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"never came true: {script}\n{self.text()[:3000]}"
            time.sleep(0.05)
        return value

    def text(self) -> str:
        """What the page shows."""
        return str(self.run("document.body.innerText"))

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        typed = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, script: str) -> None:
        """Click with the mouse on the element that an expression gives.

        That waits until it is there, stands still and has nothing over it.
        """
        end = time.monotonic() + PATIENCE
        while not self.tried(script):
            assert time.monotonic() < end, f"cannot be clicked: {script}\n{self.text()[:3000]}"
            time.sleep(0.05)

    def tried(self, script: str) -> bool:
        """Click like that if it can be done now; whether it could."""
        at = self.run(
            f"""(async () => {{
              const one = {script};
              if (!one) return null;
              const before = one.getBoundingClientRect();
              await new Promise((done) => setTimeout(done, 100));
              const box = one.getBoundingClientRect();
              if (box.x !== before.x || box.y !== before.y) return null;
              const at = {{x: box.x + box.width / 2, y: box.y + box.height / 2}};
              if (one.contains(document.elementFromPoint(at.x, at.y))) return at;
              one.scrollIntoView({{block: "center"}});
              return null;
            }})()"""
        )
        for kind in ("mousePressed", "mouseReleased") if at else ():
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)
        return bool(at)

    def screenshot(self, path: Path) -> None:
        """The window as a PNG file."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def told(self, *methods: str) -> list[dict[str, Any]]:
        """What the browser told of this tab by these names so far."""
        self.run("0")
        return [
            one["params"]
            for one in self._browser.events
            if one.get("sessionId") == self._session and one["method"] in methods
        ]

    def complaints(self) -> list[str]:
        """Errors of scripts, and whatever the page's policy forbade."""
        return [json.dumps(one) for one in self.told("Runtime.exceptionThrown", "Log.entryAdded")]


@contextmanager
def running(path: str) -> Iterator[Browser]:
    """A browser with a profile of its own, ended afterwards.

    Args:
        path: its program.
    """
    profile = tempfile.mkdtemp(prefix="voirdire chromium ")
    read, to = _pipe()
    fro, write = _pipe()
    command = [sys.executable, "-c", _LAUNCH, str(read), str(write), path, *_FLAGS]
    with subprocess.Popen(
        [*command, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(read, write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(read)
        os.close(write)
        try:
            browser = Browser(to, fro)
            browser.call("Browser.getVersion")
            yield browser
        finally:
            process.terminate()
            process.wait(PATIENCE)
            os.close(to)
            os.close(fro)
            shutil.rmtree(profile, ignore_errors=True)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are above the descriptors that the browser expects for its own."""
    ends = os.pipe()
    read, write = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return read, write
