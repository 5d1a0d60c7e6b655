"""What the judges of one run may still use, counted over all its processes.

promptfoo starts a process for every assertion, so what was used stands in a file,
``runs/RUN.json`` beside the journal. A call reserves its place before it is made and settles
after, so that processes at once do not pass ``max_calls`` together. A call is a question that a
reply was received for, however many HTTP attempts it took; a question that none came to is not
counted. What a call will use is known only afterwards: until then it counts as the mean call of
the run so far, so tokens and cost may end one call, or a few at once, above their limit.

A run is promptfoo's process for its assertions and workers, and the process itself for a
command line; ``VOIRDIRE_RUN`` names it otherwise.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from voirdire.errors import ConfigError, JudgeCallError
from voirdire.journal import default_path
from voirdire.judges.prices import Price
from voirdire.locks import locked
from voirdire.reply import Usage

_KEPT_S = 7 * 86_400
# No question takes longer (see ``budget_s``): where a process cannot be looked up, its
# reservations end with this.
_LONGEST_CALL_S = 86_400
_BYTES_A_TOKEN = 4
_FRESH: dict[str, Any] = {"calls": 0, "tokens": 0, "cost": 0.0, "open": []}


@dataclass(frozen=True)
class Limits:
    """What a run may use; ``None`` is no limit.

    Attributes:
        calls: calls, 1 or more.
        tokens: prompt and completion tokens together, 1 or more.
        cost: US dollars, more than 0.
    """

    calls: int | None
    tokens: int | None
    cost: float | None


@dataclass
class Account:
    """One call's: what came of it is written here before it is settled.

    Attributes:
        prompt_bytes: length of what is asked; a token is about four bytes of it.
        answered: whether a reply was received.
        usage: its tokens.
        text: the reply, by which tokens are estimated where the API does not say.
    """

    prompt_bytes: int
    answered: bool = False
    usage: Usage = field(default_factory=Usage)
    text: str = ""

    def used(self) -> Usage:
        """Tokens, estimated where the API did not say."""
        prompt, completion = self.usage.prompt, self.usage.completion
        guess = len(self.text.encode("utf-8", "replace")) // _BYTES_A_TOKEN
        return Usage(
            self.prompt_bytes // _BYTES_A_TOKEN if prompt is None else prompt,
            guess if completion is None else completion,
        )


class RunBudget:
    """The budget of one run.

    Args:
        limits: what may be used.
        price: the model's price; ``None`` where it is not known, and ``limits.cost`` is none.
        run: the run's name.
        folder: where runs are counted; ``None`` for the folder beside the journal.
    """

    def __init__(
        self, limits: Limits, price: Price | None, run: str, folder: Path | None = None
    ) -> None:
        self._limits = limits
        self._price = price
        self._folder = folder or default_path().parent / "runs"
        self._path = self._folder / f"{run}.json"

    @contextmanager
    def reserved(self, prompt_bytes: int) -> Iterator[Account]:
        """Hold a place for one call; it is settled at the end if it was answered.

        Raises:
            JudgeCallError: ``budget``: a limit is reached.
            ConfigError: the count cannot be read or written.
        """
        account = Account(prompt_bytes)
        mine = {
            "id": os.urandom(8).hex(),
            "pid": os.getpid(),
            "start": process_start(os.getpid()),
            "at": time.time(),
        }
        with self._counted() as count:
            calls = max(1, count["calls"])
            first = Account(prompt_bytes).used()
            expected = {
                "tokens": count["tokens"] / calls if count["calls"] else first.prompt,
                "cost": count["cost"] / calls if count["calls"] else self._cost(first),
            }
            if self._reached(count):
                count["open"] = [item for item in count["open"] if _is_alive(item)]
            if reason := self._reached(count):
                raise JudgeCallError("budget", reason)
            count["open"].append({**mine, **expected})
        try:
            yield account
        finally:
            with self._counted() as count:
                count["open"] = [item for item in count["open"] if item["id"] != mine["id"]]
                if account.answered:
                    used = account.used()
                    count["calls"] += 1
                    count["tokens"] += (used.prompt or 0) + (used.completion or 0)
                    count["cost"] += self._cost(used)

    def _cost(self, usage: Usage) -> float:
        return (self._price.of(usage) or 0.0) if self._price else 0.0

    def _reached(self, count: dict[str, Any]) -> str:
        limits, waiting = self._limits, count["open"]
        under_way = f", {len(waiting)} calls under way" if waiting else ""
        if limits.calls is not None and count["calls"] + len(waiting) >= limits.calls:
            made = f"{count['calls']} made{under_way}"
            return f"max_calls {limits.calls} is reached in this run ({made})"
        if limits.tokens is not None:
            tokens = count["tokens"] + sum(item["tokens"] for item in waiting)
            if tokens >= limits.tokens:
                used = f"{count['tokens']} tokens used{under_way}"
                return f"max_tokens_total {limits.tokens} is reached in this run ({used})"
        if limits.cost is not None:
            cost = count["cost"] + sum(item["cost"] for item in waiting)
            if cost >= limits.cost:
                spent = f"{count['cost']:.4f} USD spent{under_way}"
                return f"max_cost {limits.cost:g} USD is reached in this run ({spent})"
        return ""

    @contextmanager
    def _counted(self) -> Iterator[dict[str, Any]]:
        """The run's count, held against other processes and written back at the end."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with locked(self._folder / "runs.lock"):
                count = self._read()
                yield count
                # Renamed into place: a process may be killed in the middle of it.
                new = self._path.with_suffix(".new")
                new.write_text(json.dumps(count), encoding="ascii")
                new.replace(self._path)
        except OSError as error:
            raise ConfigError(
                f"{self._folder}: the run's calls cannot be counted ({error.strerror}); set"
                " VOIRDIRE_JOURNAL to a file in a folder that can be written"
            ) from None

    def _read(self) -> dict[str, Any]:
        try:
            count = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            self._forget_old()
            return {**_FRESH, "open": []}
        except ValueError:
            count = None
        if not _is_count(count):
            raise ConfigError(f"{self._path}: not a run's count of calls; delete it")
        return count

    def _forget_old(self) -> None:
        for path in self._folder.glob("*.json"):
            with suppress(OSError):
                if path.stat().st_mtime < time.time() - _KEPT_S:
                    path.unlink()


def run_name(*, of_parent: bool) -> str:
    """The name of the run that this process is a part of.

    Args:
        of_parent: whether the run is that of the parent process, as it is for what promptfoo
            starts.

    Raises:
        ConfigError: the parent cannot be told apart from others that had its number.
    """
    named = os.environ.get("VOIRDIRE_RUN")
    if named:
        return f"named-{hashlib.sha256(named.encode('utf-8', 'replace')).hexdigest()[:16]}"
    if not of_parent:
        return _own_name()
    parent = os.getppid()
    start = process_start(parent)
    if start is None:
        raise ConfigError(
            "a budget needs to know its run, which cannot be told here: set the environment"
            " variable VOIRDIRE_RUN to a name that is new for every run"
        )
    return f"{parent}-{start}"


@functools.cache
def _own_name() -> str:
    return f"{os.getpid()}-{os.urandom(6).hex()}"


def process_start(pid: int) -> str | None:
    """When a process started, in whatever unit; ``None`` where it is gone or not to be known.

    A number is used again after its process has ended: the start tells two apart.
    """
    if sys.platform == "win32":
        return None  # and a virtual environment's python.exe is not promptfoo's own child
    stat = Path(f"/proc/{pid}/stat")
    try:
        # The command stands in parentheses and may hold anything.
        return stat.read_text("utf-8", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        if stat.parent.parent.joinpath("self").exists():
            return None
    done = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    text = done.stdout.strip()
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else None


def _is_count(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a file held a count: another version, or another hand, may have written it."""
    return (
        isinstance(value, dict)
        and value.keys() == _FRESH.keys()
        and all(_is_amount(value[name]) for name in ("calls", "tokens", "cost"))
        and isinstance(value["open"], list)
        and all(map(_is_reservation, value["open"]))
    )


def _is_reservation(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"id", "pid", "start", "at", "tokens", "cost"}
        and all(_is_amount(value[name]) for name in ("pid", "at", "tokens", "cost"))
        and isinstance(value["start"], (str, type(None)))
    )


def _is_amount(value: Any) -> bool:
    # Not bool, which is an int; NaN is below no limit.
    return type(value) in (int, float) and value >= 0


def _is_alive(reservation: dict[str, Any]) -> bool:
    start: str | None = reservation["start"]
    if start is not None:
        return process_start(reservation["pid"]) == start
    began: float = reservation["at"]
    return time.time() - began < _LONGEST_CALL_S
