"""What the gap means: the stored outputs of a promptfoo run, read by production's parser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from voirdire.audit import engine
from voirdire.audit.both import Plan
from voirdire.audit.corpus.item import OWN, Block
from voirdire.audit.tally import Counts
from voirdire.audit.value import from_text
from voirdire.errors import ConfigError
from voirdire.promptfoo.outputs import Output, output_of
from voirdire.promptfoo.streamed import is_results, rows

ROWS_A_BLOCK = 500


def rescore(plan: Plan, path: Path, expected: str | None, jobs: int) -> dict[str, Any]:
    """Each model's pass rate as promptfoo recorded it, and as production's parser leaves it.

    A recorded pass stays one where both parsers read the same, or neither reads anything, and is
    lost where production reads nothing that the eval read. Where production reads another value,
    or one that the eval could not, nobody has graded it: the rate lies between two bounds.

    Args:
        plan: the parsers; both read every output.
        path: promptfoo's ``results.json``.
        expected: the test variable that holds the value an output should have: a pass is then,
            besides, a value equal to it, and both parsers' rates are exact.
        jobs: worker processes.

    Returns:
        ``models``, each with its rates, and what becomes of their ranks.

    Raises:
        ConfigError: the file cannot be read, is no results file, or holds no output.
    """
    # The kind of a text says whose it is and how promptfoo graded it, so the tally sorts them.
    tally = engine.run(plan, _blocks(path, expected), jobs)
    if not tally.all.texts:
        raise ConfigError(f"{path}: holds no output of a model")
    graded: dict[str, dict[bool, Counts]] = {}
    for kind, counts in tally.kinds.items():
        provider, success = json.loads(kind)
        graded.setdefault(provider, {})[success] = counts
    models = {
        provider: _model(by.get(True, Counts()), by.get(False, Counts()))
        for provider, by in sorted(graded.items())
    }
    if expected is not None and not any(model["expected"] for model in models.values()):
        raise ConfigError(f"{path}: no test has a variable {expected!r}; correct --expected")
    return {
        "results": str(path),
        "expected": expected,
        "outputs": tally.all.texts,
        "no_output": tally.damaged,
        "models": models,
        "ranks": _ranks({name: model["passed"] for name, model in models.items()}),
        "ranks_by_value": _ranks_by_value(models),
    }


def lines(rescored: Mapping[str, Any], shown: Callable[[str], str]) -> list[str]:
    """What a re-scoring says, for people; ``shown`` writes the names of files and models."""
    found = [f"stored outputs of {shown(rescored['results'])}, read by production's parser:"]
    for name, model in rescored["models"].items():
        before, low, high = (model["passed"][key] for key in ("recorded", "least", "most"))
        after = f"{low:.1%}" if low == high else f"{low:.1%} to {high:.1%}"
        found.append(f"  {shown(name)}: pass rate {before:.1%} recorded, {after} in production")
        if value := model["expected"]:
            eval_rate, production = (
                value[key] / value["outputs"] for key in ("eval", "production")
            )
            found.append(
                f"    expected value: eval {eval_rate:.1%}, production {production:.1%} "
                f"of {value['outputs']:,}"
            )
    said = {
        "unchanged": "no model's rank changes",
        "changed": "the models' ranks change",
        "unsure": "the models' ranks may change: grade the outputs again that are read otherwise",
    }
    found.append(f"  {said[rescored['ranks']]}")
    if rescored["ranks_by_value"]:
        found.append(f"  by expected value, {said[rescored['ranks_by_value']]}")
    return found


def _blocks(path: Path, expected: str | None) -> Iterator[Block]:
    held: list[bytes] = []
    first = 1
    for number, output in enumerate(_outputs(path), 1):
        held.append(_line(output, f"{path}#{number}", expected))
        if len(held) == ROWS_A_BLOCK:
            yield Block(0, str(path), first, b"".join(held), OWN)
            first, held = number + 1, []
    if held:
        yield Block(0, str(path), first, b"".join(held), OWN)


def check(path: Path) -> None:
    """See that there is a results file, before much time is spent.

    Raises:
        ConfigError: it cannot be read, or is none.
    """
    try:
        with path.open("rb") as stream:
            if not is_results(stream):
                raise ConfigError(
                    f"{path}: is no results file; write one with promptfoo eval -o results.json"
                )
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def _outputs(path: Path) -> Iterator[Output]:
    check(path)
    try:
        with path.open("rb") as stream:
            for row in rows(stream, str(path)):
                yield output_of(row)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def _line(output: Output, where: str, expected: str | None) -> bytes:
    value: dict[str, Any] = {"where": where}
    if output.text is None:
        value["damage"] = output.why
    else:
        value["text"] = output.text
        value["kind"] = json.dumps([output.provider, output.success])
        if expected is not None and expected in output.vars:
            value["intended"] = _json_or_text(output.vars[expected])
    return json.dumps(value).encode("ascii") + b"\n"


def _json_or_text(value: Any) -> Any:
    """A variable as JSON where it is: promptfoo keeps most of them as text."""
    if not isinstance(value, str):
        return value
    try:
        return from_text(value)
    except (ValueError, RecursionError):
        return value


def _model(passed: Counts, failed: Counts) -> dict[str, Any]:
    outputs = passed.texts + failed.texts
    first, second, both = passed.accepted
    kept = passed.texts - (first - both) - passed.outcomes["different"] - (second - both)
    ungraded = [
        counts.outcomes["different"] + counts.accepted[1] - counts.accepted[2]
        for counts in (passed, failed)
    ]
    of, *got = (a + b for a, b in zip(passed.intended, failed.intended, strict=True))
    return {
        "outputs": outputs,
        "read": {
            "eval": passed.accepted[0] + failed.accepted[0],
            "production": passed.accepted[1] + failed.accepted[1],
        },
        "passed": {
            "recorded": passed.texts / outputs,
            "least": kept / outputs,
            "most": (kept + sum(ungraded)) / outputs,
        },
        "lost": first - both,
        "ungraded": sum(ungraded),
        "expected": {"outputs": of, "eval": got[0], "production": got[1]} if of else None,
    }


def _ranks(passed: Mapping[str, Mapping[str, float]]) -> str:
    """Whether the order of the models by recorded rate can, or must, be another in production."""
    unsure = False
    for one in passed.values():
        for other in passed.values():
            if one["recorded"] > other["recorded"]:
                if one["most"] <= other["least"]:
                    return "changed"
                unsure = unsure or one["least"] <= other["most"]
            elif one is not other and one["recorded"] == other["recorded"]:
                if one["least"] > other["most"]:
                    return "changed"
                unsure = unsure or one["most"] != other["least"] or one["least"] != other["most"]
    return "unsure" if unsure else "unchanged"


def _ranks_by_value(models: Mapping[str, Mapping[str, Any]]) -> str | None:
    rates = {
        name: {
            "recorded": found["eval"] / found["outputs"],
            "least": found["production"] / found["outputs"],
            "most": found["production"] / found["outputs"],
        }
        for name, model in models.items()
        if (found := model["expected"])
    }
    return _ranks(rates) if rates else None
