"""What a suite's values refer to: other files, and other places in their own."""

from __future__ import annotations

from pathlib import Path

from voirdire.initial.marked import Node
from voirdire.initial.suitefile import PLAIN, SuiteFile, read_suite_file


class References:
    """The files of a suite, each read once.

    Args:
        config: the main one; what it refers to is looked for beside it.

    Attributes:
        config: the main one, read.
        left: what is not looked into, and why, each once.

    Raises:
        ConfigError: it cannot be read.
    """

    def __init__(self, config: Path) -> None:
        self._files: dict[Path, SuiteFile] = {}
        self._folder = config.parent
        self.left: dict[str, None] = {}
        self.config = self.file(config)

    def file(self, path: Path) -> SuiteFile:
        """A file of YAML or JSON.

        Raises:
            ConfigError: it cannot be read.
        """
        key = path.resolve()
        if key not in self._files:
            self._files[key] = read_suite_file(path)
        return self._files[key]

    def paths(self, text: str) -> list[Path]:
        """The files that a text names; none for a pattern that fits none."""
        name = text.removeprefix("file://")
        if not any(mark in name for mark in "*?["):
            return [self._folder / name]
        folder = self._folder
        if Path(name).is_absolute():  # which no pattern may be
            folder = Path(Path(name).anchor)
            name = str(Path(name).relative_to(folder))
        try:
            return sorted(folder.glob(name))
        except (ValueError, OSError):  # no pattern
            return []

    def plain(self, text: str) -> SuiteFile | None:
        """The one file of YAML or JSON that a text names; ``None`` for anything else, left.

        Raises:
            ConfigError: it cannot be read.
        """
        paths = self.paths(text)
        if len(paths) == 1 and paths[0].suffix in PLAIN:
            return self.file(paths[0])
        self.leave(text)
        return None

    def leave(self, text: str, why: str = "not plain YAML or JSON: not looked into") -> None:
        """Note what is not looked into."""
        self.left[f"{text}: {why}"] = None


def dereferenced(node: Node | None, file: SuiteFile) -> Node | None:
    """What ``{$ref: "#/…"}`` points at, in its own file; any other value itself."""
    for _ in range(20):
        ref = node.own("$ref") if node is not None else None
        if ref is None or not ref.node.text.startswith("#/"):
            return node
        node = file.marked.top
        for part in ref.node.text[2:].split("/"):
            node = _child(node, part.replace("~1", "/").replace("~0", "~"))
    return None


def _child(node: Node | None, part: str) -> Node | None:
    if node is None or node.kind != "sequence":
        return node.get(part) if node is not None else None
    values = node.values()
    return values[int(part)] if part.isdecimal() and int(part) < len(values) else None
