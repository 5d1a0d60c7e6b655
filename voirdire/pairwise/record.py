"""A comparison as plain JSON values: what promptfoo's metadata and ``--json`` carry."""

from __future__ import annotations

from typing import Any

from voirdire.pairwise.compare import Comparison, Order
from voirdire.pairwise.swap import Said
from voirdire.record import reply_record, usage_record


def as_record(comparison: Comparison) -> dict[str, Any]:
    """The comparison with all that is needed to check it, each order apart."""
    settled = comparison.settled
    one, two = comparison.orders
    return {
        "outcome": settled.outcome,
        "kind": settled.kind,
        "reason": comparison.reason,
        "judge": comparison.judge,
        "canned": comparison.canned,
        "fingerprint": comparison.fingerprint,
        "tokens": usage_record(comparison.usage),
        "source_sha256": list(one.prompt.source_hashes),
        "orders": {"a_first": _order(one), "b_first": _order(two)},
    }


def said_record(said: Said) -> dict[str, Any]:
    """What was said in one order: the winner, and why it is none or is not taken."""
    return {"winner": said.winner, "kind": said.kind, "detail": said.detail}


def _order(order: Order) -> dict[str, Any]:
    heard = order.heard
    record: dict[str, Any] = {
        **said_record(order.said),
        "verdict": heard.verdict.to_json() if heard.verdict else None,
        "raw": heard.raw,
        **reply_record(heard.reply),
        "tokens": usage_record(heard.usage),
        "cache": heard.cache,
        "journal_id": heard.journal_id,
        "normalisations": list(heard.normalisations),
        "prompt_sha256": order.prompt.sha256,
    }
    if heard.verdict is None:
        record["payload"] = heard.payload
    if heard.first_reply is not None:
        record["first_reply"] = heard.first_reply
    return record
