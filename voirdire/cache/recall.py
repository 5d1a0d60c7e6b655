"""A judge call that is not made where its verdict is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, NamedTuple

from voirdire.cache.store import Store, cache_key
from voirdire.call import Heard, V, hear
from voirdire.journal import Journal
from voirdire.judges.base import Ask, Judge
from voirdire.reading import ReadingOf
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric

_TEXTS = ("text", "finish_reason", "refusal", "reasoning", "model")
_KEPT = (*_TEXTS, "raw", "max_tokens")


class Memory(NamedTuple):
    """Where verdicts are kept.

    Attributes:
        store: the store; ``None`` keeps none.
        refresh: ask again and keep the new verdict instead of the old one.
    """

    store: Store | None = None
    refresh: bool = False


def recall(
    ask: Ask,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    mark: str,
    read: Callable[[Reply], ReadingOf[V]],
    memory: Memory,
) -> Heard[V]:
    """As :func:`voirdire.call.hear`, but asks only where the verdict is not kept.

    A verdict is read again from its kept reply, so a hit gives the identical ruling. Errors
    are never kept, and a judge that costs nothing is always asked.

    Raises:
        ConfigError: the judge's settings are wrong, or the journal cannot be written.
    """
    store = memory.store
    if store is None or not judge.cacheable:
        return hear(ask, rubric, judge, journal, mark, read)
    key = cache_key(mark, ask.prompt.sha256, ask.sample)
    if not memory.refresh and (kept := _kept(store, key, read)):
        return kept
    # One flight a key: whoever waited finds what the other asked for.
    with nullcontext() if memory.refresh else store.flight(key):
        if not memory.refresh and (kept := _kept(store, key, read)):
            return kept
        heard = hear(ask, rubric, judge, journal, mark, read)
        if heard.verdict is not None and heard.reply is not None:
            # Also over a record that is there and cannot be read: it would cost every run a call.
            store.replace(key, _record(heard, heard.reply))
        heard.cache = "miss"
        return heard


def _kept(store: Store, key: str, read: Callable[[Reply], ReadingOf[V]]) -> Heard[V] | None:
    record = store.get(key)
    if record is None or not _is_ours(record):
        return None
    reply = Reply(
        **{name: record[name] for name in _KEPT},
        usage=Usage(0, 0, 0),
        notes=tuple(record["notes"]),
    )
    reading = read(reply)
    if reading.verdict is None:
        return None
    return Heard(
        reading.kind,
        reading.detail,
        reading.verdict,
        reply,
        "",
        record["journal_id"],
        reading.normalisations,
        record["first_reply"],
        reply.usage,
        "hit",
    )


def _is_ours(record: Mapping[str, Any]) -> bool:
    """Whether a record has the shape of :func:`_record`; other versions may write others."""
    texts = (*_TEXTS, "first_reply")
    return (
        record.keys() == {*_KEPT, "notes", "journal_id", "first_reply"}
        and all(record[name] is None or isinstance(record[name], str) for name in texts)
        and isinstance(record["raw"], str)
        and isinstance(record["journal_id"], str)
        and isinstance(record["max_tokens"], (int, type(None)))
        and isinstance(record["notes"], list)
        and all(isinstance(note, str) for note in record["notes"])
    )


def _record(heard: Heard[V], reply: Reply) -> Mapping[str, Any]:
    return {
        **{name: getattr(reply, name) for name in _KEPT},
        "notes": list(reply.notes),
        "journal_id": heard.journal_id,
        "first_reply": heard.first_reply,
    }
