"""The audits that README.md and docs/ show: run them, and write the tables.

Usage: audit_tables.py [--check] [--golden-only] [--data FOLDER]. Audits the built-in parsers on
golden/parser_corpus (README.md, docs/parser-audit.md), and every pair of them on the 1,575 replies
of reasoning and chat models that the project reasoning-gym-eval has published
(docs/parser-audit-real-replies.md; FOLDER/reasoning_gym/replies.jsonl.gz, by default that of
VOIRDIRE_DATA, else ../shared/data; left as it is where the folder is absent). With --check nothing
is written: exit code 1 says that a page is not what the audits say now.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.audit import engine
from voirdire.audit.both import Plan
from voirdire.audit.corpus.item import OWN, Block, Form
from voirdire.audit.corpus.open import Corpus
from voirdire.audit.report import gap, rate
from voirdire.audit.value import from_text, same

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "golden" / "parser_corpus"
BUILTINS = (
    "strict backward forward forward-first first-brace-to-last fenced promptfoo json-repair"
).split()
README_TABLE = re.compile(r"(?<=<!-- audit -->\n).*?(?=<!-- /audit -->)", re.DOTALL)
PUBLISHED = """\
The pair of the published finding: on `reasoning-prefix` no reply is read by the eval's parser
alone, and some are read by production's alone; on `two-objects` they read different values.

"""
FIRST_BRACE = """\
A scan that tries only the first brace, as the eval's parser: braces in the reasoning are enough to
lose the object behind them.

"""
TITLES = {
    "same": "both read the same value",
    "different": "they read **different values**",
    "eval_only": "only promptfoo reads one",
    "production_only": "only `forward` reads one",
    "neither": "neither reads any",
}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` only compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--golden-only", action="store_true")
    default = Path(os.environ.get("VOIRDIRE_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default)
    options = parser.parse_args(arguments)
    tools = json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS") or "[]")
    if tools:
        os.environ["VOIRDIRE_PROMPTFOO"] = str(Path(tools[0]["promptfoo_main"]).parents[2])
    promptfoo = golden("promptfoo", "forward")
    pages = {
        ROOT / "README.md": README_TABLE.sub(
            lambda _: readme_table(promptfoo), (ROOT / "README.md").read_text(encoding="utf-8")
        ),
        ROOT / "docs" / "parser-audit.md": golden_page(promptfoo),
    }
    replies = options.data / "reasoning_gym" / "replies.jsonl.gz"
    if options.golden_only:
        pass
    elif replies.exists():
        pages[ROOT / "docs" / "parser-audit-real-replies.md"] = real_page(replies)
    else:
        print(f"{replies} is absent: its page is left as it is")
    wrong = []
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(path.name)
            if not options.check:
                path.write_text(text, encoding="utf-8")
    if wrong and options.check:
        print(f"not what the audits say now: {', '.join(wrong)}; run scripts/audit_tables.py")
        return 1
    print(f"written: {', '.join(wrong) or 'nothing, all as it was'}")
    return 0


def golden(first: str, second: str) -> dict[str, Any]:
    """The gap between two parsers on the golden corpus."""
    corpus = Corpus([str(GOLDEN / part) for part in ("build", "heldout")], Form())
    return gap(engine.run(Plan((first, second)), corpus.blocks(), 2))


def readme_table(found: Mapping[str, Any]) -> str:
    """The outcomes of promptfoo's extractor against ``forward``."""
    lines = [f"| {found['texts']} replies | | share (95 %) |", "|---|---|---|"]
    for name, title in TITLES.items():
        share = rate(found["counts"][name], found["texts"])
        low, high = share["interval"]
        lines.append(f"| {title} | {share['count']} | {share['rate']:.1%} ({low:.1%}–{high:.1%}) |")
    return "\n".join(lines) + "\n" + _who_got_it(found)


def _who_got_it(found: Mapping[str, Any]) -> str:
    wanted, refuse = found["intended"], found["refuse"]
    return (
        f"\nThe value that the reply means: promptfoo {wanted['eval']} of {wanted['texts']}, "
        f"`forward` {wanted['production']}. Nothing, where nothing should be read: promptfoo "
        f"{refuse['eval']} of {refuse['texts']}, `forward` {refuse['production']}.\n"
    )


def golden_page(promptfoo: Mapping[str, Any]) -> str:
    """Both audits of the golden corpus, kind by kind."""
    page = (
        "# The audit of the golden corpus\n\n"
        "Made by `scripts/audit_tables.py`, which runs `voirdire audit` on "
        "`golden/parser_corpus/`. The replies were composed for it: the figures say how parsers "
        "differ on shapes, not how often a model sends them.\n"
    )
    backward = golden("backward", "forward")
    first = golden("forward-first", "forward")
    for title, note, found in (
        ("promptfoo's extractor and `forward`", "", promptfoo),
        (
            "`backward` and `forward`",
            PUBLISHED,
            backward,
        ),
        (
            "`forward-first` and `forward`",
            FIRST_BRACE,
            first,
        ),
    ):
        page += f"\n## {title}\n\n{note}Direction: {found['direction'].replace('_', ' ')}.\n\n"
        page += (
            "| kind | texts | same | different | eval only | production only | neither "
            "| intended: eval | production | refused: eval | production |\n" + "|---" * 11 + "|\n"
        )
        rows = {**found["kinds"], "**all**": found}
        page += "".join(_row(kind, row) for kind, row in rows.items())
    return page


def _row(kind: str, row: Mapping[str, Any]) -> str:
    counts = [row["counts"].get(name, 0) for name in TITLES]
    cells = [row["texts"], *counts]
    for key in ("intended", "refuse"):
        got = row[key]
        cells += [
            f"{got[side]} of {got['texts']}" if got["texts"] else ""
            for side in ("eval", "production")
        ]
    return f"| {kind} | " + " | ".join(map(str, cells)) + " |\n"


def real_page(path: Path) -> str:
    """Every pair of built-ins on the real replies."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    plans = [Plan(pair) for pair in combinations(BUILTINS, 2)]
    tallies = [engine.run(plan, _blocks(rows), engine.jobs_for(plan)) for plan in plans]
    gold = tallies[0].all.intended[0]
    page = (
        "# The built-in parsers on real replies\n\n"
        "Made by `scripts/audit_tables.py` from the "
        f"{len(rows):,} raw replies of reasoning and chat models (Claude, DeepSeek R1, QwQ, "
        "o3-mini, Llama, Gemma, Mistral, Grok) that "
        "[reasoning-gym-eval](https://github.com/open-thought/reasoning-gym-eval) has published "
        "(commit 5f09fecc, Apache-2.0). "
        f"{gold:,} of them, of the codeio tasks, have a gold value. A parser can only get it where "
        "the model was right and wrote it so, so the shares compare parsers with each other; none "
        "could reach 100 %.\n\n"
        "| parser | gold value got | share (95 %) | a value of any kind |\n|---|---|---|---|\n"
    )
    for name in BUILTINS:
        place = next(place for place, plan in enumerate(plans) if name in plan.parsers)
        side, counts = plans[place].parsers.index(name), tallies[place].all
        page += _share_row(f"`{name}`", counts.intended[1 + side], gold, counts.accepted[side])
    found, right = _upstream(rows)
    page += _share_row("that project's own extractor", right, gold, found)
    page += (
        "\n## Every pair\n\n| | | direction | same | different | first only | second only "
        "| neither |\n" + "|---" * 8 + "|\n"
    )
    for plan, tally in zip(plans, tallies, strict=True):
        row = gap(tally)
        names = " | ".join(f"`{name}`" for name in plan.parsers)
        counts_of = " | ".join(f"{row['counts'][name]:,}" for name in TITLES)
        page += f"| {names} | {_told(row['direction'])} | {counts_of} |\n"
        assert sum(row["counts"].values()) == sum(row["counts"][name] for name in TITLES), names
    return page


def _told(direction: str) -> str:
    return {
        "eval_stricter": "first stricter",
        "eval_more_permissive": "first more permissive",
    }.get(direction, direction)


def _share_row(name: str, got: int, of: int, read: int) -> str:
    share = rate(got, of)
    low, high = share["interval"]
    return f"| {name} | {got:,} | {share['rate']:.1%} ({low:.1%}–{high:.1%}) | {read:,} |\n"


def _gold(row: Mapping[str, Any]) -> dict[str, Any]:
    """The gold value of a codeio reply; the other tasks have none."""
    is_json = row["path"].endswith("/codeio.json")
    return {"intended": from_text(row["expected"])} if is_json else {}


def _upstream(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """What the project's own extractor found: values, and gold values among them."""
    found = right = 0
    for row in rows:
        try:
            value = from_text(row["model_answer"] or "")
        except ValueError:
            continue
        found += 1
        right += any(same(value, gold) for gold in _gold(row).values())
    return found, right


def _blocks(rows: list[dict[str, Any]]) -> Iterator[Block]:
    for first in range(0, len(rows), 200):
        lines = [
            {"text": row["text"], "where": f"{row['path']}#{row['q']}", **_gold(row)}
            for row in rows[first : first + 200]
        ]
        data = "".join(json.dumps(line) + "\n" for line in lines).encode("ascii")
        yield Block(0, "replies", first + 1, data, OWN)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
