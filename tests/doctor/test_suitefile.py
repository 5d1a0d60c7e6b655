"""What the doctor says of a suite."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.conftest import CONFIG, JUDGE, ROOT, Doctor, drop_in, explicit, program, suite
from voirdire.doctor.finding import Finding
from voirdire.doctor.suitefile import certificates, load, settings, uses
from voirdire.initial.door import NAME, SCRIPT
from voirdire.promptfoo.overruling import overrulings
from voirdire.promptfoo.suite import read_suite


def test_a_sound_suite_is_ok(doctor: Doctor) -> None:
    seen = doctor(suite=suite(explicit(), drop_in()))
    assert "2 assertions through voirdire's doors" in seen.one("suite")["text"]
    assert seen.one("config")["status"] == "ok"
    assert seen.of("overruled") == []
    assert seen.code == 0


@pytest.mark.parametrize("door", [explicit, drop_in])
@pytest.mark.parametrize(
    ("changed", "fields", "status", "word"),
    [
        ({"weight": 0}, {}, "problem", "decides nothing"),
        ({}, {"threshold": 0.5}, "warning", "outvote"),
        ({"type": "not-"}, {}, "warning", "inverts"),
    ],
)
def test_what_promptfoo_would_overrule_is_named_with_its_test(
    doctor: Doctor,
    door: Any,
    changed: dict[str, Any],
    fields: dict[str, Any],
    status: str,
    word: str,
) -> None:
    own = door()
    if "type" in changed:
        own["type"] = changed["type"] + own["type"]
    seen = doctor(suite=suite({**changed, **own}, **fields))
    found = seen.one("overruled")
    assert found["status"] == status
    assert word in found["text"]
    assert "(one)" in found["text"]
    assert found["mend"]
    assert seen.code == (status == "problem")


def test_default_tests_and_assert_sets_are_looked_into(doctor: Doctor) -> None:
    given = suite({"type": "assert-set", "threshold": 0.5, "assert": [explicit()]})
    given["defaultTest"] = {
        "assert": [{"type": "llm-rubric", "value": "x", "weight": 0}],
        "options": {"provider": {"id": JUDGE, "config": CONFIG}},
    }
    found = doctor(suite=given).of("overruled")
    assert [one["status"] for one in found] == ["problem", "warning"]


def test_a_wrong_setting_is_a_problem_with_its_test_and_field(doctor: Doctor) -> None:
    seen = doctor(suite=suite(explicit(config={**CONFIG, "polcy": "strict"})))
    found = seen.one("config")
    assert found["status"] == "problem"
    assert "one: assertions/grounded.py: config: unknown field `polcy`" in found["text"]
    assert seen.code == 1


def test_wrong_settings_of_the_checks_are_found(doctor: Doctor) -> None:
    value = f"file://{ROOT}/assertions/checks.py"
    own = {"type": "python", "value": value, "config": {"length": {"most": 3}}}
    assert doctor(suite=suite(own)).one("config")["status"] == "problem"


def test_a_door_that_is_not_there_is_a_problem(doctor: Doctor) -> None:
    own = explicit(value="file://node_modules/voirdire/assertions/grounded.py:get_assert")
    problems = [one for one in doctor(suite=suite(own)).of("doors") if one["status"] == "problem"]
    assert "node_modules/voirdire/assertions/grounded.py" in problems[0]["text"]


def test_a_check_that_the_door_does_not_grade_is_a_problem(doctor: Doctor) -> None:
    found = doctor(suite=suite(drop_in(type="factuality"))).of("suite")
    assert [one["status"] for one in found] == ["ok", "problem"]
    assert "factuality" in found[1]["text"]


def test_a_suite_without_our_doors_points_to_init(doctor: Doctor) -> None:
    found = doctor(suite=suite({"type": "llm-rubric", "value": "x"})).one("suite")
    assert found["status"] == "warning"
    assert "voirdire init" in found["mend"]


@pytest.mark.parametrize("text", ["[1, 2]", "a: [", "", "\0", "\ud800".encode("utf-8", "replace")])
def test_what_is_no_suite_is_a_warning(doctor: Doctor, project: Path, text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else text.encode()
    (project / "promptfooconfig.yaml").write_bytes(data)
    assert doctor().one("suite")["status"] == "warning"


@pytest.mark.parametrize(
    "given",
    [
        {"tests": 3, "providers": 4, "defaultTest": [1]},
        {"tests": [1, "x"], "providers": {"id": []}},
        {"tests": [{"assert": [1, {"type": {}}, {"type": "python", "value": []}]}]},
        {"tests": [{"assert": {"type": "python"}, "options": 3, "description": {"a": 1}}]},
        {
            "tests": [
                {"assert": [explicit(config=3), drop_in(provider={"id": JUDGE, "config": []})]}
            ]
        },
        {"providers": [{"file://p.py": {"config": {"pythonExecutable": 3}}}, None, 3, {}]},
    ],
)
def test_odd_suites_bring_findings_and_no_fault(doctor: Doctor, given: Any) -> None:
    seen = doctor(suite=given)
    assert seen.code in (0, 1)
    assert seen.of("suite")


def test_no_suite_is_no_fault(doctor: Doctor) -> None:
    assert doctor().one("suite")["status"] == "ok"


def test_a_named_suite_that_is_not_there_is_bad_input(doctor: Doctor) -> None:
    seen = doctor("--config", "no such.yaml")
    assert seen.code == 2
    assert seen.err.startswith("voirdire: no such.yaml: no such file")


def test_tests_from_a_program_are_said_to_be_unseen(doctor: Doctor) -> None:
    given = {**suite(), "tests": [{"path": "file://more.py:tests"}]}
    found = doctor(suite=given).of("suite")
    assert found[0]["status"] == "warning"
    assert "program" in found[0]["text"]


def test_a_required_certificate_that_is_missing_is_a_problem(doctor: Doctor) -> None:
    config = {**CONFIG, "require_certificate": True}
    seen = doctor(suite=suite(explicit(config=config)))
    assert seen.one("certificate")["status"] == "problem"
    assert "voirdire calibrate" in seen.one("certificate")["mend"]


def test_a_damaged_certificate_is_a_warning_where_none_is_required(
    doctor: Doctor, project: Path
) -> None:
    (project / "voirdire.certificate.json").write_text("{}")
    found = doctor(suite=suite(explicit())).one("certificate")
    assert found["status"] == "warning"
    assert "no certificate" in found["text"]


def test_a_suites_tests_come_merged_with_their_default(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    default = {"threshold": 0.3, "assert": [{"type": "python", "value": "a.py"}]}
    test = {"assert": [{"type": "llm-rubric", "weight": 0}], "description": "t"}
    path.write_text(json.dumps({"defaultTest": default, "tests": [test]}))
    found = read_suite(path)
    assert found is not None
    (merged,) = found.tests
    assert [item["type"] for item in merged["assert"]] == ["python", "llm-rubric"]
    ((overruling, own),) = overrulings(merged, ["llm-rubric"])
    assert own["weight"] == 0
    assert overruling.weightless
    assert overruling.averaged


def test_the_script_that_init_writes_is_a_door_like_the_packages(
    doctor: Doctor, project: Path
) -> None:
    """No npm package is needed then, and its settings count."""
    (project / NAME).write_text(SCRIPT)
    own = {"id": f"file://{NAME}:call_api", "config": CONFIG}
    seen = doctor(suite=suite(drop_in(provider=own)))
    assert "1 assertion through voirdire's doors" in seen.one("suite")["text"]
    assert seen.one("doors")["text"] == f"{NAME} opens in promptfoo's Python"
    assert {one["status"] for one in seen.checks} <= {"ok", "warning"}
    assert seen.one("certificate")["status"] == "ok"
    seen = doctor(suite=suite(drop_in(provider={**own, "config": {"judge": "nobody"}})))
    assert seen.one("config")["status"] == "problem"


def test_a_script_of_the_projects_own_that_is_gone_or_broken_is_a_problem(
    doctor: Doctor, project: Path
) -> None:
    given = suite(drop_in(provider={"id": f"file://{NAME}", "config": CONFIG}))
    assert any("is not there" in one["text"] for one in doctor(suite=given).of("doors"))
    (project / NAME).write_text(f"{SCRIPT}\nimport no_such_module\n")
    found = doctor(suite=given).one("doors")
    assert found["status"] == "problem"
    assert "no_such_module" in found["text"]


def test_a_script_of_the_projects_own_needs_voirdire_in_promptfoos_python(
    doctor: Doctor, project: Path
) -> None:
    """It does not load it until it is called, and no library lies beside it."""
    (project / NAME).write_text(SCRIPT)
    given = suite(drop_in(provider={"id": f"file://{NAME}", "config": CONFIG}))
    bare = program(project / "bin", "python", f'exec "{sys.executable}" -S -I "$@"')
    found = doctor(suite=given, PROMPTFOO_PYTHON=str(bare)).one("doors")
    assert found["status"] == "problem"
    assert "No module named 'voirdire'" in found["text"]


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({}, ""),
        ({"source": "none"}, ""),
        ({"allow_tie": "yes"}, "allow_tie"),
        ({"samples": 3}, "unknown field `samples`"),
        ({"reference": "file://nothing.md"}, "nothing.md"),
        ({"rubric": None}, "no rubric"),
    ],
)
def test_the_settings_of_comparisons_are_read(
    project: Path, changed: dict[str, Any], word: str
) -> None:
    config = {**CONFIG, "reference": "In 30 minutes.", **changed}
    path = project / "promptfooconfig.yaml"
    pairwise = explicit(value=f"file://{ROOT}/assertions/pairwise.py", config=config)
    path.write_text(json.dumps(suite(pairwise)))
    given = load(path)
    assert given is not None
    findings: list[Finding] = []
    read = settings(path, uses(given, project), findings)
    assert len(read) == (not word)
    assert findings[0].status == ("problem" if word else "ok")
    assert word in findings[0].text
    assert list(certificates(read)) == []  # none is of comparisons
