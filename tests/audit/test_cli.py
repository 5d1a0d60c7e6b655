"""``voirdire audit`` as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.audit.conftest import Audit, Ran, corpus, voirdire
from voirdire import __version__
from voirdire.audit.corpus.open import BLOCK_BYTES
from voirdire.audit.gate import exceeded, limits
from voirdire.audit.growth import HOSTILE
from voirdire.audit.outcome import OUTCOMES
from voirdire.errors import ConfigError


def refused(result: Ran) -> str:
    """The one sentence of bad input."""
    assert isinstance(result.error, ConfigError), result.out
    return str(result.error)


def test_the_report_holds_what_scripts_rely_on(audit: Audit, project: Path) -> None:
    result = audit("--json", "--out", "report.json")
    assert result.code == 0
    found = result.json
    assert found == json.loads((project / "report.json").read_text(encoding="utf-8"))
    assert set(found["counts"]) == set(OUTCOMES)
    assert {name: count for name, count in found["counts"].items() if count} == {
        "same": 1,
        "production_only": 1,
        "neither": 1,
    }
    assert found["direction"] == "eval_stricter"
    assert found["tool_version"] == __version__
    assert found["corpus"]["texts"] == 3
    assert len(found["corpus"]["sha256"]) == len(found["parsers"]["eval"]["sha256"]) == 64
    assert found["rates"]["eval_only"]["at_most"] == 1
    (example,) = found["counterexamples"]
    assert (example["outcome"], example["where"]) == ("production_only", "corpus.jsonl:2")
    assert example["text"] == 'so {"a": 2}'
    assert len(example["shrunk"]) < len(example["text"])
    assert example["eval"] == {"ending": "raised JSONDecodeError", "value": None}


def test_the_same_audit_gives_the_same_report_byte_for_byte(
    audit: Audit, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Several blocks of each, so that two workers have a share.
    monkeypatch.setattr("voirdire.audit.beyond.MUTANTS_A_BLOCK", 5)
    rows = [{"text": f'{"so " * (n % 3)}{{"a": {n}}}' + " " * 1_500} for n in range(500)]
    corpus(project, rows)
    assert (project / "corpus.jsonl").stat().st_size > 2 * BLOCK_BYTES
    audit("--out", "one.json", "--jobs", "1", "--mutate", "20", "--seed", "7")
    audit("--out", "two.json", "--jobs", "2", "--mutate", "20", "--seed", "7")
    assert (project / "one.json").read_bytes() == (project / "two.json").read_bytes()
    audit("--out", "three.json", "--mutate", "20", "--seed", "8")
    assert (project / "one.json").read_bytes() != (project / "three.json").read_bytes()


@pytest.mark.parametrize(
    ("function", "word", "outcome", "ending"),
    [
        ("hangs", "hang", "production_timeout", "timeout"),
        ("exits", "exit", "production_crash", "died"),
        ("leaves", "leave", "production_crash", "died"),
        ("eats", "eat", "production_crash", "memory"),
    ],
)
def test_a_parser_that_breaks_is_told_apart_and_the_audit_goes_on(
    audit: Audit,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    word: str,
    outcome: str,
    ending: str,
) -> None:
    monkeypatch.setattr("voirdire.audit.examples.SLOW_BUDGET", 2)
    rows: list[dict[str, Any]] = [{"text": json.dumps({"n": n})} for n in range(50)]
    rows[20] = {"text": json.dumps(word)}
    corpus(project, rows)
    limit = "1" if ending == "timeout" else "30"
    memory = ("--memory", "256")
    found = audit("--json", "--timeout", limit, *memory, second=f"parsers:{function}").json
    assert (found["counts"]["same"], found["counts"][outcome]) == (49, 1)
    assert found["endings"]["production"] == {"value": 49, ending: 1}
    assert found["direction"] == "eval_more_permissive"
    (example,) = found["counterexamples"]
    assert word in example["shrunk"]
    assert example["production"]["ending"] == ending


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
@pytest.mark.parametrize("as_files", [False, True])
def test_a_text_that_is_too_long_for_the_memory_is_named_and_the_others_are_audited(
    audit: Audit, project: Path, as_files: bool
) -> None:
    texts = ['{"a": 1}', '"' + "x" * 30_000_000 + '"', '{"a": 2}']
    if as_files:
        (project / "texts").mkdir()
        for number, text in enumerate(texts, 1):
            (project / "texts" / f"{number}.txt").write_text(text, encoding="utf-8")
    else:
        corpus(project, [{"text": text} for text in texts], "texts.jsonl")
    path = "texts" if as_files else "texts.jsonl"
    found = audit("--json", "--memory", "64", path=path).json
    assert (found["corpus"]["texts"], found["counts"]["same"]) == (2, 2)
    (damage,) = found["corpus"]["damages"]
    assert damage["where"] == ("texts/2.txt" if as_files else "texts.jsonl:2")
    assert damage["why"] == "too long a text to be read within 64 MiB; raise --memory"


def test_a_schema_decides_what_counts_as_parsed(audit: Audit, project: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"const": 2}}, "required": ["a"]}
    (project / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    found = audit("--json", "--schema", "schema.json").json
    assert (found["counts"]["same"], found["counts"]["production_only"]) == (0, 1)
    assert found["endings"]["eval"]["invalid"] == 1
    assert found["schema"]["path"] == "schema.json"


def test_fail_on_fails_above_its_limit_and_says_what(audit: Audit) -> None:
    assert audit("--fail-on", "different,eval-only,crash,timeout,production-only:1").code == 0
    failed = audit("--json", "--fail-on", "different,production-only")
    assert failed.code == 1
    assert "failed on production-only: 1 of 3, more than 0" in failed.err
    for most, fails in (("1", False), ("30%", True), ("34%", False)):
        assert bool(exceeded(failed.json, limits(f"production-only:{most}"))) == fails


@pytest.mark.parametrize(
    "text", ["no-such", "different:x", "different:-1", "crash:101%", "slow:1%"]
)
def test_a_limit_that_is_none_is_refused_before_anything_is_run(audit: Audit, text: str) -> None:
    assert "--fail-on" in refused(audit("--fail-on", text, path="missing.jsonl"))


def test_check_is_silent_about_what_stayed_and_names_what_changed(
    audit: Audit, project: Path
) -> None:
    audit("--out", "report.json")

    def check() -> Ran:
        return voirdire("audit", "--check", "report.json")

    assert check().code == 0
    helper = project / "helper.py"
    before = helper.read_text(encoding="utf-8")
    helper.write_text(before + "\n# another comment\n", encoding="utf-8")
    assert check().code == 1
    # Both functions stand in the file that imports it.
    assert check().out.count("helper.py changed") == 2
    helper.write_text(before, encoding="utf-8")
    assert check().code == 0
    corpus(project, [{"text": "{}"}])
    changed = check()
    assert changed.code == 1
    assert "corpus.jsonl changed" in changed.out


def test_check_tells_machines_too_and_another_version(audit: Audit, project: Path) -> None:
    audit("--out", "report.json")
    path = project / "report.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace(f'"{__version__}"', '"0.0.1"'), encoding="utf-8"
    )
    result = voirdire("audit", "--check", "report.json", "--json")
    assert result.code == 1
    assert result.json["changed"] == [f"voirdire: 0.0.1 then, {__version__} now"]


def test_check_of_a_parser_or_a_schema_that_is_gone_names_it_and_looks_at_the_rest(
    audit: Audit, project: Path
) -> None:
    (project / "schema.json").write_text("{}", encoding="utf-8")
    audit("--out", "report.json", "--schema", "schema.json", first="parsers.py:eval_side")
    for name in ("parsers.py", "schema.json"):
        (project / name).unlink()
    corpus(project, [{"text": "{}"}])
    result = voirdire("audit", "--check", "report.json")
    assert result.code == 1
    for said in (
        "the parser of eval: parser 'parsers.py:eval_side': there is no file",
        "the parser of production: ",
        "the schema: schema.json",
        "corpus.jsonl changed",
    ):
        assert said in result.out


def test_check_of_a_corpus_that_is_gone_or_was_piped_fails(audit: Audit, project: Path) -> None:
    audit("--out", "report.json")
    (project / "corpus.jsonl").unlink()
    result = voirdire("audit", "--check", "report.json")
    assert result.code == 1
    assert "corpus.jsonl" in result.out


GOOD = ("--eval", "strict", "--production", "strict", "--corpus", "corpus.jsonl")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--corpus", "corpus.jsonl"], "--eval SPEC and --production SPEC"),
        (["--eval", "strict", "--production", "strict"], "--corpus PATH"),
        ([*GOOD, "--eval", "nowhere:f"], "nowhere"),
        ([*GOOD, "--corpus", "gone.jsonl"], "gone.jsonl"),
        ([*GOOD, "--field", "reply"], "--field"),
        ([*GOOD, "--schema", "parsers.py"], "parsers.py: is no JSON"),
        ([*GOOD, "--engine", "dask"], "--scheduler"),
        ([*GOOD, "--expected", "x"], "--results"),
        ([*GOOD, "--timeout", "nan"], "--timeout nan"),
        ([*GOOD, "--corpus", ""], "--corpus was given nothing"),
        ([*GOOD, "--eval", "cmd:python3 nowhere.py"], "there is no file 'nowhere.py'"),
        ([*GOOD, "--out", "no/such/report.json"], "no/such"),
        (["--check", "corpus.jsonl"], "no report of voirdire audit"),
        (["--check", "none.json"], "none.json"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    project: Path, args: list[str], said: str
) -> None:
    before = sorted(project.iterdir())
    assert said in refused(voirdire("audit", *args))
    assert [path for path in sorted(project.iterdir()) if path.name != "__pycache__"] == before


def test_damaged_lines_are_counted_and_named_and_the_rest_is_audited(
    audit: Audit, project: Path
) -> None:
    with (project / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"txt": 1}\n{"text": "{}"}\nnot json\n')
    found = audit("--json").json
    assert (found["corpus"]["texts"], found["corpus"]["damaged"]) == (4, 2)
    assert found["corpus"]["damages"] == [
        {"where": "corpus.jsonl:4", "why": "has no field 'text'"},
        {"where": "corpus.jsonl:6", "why": "not JSON (Expecting value)"},
    ]
    assert audit("--fail-on", "damaged").code == 1


def test_mutations_find_a_gap_that_the_corpus_does_not_show(audit: Audit, project: Path) -> None:
    corpus(project, [{"text": '{"verdict": "APPLY", "score": 0.5}'}])
    result = audit("--json", "--mutate", "300", "--fail-on", "production-only")
    assert result.code == 1
    found = result.json
    assert found["direction"] == "equal"
    assert found["mutations"]["texts"] == 300
    assert found["mutations"]["counts"]["production_only"] > 0
    assert found["mutations"]["intended"]["texts"] > 100


def test_where_no_value_of_the_corpus_is_known_others_are_mutated(
    audit: Audit, project: Path
) -> None:
    corpus(project, [{"text": "no value at all"}])
    result = audit("--mutate", "20", "--out", "report.json")
    found = json.loads((project / "report.json").read_text(encoding="utf-8"))["mutations"]
    assert (found["texts"], found["bases"]) == (20, 0)
    assert found["intended"]["texts"] > 0
    assert "mutations: 20 of values that are not of it" in result.out


def test_growth_is_a_finding_for_a_quadratic_parser_and_none_for_a_linear_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = "a brace now and then"
    monkeypatch.setattr("voirdire.audit.slow.HOSTILE", {kind: HOSTILE[kind]})
    words = ["audit", "--eval", "forward", "--production", "forward-first", "--json"]
    result = voirdire(*words, "--corpus", "corpus.jsonl", "--fail-on", "slow")
    assert result.code == 1
    slow, fine = (
        {finding["text"]: finding["order"] for finding in result.json["growth"][side]}
        for side in ("eval", "production")
    )
    assert slow[kind] >= 1.5
    # Of what takes no time nothing is measured: the others are, and may be disturbed.
    assert kind not in fine


def test_the_terminal_and_the_markdown_say_the_gap_and_show_no_raw_control_characters(
    audit: Audit, project: Path
) -> None:
    corpus(project, [{"text": 'a\x1b[31m|`\u202e{"a": 2}'}, {"text": "{}"}])
    result = audit("--markdown", "summary.md")
    summary = (project / "summary.md").read_text(encoding="utf-8")
    for text in (result.out, summary):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "production only" in text
    assert "eval stricter" in result.out
    assert summary.startswith("### Parser audit: eval stricter")


def test_standard_input_is_a_corpus_and_ctrl_c_leaves_no_process(project: Path) -> None:
    words = [sys.executable, "-m", "voirdire", "audit", "--eval", "strict", "--production"]
    words += ["forward", "--corpus", "-", "--no-growth", "--json"]
    done = subprocess.run(
        words,
        input='{"text": "{}"}\n',
        capture_output=True,
        text=True,
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
    )
    assert json.loads(done.stdout)["counts"]["same"] == 1


def test_help_shows_examples(project: Path) -> None:
    shown = voirdire("audit", "--help").out
    assert "Examples:" in shown
    assert "parser_permissiveness.json" in shown
