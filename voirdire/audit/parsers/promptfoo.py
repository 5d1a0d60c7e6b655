"""The function by which the installed promptfoo takes JSON out of a judge's reply."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from voirdire.audit.parsers.node import node_on_path, run_in_node
from voirdire.audit.parsers.process import Program
from voirdire.errors import ConfigError

ADAPTER = Path(__file__).with_name("promptfoo.mjs")
_DEFINED = b"function extractJsonObjects("


class Promptfoo(NamedTuple):
    """An installed promptfoo.

    Attributes:
        folder: of the package.
        version: of the package.
        bundle: the file of it that defines the function.
    """

    folder: Path
    version: str
    bundle: Path

    @property
    def node(self) -> str:
        """The Node that is installed beside it, or the one on PATH: some need a newer one."""
        beside = self.folder.parent / "node" / "bin" / "node"
        return str(beside) if beside.is_file() else node_on_path("promptfoo")


def find_promptfoo() -> Promptfoo:
    """The promptfoo that ``VOIRDIRE_PROMPTFOO`` names, else the one in ``node_modules`` here or
    above, else the one on PATH.

    Raises:
        ConfigError: there is none, or the function is not in it.
    """
    folder = _folder()
    try:
        version = str(json.loads((folder / "package.json").read_text("utf-8"))["version"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError(
            f"parser 'promptfoo': {folder} is no installed promptfoo; set VOIRDIRE_PROMPTFOO to the"
            " folder of one (…/node_modules/promptfoo)."
        ) from None
    bundles = folder / "dist" / "src"
    # The package bundles it several times over; what its command line loads is what evals run.
    main = (bundles / "main.js").read_bytes() if (bundles / "main.js").is_file() else b""
    found = [path for path in sorted(bundles.glob("*.js")) if _DEFINED in path.read_bytes()]
    if not found:
        raise ConfigError(
            f"parser 'promptfoo': version {version} has no function extractJsonObjects where it is"
            " looked for: audit with another version, or file a bug."
        )
    loaded = [path for path in found if path.name.encode() in main]
    return Promptfoo(folder, version, (loaded or found)[0])


def _folder() -> Path:
    if named := os.environ.get("VOIRDIRE_PROMPTFOO"):
        return Path(named)
    here = Path.cwd()
    for above in (here, *here.parents):
        if (above / "node_modules" / "promptfoo" / "package.json").is_file():
            return above / "node_modules" / "promptfoo"
    if command := shutil.which("promptfoo"):
        for above in Path(command).resolve().parents:
            if above.name == "promptfoo" and (above / "package.json").is_file():
                return above
    raise ConfigError(
        "parser 'promptfoo': there is no node_modules/promptfoo here or above, and none on PATH:"
        " npm install promptfoo, or set VOIRDIRE_PROMPTFOO to the folder of one."
    )


def open_promptfoo(*, timeout: float, memory: int) -> Program:
    """what llm-rubric of the installed promptfoo takes for the judge's verdict (needs Node).

    The first of the objects that it finds, by the very function in it: from each opening brace to
    the brace that closes it, braces in strings counted too, read as YAML, and closed where the
    reply ends too early.

    Args:
        timeout: seconds that a text may take.
        memory: bytes that it may hold.

    Raises:
        ConfigError: promptfoo or Node is missing.
    """
    promptfoo = find_promptfoo()
    return run_in_node(
        "'promptfoo'",
        promptfoo.node,
        ADAPTER,
        timeout=timeout,
        memory=memory,
        environment={
            "VOIRDIRE_PROMPTFOO_BUNDLE": promptfoo.bundle.resolve().as_uri(),
            # It must neither call home nor write there; nothing makes this folder.
            "PROMPTFOO_CONFIG_DIR": str(Path(tempfile.gettempdir()) / "voirdire-promptfoo"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_DISABLE_SHARING": "1",
            "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
            "LOG_LEVEL": "error",
        },
    )
