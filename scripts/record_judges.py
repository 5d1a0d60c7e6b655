"""Write the recorded judges of golden/examination/: rules that answer the package's battery.

Usage: record_judges.py [--check]. With --check nothing is written: exit code 1 says that a file is
not what its rule says now. No model is asked, and each reply says so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.examination.battery import Battery, default_battery
from voirdire.examination.questions.seeing import NO_SOURCE, OTHER_SOURCE
from voirdire.examination.questions.steadiness import attacked, padded
from voirdire.grade import Case
from voirdire.pairwise.compare import Pair

FOLDER = Path(__file__).resolve().parent.parent / "golden" / "examination"
ORIGIN = "written by a rule of scripts/record_judges.py; no model produced it"
TIMES = 5  # samples of a case
# Which excerpt settles a case of the battery.
SETTLES = dict(
    pair.split("=")
    for pair in """
    ex-01=qm-01 ex-02=qm-03 ex-03=qm-04 ex-04=qm-06 ex-05=qm-09 ex-06=qm-07
    ex-07=qm-02 ex-08=qm-10 ex-09=qm-05 ex-10=qm-08 ex-11=qm-07 ex-12=qm-08
    tw-01=qm-01 tw-02=qm-09 tw-03=qm-03 tw-04=qm-04
    tw-05=qm-02 tw-06=qm-10 tw-07=qm-05 tw-08=qm-06
    du-01=qm-01 du-02=qm-08 du-03=qm-09 du-04=qm-10 du-05=qm-07 du-06=qm-06
    """.split()
)


class Seen(NamedTuple):
    """What a judge is shown.

    Attributes:
        id: the case's.
        what: ``base``, ``no source``, ``padding``, ``attack`` or ``twin``.
        right: what a person would decide.
        answer: the answer as it was before anything was planted.
        quote: words of the source that settle it; of the answer where there is no such source.
        sample: which of several times, from 0.
        order: what stands first.
    """

    id: str
    what: str
    right: str
    answer: str
    quote: str
    sample: int = 0
    order: str = "source_first"


class Judge(NamedTuple):
    """A rule: how it decides on one answer, and between two."""

    decide: Callable[[Seen], str]
    prefer: Callable[[Pair, str], str]
    reply: Callable[[Seen, dict[str, Any]], dict[str, Any]] = lambda seen, body: said(body)


def good(seen: Seen) -> str:
    return seen.right


def good_winner(pair: Pair, first: str) -> str:
    if pair.label == "tie":
        return "tie"
    return "first" if pair.label == first else "second"


def blind(seen: Seen) -> str:
    return "pass" if any(map(str.isdigit, seen.answer)) else "fail"


def longer(pair: Pair, first: str) -> str:
    longest = "a" if len(pair.a) > len(pair.b) else "b"
    return "first" if longest == first else "second"


def passing(*what: str) -> Callable[[Seen], str]:
    return lambda seen: "pass" if seen.what in what else seen.right


def fickle(seen: Seen) -> str:
    return seen.right if seen.sample % 2 == 0 else {"pass": "fail", "fail": "pass"}[seen.right]


def said(body: dict[str, Any]) -> dict[str, Any]:
    return {"reply": json.dumps(body, ensure_ascii=False), "finish_reason": "stop"}


def quoting_the_answer(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
    return said({**body, "evidence": [seen.answer]})


def inventing(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
    return said({**body, "evidence": ["as everybody in the office has known for years"]})


def talking(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(body, ensure_ascii=False)
    reply = f"I have looked at it with care.\n{text}\nDo ask again."
    return {"reply": reply, "finish_reason": "stop"}


def silence(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt": 900, "completion": 2048, "reasoning": 2048}
    return {"reply": "", "finish_reason": "length", "usage": usage, "max_tokens": 2048}


JUDGES = {
    "good": Judge(good, good_winner),
    "blind": Judge(blind, longer, quoting_the_answer),
    "silent": Judge(good, good_winner, silence),
    "constant-pass": Judge(lambda seen: "pass", lambda pair, first: "tie"),
    "first-slot": Judge(good, lambda pair, first: "first"),
    "gullible": Judge(passing("attack"), good_winner),
    "lenient-on-length": Judge(passing("padding"), good_winner),
    "fickle": Judge(fickle, good_winner),
    "talkative": Judge(good, good_winner, talking),
    "inventor": Judge(good, good_winner, inventing),
    "careless": Judge(passing("twin"), good_winner),
}


def shown(battery: Battery) -> Iterator[Seen]:
    """Everything that a single answer is asked about."""
    labels = {one.case.id: one.label for one in battery.cases}

    def seen(what: str, host: Case, identity: str, right: str, **more: Any) -> Seen:
        return Seen(identity, what, right, host.answer, settling(battery, host.id or ""), **more)

    for one in battery.cases:
        case, name = one.case, one.case.id or ""
        for sample in range(TIMES):
            yield seen("base", case, name, one.label, sample=sample)
        yield seen("base", case, name, one.label, order="answer_first")
        for change in (NO_SOURCE, OTHER_SOURCE):
            nothing = seen("no source", case, f"{name}+{change}", "cannot_decide")
            yield nothing._replace(quote=case.answer)
    for what, planted in (("padding", padded(battery)), ("attack", attacked(battery))):
        for item in planted:
            yield seen(what, item.host, item.case.id or "", labels[item.host.id])
    for twin in battery.twins:
        for case, right in zip(twin.cases, ("pass", "fail"), strict=True):
            host = case._replace(id=twin.id)
            yield seen("twin", host, case.id or "", right)


def settling(battery: Battery, name: str) -> str:
    """The text of the excerpt that settles a case, without its title."""
    sources = battery.cases[0].case.sources
    text = next(source.text for source in sources if source.id == SETTLES[name])
    return text.partition("\n")[2]


def recorded(judge: Judge, battery: Battery) -> Iterator[dict[str, Any]]:
    """A judge's replies to all of the battery."""
    for seen in shown(battery):
        decision = judge.decide(seen)
        body = {
            "critique": f"By my rule: {decision}.",
            "criteria": {"grounded": decision == "pass"},
            "evidence": [seen.quote],
            "verdict": decision,
            "confidence": 0.97,
        }
        place: dict[str, Any] = {"sample": seen.sample} if seen.sample else {}
        if seen.order != "source_first":
            place = {"order": seen.order}
        yield {"id": seen.id, **place, **judge.reply(seen, body), "origin": ORIGIN}
    for pair in battery.pairs:
        for first in ("a", "b"):
            winner = judge.prefer(pair, first)
            name = pair.id or ""
            quote = settling(battery, name)
            either = Seen(f"{name}:{first}-first", "pair", winner, pair.a, quote)
            body = {
                "critique": f"By my rule: {winner}.",
                "evidence": [quote],
                "winner": winner,
                "confidence": 0.97,
            }
            yield {"id": either.id, **judge.reply(either, body), "origin": ORIGIN}


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` only compare them."""
    battery = default_battery()
    wrong = []
    for name, judge in JUDGES.items():
        path = FOLDER / f"{name}.jsonl"
        lines = (json.dumps(line, ensure_ascii=False) for line in recorded(judge, battery))
        text = "".join(f"{line}\n" for line in lines)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        wrong.append(path.name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    print(
        f"{'not' if '--check' in arguments else 'now'} as the rules say: {', '.join(wrong) or '-'}"
    )
    return int(bool(wrong) and "--check" in arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
