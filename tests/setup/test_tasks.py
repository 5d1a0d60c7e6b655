"""The tasks, on a checkout in miniature whose path has a space in it, from another folder."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.setup.conftest import Checkout

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the miniature is built for POSIX")

SETTING_UP = ("creating", "installing", "waiting", "anew")


def told_promptfoo(checkout: Checkout) -> dict[str, Any]:
    return cast(
        "dict[str, Any]", json.loads((checkout.root / "output" / "results.json").read_text())
    )


def sets_up(said: str) -> bool:
    return any(word in said for word in SETTING_UP)


def wait_until(happened: Callable[[], bool]) -> None:
    for _ in range(1200):
        if happened():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen within a minute")


def test_the_first_run_says_what_it_does_and_ends_with_the_summary(fresh: Checkout) -> None:
    code, said = fresh.run("eval")
    assert code == 0
    assert [line.partition(" (")[0] for line in said.splitlines() if line.strip()] == [
        "voirdire: creating the Python environment",
        "voirdire: installing the Python package",
        said.splitlines()[2].partition(" (")[0],
        said.splitlines()[3],
        "Results: 1 passed",
        f"summary of {fresh.root}/output/results.json",
    ]
    assert said.splitlines()[2].startswith("voirdire: installing promptfoo ")
    assert said.splitlines()[3].startswith("voirdire: starting promptfoo ")


def test_a_second_run_sets_nothing_up(ready: Checkout) -> None:
    code, said = ready.run("eval")
    assert code == 0
    assert not sets_up(said)


def test_promptfoo_finds_our_python_and_stays_at_home(ready: Checkout) -> None:
    ready.run("eval", "--filter-first-n", "2", PROMPTFOO_PYTHON="/elsewhere")
    told = told_promptfoo(ready)
    assert told["cwd"] == str(ready.root)
    assert told["args"][:3] == ["eval", "-c", "promptfooconfig.yaml"]
    assert told["args"][-2:] == ["--filter-first-n", "2"]
    environment = told["env"]
    assert environment["PROMPTFOO_PYTHON"] == str(ready.python)
    assert environment["PROMPTFOO_CONFIG_DIR"] == str(ready.root / ".promptfoo")
    for what in ("TELEMETRY", "UPDATE", "SHARING", "REMOTE_GENERATION"):
        assert environment[f"PROMPTFOO_DISABLE_{what}"] == "1"


def test_what_the_user_has_set_for_promptfoo_stays(ready: Checkout) -> None:
    ready.run("eval", PROMPTFOO_CONFIG_DIR="/chosen", PROMPTFOO_DISABLE_UPDATE="0")
    environment = told_promptfoo(ready)["env"]
    assert environment["PROMPTFOO_CONFIG_DIR"] == "/chosen"
    assert environment["PROMPTFOO_DISABLE_UPDATE"] == "0"


@pytest.mark.parametrize("code", ["0", "100"])
def test_the_summary_decides_the_exit_code_of_a_complete_run(ready: Checkout, code: str) -> None:
    assert ready.run("eval", FAKE_EXIT=code, FAKE_DEMO_EXIT="0")[0] == 0
    assert ready.run("eval", FAKE_EXIT=code, FAKE_DEMO_EXIT="1")[0] == 1


@pytest.mark.parametrize("environment", [{"FAKE_EXIT": "1"}, {"FAKE_NO_RESULTS": "1"}])
def test_a_run_that_broke_off_leaves_no_results(
    ready: Checkout, environment: dict[str, str]
) -> None:
    ready.run("eval")
    code, said = ready.run("eval", **environment)
    assert code == 2
    assert "summary" not in said
    assert said.splitlines()[-1].startswith("voirdire: promptfoo ended with exit code ")
    assert not (ready.root / "output" / "results.json").exists()


def test_bytecode_is_kept_even_where_python_is_told_not_to_write_it(ready: Checkout) -> None:
    source = ready.root / "voirdire" / "added.py"
    source.write_text("fact = 1\n")
    ready.run("eval")
    (compiled,) = (ready.root / "voirdire" / "__pycache__").glob("added.*.pyc")
    before = compiled.read_bytes()
    source.write_text("fact = 'another'\n")
    os.utime(source, (1, 1))
    ready.run("eval")
    assert compiled.read_bytes() != before


def test_a_pruned_promptfoo_is_installed_again(ready: Checkout) -> None:
    shutil.rmtree(ready.root / "node_modules")
    code, said = ready.run("eval")
    assert code == 0
    assert "installing promptfoo" in said
    assert "Python" not in said


def test_a_changed_pyproject_installs_the_package_again(ready: Checkout) -> None:
    with (ready.root / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    code, said = ready.run("eval")
    assert code == 0
    assert "installing the Python package" in said
    assert "creating" not in said
    assert not sets_up(ready.run("eval")[1])


def test_an_uninstalled_distribution_is_installed_again(ready: Checkout) -> None:
    (info,) = (ready.root / ".venv").rglob("voirdire-0.dist-info")
    shutil.rmtree(info)
    code, said = ready.run("eval")
    assert code == 0
    assert "installing the Python package" in said


def test_npm_is_missing(fresh: Checkout) -> None:
    fresh.environment["PATH"] = fresh.environment["PATH"].partition(os.pathsep)[0]
    del fresh.environment["npm_execpath"]
    code, said = fresh.run("eval")
    assert code == 2
    assert said == "voirdire: npm is not on PATH: install it with Node, then run this again.\n"
    assert not (fresh.root / ".venv").exists()


def test_pip_fails(fresh: Checkout) -> None:
    (fresh.root / "broken").touch()
    code, said = fresh.run("eval")
    assert code == 2
    assert "the index is down" in said
    assert said.splitlines()[-1].startswith("voirdire: pip could not install the package")
    (fresh.root / "broken").unlink()
    assert fresh.run("eval")[0] == 0


def test_a_checkout_that_was_moved_gets_a_new_environment(ready: Checkout, tmp_path: Path) -> None:
    root = tmp_path / "elsewhere"
    shutil.copytree(ready.root, root, symlinks=True)  # as if moved: `ready` must stay
    environment = {**ready.environment, "npm_execpath": str(root / "npm-cli.js")}
    moved = dataclasses.replace(ready, root=root, environment=environment)
    code, said = moved.run("eval")
    assert code == 0
    assert "creating the Python environment" in said
    assert str(root) in (root / ".venv" / "bin" / "voirdire").read_text()


@pytest.mark.parametrize("everything", [True, False], ids=["everything", "only-the-set-up"])
def test_a_set_up_that_was_killed_is_repaired(fresh: Checkout, everything: bool) -> None:
    hold = fresh.root / "hold"
    hold.touch()
    first = fresh.start("eval")
    wait_until((fresh.root / "building").exists)
    if everything:
        os.killpg(first.pid, signal.SIGKILL)
    else:  # pip goes on by itself, and the next run must not work beside it
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children")
        if not children.exists():
            pytest.skip("finds the child through /proc")
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
    second = fresh.start("eval")
    if not everything:
        time.sleep(1)
        assert second.poll() is None
    hold.unlink()
    said, _ = second.communicate(timeout=120)
    first.communicate(timeout=120)
    assert second.returncode == 0, said
    assert ("waiting for another set-up" in said) is not everything
    assert "making .venv anew" in said
    assert not sets_up(fresh.run("eval")[1])


def test_two_at_once_set_up_once(fresh: Checkout) -> None:
    (fresh.root / "hold").touch()
    first = fresh.start("view")
    wait_until((fresh.root / "building").exists)
    second = fresh.start("eval")
    assert second.stdout is not None
    assert second.stdout.readline() == "voirdire: waiting for another set-up to finish …\n"
    (fresh.root / "hold").unlink()
    said, _ = second.communicate(timeout=120)
    first.communicate(timeout=120)
    assert second.returncode == 0, said
    assert not sets_up(said)
    assert len((fresh.root / "npm-calls.txt").read_text().splitlines()) == 1


def test_being_told_to_end_ends_the_installer_too(fresh: Checkout) -> None:
    (fresh.root / "hold").touch()
    process = fresh.start("eval")
    wait_until((fresh.root / "building").exists)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    (fresh.root / "hold").unlink()
    code, said = fresh.run("eval")
    assert code == 0
    assert "waiting" not in said
