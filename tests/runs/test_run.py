"""What a run asks, what it writes, and what it says."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import command, environment, write_lines
from tests.judges.judge_server import Step, reply, status
from tests.runs.conftest import CASES, MODELS, Arguments, Run, record, rows
from tests.runs.models_server import JUDGE, SOURCE, Asked, ModelsServer, say, verdict
from voirdire.journal import entries
from voirdire.promptfoo.asked import Reader
from voirdire.promptfoo.outputs import is_row, output_of
from voirdire.promptfoo.results import graded_by, load_rows
from voirdire.promptfoo.runs import open_runs
from voirdire.promptfoo.streamed import is_results
from voirdire.promptfoo.streamed import rows as streamed
from voirdire.report.report import make_report
from voirdire.source import text_hash

KEY = "sk-test-0123456789abcdef"
PRICES = "prices={input: 1000, output: 3000}"  # a reply of the server costs 1 dollar


def mixed(who: Asked) -> Step:
    """Each of the ways in which a pair can end."""
    model, case, answered = who
    if (model, case) == ("beta", "one"):
        return status(500)
    if (model, case, answered) == (JUDGE, "two", "beta"):
        return reply("I like it.")
    if (model, case, answered) == (JUDGE, "three", "beta"):
        return verdict("fail", holds=False)
    return say(who)


def test_a_model_is_asked_the_prompt_and_nothing_else(
    server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    assert run(arguments("--in-flight", "1")).code == 0
    first, second = server.told()[:2]
    prompt = f"By the source alone.\n{SOURCE}\nQuestion one: how long?\n"
    assert first == {
        "model": "alpha",
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": 2048,
    }
    assert second["model"] == JUDGE
    shown = json.loads(second["messages"][1]["content"])
    assert shown["answer"] == "alpha: one lasts 30 minutes."
    assert [source["text"] for source in shown["source"]] == [SOURCE]


def test_a_claude_model_is_asked_without_schema_and_system(
    server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    given = arguments("--in-flight", "1")
    given[3] = f"anthropic:claude-sonnet-5@{server.url}"
    assert run(given).code == 0
    assert server.told()[0].keys() == {"model", "max_tokens", "messages", "temperature"}


def test_errors_of_models_and_of_the_judge_and_failing_answers_are_three_things(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = mixed
    done = run(arguments("--json"))

    assert done.code == 1
    alpha, beta = done.json[0]["models"]
    assert (alpha["passed"], alpha["answered"]) == (3, 3)
    assert beta["model_errors"] == {"unreachable": 1}
    assert beta["judge_errors"] == {"prose": 1}
    assert (beta["answered"], beta["passed"], beta["failed"]) == (2, 0, 1)
    found = rows(folder)
    assert found["beta", "one"]["failureReason"] == 2
    assert found["beta", "one"]["gradingResult"] is None
    assert record(found["beta", "two"])["outcome"] == "judge_error"
    assert record(found["beta", "two"])["raw"] == "I like it."
    assert record(found["beta", "three"])["outcome"] == "fail"
    assert {found["beta", case]["failureReason"] for case in ("two", "three")} == {1}
    # Nobody is asked to judge an answer that never came.
    assert (JUDGE, "one", "beta") not in server.replied
    text = run(arguments()).out
    assert "model errors 1 (unreachable 1)" in text
    assert "judge errors 1 (prose 1)" in text


def test_our_own_readers_read_the_results(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = mixed
    run(arguments())
    path = folder / "results.json"
    with path.open("rb") as stream:
        assert is_results(stream)
        stream.seek(0)
        found = list(streamed(stream, "results"))
    assert len(found) == len(MODELS) * len(CASES)
    assert all(map(is_row, found))
    outputs = [output_of(row) for row in found]
    assert [one.text is None for one in outputs] == [False, True, False, False, False, False]
    assert outputs[0].text == "alpha: one lasts 30 minutes."
    assert "500" in outputs[1].why
    grades = [(one.metric, one.outcome) for _, one in graded_by(path)]
    assert grades == [
        ("r", "pass"),
        ("r", "pass"),
        ("r", "judge_error"),
        ("r", "pass"),
        ("r", "fail"),
    ]
    loaded = load_rows(path)
    assert [bool(row.error) for row in loaded] == [False, True, False, False, False, False]
    assert SOURCE in loaded[0].grades["r"].shown
    told = Reader([folder]).asked(found[0]["testCase"], found[0]["vars"])
    assert (told.case_id, told.question) == ("one", "Question one: how long?")
    assert [source.sha256 for source in told.sources] == record(found[0])["source_sha256"]


def test_the_report_is_written_beside_the_results(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = mixed
    assert run(arguments("--report", "report.html")).code == 1
    page = (folder / "report.html").read_text()
    for model in MODELS:
        assert f"openai:{model}@" in page
    made = make_report(open_runs([folder / "results.json"]))
    board = {row["model"].split("@")[0]: row for row in made["leaderboard"]}
    assert board["openai:alpha"]["passed"] == 3
    assert board["openai:beta"]["errors"] == {"prose": 1}
    assert board["openai:alpha"]["tokens"]["prompt"] == 3 * 700
    assert made["runs"][0]["eval_id"].startswith("eval-")


def test_the_money_of_a_run_ends_it_and_more_of_it_goes_on(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    priced = ("--in-flight", "1", "--set", PRICES, "--model-set", PRICES)
    done = run(arguments(*priced, "--max-cost", "3.5", "--json"))

    assert done.code == 1
    assert len(server.requests) == 4
    told = done.json[0]
    assert told["stopped_by_max_cost"]
    assert [row["passed"] for row in told["models"]] == [1, 1]
    assert [row["model_errors"] for row in told["models"]] == [{"budget": 2}] * 2
    assert [(row["cost"], row["judge_cost"]) for row in told["models"]] == [(1, 1)] * 2
    # What was spent before counts: the same limit leaves nothing to spend.
    assert run(arguments(*priced, "--max-cost", "3.5")).code == 1
    assert len(server.requests) == 4

    assert run(arguments(*priced, "--max-cost", "12")).code == 0
    assert len(server.requests) == 12
    assert {row["success"] for row in rows(folder).values()} == {True}


def test_money_spent_without_a_limit_counts_when_there_is_one(
    server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    priced = ("--in-flight", "1", "--set", PRICES, "--model-set", PRICES)
    server.script = lambda who: status(500) if who[1] == "three" else say(who)
    assert run(arguments(*priced)).code == 1
    server.script = say
    asked = len(server.requests)
    assert run(arguments(*priced, "--max-cost", "8")).code == 1
    assert len(server.requests) == asked


def test_a_limit_of_cost_needs_every_price(
    server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    done = run(arguments("--max-cost", "1", "--set", PRICES))
    assert done.code == 2
    assert "--model-set" in done.err
    done = run(arguments("--max-cost", "1", "--model-set", PRICES))
    assert done.code == 2
    assert "judge-1" in done.err
    assert server.requests == []


def test_the_journal_has_the_calls_of_models_and_judge_and_no_file_has_the_key(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = lambda who: (
        {"kind": "echo_key", "status": 401} if who[:2] == ("beta", "two") else say(who)
    )
    keyed = ("--set", "api_key_env=A_KEY", "--model-set", "api_key_env=A_KEY", "--json")
    done = run(arguments(*keyed), A_KEY=KEY)

    assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    found, damages = entries(folder / "journal.jsonl")
    assert damages == []
    asked = [str(entry.call["judge"]).split("@")[0] for entry in found]
    assert sorted(set(asked)) == ["openai:alpha", "openai:beta", "openai:judge-1"]
    assert len(asked) == len(server.requests)
    models = [entry.call for entry in found if entry.call.get("role") == "under test"]
    assert len(models) == len(MODELS) * len(CASES)
    assert sum("error" in call for call in models) == 1
    assert KEY not in done.out + done.err
    for file in folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_recorded_answers_are_judged_without_asking_anybody(folder: Path, run: Run) -> None:
    write_lines(folder / "old.jsonl", [{"id": name, "answer": SOURCE} for name in CASES])
    write_lines(folder / "new.jsonl", [{"id": "one", "answer": "It lasts 45 minutes."}])
    models = ["--models", "recorded:old.jsonl", "--models", "recorded:new.jsonl"]
    done = run(["run", "cases.jsonl", *models, "--judge", "rules", "--out", "r.json", "--json"])

    old, new = done.json[0]["models"]
    assert done.code == 1
    assert (old["passed"], old["cost"]) == (3, 0)
    assert (new["failed"], new["model_errors"]) == (1, {"no_record": 2})
    found = json.loads((folder / "r.json").read_text())["results"]["results"]
    assert [row["response"].get("metadata", {}).get("canned") for row in found] == [
        True,
        True,
        True,
        None,
        True,
        None,
    ]


def test_a_refusal_and_a_cut_off_answer_are_judged_and_said(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    def unwilling(who: Asked) -> Step:
        if who[:2] == ("beta", "one"):
            return reply(None, refusal="beta: I cannot help with that.")
        if who[:2] == ("beta", "two"):
            return reply("beta: It las", finish_reason="length")
        return say(who)

    server.script = unwilling
    done = run(arguments("--json"))

    assert done.json[0]["models"][1]["cut_off"] == 1
    found = rows(folder)
    assert found["beta", "one"]["response"]["isRefusal"] is True
    assert found["beta", "one"]["response"]["output"] == "beta: I cannot help with that."
    assert (JUDGE, "one", "beta") in server.replied


def test_half_a_character_survives_all_files(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = lambda who: (
        say(who) if who[0] == JUDGE else reply(f"{who[0]}: \ud83d </script>")
    )
    assert run(arguments()).code == 0
    assert run(arguments()).code == 0
    assert rows(folder)["alpha", "one"]["response"]["output"] == "alpha: \ud83d </script>"


def test_one_family_of_model_and_judge_is_in_the_record(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    given = arguments(models=("gpt-4.1", "claude-sonnet-5"))
    given[given.index("--judge") + 1] = f"anthropic:claude-opus-4-1-20250805@{server.url}"
    server.script = lambda who: verdict() if "claude-opus" in who[0] else say(who)
    run(given)
    found = rows(folder)
    assert record(found["gpt-4.1", "one"])["same_family"] is False
    assert record(found["claude-sonnet-5", "one"])["same_family"] is True


def test_progress_is_shown_to_a_terminal_alone(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    main, end = pty.openpty()
    process = subprocess.Popen(
        command(*arguments("--in-flight", "1")),
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=end,
    )
    os.close(end)
    shown = b""
    try:
        while piece := os.read(main, 1024):
            shown += piece
    except OSError:  # the terminal's other end is closed
        pass
    finally:
        os.close(main)
    assert process.wait(30) == 0
    text = shown.decode()
    assert "1/6 done" in text
    assert " left" in text
    assert "6/6 done · model errors 0 · judge errors 0 · cost not known" in text
    assert run(arguments()).err == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (["--models", ""], "no model was given"),
        (["--models", "gpt-4.1"], "unknown model 'gpt-4.1': a model is openai:MODEL"),
        (["--models", "rules"], "unknown model 'rules'"),
        (["--models", "recorded:none.jsonl"], "none.jsonl: cannot be read"),
        (["--models", "ollama:a,ollama:a"], "ollama:a stands twice"),
        (["--model-set", "temprature=1"], "unknown judge setting 'temprature'"),
        (["--max-cost", "0"], "must be more than 0"),
        (["--out", "none/results.json"], "there is no folder none"),
        (["--out", "cases.jsonl"], "cases.jsonl: is, or lies in, cases.jsonl"),
        (["--out", "results.run"], "results.run: is, or lies in"),
        (["--report", "results.json"], "results.json: is named twice"),
        (["--report", "prompt.txt"], "prompt.txt: is, or lies in, prompt.txt"),
        (["--prompt", "source.md"], "never asks the question"),
        (["--judge", "none:m"], "unknown judge 'none'"),
    ],
)
def test_bad_input_is_one_sentence_and_asks_nobody(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run, change: list[str], told: str
) -> None:
    given = arguments()
    if change[0] in given and change[0] != "--model-set":
        given[given.index(change[0]) + 1] = change[1]
    else:
        given += change
    done = run(given)
    assert done.code == 2
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert server.requests == []


def test_a_prompt_is_missed_before_anybody_is_asked(
    server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    given = arguments()
    at = given.index("--prompt")
    done = run(given[:at] + given[at + 2 :])
    assert done.code == 2
    assert "--prompt FILE" in done.err
    assert server.requests == []


def test_a_key_that_is_missing_ends_the_run_and_keeps_what_came(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    one = f"openai:beta@{server.url}/v1"
    done = run(arguments("--in-flight", "1", "--model-set", f"{one},api_key_env=NO_KEY"))
    assert done.code == 2
    assert "NO_KEY" in done.err
    assert "openai:beta" in done.err
    asked = len(server.requests)
    assert run(arguments("--in-flight", "1")).code == 0
    assert len(server.requests) == len(MODELS) * len(CASES) * 2
    assert asked >= 2


def test_the_script_is_the_same_command(folder: Path) -> None:
    script = Path(__file__).parents[2] / "scripts" / "compare_models.py"
    done = subprocess.run(
        [*command()[:1], str(script), "--help"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Ask several models the same questions" in done.stdout


def test_an_eval_s_prompt_is_known_by_its_hash(
    folder: Path, arguments: Arguments, run: Run
) -> None:
    assert run(arguments()).code == 0
    wanted = text_hash((folder / "prompt.txt").read_text())
    results = json.loads((folder / "results.json").read_text())["results"]
    assert {row["promptId"] for row in results["results"]} == {wanted}
    assert [prompt["id"] for prompt in results["prompts"]] == [wanted] * len(MODELS)
