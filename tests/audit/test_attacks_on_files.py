"""Flags, files and reports that are meant to make an audit lie, hang or do damage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.audit.conftest import Audit, Ran, voirdire
from voirdire.audit.gate import exceeded, limits
from voirdire.errors import ConfigError


def refused(result: Ran) -> str:
    assert isinstance(result.error, ConfigError), result.out
    return str(result.error)


@pytest.mark.parametrize(
    ("finding", "count", "fails"),
    [("0.7%", 7, False), ("0.7%", 8, True), ("7", 7, False), ("6.5", 7, True), ("100%", 9, False)],
)
def test_a_share_is_compared_exactly(finding: str, count: int, fails: bool) -> None:
    report = {"counts": {"different": count}, "corpus": {"texts": 1000}, "mutations": None}
    assert bool(exceeded(report, limits(f"different:{finding}"))) is fails


@pytest.mark.parametrize("most", ["nan", "inf", "-1", "1e3", "1_0", "", "%", "101%", " 5", "٣"])
def test_a_limit_that_is_no_number_is_refused(most: str) -> None:
    with pytest.raises(ConfigError):
        limits(f"different:{most},crash")


def test_a_gate_that_could_never_close_is_refused(audit: Audit) -> None:
    assert "--no-growth" in refused(audit("--fail-on", "slow"))


@pytest.mark.parametrize("out", ["corpus.jsonl", "./corpus.jsonl", "texts/report.json"])
def test_a_report_is_not_written_over_what_is_audited(
    audit: Audit, project: Path, out: str
) -> None:
    (project / "texts").mkdir()
    (project / "texts" / "a.txt").write_text("{}", encoding="utf-8")
    before = (project / "corpus.jsonl").read_bytes()
    for flag in ("--out", "--markdown"):
        assert "used otherwise" in refused(audit("--corpus", "texts", flag, out))
    assert (project / "corpus.jsonl").read_bytes() == before


def test_a_device_is_not_replaced_by_a_report(audit: Audit) -> None:
    assert "/dev/null" in refused(audit("--out", "/dev/null"))
    assert "both" not in refused(audit("--out", "x", "--markdown", "x"))


def test_results_that_are_none_are_told_before_the_corpus_is_read(audit: Audit) -> None:
    assert "missing.json" in refused(audit("--results", "missing.json", path="not-there.jsonl"))


def test_a_linked_folder_is_read_and_a_circle_of_links_is_not(audit: Audit, project: Path) -> None:
    (project / "far").mkdir()
    (project / "far" / "a.txt").write_text("{}", encoding="utf-8")
    (project / "texts").mkdir()
    (project / "texts" / "link").symlink_to("../far")
    (project / "texts" / "same").symlink_to("../far")
    (project / "far" / "up").symlink_to("../texts")
    found = audit("--json", path="texts").json["corpus"]
    assert [file["name"] for file in found["files"]] == ["texts/link/a.txt"]


def edited(project: Path, change: Callable[[dict[str, object]], object]) -> None:
    path = project / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    change(report)
    path.write_text(json.dumps(report), encoding="utf-8")


@pytest.mark.parametrize("part", ["paths", "form", "files", "eval_id"])
def test_a_report_that_was_edited_is_told_and_not_believed(
    audit: Audit, project: Path, part: str
) -> None:
    audit("--out", "report.json")
    edited(project, lambda report: report["corpus"].pop(part))  # type: ignore[attr-defined]
    assert "is no report" in refused(voirdire("audit", "--check", "report.json"))


def test_a_pipe_is_not_waited_for_by_a_check(audit: Audit, project: Path) -> None:
    audit("--out", "report.json")
    (project / "corpus.jsonl").unlink()
    os.mkfifo(project / "corpus.jsonl")
    result = voirdire("audit", "--check", "report.json")
    assert result.code == 1
    assert "a pipe" in result.out
