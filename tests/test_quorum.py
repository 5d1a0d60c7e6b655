"""Several samples and both orders: what counts, what is asked, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cache.asking import BAD, CASE, GOOD, RUBRIC, SOURCE, asked, text
from tests.judges.judge_server import JudgeServer, reply, status
from voirdire.errors import ConfigError
from voirdire.grade import grade
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.prompt import build_prompt
from voirdire.promptfoo.grading import assertion, provider
from voirdire.quorum import Quorum, read_quorum
from voirdire.record import as_record

Serve = Callable[..., JudgeServer]

UNSURE = {**GOOD, "confidence": 0.3}
TORN = {**GOOD, "verdict": "cannot_decide"}
STEPS = {
    "p": reply(text(GOOD)),
    "f": reply(text(BAD)),
    "u": reply(text(UNSURE)),
    "c": reply(text(TORN)),
    "e": reply("..."),
    "x": status(400),
}


@pytest.fixture(autouse=True)
def _clean_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "VOIRDIRE_CACHE", "VOIRDIRE_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers: list[JudgeServer] = []

    def start(*steps: Any) -> JudgeServer:
        servers.append(JudgeServer(steps).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("script", "quorum", "outcome", "kind", "calls"),
    [
        ("p", (1, 1), "pass", "pass", 1),
        ("pp", (3, 2), "pass", "pass", 2),
        ("ff", (3, 2), "fail", "fail", 2),
        ("pfp", (3, 2), "pass", "pass", 3),
        ("pff", (3, 2), "fail", "fail", 3),
        ("ppp", (3, 3), "pass", "pass", 3),
        ("ppf", (3, 3), "undecided", "split", 3),
        ("pf", (3, 3), "undecided", "split", 2),
        ("ppff", (4, 3), "undecided", "split", 4),
        ("pfpp", (4, 3), "pass", "pass", 4),
        ("ppfp", (5, 3), "pass", "pass", 4),
        ("pup", (3, 2), "pass", "pass", 3),
        ("puf", (3, 2), "undecided", "split", 3),
        ("uu", (3, 2), "undecided", "low_confidence", 2),
        ("cc", (3, 2), "undecided", "cannot_decide", 2),
        ("pep", (3, 2), "pass", "pass", 3),
        ("epp", (3, 2), "pass", "pass", 3),
        ("ee", (3, 2), "judge_error", "silent", 2),
        ("xx", (3, 2), "judge_error", "unreachable", 2),
        ("pex", (3, 2), "judge_error", "silent", 3),
        ("pef", (3, 2), "undecided", "split", 3),
        ("e", (3, 3), "judge_error", "silent", 1),
    ],
)
def test_it_is_asked_until_the_quorum_is_certain(
    serve: Serve,
    tmp_path: Path,
    script: str,
    quorum: tuple[int, int],
    outcome: str,
    kind: str,
    calls: int,
) -> None:
    server = serve(*(STEPS[letter] for letter in script))
    found = asked(server.url, tmp_path, "off", quorum=Quorum(*quorum))
    assert (found.outcome, found.kind) == (outcome, kind)
    assert len(server.requests) == calls
    record = as_record(found)
    assert json.loads(json.dumps(record)) == record
    if quorum[0] > 1:
        assert len(record["samples"]) == calls
        assert record["tokens"]["total"] == 800 * sum(letter != "x" for letter in script)
    else:
        assert "samples" not in record


def test_a_split_says_how(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"], STEPS["e"], STEPS["f"])
    found = asked(server.url, tmp_path, "off", quorum=Quorum(3, 2))
    assert found.reason == (
        "undecided: 1 pass, 1 judge error, 1 fail of 3 samples; 2 must agree (split)"
    )


def test_the_score_is_the_median_of_what_could_be_read(serve: Serve, tmp_path: Path) -> None:
    rubric = RUBRIC._replace(criteria={"a": "A?", "b": "B?", "c": "C?", "d": "D?"})

    def scored(held: int) -> Any:
        criteria = {name: place < held for place, name in enumerate("abcd")}
        verdict = "pass" if held == 4 else "fail"
        return reply(text({**GOOD, "criteria": criteria, "verdict": verdict}))

    server = serve(scored(4), scored(1), STEPS["e"], scored(3), scored(2))
    found = asked(server.url, tmp_path, "off", rubric=rubric, quorum=Quorum(5, 3))
    assert (found.outcome, found.score) == ("fail", 0.625)
    assert [sample.score for sample in found.samples] == [1, 0.25, 0, 0.75, 0.5]


def test_a_judge_error_has_no_score(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"], STEPS["e"], STEPS["e"])
    found = asked(server.url, tmp_path, "off", quorum=Quorum(3, 2))
    assert (found.outcome, found.score, found.verdict) == ("judge_error", 0, None)


@pytest.mark.parametrize(("seed", "sent"), [(None, [None, 1, 2]), (40, [40, 41, 42])])
def test_samples_differ_by_seed_and_by_nothing_else(
    serve: Serve, tmp_path: Path, seed: int | None, sent: list[int | None]
) -> None:
    server = serve(STEPS["p"])
    settings = {} if seed is None else {"seed": seed}
    asked(server.url, tmp_path, "off", settings=settings, quorum=Quorum(3, 3))
    bodies = [request.json for request in server.requests]
    assert [body.pop("seed", None) for body in bodies] == sent
    assert bodies[0] == bodies[1] == bodies[2]


def test_each_sample_is_kept_by_itself(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"], STEPS["f"], STEPS["p"])
    first = asked(server.url, tmp_path, quorum=Quorum(3, 2))
    second = asked(server.url, tmp_path, quorum=Quorum(3, 2))
    assert (first.outcome, first.cache) == ("pass", "miss")
    assert (second.outcome, second.cache) == ("pass", "hit")
    assert [sample.raw for sample in first.samples] == [sample.raw for sample in second.samples]
    assert as_record(second)["tokens"]["total"] == 0
    assert len(server.requests) == 3


def test_it_is_a_hit_only_where_no_call_was_made(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"])
    asked(server.url, tmp_path)
    found = asked(server.url, tmp_path, quorum=Quorum(3, 2))
    assert found.cache == "miss"
    assert [sample.cache for sample in found.samples] == ["hit", "miss"]
    assert as_record(found)["tokens"]["total"] == 800
    assert asked(server.url, tmp_path, order="both").cache == "miss"
    assert asked(server.url, tmp_path, order="both").cache == "hit"


def test_samples_are_replayed_by_their_number(tmp_path: Path) -> None:
    replies = [
        {"id": "case-1", "sample": number, "reply": text(verdict), "finish_reason": "stop"}
        for number, verdict in enumerate((BAD, GOOD, GOOD))
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in replies))
    journal = Journal(tmp_path / "journal.jsonl")
    judge = make_judge(f"replay:{path}")
    found = grade(CASE, RUBRIC, judge, journal, quorum=Quorum(3, 2))
    assert found.outcome == "pass"
    assert [sample.outcome for sample in found.samples] == ["fail", "pass", "pass"]
    more = grade(CASE, RUBRIC, judge, journal, quorum=Quorum(5, 4))
    assert (more.outcome, more.kind) == ("judge_error", "no_record")


@pytest.mark.parametrize(
    ("script", "outcome", "kind", "calls"),
    [
        ("pp", "pass", "pass", 2),
        ("ff", "fail", "fail", 2),
        ("pf", "undecided", "order_sensitive", 2),
        ("fp", "undecided", "order_sensitive", 2),
        ("pu", "undecided", "order_sensitive", 2),
        ("u", "undecided", "low_confidence", 1),
        ("e", "judge_error", "silent", 1),
        ("pe", "judge_error", "silent", 2),
        ("px", "judge_error", "unreachable", 2),
    ],
)
def test_only_a_verdict_that_survives_the_other_order_counts(
    serve: Serve, tmp_path: Path, script: str, outcome: str, kind: str, calls: int
) -> None:
    server = serve(*(STEPS[letter] for letter in script))
    found = asked(server.url, tmp_path, "off", order="both")
    assert (found.outcome, found.kind) == (outcome, kind)
    assert len(server.requests) == calls
    assert len(as_record(found).get("samples", [])) == (calls if calls == 2 else 0)


def test_the_two_orders_hold_the_same_data(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"])
    asked(server.url, tmp_path, "off", order="both")
    one, two = ([m["content"] for m in request.json["messages"]] for request in server.requests)
    assert one[0] == two[0]
    assert json.loads(one[1]) == json.loads(two[1])
    assert list(json.loads(one[1])) == ["question", "source", "answer"]
    assert list(json.loads(two[1])) == ["question", "answer", "source"]


def test_an_order_sensitive_reason_names_both(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"], STEPS["f"])
    assert asked(server.url, tmp_path, "off", order="both").reason == (
        "undecided: pass with the source first, fail with the answer first (order_sensitive)"
    )


def test_samples_hold_their_orders(serve: Serve, tmp_path: Path) -> None:
    server = serve(*(STEPS[letter] for letter in "pfpppp"))
    found = asked(server.url, tmp_path, "off", order="both", quorum=Quorum(3, 2))
    assert found.outcome == "pass"
    samples = as_record(found)["samples"]
    assert [sample["kind"] for sample in samples] == ["order_sensitive", "pass", "pass"]
    assert [len(sample["samples"]) for sample in samples] == [2, 2, 2]
    assert [request.json.get("seed") for request in server.requests] == [None, None, 1, 1, 2, 2]
    assert as_record(found)["tokens"]["total"] == 6 * 800


def test_orders_are_replayed_by_their_name_or_their_prompt(tmp_path: Path) -> None:
    other = build_prompt(RUBRIC, CASE.sources, CASE.question, CASE.answer, answer_first=True)
    ways: list[dict[str, Any]] = [
        {"id": "case-1", "order": "answer_first"},
        {"prompt_sha256": other.sha256},
    ]
    for number, way in enumerate(ways):
        lines = [{"id": "case-1", "reply": text(GOOD)}, {**way, "reply": text(BAD)}]
        path = tmp_path / f"{number}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        judge = make_judge(f"replay:{path}")
        found = grade(CASE, RUBRIC, judge, Journal(tmp_path / "j.jsonl"), order="both")
        assert found.kind == "order_sensitive"


def test_the_rules_are_asked_once_before_all_samples(serve: Serve, tmp_path: Path) -> None:
    server = serve(STEPS["p"])
    wrong = CASE._replace(answer="It lasts 45 minutes.")
    found = asked(
        server.url,
        tmp_path,
        case=wrong,
        quorum=Quorum(3, 2),
        order="both",
        precheck=make_judge("rules"),
    )
    assert (found.outcome, found.judge) == ("fail", "rules")
    assert server.requests == []


@pytest.mark.parametrize(
    ("samples", "quorum", "expected"),
    [
        (None, None, (1, 1)),
        (3, None, (3, 2)),
        (4, None, (4, 3)),
        (5, 5, (5, 5)),
        (100, 51, (100, 51)),
        (None, 1, (1, 1)),
    ],
)
def test_the_quorum_is_a_majority_unless_said(
    samples: Any, quorum: Any, expected: tuple[int, int]
) -> None:
    assert read_quorum(samples, quorum, "") == Quorum(*expected)


WRONG = [
    ({"samples": 0}, "samples"),
    ({"samples": 101}, "samples"),
    ({"samples": "3"}, "samples"),
    ({"samples": True}, "samples"),
    ({"samples": 2.0}, "samples"),
    ({"samples": 4, "quorum": 2}, "quorum"),
    ({"samples": 3, "quorum": 4}, "quorum"),
    ({"samples": 3, "quorum": "2"}, "quorum"),
    ({"quorum": 2}, "quorum"),
]


@pytest.mark.parametrize(("given", "field"), WRONG)
def test_a_quorum_that_cannot_be_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=f"^config: {field}: must be a whole number"):
        read_quorum(given.get("samples"), given.get("quorum"), "config: ")


def through(door: str, config: dict[str, Any]) -> dict[str, Any]:
    """What a door hands to promptfoo for the case."""
    vars_ = {"question": CASE.question, "source": SOURCE, "case_id": "case-1"}
    if door == "explicit":
        return assertion(CASE.answer, {"vars": vars_, "config": config, "test": {}})
    given = {"vars": {**vars_, "output": CASE.answer}, "prompt": {"label": "llm-rubric"}}
    return provider({"config": config}, given)


@pytest.fixture
def config() -> dict[str, Any]:
    return {"rubric": {"name": "r", "criteria": {"grounded": "Is it?"}}}


@pytest.mark.parametrize("door", ["explicit", "drop-in"])
@pytest.mark.parametrize(
    ("script", "more", "kind"),
    [
        ("pfp", {"samples": 3}, "pass"),
        ("pfu", {"samples": 3, "quorum": 2}, "split"),
        ("pf", {"order": "both"}, "order_sensitive"),
        ("pppf", {"order": "both", "samples": 2}, "split"),
    ],
)
def test_both_doors_take_samples_and_orders(
    serve: Serve, config: dict[str, Any], door: str, script: str, more: dict[str, Any], kind: str
) -> None:
    server = serve(*(STEPS[letter] for letter in script))
    judge = {"spec": f"openai:m-1@{server.url}/v1", "retries": 0}
    given = {**config, "judge": judge, **more}
    for cache in ("miss", "hit"):
        result = through(door, given)
        record = result["metadata"]["voirdire"]
        assert (record["kind"], record["cache"]) == (kind, cache)
        assert len(record["samples"]) == more.get("samples", 2)
        tokens = result["tokensUsed" if door == "explicit" else "tokenUsage"]
        assert tokens["total"] == (800 * len(script) if cache == "miss" else 0)
    assert len(server.requests) == len(script)


@pytest.mark.parametrize("door", ["explicit", "drop-in"])
@pytest.mark.parametrize(
    ("wrong", "field"), [*WRONG, ({"order": "answer_first"}, "order"), ({"cache": 3}, "cache")]
)
def test_a_wrong_setting_is_a_config_error_that_names_it(
    serve: Serve, config: dict[str, Any], door: str, wrong: dict[str, Any], field: str
) -> None:
    server = serve(STEPS["p"])
    judge = {"spec": f"openai:m-1@{server.url}/v1", "retries": 0}
    result = through(door, {**config, "judge": judge, **wrong})
    record = result["metadata"]["voirdire"]
    assert (record["outcome"], record["kind"]) == ("judge_error", "config")
    assert f"config: {field}: must be" in record["reason"]
    assert server.requests == []


@pytest.mark.parametrize("door", ["explicit", "drop-in"])
@pytest.mark.parametrize(
    ("field", "variable", "file"),
    [
        (None, None, ".voirdire/cache.sqlite"),
        ("mine.sqlite", None, "mine.sqlite"),
        (None, "theirs.sqlite", "theirs.sqlite"),
        ("mine.sqlite", "theirs.sqlite", "mine.sqlite"),
        (None, "off", None),
        ("off", None, None),
        (False, None, None),
        ("off", "theirs.sqlite", None),
    ],
)
def test_where_a_door_keeps_verdicts(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    config: dict[str, Any],
    door: str,
    field: Any,
    variable: str | None,
    file: str | None,
) -> None:
    server = serve(STEPS["p"])
    if variable:
        monkeypatch.setenv("VOIRDIRE_CACHE", variable)
    judge = {"spec": f"openai:m-1@{server.url}/v1"}
    given = {**config, "judge": judge, **({} if field is None else {"cache": field})}
    found = [through(door, given)["metadata"]["voirdire"]["cache"] for _ in range(2)]
    assert found == (["miss", "hit"] if file else ["off", "off"])
    assert len(server.requests) == (1 if file else 2)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.sqlite")] == (
        [file] if file else []
    )
