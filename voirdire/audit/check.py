"""Whether a report still speaks of the parsers and the corpus that are there now."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire import __version__
from voirdire.audit.code import identity
from voirdire.audit.corpus.item import Form
from voirdire.audit.corpus.open import Corpus
from voirdire.audit.outcome import SIDES
from voirdire.audit.run import combined, schema_record
from voirdire.errors import ConfigError


def load(path: Path) -> dict[str, Any]:
    """A report that an audit wrote.

    Raises:
        ConfigError: it is missing, or no such report.
    """
    try:
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _ = [report["parsers"][side]["sha256"] for side in SIDES], report["corpus"]["sha256"]
        _ = report["counts"]["same"], report["tool_version"]
        _ = [_text(report["parsers"][side]["spec"]) for side in SIDES]
        corpus = report["corpus"]
        Form(**corpus["form"])
        _ = [_text(path) for path in corpus["paths"]], corpus["eval_id"]
        for files in (corpus["files"], *(report["parsers"][side]["files"] for side in SIDES)):
            _ = [_text(file["sha256"]) for file in files]
        _ = [_text(file["name"]) for file in corpus["files"]]
        if report.get("schema"):
            _text(report["schema"]["path"])
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); run the audit with --out first"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError(f"{path}: is no report of voirdire audit") from None
    return report


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def changes(report: Mapping[str, Any]) -> list[str]:
    """What has changed since the report was written, a sentence each; nothing is run."""
    found = []
    if report["tool_version"] != __version__:
        found.append(f"voirdire: {report['tool_version']} then, {__version__} now")
    for side in SIDES:
        then = report["parsers"][side]
        try:
            now = identity(then["spec"])
        except ConfigError as error:  # it is gone, or what runs it is
            found.append(f"the parser of {side}: {error}")
            continue
        if now["sha256"] != then["sha256"]:
            found.append(f"the parser of {side} ({then['spec']}): {_which(then, now)}")
    if report.get("schema"):
        found += _schema_changes(report["schema"])
    return found + _corpus_changes(report["corpus"])


def _schema_changes(then: Mapping[str, Any]) -> list[str]:
    try:
        same = schema_record(Path(then["path"])) == then
    except ConfigError as error:
        return [f"the schema: {error}"]
    return [] if same else [f"the schema {then['path']}"]


def _which(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What of a parser's code is another."""
    before, after = (
        {file["path"]: file["sha256"] for file in one.get("files", ())} for one in (then, now)
    )
    names = _differing(before, after)
    if then.get("version") != now.get("version"):
        names.insert(0, f"version {then.get('version')} then, {now.get('version')} now")
    return ", ".join(names) or "its code"


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    changed = [
        f"{name} changed" for name in after if name in before and before[name] != after[name]
    ]
    gone = [f"{name} is gone" for name in before if name not in after]
    new = [f"{name} is new" for name in after if name not in before]
    return changed + gone + new


def _corpus_changes(then: Mapping[str, Any]) -> list[str]:
    if "-" in then["paths"]:
        return ["the corpus was read from standard input, which cannot be looked at again"]
    for path in map(Path, then["paths"]):
        if path.exists() and not (path.is_file() or path.is_dir()):
            return [f"the corpus was read from {path}, a pipe, which cannot be looked at again"]
    try:
        corpus = Corpus(then["paths"], Form(**then["form"]), then["eval_id"])
        corpus.read_hashes()
    except ConfigError as error:
        return [f"the corpus: {error}"]
    if combined(list(corpus.files)) == then["sha256"]:
        return []
    before, after = (
        {file["name"]: file["sha256"] for file in files} for files in (then["files"], corpus.files)
    )
    names = _differing(before, after)
    shown = names[:10] + ([f"and {len(names) - 10} more"] if len(names) > 10 else [])
    return [f"the corpus: {', '.join(shown) or 'other files'}"]
