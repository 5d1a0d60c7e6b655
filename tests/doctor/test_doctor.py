"""Keys, places, extras, the canary, and what the command prints."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.doctor.conftest import CONFIG, ROOT, Doctor, explicit, suite
from voirdire.doctor.surroundings import EXTRAS
from voirdire.journal import entries

MODEL = "openai:gpt-4.1-2025-04-14"
KEY = "sk-" + "secret0123456789" * 2


def test_a_missing_key_is_a_problem_where_the_suite_needs_it(doctor: Doctor) -> None:
    seen = doctor(suite=suite(explicit(config={**CONFIG, "judge": MODEL})))
    found = seen.one("keys")
    assert found["status"] == "problem"
    assert "OPENAI_API_KEY" in found["mend"]
    assert seen.code == 1


def test_a_key_is_said_to_be_set_and_no_part_of_it_is_shown(doctor: Doctor) -> None:
    given = suite(explicit(config={**CONFIG, "judge": MODEL}))
    seen = doctor(suite=given, OPENAI_API_KEY=KEY)
    assert seen.one("keys")["status"] == "ok"
    assert "OPENAI_API_KEY is set" in seen.one("keys")["text"]
    assert KEY[3:9] not in seen.out + seen.err


def test_a_key_in_dotenv_counts_for_promptfoo_reads_it(doctor: Doctor, project: Path) -> None:
    (project / ".env").write_text(f"# keys\nexport OPENAI_API_KEY={KEY}\nEMPTY=\n")
    seen = doctor(suite=suite(explicit(config={**CONFIG, "judge": MODEL})))
    assert seen.one("keys")["status"] == "ok"
    assert ".env" in seen.one("keys")["text"]
    assert KEY[3:9] not in seen.out


@pytest.mark.parametrize("pasted", ["abcdef0123456789abcdef", "SECRET0123456789ABCDEF"])
def test_a_key_that_was_pasted_for_a_variables_name_is_not_shown(
    doctor: Doctor, pasted: str
) -> None:
    judge = {"spec": MODEL, "api_key_env": pasted}
    seen = doctor(suite=suite(explicit(config={**CONFIG, "judge": judge})))
    assert seen.one("keys")["status"] == "problem"
    assert pasted[:8] not in seen.out


def test_a_local_judge_needs_no_key(doctor: Doctor) -> None:
    judge = "openai:qwen@http://127.0.0.1:9/v1"
    assert doctor(suite=suite(explicit(config={**CONFIG, "judge": judge}))).code == 0


def test_nothing_is_written_without_a_judge(doctor: Doctor, project: Path) -> None:
    before = sorted(project.iterdir())
    doctor()
    assert sorted(project.iterdir()) == before


@pytest.mark.parametrize("check", ["journal", "cache"])
def test_a_place_that_cannot_be_written_is_a_problem(
    doctor: Doctor, project: Path, check: str
) -> None:
    variable = f"VOIRDIRE_{check.upper()}"
    assert doctor().one(check)["status"] == "ok"
    for place in (project, project / "source.md" / "below"):
        seen = doctor(**{variable: str(place)})
        assert seen.one(check)["status"] == "problem"
        assert variable in seen.one(check)["mend"]


@pytest.mark.skipif(os.geteuid() == 0, reason="to root every folder can be written")
def test_a_folder_without_the_right_to_write_is_a_problem(doctor: Doctor, project: Path) -> None:
    locked = project / "locked"
    locked.mkdir(mode=0o500)
    assert doctor(VOIRDIRE_JOURNAL=str(locked / "j.jsonl")).one("journal")["status"] == "problem"


def test_a_shared_cache_is_not_tried_and_its_password_not_shown(doctor: Doctor) -> None:
    found = doctor(VOIRDIRE_CACHE="redis://user:pass-word@127.0.0.1:1/0")
    assert found.one("cache")["status"] == "ok"
    assert "pass-word" not in found.out


def test_the_cache_may_be_off_or_of_no_known_kind(doctor: Doctor) -> None:
    assert doctor(VOIRDIRE_CACHE="off").one("cache")["text"] == "off"
    assert doctor(VOIRDIRE_CACHE="http://x").one("cache")["status"] == "problem"


def test_the_extras_are_those_of_the_package() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    table = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    names = set(re.findall(r"^(\w+) = \[", table, re.MULTILINE))
    assert set(EXTRAS) == names - {"dev", "model"}


def test_the_canary_asks_twice_and_both_calls_are_in_the_journal(
    doctor: Doctor, project: Path
) -> None:
    seen = doctor("--judge", "rules", "--journal", "j.jsonl")
    assert [one["status"] for one in seen.of("judge")] == ["ok", "ok"]
    assert seen.code == 0
    calls, damaged = entries(project / "j.jsonl")
    assert (len(calls), damaged) == (2, [])


def replies(path: Path, wrong: str, right: str) -> None:
    lines = []
    for identity, verdict, price in (("canary-wrong", wrong, 20), ("canary-right", right, 12)):
        reply = {
            "critique": f"It says {price} euros.",
            "criteria": {"grounded": verdict == "pass"},
            "evidence": ["A reader's card costs 12 euros a year."],
            "verdict": verdict,
            "confidence": 1,
        }
        lines.append(json.dumps({"id": identity, "reply": json.dumps(reply)}) + "\n")
    path.write_text("".join(lines))


@pytest.mark.parametrize(
    ("wrong", "right", "statuses"),
    [
        ("fail", "pass", ["ok", "ok"]),
        ("pass", "pass", ["problem", "ok"]),
        ("fail", "fail", ["ok", "problem"]),
        ("cannot_decide", "pass", ["problem", "ok"]),
    ],
)
def test_a_judge_that_does_not_tell_wrong_from_right_is_a_problem(
    doctor: Doctor, project: Path, wrong: str, right: str, statuses: list[str]
) -> None:
    replies(project / "replies.jsonl", wrong, right)
    seen = doctor("--judge", "replay:replies.jsonl")
    assert [one["status"] for one in seen.of("judge")] == statuses
    assert seen.code == int("problem" in statuses)


def test_a_judge_that_cannot_be_reached_is_a_problem_and_is_asked_once(doctor: Doctor) -> None:
    seen = doctor("--judge", "openai:m@http://127.0.0.1:9/v1", NO_PROXY="*")
    assert "unreachable" in seen.one("judge")["text"]
    assert "after 1 attempt:" in seen.one("judge")["text"]
    assert seen.code == 1


def test_a_judge_without_its_key_is_a_problem(doctor: Doctor) -> None:
    found = doctor("--judge", MODEL).one("judge")
    assert found["status"] == "problem"
    assert "OPENAI_API_KEY" in found["mend"]


@pytest.mark.parametrize("words", [["--judge", "nobody"], ["--judge", MODEL, "--set", "retries=x"]])
def test_no_such_judge_is_bad_input(doctor: Doctor, words: list[str]) -> None:
    assert doctor(*words).code == 2


def test_a_judge_of_the_environment_is_not_asked(doctor: Doctor) -> None:
    assert doctor(VOIRDIRE_JUDGE="rules").of("judge") == []


def test_people_are_shown_each_check_its_mend_and_a_count(doctor: Doctor) -> None:
    seen = doctor(suite=suite(explicit(weight=0)), json_=False)
    lines = seen.out.splitlines()
    assert lines[-1].startswith("1 problem, ")
    problem = next(n for n, line in enumerate(lines) if line.startswith("problem  overruled "))
    assert lines[problem + 1].strip() == "mend: give the assertion a weight above 0"


def test_names_of_others_cannot_steer_the_terminal(doctor: Doctor) -> None:
    given = suite(explicit(weight=0), description="\x1b[2Jgone\nok  all is well")
    seen = doctor(suite=given, json_=False)
    assert "\x1b" not in seen.out
    assert "\nok  all is well" not in seen.out


def test_the_record_holds_the_worst_status(doctor: Doctor) -> None:
    record = json.loads(doctor(suite=suite(explicit(weight=0))).out)
    assert record["voirdire_doctor"] == 1
    assert record["status"] == "problem"
