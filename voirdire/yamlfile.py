"""YAML with line numbers, so that an error can name the line of the field that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError

_MAX_NODES = 20_000
_MAX_DEPTH = 32

FieldPath = tuple[Any, ...]


class Document:
    """A parsed YAML file: plain values, and the line of each.

    Attributes:
        name: the file's name as the user wrote it.
        value: the document as plain Python values.
    """

    def __init__(self, name: str, value: Any, lines: dict[FieldPath, int]) -> None:
        self.name = name
        self.value = value
        self._lines = lines

    def where(self, *path: Any) -> str:
        """``file:line`` of a field, or of the nearest thing around it."""
        while path and path not in self._lines:
            path = path[:-1]
        line = self._lines.get(path)
        return f"{self.name}:{line}" if line else self.name


def read_text(path: Path, what: str) -> str:
    """Read a UTF-8 text file (a byte order mark is dropped).

    Raises:
        ConfigError: it is missing, unreadable, not UTF-8, or holds nothing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; give the path of the {what}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; give the path of the {what} file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: not UTF-8 text (byte {error.start}); save the {what} as UTF-8"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); mend its access") from None
    if not text.strip():
        raise ConfigError(f"{path}: is empty; write the {what} into it")
    return text


def load_yaml(path: Path, what: str) -> Document:
    """Load a YAML file.

    Raises:
        ConfigError: unreadable, not YAML, a key twice, or larger than any file of ours.
    """
    return parse_yaml(path, read_text(path, what))


def parse_yaml(path: Path, text: str, *, is_data: bool = False) -> Document:
    """Parse the text of a YAML file.

    Args:
        path: of the file, for errors.
        text: what stands in it.
        is_data: it may be as long as it is; only what aliases make longer than its text is
            refused, as each value that is written takes a character at least.

    Raises:
        ConfigError: not YAML, a key twice, nested too deep, or larger than it may be.
    """
    import yaml  # costs milliseconds: only where a file is really parsed

    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader = None
    try:
        loader = loader_class(text)
        node = loader.get_single_node()
        lines: dict[FieldPath, int] = {}
        left = [max(_MAX_NODES, len(text)) if is_data else _MAX_NODES]
        value = _plain(str(path), loader, node, (), lines, left) if node else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        mend = _mend(error.problem, text, mark)
        raise ConfigError(f"{path}{line}: not valid YAML ({error.problem}); {mend}") from None
    except yaml.reader.ReaderError as error:
        at = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"{path}:{at}: not valid YAML ({error.reason}); mend it") from None
    except RecursionError:
        raise ConfigError(f"{path}: not valid YAML (nested too deep); mend it") from None
    finally:
        if loader is not None:
            loader.dispose()
    return Document(str(path), value, lines)


def _mend(problem: str | None, text: str, mark: Any) -> str:
    """What to do about the two mistakes that YAML's own words hide."""
    if (problem or "").startswith("mapping values are not allowed"):
        return "put a text with a colon in quotation marks, or mend the indentation"
    line = text.split("\n")[mark.line : mark.line + 1] if mark else []
    if line and "\t" in line[0][: len(line[0]) - len(line[0].lstrip())]:
        return "indent with spaces, not with a tab"
    return "mend it"


def _plain(
    name: str, loader: Any, node: Any, path: FieldPath, lines: dict[FieldPath, int], left: list[int]
) -> Any:
    left[0] -= 1
    line = node.start_mark.line + 1
    if left[0] < 0 or len(path) > _MAX_DEPTH:
        raise ConfigError(f"{name}:{line}: too large or too deep; drop the YAML aliases")
    lines[path] = line
    if node.id == "sequence":
        return [
            _plain(name, loader, item, (*path, index), lines, left)
            for index, item in enumerate(node.value)
        ]
    if node.id == "mapping":
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = _scalar(name, loader, key_node)
            at = f"{name}:{key_node.start_mark.line + 1}"
            field = ".".join(map(str, (*path, key_node.value)))
            if not isinstance(key, str):
                raise ConfigError(
                    f"{at}: {field}: YAML reads this key as {key!r}; put it in quotation marks"
                )
            if key in result:
                raise ConfigError(f"{at}: {field}: stands twice; keep one")
            inner = (*path, key)
            result[key] = _plain(name, loader, value_node, inner, lines, left)
            lines[inner] = key_node.start_mark.line + 1
        return result
    return _scalar(name, loader, node)


def _scalar(name: str, loader: Any, node: Any) -> Any:
    if node.id != "scalar":
        raise ConfigError(f"{name}:{node.start_mark.line + 1}: a key must be text, not a {node.id}")
    try:
        return loader.construct_object(node)
    except ValueError as error:  # 2026-13-45, 0b, a number of 5,000 digits
        line = node.start_mark.line + 1
        why = str(error).split(";")[0]
        raise ConfigError(f"{name}:{line}: not valid YAML ({why}); mend it") from None
