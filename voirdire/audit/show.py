"""A report for people: lines for a terminal, and Markdown for a pull request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from voirdire.audit.outcome import OUTCOMES, SIDES
from voirdire.plaintext import one_line, safe_text

MEANING = {
    "equal": "both read the same of every text",
    "eval_stricter": "production reads texts that the eval cannot: the eval is pessimistic",
    "eval_more_permissive": "the eval reads texts that production cannot: "
    "what passes the eval breaks in production",
    "mixed": "each reads texts that the other cannot",
    "divergent": "they read different values from the same text, which is worse than either",
}
_TITLES = {
    "same": "same value",
    "different": "different value",
    "eval_only": "eval only",
    "production_only": "production only",
    "neither": "neither",
    "eval_crash": "eval crashed",
    "production_crash": "production crashed",
    "eval_timeout": "eval timed out",
    "production_timeout": "production timed out",
}
_WIDE = 100


def terminal(report: Mapping[str, Any]) -> str:
    """The report as lines of at most about 100 characters."""
    corpus = report["corpus"]
    lines = [f"{side:<10}  {_parser(report['parsers'][side])}" for side in SIDES]
    lines += [f"corpus      {_corpus(corpus)}", ""]
    lines += [_line(f"  {damage['where']}: {damage['why']}") for damage in corpus["damages"][:5]]
    lines += _gap(report, corpus["texts"])
    mutations = report["mutations"]
    if mutations:
        title = f"mutations: {mutations['texts']:,} of {_bases(mutations)}"
        lines += ["", f"{title}, seed {mutations['seed']}", *_gap(mutations, mutations["texts"])]
    lines += [f"slow: {finding}" for finding in slow(report)]
    for title, part in (("", report), ("mutated: ", mutations or {"counterexamples": []})):
        for example in part["counterexamples"]:
            lines += ["", title + _headline(example)]
            lines += [f"  {name:<10}  {text}" for name, text in _sides(example)]
    return "\n".join(lines + rescored_lines(report))


def _bases(mutations: Mapping[str, Any]) -> str:
    return f"{mutations['bases']} values" if mutations["bases"] else "values that are not of it"


def markdown(report: Mapping[str, Any]) -> str:
    """The report as Markdown, short enough for the comment of a pull request."""
    corpus = report["corpus"]
    parsers = ", ".join(f"{side} {code(_parser(report['parsers'][side]))}" for side in SIDES)
    lines = [f"### Parser audit: {report['direction'].replace('_', ' ')}", ""]
    lines += [f"{parsers}; {_corpus(corpus)}. {_sentence(report['direction'])}", ""]
    lines += _table(report)
    mutations = report["mutations"]
    if mutations:
        lines += ["", f"**{mutations['texts']:,} mutations**: {mutations['direction']}", ""]
        lines += _table(mutations)
    found = [*report["counterexamples"], *(mutations["counterexamples"] if mutations else [])]
    if found:
        lines += [
            "",
            "| differs by | texts | smallest | eval | production |",
            "|---|---|---|---|---|",
        ]
    for example in found[:30]:
        cells = [text for _, text in _sides(example)]
        head = f"{_TITLES[example['outcome']]}: {example['shape']}"
        of = f" in {example['sampled']['texts']:,} sampled" if example["sampled"] else ""
        lines.append(f"| {head} | {example['count']:,}{of} | {' | '.join(map(_cell, cells))} |")
    if len(found) > 30:
        lines += ["", f"{len(found) - 30} more groups are in the report."]
    lines += [f"\nSlow: {finding}." for finding in slow(report)]
    return "\n".join([*lines, *rescored_lines(report, code)]) + "\n"


def slow(report: Mapping[str, Any]) -> list[str]:
    """The findings on how the parsers' time grows."""
    found = []
    for side, findings in (report["growth"] or {}).items():
        kinds = [
            f"{finding['text']} (broke at {finding['broke']:,} characters)"
            if "broke" in finding
            else f"{finding['text']} (n^{finding['order']})"
            for finding in findings
        ]
        if kinds:
            found.append(f"{side} takes more than linear time on {', '.join(kinds)}")
    return found


def rescored_lines(report: Mapping[str, Any], name: Callable[[str], str] = safe_text) -> list[str]:
    """What reading the stored outputs with production's parser would change.

    ``name`` writes the name of a file or model so that it does no harm where it is shown.
    """
    if report["rescored"] is None:
        return []
    from voirdire.audit.rescore import lines

    return ["", *lines(report["rescored"], name)]


def _gap(part: Mapping[str, Any], texts: int) -> list[str]:
    lines = []
    for name in OUTCOMES:
        if part["counts"][name] or name in ("same", "different", "eval_only", "production_only"):
            lines.append(f"  {_TITLES[name]:<22}{part['counts'][name]:>11,}  {_rate(part, name)}")
    lines.append(f"direction: {part['direction'].replace('_', ' ')}: {MEANING[part['direction']]}")
    return [*lines, *_intended(part)]


def _rate(part: Mapping[str, Any], name: str) -> str:
    found = part["rates"][name]
    if not found["count"]:
        return f"none of {found['of']:,}: at most {_percent(found['at_most'])}"
    low, high = found["interval"]
    return f"{_percent(found['rate']):>8}  [{_percent(low)}, {_percent(high)}]"


def _percent(share: float) -> str:
    """Two digits that say something, also of one in a million."""
    return f"{100 * share:.1f} %" if share >= 0.001 or not share else f"{100 * share:.2g} %"


def _intended(part: Mapping[str, Any]) -> Iterator[str]:
    for key, what in (("intended", "got the intended value"), ("refuse", "read nothing where")):
        found = part[key]
        if found["texts"]:
            shares = ", ".join(
                f"{side} {found[side]:,} ({_percent(found[side] / found['texts'])})"
                for side in SIDES
            )
            rest = " nothing should be read" if key == "refuse" else ""
            yield f"{what}{rest}, of {found['texts']:,}: {shares}"


def _table(part: Mapping[str, Any]) -> list[str]:
    shown = [name for name in OUTCOMES if part["counts"][name] or name in OUTCOMES[:4]]
    lines = ["| | texts | share (95 %) |", "|---|---|---|"]
    lines += [
        f"| {_TITLES[name]} | {part['counts'][name]:,} | {_rate(part, name).strip()} |"
        for name in shown
    ]
    return [*lines, *(f"\n{text[0].upper()}{text[1:]}." for text in _intended(part))]


def _headline(example: Mapping[str, Any]) -> str:
    count = f"{example['count']:,} text{'s' if example['count'] > 1 else ''}"
    if sampled := example["sampled"]:
        count += f" in a sample of {sampled['texts']:,} of {sampled['of']:,}"
    if not example["again"]:
        count += ", which came out otherwise when read again"
    title = _TITLES[example["outcome"]]
    return _line(f"{title}, {example['shape']}: {count}, such as {example['where']}")


def _line(text: str) -> str:
    return safe_text(text).replace("\n", "\\n")


def _sides(example: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "text", quoted(example["shrunk"])
    for side in SIDES:
        call = example[side]
        value = call["value"]
        yield side, one_line(call["ending"] if value is None else value, _WIDE)


def quoted(text: str) -> str:
    """A text in quotation marks with all that cannot be seen escaped, cut to one line."""
    return _cut(safe_text(json.dumps(text, ensure_ascii=False)))


def _cut(text: str) -> str:
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def code(text: str) -> str:
    """Text in a code span of Markdown, on one line: nothing in it is markup, or ends the span."""
    text = _line(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _cell(text: str) -> str:
    return code(text).replace("|", "\\|")


def _parser(identity: Mapping[str, Any]) -> str:
    version = identity.get("version")
    return _line(f"{identity['spec']}{f' {version}' if version else ''}")


def _corpus(corpus: Mapping[str, Any]) -> str:
    damaged = f", {corpus['damaged']:,} damaged places left out" if corpus["damaged"] else ""
    return f"{corpus['texts']:,} texts{damaged}"


def _sentence(direction: str) -> str:
    text = MEANING[direction]
    return f"{text[0].upper()}{text[1:]}."
