"""Other people's recorded judges, by the text of their replies."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ConfigError
from voirdire.pairwise.recorded import read_recorded
from voirdire.pairwise.tally import Compared, Share, Tally, tally

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("VOIRDIRE_DATA") or ROOT.parent / "shared" / "data")


def order(reply: Any, winner: Any, finish_reason: Any = "stop") -> dict[str, Any]:
    return {"reply": reply, "finish_reason": finish_reason, "winner": winner}


def record(**changed: Any) -> dict[str, Any]:
    return {
        "idx": 7,
        "label": 2,
        "order_12": order("Output (b)", "2"),
        "order_21": order("Output (a)", "2"),
        **changed,
    }


def write(tmp_path: Path, *records: Any) -> Path:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps(list(records)))
    return path


def only(tmp_path: Path, **changed: Any) -> Compared:
    (found,) = read_recorded(write(tmp_path, record(**changed)))
    return found.compared


def test_places_are_turned_back_into_answers(tmp_path: Path) -> None:
    (found,) = read_recorded(write(tmp_path, record()))
    assert (found.id, found.compared.label, found.differs) == ("7", "b", ())
    assert (found.compared.a_first.winner, found.compared.b_first.winner) == ("b", "b")


@pytest.mark.parametrize(
    ("reply", "reason", "kind"),
    [
        ("", "", "silent"),
        (None, "stop", "silent"),
        ("Output (a) is better", "stop", "prose"),
        ("output (a)", "stop", "prose"),
        ("Output (c)", "stop", "prose"),
        ("Output (a) Output (b)", "stop", "prose"),
        ("Output (a)", "length", "truncated"),
        ("Output (a)", "content_filter", "unexpected_stop"),
    ],
)
def test_a_reply_that_is_not_exactly_a_place_is_missing(
    tmp_path: Path, reply: Any, reason: str, kind: str
) -> None:
    compared = only(tmp_path, order_12=order(reply, None, reason))
    assert (compared.a_first.winner, compared.a_first.kind) == (None, kind)
    assert compared.settled.outcome == "judge_error"


def test_the_recorded_winner_is_never_taken_for_the_replys(tmp_path: Path) -> None:
    changed = {"order_12": order("Output (a)", "2"), "order_21": order("", "2")}
    (found,) = read_recorded(write(tmp_path, record(**changed)))
    assert (found.compared.a_first.winner, found.compared.b_first.winner) == ("a", None)
    assert found.differs == (
        "with A first the reply says A, the record B",
        "with B first the reply says nothing, the record B",
    )


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ([], "at least one"),
        ({"idx": 1}, "must be a list"),
        ([1], "record 1"),
        ([record(), record()], "idx 7"),
        ([record(label="a")], "label"),
        ([record(label=True)], "label"),
        ([record(order_21=None)], "record 1: order_21"),
        ([record(order_12={"winner": "1"})], "record 1: order_12"),
        ([record(order_12=order(3, "1"))], "reply"),
        ([record(order_12=order("Output (a)", "model"))], "winner"),
        ([record(order_12=order("Output (a)", "1", 3))], "finish_reason"),
    ],
)
def test_another_shape_is_named(tmp_path: Path, value: Any, word: str) -> None:
    path = tmp_path / "replies.json"
    path.write_text(json.dumps(value))
    with pytest.raises(ConfigError, match=word):
        read_recorded(path)


def test_no_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.json").write_text("[{]")
    with pytest.raises(ConfigError, match="not valid JSON"):
        read_recorded(tmp_path / "replies.json")


def llmbar(judge: str) -> Tally:
    """The LLMBar recordings (princeton-nlp/LLMBar, Natural / Vanilla, MIT)."""
    path = DATA / "llmbar" / f"{judge}.json"
    if not path.exists():
        pytest.skip(f"{path} is not there: set VOIRDIRE_DATA to the folder with the public data")
    records = read_recorded(path)
    assert [one.differs for one in records if one.differs] == []
    return tally([one.compared for one in records])


def figures(found: Tally) -> list[tuple[Share, float]]:
    return [
        (against.right, round(against.kappa or 0, 3))
        for against in (found.a_first, found.b_first)
        if against
    ]


def test_gpt_4_on_llmbar() -> None:
    found = llmbar("GPT-4")
    assert figures(found) == [(Share(95, 100), 0.898), (Share(96, 100), 0.918)]
    assert found.consistent == Share(95, 100)
    assert (found.ties, found.missing) == ({"order-sensitive": 5}, {})
    assert found.swapped is not None
    assert found.swapped.right == Share(93, 100)


def test_palm_2_on_llmbar_has_two_missing_pairs_and_no_agreement_in_them() -> None:
    found = llmbar("PaLM2")
    assert found.consistent == Share(78, 98)
    assert found.missing == {"silent": 2}
    assert (found.wins_a.count, found.wins_b.count, found.ties) == (29, 49, {"order-sensitive": 20})
    assert figures(found) == [(Share(78, 98), 0.586), (Share(88, 98), 0.787)]
