"""Keys, extras, and the places that are written to."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from voirdire.doctor.finding import Finding
from voirdire.errors import ConfigError
from voirdire.judges.anthropic import ANTHROPIC
from voirdire.judges.base import Judge
from voirdire.judges.endpoint import Secrets
from voirdire.judges.model import ModelJudge
from voirdire.judges.openai import OLLAMA, OPENAI, OPENROUTER

EXTRAS: Final = {
    "stats": (("sklearn", "scipy", "statsmodels"), "intervals and tests of calibrate and compare"),
    "redis": (("redis",), "a verdict cache that machines share"),
    "dask": (("dask", "distributed", "pyarrow"), "audits of Parquet, or on many machines"),
    "audit": (("json_repair",), "the parser json-repair in audits"),
}
"""What each extra brings, and what it is for."""
_SERVICES = {service.scheme: service for service in (OPENAI, OPENROUTER, OLLAMA, ANTHROPIC)}
_USUAL = tuple(service.key_env for service in (OPENAI, OPENROUTER, ANTHROPIC))


def keys(judges: Sequence[Judge]) -> Iterator[Finding]:
    """Which keys are there; a missing one is a problem where a judge needs it."""
    told = ", ".join(f"{name} {_state(name)}" for name in _USUAL)
    missing = []
    for judge in judges:
        if isinstance(judge, ModelJudge):
            name = _key_name(judge)
            if name and not _is_set(name) and name not in _dotenv():
                missing.append((judge.spec, _shown(name)))
    if not missing:
        yield Finding("keys", "ok", told)
    for spec, shown in dict.fromkeys(missing):
        yield Finding("keys", "problem", f"{spec} needs {shown}, which is not set", f"set {shown}")


def extras() -> Finding:
    """Which of the package's extras are installed."""
    told = []
    for name, (modules, purpose) in EXTRAS.items():
        there = all(find_spec(module) is not None for module in modules)
        told.append(f"{name} {'installed' if there else f'not installed (only for {purpose})'}")
    return Finding("extras", "ok", ", ".join(told))


def places(journals: Sequence[Path], caches: Sequence[str | None]) -> Iterator[Finding]:
    """Whether journals and caches can be written. Nothing is made."""
    for path in dict.fromkeys(journals):
        yield _place("journal", path, "VOIRDIRE_JOURNAL")
    default = os.environ.get("VOIRDIRE_CACHE") or str(Path(".voirdire") / "cache.sqlite")
    for place in dict.fromkeys(cache or default for cache in caches):
        if place == "off":
            yield Finding("cache", "ok", "off")
        elif "://" in place:
            yield _shared(place)
        else:
            yield _place("cache", Path(place), "VOIRDIRE_CACHE")


def without_keys(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, without any key that some error might have brought along."""
    names = [*_USUAL, OLLAMA.key_env]
    secrets = Secrets([os.environ.get(name, "") for name in names])
    return [
        finding._replace(
            text=secrets.scrub_error(finding.text), mend=secrets.scrub_error(finding.mend)
        )
        for finding in findings
    ]


def _key_name(judge: ModelJudge) -> str | None:
    """The variable that must hold a judge's key; ``None`` where it needs none."""
    chosen = judge.settings.api_key_env
    if chosen or judge.endpoint.local:
        return chosen
    return _SERVICES[judge.spec.partition(":")[0]].key_env


def _state(name: str) -> str:
    if _is_set(name):
        return "is set"
    return "is in .env, which promptfoo reads" if name in _dotenv() else "is not set"


def _is_set(name: str) -> bool:
    return bool(os.environ.get(name, "").strip())


def _dotenv() -> set[str]:
    """The variables that ``.env`` gives a value."""
    try:
        text = Path(".env").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return set()
    lines = (re.match(r"\s*(?:export\s+)?(\w+)\s*=\s*(\S)", line) for line in text.splitlines())
    return {line[1] for line in lines if line}


def _shown(name: str) -> str:
    """A variable's name; not shown where it looks like a key that was pasted in its place."""
    return name if re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", name) else "what api_key_env names"


def _place(check: str, path: Path, variable: str) -> Finding:
    """A file that is, or could be, written."""
    folder = next((above for above in path.absolute().parents if above.exists()), Path("/"))
    is_free = path.is_file() and os.access(path, os.W_OK) if path.exists() else True
    # The folder as well: a lock stands beside the file.
    if is_free and folder.is_dir() and os.access(folder, os.W_OK):
        return Finding(check, "ok", f"{path} can be written")
    mend = f"set {variable} to a file that can be written"
    return Finding(check, "problem", f"{path} cannot be written", mend)


def _shared(place: str) -> Finding:
    from voirdire.cache.store import open_store

    try:
        open_store(place)
    except ConfigError as error:
        return Finding("cache", "problem", str(error))
    kind = place.partition(":")[0]
    return Finding("cache", "ok", f"shared, by a {kind} URL that was not tried")
