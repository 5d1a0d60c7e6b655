"""What promptfoo's own reading says of a judge's replies: run it, and write the tables.

Usage: readings_table.py [--check]. Runs the installed promptfoo's ``llm-rubric`` on the replies of
golden/promptfoo_readings.json (handed to it by providers/replay.py) and writes the table of all of
them to docs/promptfoo-readings.md and the telling ones into README.md. With --check nothing is
written: exit code 1 says that a page is not what promptfoo says now.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.reading import read
from voirdire.reply import Reply

ROOT = Path(__file__).resolve().parent.parent
REPLIES = ROOT / "golden" / "promptfoo_readings.json"
PAGE = ROOT / "docs" / "promptfoo-readings.md"
README = ROOT / "README.md"
TELLING = (
    "reason_only empty_obj score0_reason pass_null Pass_key verdict_fail nested pass_true_score0 "
    "two_pass_fail think_true_real_false think_set_braces prose_braces pass_1 brace_in_reason "
    "prose_no_json empty"
).split()
HEAD = "| the judge's reply | promptfoo's `llm-rubric` | voirdire |\n|---|---|---|\n"


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` only compare them."""
    replies: list[dict[str, Any]] = json.loads(REPLIES.read_text(encoding="utf-8"))["replies"]
    said = run_promptfoo(replies)
    rows = {item["name"]: row(item["reply"], said[item["name"]]) for item in replies}
    page = (
        "# What promptfoo's own reading says of a judge's replies\n\n"
        "Made by `scripts/readings_table.py`, which runs the installed promptfoo on them.\n\n"
        + HEAD
        + "".join(rows.values())
    )
    readme = re.sub(
        r"(?<=<!-- readings -->\n).*?(?=<!-- /readings -->)",
        lambda _: HEAD + "".join(rows[name] for name in TELLING),
        README.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    wrong = []
    for path, text in ((PAGE, page), (README, readme)):
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        wrong.append(path.name)
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if wrong and "--check" in arguments:
        print(f"not what promptfoo says now: {', '.join(wrong)}; run scripts/readings_table.py")
        return 1
    print(f"{len(rows)} replies read; written: {', '.join(wrong) or 'nothing, all as it was'}")
    return 0


def run_promptfoo(replies: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The component result that promptfoo gives each reply, by its name."""
    tools = json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS", "[]"))
    command = (
        [tools[0]["node"], tools[0]["promptfoo_main"]]
        if tools
        else [str(ROOT / "node_modules" / ".bin" / "promptfoo")]
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = [json.dumps({"id": item["name"], "reply": item["reply"]}) for item in replies]
        (folder / "replies.jsonl").write_text("\n".join(lines), encoding="utf-8")
        grader = {
            "id": f"file://{ROOT / 'providers' / 'replay.py'}",
            "config": {"replies": str(folder / "replies.jsonl")},
        }
        config = {
            "prompts": ["an answer"],
            "providers": ["echo"],
            "tests": [
                {
                    "vars": {"case_id": item["name"]},
                    "assert": [{"type": "llm-rubric", "value": "a rubric", "provider": grader}],
                }
                for item in replies
            ],
        }
        (folder / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
        environment = {
            **os.environ,
            "PROMPTFOO_CONFIG_DIR": str(folder),
            "PROMPTFOO_PYTHON": sys.executable,
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
        }
        command += ["eval", "-o", "results.json", "--no-table", "--no-progress-bar"]
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        rows = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {
        item["vars"]["case_id"]: item["gradingResult"]["componentResults"][0]
        for item in rows["results"]["results"]
    }


def row(reply: str, said: dict[str, Any]) -> str:
    """One line of the table."""
    grader = "pass" if said["pass"] else "fail"
    if (said.get("metadata") or {}).get("graderError"):
        grader += ", `graderError`, reply dropped"
    elif said["pass"]:
        grader = "**pass**"
    reading = read(Reply(text=reply, finish_reason="stop"), ("meets_rubric",))
    shown = reply.replace("\n", "⏎").replace("|", "\\|") or "(empty)"
    return f"| `{shown}` | {grader} | {reading.kind} |\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
