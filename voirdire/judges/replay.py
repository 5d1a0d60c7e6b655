"""The ``replay`` judge: replies that were recorded, looked up and never asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError, JudgeCallError
from voirdire.jsonl import objects
from voirdire.judges.base import Ask
from voirdire.reply import Reply, Usage

_TEXTS = ("reply", "finish_reason", "refusal", "reasoning", "model", "prompt_sha256", "id", "order")


_Key = tuple[str, int, str]


class ReplayJudge:
    """Recorded replies, found by the prompt's hash or else by the case's id.

    A JSONL file: ``{"id": …, "prompt_sha256": …, "reply": …, "finish_reason": …}``; either
    key will do, both together also make sure that the prompt has not changed since. Further
    samples of a case have a ``sample`` (from 0), replies to the other order an ``order``.

    Args:
        path: the file.

    Raises:
        ConfigError: the file is missing or empty, or a line is damaged or stands twice.
    """

    can_reask = False
    cacheable = False

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        digest = hashlib.sha256()
        self._by_prompt: dict[_Key, tuple[str, Mapping[str, Any]]] = {}
        self._by_id: dict[_Key, tuple[str, Mapping[str, Any]]] = {}
        for where, record in objects(self._path):
            line = json.dumps(record, ensure_ascii=False)
            digest.update(line.encode("utf-8", "surrogatepass"))
            self._add(line, record, where)
        self._sha256 = digest.hexdigest()

    @property
    def spec(self) -> str:
        """The spec it was made from."""
        return f"replay:{self._path.as_posix()}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The recorded replies, by the hash of the records."""
        return {"scheme": "replay", "records_sha256": self._sha256}

    def ask(self, ask: Ask) -> Reply:
        """The reply that was recorded for this prompt, or for this case.

        Raises:
            JudgeCallError: ``no_record``: none was, or for another prompt.
        """
        wanted = ask.prompt.sha256
        found = self._by_prompt.get((wanted, ask.sample, "")) or self._by_id.get(
            (ask.case_id or "", ask.sample, ask.order)
        )
        if found is None:
            named = f"case {ask.case_id!r}" if ask.case_id else "a case without an id"
            raise JudgeCallError(
                "no_record", f"{self._path}: no recorded reply for {named} (prompt {wanted[:12]})"
            )
        line, record = found
        if record.get("prompt_sha256", wanted) != wanted:
            raise JudgeCallError(
                "no_record",
                f"{self._path}: the reply of case {ask.case_id!r} was recorded for another prompt:"
                " the rubric, a source, the question or the answer has changed since",
            )
        usage = record.get("usage") or {}
        return Reply(
            text=record["reply"],
            finish_reason=record.get("finish_reason"),
            refusal=record.get("refusal"),
            reasoning=record.get("reasoning"),
            usage=Usage(usage.get("prompt"), usage.get("completion"), usage.get("reasoning")),
            raw=line,
            model=record.get("model"),
            max_tokens=record.get("max_tokens"),
            canned=True,
        )

    def _add(self, line: str, record: Mapping[str, Any], where: str) -> None:
        fault = _fault(record)
        if fault:
            raise ConfigError(f"{where}: {fault}")
        for table, key in ((self._by_prompt, "prompt_sha256"), (self._by_id, "id")):
            if not record.get(key):
                continue
            order = record.get("order", "source_first") if key == "id" else ""
            place = (record[key], record.get("sample", 0), order)
            if place in table:
                raise ConfigError(f"{where}: {key} {record[key]!r} stands twice; keep one")
            table[place] = (line, record)


def _fault(record: Mapping[str, Any]) -> str:
    if "reply" not in record:
        return 'a recorded reply is an object {"id": …, "reply": …, "finish_reason": …}'
    for key in _TEXTS:
        if record.get(key) is not None and not isinstance(record[key], str):
            return f"`{key}` must be text or null"
    if not record.get("id") and not record.get("prompt_sha256"):
        return "a recorded reply needs an `id` or a `prompt_sha256`"
    if not isinstance(record.get("sample", 0), int):
        return "`sample` must be a whole number, from 0"
    usage = record.get("usage") or {}
    if not isinstance(usage, dict) or not all(
        count is None or (isinstance(count, int) and not isinstance(count, bool))
        for count in usage.values()
    ):
        return "`usage` must map prompt, completion and reasoning to whole numbers"
    return ""
