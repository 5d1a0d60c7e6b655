"""The documentation's commands run in their order, and its links and files are sound."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def shims(folder: Path) -> None:
    """``voirdire`` and ``npx promptfoo`` as commands on PATH."""
    tools = json.loads(os.environ["VOIRDIRE_TEST_TOOLCHAINS"])[0]
    for name, words in {
        "voirdire": f'exec "{sys.executable}" -m voirdire "$@"',
        "npx": f'shift; exec "{tools["node"]}" "{tools["promptfoo_main"]}" "$@"',
    }.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.mark.e2e
def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    commands, project = tmp_path / "bin", tmp_path / "a project"
    commands.mkdir()
    project.mkdir()
    shims(commands)
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PROMPTFOO_")},
        "PATH": f"{commands}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PROMPTFOO_CONFIG_DIR": str(tmp_path / "home"),
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
    }
    environment.pop("VOIRDIRE_JUDGE", None)
    ran = 0
    for language, body in BLOCK.findall(TUTORIAL):
        named = re.match(r"# (\S+\.\w+)\n", body)
        if language == "console":
            for line in body.splitlines():
                command, _, note = line.partition("    # ")
                expected = re.match(r"exits with (\d+)", note)
                words = command.replace("RUBRIC", rubric_of(project))
                done = subprocess.run(
                    ["sh", "-c", words],
                    cwd=project,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                said = done.stdout[-2000:] + done.stderr[-2000:]
                assert done.returncode == int(expected[1] if expected else 0), f"{words}\n{said}"
                ran += 1
        elif named:
            text = body if named[1].endswith(".yaml") else body.partition("\n")[2]
            (project / named[1]).write_text(text, encoding="utf-8")
        elif "require_certificate" in body:
            require_certificate(project / "promptfooconfig.yaml", body)
    assert ran >= 12
    results = json.loads((project / "results.json").read_text("utf-8"))["results"]["results"]
    found = {row["testCase"]["description"]: row for row in results}
    assert found["repair"]["success"]
    assert not found["helmet"]["success"]
    record = found["repair"]["gradingResult"]["componentResults"][0]["metadata"]["voirdire"]
    assert record["calibration"] == "certified"
    assert "# the figures come from" in (project / "promptfooconfig.yaml").read_text("utf-8")


class Canned(BaseHTTPRequestHandler):
    """A server that speaks OpenAI's protocol; its one verdict is canned."""

    def do_POST(self) -> None:
        """Answer any question with a pass."""
        self.rfile.read(int(self.headers["Content-Length"]))
        verdict = {
            "critique": "So it says.",
            "criteria": {"grounded": True},
            "evidence": ["A repair takes 3 working days."],
            "verdict": "pass",
            "confidence": 0.95,
        }
        message = {"role": "assistant", "content": json.dumps(verdict)}
        body = {"choices": [{"message": message, "finish_reason": "stop"}], "model": "local"}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


def test_the_other_pages_commands_run_against_a_server_on_this_machine(tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    for name in ("source.md", "help.md"):
        (tmp_path / name).write_text("A repair takes 3 working days.")
    case = {"id": "c", "question": "How long?", "answer": "Three days.", "label": "pass"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("VOIRDIRE_")},
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "*",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    pages = [page for page in PAGES if page.name != "tutorial.md"]
    commands = [
        line
        for page in pages
        for language, body in BLOCK.findall(page.read_text(encoding="utf-8"))
        if language == "console"
        for line in body.splitlines()
    ]
    assert len(commands) == 4
    with ThreadingHTTPServer(("127.0.0.1", 0), Canned) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for command in commands:
            local = f"openai:local@http://127.0.0.1:{server.server_port}/v1"
            here = command.replace("openai:local@http://127.0.0.1:8080/v1", local)
            here = here.replace("openai:MODEL", local)
            words = [sys.executable, "-m", "voirdire", *shlex.split(here)[1:]]
            done = subprocess.run(
                words,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                input="q\n",  # of the one that asks
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        server.shutdown()


def rubric_of(project: Path) -> str:
    """The rubric that ``init`` has written."""
    known = {"promptfooconfig.yaml"}
    found = [
        path
        for path in project.rglob("*.yaml")
        if path.name not in known and "node_modules" not in path.parts
    ]
    return str(found[0].relative_to(project)) if found else "RUBRIC"


def require_certificate(config: Path, line: str) -> None:
    """Add the line under every judge, at its own depth."""
    text = config.read_text(encoding="utf-8")
    added = re.sub(
        r"^( *)judge: .*$", lambda found: f"{found[0]}\n{found[1]}{line.strip()}", text, flags=re.M
    )
    assert added != text
    config.write_text(added, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_yaml_and_json_block_can_be_read(page: Path) -> None:
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "yaml":
            yaml.safe_load(body)
        if language == "json":
            json.loads(body)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda page: page.name)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_is_shown_is_one_of_ours(page: Path) -> None:
    from voirdire.cli import _COMMANDS

    shown = re.findall(r"(?m)^(?:\$ )?voirdire ([a-z][a-z-]*)", page.read_text(encoding="utf-8"))
    assert set(shown) <= set(_COMMANDS)
