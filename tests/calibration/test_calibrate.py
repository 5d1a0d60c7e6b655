"""``voirdire calibrate``: how far a judge agrees with people, as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from voirdire.certificate import load
from voirdire.cli import cli
from voirdire.errors import ConfigError

ROOT = Path(__file__).resolve().parents[2]
KITEBASE = ROOT / "golden" / "kitebase" / "cases.jsonl"
SOURCE = "The reset link lasts 30 minutes."


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "journal.jsonl"))
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)


def calibrate(*words: str | Path, code: int = 0) -> dict[str, Any]:
    """The report of ``voirdire calibrate --json``."""
    args = ["calibrate", *map(str, words), "--json"]
    result = CliRunner().invoke(cli, args, standalone_mode=False)
    assert result.exception is None, result.exception
    assert result.return_value == code
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def figures(report: Mapping[str, Any]) -> tuple[int, float, str, str]:
    """Agreement in percent, kappa, fails caught and passes kept."""
    caught, kept = report["fails_caught"], report["passes_kept"]
    return (
        round(100 * report["agreement"]["value"]),
        round(report["kappa"]["value"], 2),
        f"{caught['k']} of {caught['n']}",
        f"{kept['k']} of {kept['n']}",
    )


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def verdict(decision: str, confidence: float = 0.95, **criteria: bool) -> str:
    """A reply that can be read."""
    body = {
        "critique": "So it is.",
        "criteria": criteria or {"grounded": decision == "pass"},
        "evidence": [SOURCE],
        "verdict": decision,
        "confidence": confidence,
    }
    return json.dumps(body)


def project(
    folder: Path, rows: Sequence[tuple[str, str]], cases: Sequence[Mapping[str, Any]] = ()
) -> Path:
    """Cases of these labels with these recorded replies, a rubric and a source beside them."""
    lines = [
        {"id": f"c{n}", "question": "How long?", "answer": f"Answer {n}.", "label": label}
        for n, (label, _) in enumerate(rows)
    ]
    for line, more in zip(lines, cases, strict=False):
        line.update(more)
    replies = [
        {"id": f"c{n}", "reply": reply, "finish_reason": "stop"}
        for n, (_, reply) in enumerate(rows)
    ]
    for name, found in (("cases.jsonl", lines), ("replies.jsonl", replies)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in found), "utf-8")
    (folder / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    (folder / "source.txt").write_text(SOURCE)
    return folder / "cases.jsonl"


def test_the_support_bot_gives_the_published_figures() -> None:
    report = calibrate(KITEBASE, "--judge", "replay")
    assert figures(report) == (83, 0.56, "2 of 3", "8 of 9")
    assert figures(report["baselines"]["always_pass"]) == (75, 0.0, "0 of 3", "9 of 9")
    assert figures(report["baselines"]["always_fail"])[2:] == ("3 of 3", "0 of 9")
    assert report["baselines"]["rules"]["fails_caught"]["n"] <= 3
    assert report["missing"] == {}
    assert report["canned"] is True
    assert [row["id"] for row in report["disagreements"]] == ["kite-07", "kite-06"]
    assert report["kappa"]["strength"] == "moderate"
    assert any("fewer than 8 of 10" in sentence for sentence in report["advice"])


def test_after_the_rubric_fix_the_figures_are_the_published_ones(tmp_path: Path) -> None:
    folder = KITEBASE.parent
    for name in ("cases.jsonl", "excerpts.json", "rubric.yaml"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    replies = rows_of(folder / "replies.jsonl")
    passing = next(row for row in replies if row["id"] == "kite-08")["reply"]
    for row in replies:
        if row["id"] == "kite-06":  # the rule on everyday advice makes it a pass
            row["reply"] = passing
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    assert figures(calibrate(tmp_path / "cases.jsonl", "--judge", "replay"))[:2] == (92, 0.75)


def test_with_two_fails_relabelled_always_pass_agrees_more_and_kappa_is_still_nought(
    tmp_path: Path,
) -> None:
    lines = rows_of(KITEBASE)
    fails = [line for line in lines if line["label"] == "fail"]
    for line in fails[:2]:
        line["label"] = "pass"
    for name in ("excerpts.json", "rubric.yaml", "replies.jsonl"):
        (tmp_path / name).write_bytes((KITEBASE.parent / name).read_bytes())
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    report = calibrate(tmp_path / "cases.jsonl", "--judge", "replay")
    assert figures(report["baselines"]["always_pass"])[:2] == (92, 0.0)


def test_missing_verdicts_are_in_no_figure_and_the_three_treatments_stand_side_by_side(
    tmp_path: Path,
) -> None:
    rows = [("pass", verdict("pass"))] * 6 + [("fail", verdict("fail"))] * 2
    rows += [("fail", "..."), ("pass", verdict("cannot_decide")), ("fail", "no JSON")]
    report = calibrate(project(tmp_path, rows), "--judge", "replay")
    assert report["missing"] == {"prose": 1, "silent": 1, "undecided": 1}
    assert report["cases"]["decided"] == 8
    treated = {
        name: (found["n"], found["fails_caught"], found["passes_kept"])
        for name, found in report["treatments"].items()
    }
    assert treated == {
        "left_out": (8, {"k": 2, "n": 2}, {"k": 6, "n": 6}),
        "as_fail": (11, {"k": 4, "n": 4}, {"k": 6, "n": 7}),
        "against": (11, {"k": 2, "n": 4}, {"k": 6, "n": 7}),
    }
    assert any("worst case" in sentence for sentence in report["advice"])


def test_errors_that_go_with_the_label_are_told(tmp_path: Path) -> None:
    rows = [("pass", verdict("pass"))] * 20 + [("fail", verdict("fail"))] * 4
    rows += [("fail", "not readable")] * 8
    report = calibrate(project(tmp_path, rows), "--judge", "replay")
    assert report["missing_by_label"]["goes_with_label"] is True
    assert "people failed (8 of 12" in report["advice"][0]
    even = [("pass", verdict("pass"))] * 20 + [("pass", "x")] * 5 + [("fail", "x")] * 1
    even += [("fail", verdict("fail"))] * 4
    (tmp_path / "even").mkdir()
    report = calibrate(project(tmp_path / "even", even), "--judge", "replay")
    assert report["missing_by_label"]["goes_with_label"] is False


def test_one_label_alone_leaves_kappa_undefined_in_words(tmp_path: Path) -> None:
    report = calibrate(project(tmp_path, [("pass", verdict("pass"))] * 5), "--judge", "replay")
    assert report["kappa"]["value"] is None
    assert "chance alone" in report["kappa"]["why"]
    assert "people passed every decided case" in report["balanced_accuracy"]["why"]
    assert "NaN" not in json.dumps(report)
    assert any("every label is pass" in sentence for sentence in report["advice"])


def test_criteria_tags_second_annotators_and_families_have_figures_of_their_own(
    tmp_path: Path,
) -> None:
    rows = [("pass", verdict("pass")), ("fail", verdict("pass")), ("fail", verdict("fail"))] * 4
    more: list[dict[str, Any]] = [
        {
            "tags": ["date"] if n % 2 else ["money", "date"],
            "second": "pass" if n % 4 == 0 else "fail",
            "criteria": {"grounded": label == "pass"},
            "model": "gpt-4.1" if n % 3 else "claude-sonnet-5",
        }
        for n, (label, _) in enumerate(rows)
    ]
    report = calibrate(project(tmp_path, rows, more), "--judge", "replay")
    assert report["tags"]["date"]["n"] == 12
    assert report["tags"]["money"]["n"] == 6
    assert report["humans"]["n"] == 12
    assert report["criteria"]["grounded"]["labelled"]["fails_caught"] == {"k": 4, "n": 8}
    assert set(report["families"]) == {"anthropic", "openai"}
    assert report["families"]["openai"]["favour"] == pytest.approx(0.5)
    assert report["families"]["anthropic"]["favour"] == 0
    assert any("lenient" in sentence for sentence in report["advice"])
    assert any("reword the criterion grounded" in sentence for sentence in report["advice"])


def test_judges_on_the_same_labels_are_compared(tmp_path: Path) -> None:
    rows = [("pass", verdict("pass"))] * 15 + [("fail", verdict("fail"))] * 15
    cases = project(tmp_path, rows)
    worse = [
        {"id": f"c{n}", "reply": verdict("pass"), "finish_reason": "stop"} for n in range(len(rows))
    ]
    (tmp_path / "worse.jsonl").write_text("".join(json.dumps(row) + "\n" for row in worse))
    report = calibrate(
        cases, "--judge", f"replay:{tmp_path / 'worse.jsonl'}", "--compare", "replay"
    )
    first, second = report["comparison"]["judges"]
    assert report["comparison"]["best"] == second["judge"]
    assert first["against_best"] == {
        "only_this_right": 0,
        "only_best_right": 15,
        "both_decided": 30,
    }
    assert first["p"] == pytest.approx(2 * 0.5**15)
    assert first["shown_worse"] is True
    assert second["p"] is None
    assert report["comparison"]["cheapest"] is None  # recorded replies have no price


def test_the_same_seed_gives_the_same_report(tmp_path: Path) -> None:
    one, two, other = (
        calibrate(KITEBASE, "--judge", "replay", "--seed", seed) for seed in ("1", "1", "2")
    )
    assert one == two
    assert one["kappa"]["low"] != other["kappa"]["low"] or one["mcc"] != other["mcc"]


def test_a_certificate_and_the_gate_follow_from_it(tmp_path: Path) -> None:
    path, report = tmp_path / "judge.json", tmp_path / "report.json"
    calibrate(KITEBASE, "--judge", "replay", "--certificate", path, "--out", report)
    certificate = load(path)
    assert certificate["calibration"]["fails_caught"]["k"] == 2
    assert certificate["calibration"]["verdicts"]["kite-07"] == "pass"

    def gate(*words: str | Path) -> Any:
        args = ["gate", *map(str, words)]
        return CliRunner().invoke(cli, args, standalone_mode=False)

    for file in (path, report):
        assert gate(file, "--min-agreement", "0.8").return_value == 0
        failed = gate(file, "--min-agreement", "0.8", "--min-kappa", "0.6")
        assert failed.return_value == 1
        assert "FAILS  kappa" in failed.stdout
        assert "nothing of the product" in failed.stdout
        assert gate(file, "--min-agreement", "0.8", "--lower-bounds").return_value == 1
    assert isinstance(gate(path).exception, ConfigError)
    assert isinstance(gate(tmp_path / "none.json", "--min-kappa", "0").exception, ConfigError)
    shown = json.loads(gate(path, "--min-kappa", "0.6", "--json").stdout)
    assert shown["passed"] is False


def test_a_report_for_people_shows_each_disagreement_side_by_side() -> None:
    args = ["calibrate", str(KITEBASE), "--judge", "replay"]
    shown = CliRunner().invoke(cli, args, standalone_mode=False).stdout
    for words in (
        "agreement            0.83",
        "2 of 3",
        "canned",
        "kite-07: person fail, judge pass, confidence 0.95",
        "note ",
        "critique",
        "always-pass",
    ):
        assert words in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([str(KITEBASE)], "--judge SPEC"),
        (["none.jsonl", "--judge", "rules"], "none.jsonl"),
        ([str(KITEBASE), "--judge", "oracle:x"], "unknown judge"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, ["calibrate", *words], standalone_mode=False)
    assert isinstance(result.exception, ConfigError)
    assert said in str(result.exception)
