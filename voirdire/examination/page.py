"""The report card as one HTML page: no script, nothing from elsewhere, every text escaped."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --pass: #14713c; --fail: #b3261e; --not: #6b6b6b; }
@media (prefers-color-scheme: dark) {
  :root { --pass: #6fd39a; --fail: #ff8a80; --not: #b0b0b0; }
}
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; }
h2 { font-size: 1.1rem; margin: 0; }
section { border-top: 1px solid var(--line); padding: 1rem 0; break-inside: avoid; }
.result { font-weight: 700; margin-right: .5rem; }
.pass { color: var(--pass); }
.fail { color: var(--fail); }
.not { color: var(--not); }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left; }
td, dd, li, pre { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dd { margin: 0; }
nav ul { columns: 3 12rem; padding-left: 1.2rem; }
summary { cursor: pointer; }
:focus-visible { outline: 3px solid; outline-offset: 2px; }
@media print {
  body { margin: 0; max-width: none; }
  nav { display: none; }
}
"""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header>
<h1>{verdict}</h1>
<p>{summary}</p>
<dl>
{head}</dl>
</header>
<nav aria-label="Questions"><ul>
{contents}</ul></nav>
<main>
{sections}</main>
</body>
</html>
"""
_HEAD = {
    "judge": "judge",
    "fingerprint": "fingerprint",
    "rubric": "rubric",
    "cases": "cases",
    "date": "date",
    "calls": "calls",
    "cost": "cost in US dollars",
    "canned": "recorded replies",
    "tool_version": "version of voirdire",
}


def page(report: Mapping[str, Any]) -> str:
    """The page.

    Args:
        report: a report card with what was examined beside it.
    """
    questions = report["questions"]
    counts = ", ".join(f"{count} {name}" for name, count in report["results"].items())
    return _PAGE.format(
        title=shown(f"Examination of {report['judge']}: {report['verdict']}"),
        style=_STYLE,
        verdict=shown(str(report["verdict"]).capitalize()),
        summary=shown(f"Questions: {counts}"),
        head="".join(
            f"<dt>{title}</dt><dd>{shown(_plain(report.get(name)))}</dd>\n"
            for name, title in _HEAD.items()
        ),
        contents="".join(
            f'<li><a href="#{shown(one["name"])}">{shown(one["name"])}</a>: '
            f"{shown(one['result'])}</li>\n"
            for one in questions
        ),
        sections="".join(map(_section, questions)),
    )


def shown(value: object) -> str:
    """A text as HTML shows it: escaped, and whatever could hide or turn round as ``\\uXXXX``."""
    text = "".join(
        f"\\u{ord(char):04x}"
        if unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in "\n\t"
        else char
        for char in str(value)
    )
    return html.escape(text)


def _section(one: Mapping[str, Any]) -> str:
    result = one["result"]
    advice = (
        f"<p><strong>What to do:</strong> {shown(one['advice'])}</p>\n" if one["advice"] else ""
    )
    return (
        f'<section id="{shown(one["name"])}">\n'
        f'<h2><span class="result {shown(result.split()[0])}">{shown(result)}</span>'
        f"{shown(one['name'])}</h2>\n"
        f"<p>{shown(one['asked'])}</p>\n<p>{shown(one['answered'])}</p>\n{advice}"
        f"{_figures(one['figures'])}{_examples(one['figures'].get('examples') or [])}</section>\n"
    )


def _figures(figures: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th scope="row">{shown(name)}</th><td>{shown(value)}</td></tr>\n'
        for name, value in _flat(figures, "")
    )
    if not rows:
        return ""
    return f"<details><summary>Figures</summary>\n<table>\n{rows}</table>\n</details>\n"


def _flat(figures: Mapping[str, Any], before: str) -> Iterator[tuple[str, str]]:
    """Figures with their names, a share on one line."""
    for key, value in figures.items():
        name = f"{before}{key.replace('_', ' ')}"
        if key == "examples" or value in ({}, []):
            continue
        if isinstance(value, Mapping) and {"count", "of"} <= value.keys():
            yield name, _share(value)
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{name}: ")
        else:
            yield name, _plain(value)


def _share(value: Mapping[str, Any]) -> str:
    text = f"{value['count']} of {value['of']}"
    if value["interval"] is None:
        return text
    low, high = value["interval"]
    return f"{text}, {value['rate']:.0%} (95 % interval {low:.0%} to {high:.0%})"


def _plain(value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _examples(examples: list[Mapping[str, str]]) -> str:
    if not examples:
        return ""
    items = "".join(
        f"<li><strong>{shown(one['case'])}</strong> {shown(one['what'])}"
        + (f"<br><q>{shown(one['said'])}</q>" if one["said"] else "")
        + "</li>\n"
        for one in examples
    )
    return f"<details open><summary>Examples</summary>\n<ul>\n{items}</ul>\n</details>\n"
