"""A report as JUnit's XML: what a CI shows beside other tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape, quoteattr

# Characters that no XML 1.0 document may hold.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"fail": "failure", "judge_error": "error", "undecided": "skipped"}
_LONGEST = 4000


def junit(report: Mapping[str, Any]) -> Iterator[str]:
    """The report's rows: a fail is a failure, an error of the judge an error, and what is
    undecided is skipped, with the reason. An answer that is missing is an error, too.

    Yields:
        Pieces of the document.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="voirdire">\n'

    def suite(row: Mapping[str, Any]) -> tuple[str, str, str]:
        return row["run"], row["metric"], row["model"]

    for (run, metric, model), found in groupby(sorted(report["rows"], key=suite), suite):
        rows = list(found)
        counts = Counter(_element(row) for row in rows)
        numbers = {
            "tests": len(rows),
            "failures": counts["failure"],
            "errors": counts["error"],
            "skipped": counts["skipped"],
        }
        yield f"<testsuite name={_attribute(f'{model} · {metric} · {run}')}"
        yield "".join(f' {name}="{number}"' for name, number in numbers.items()) + ">\n"
        yield from (_case(row) for row in rows)
        yield "</testsuite>\n"
    if report["rows_left_out"]:
        yield f"<!-- {report['rows_left_out']} grades were left out, the passes first -->\n"
    yield "</testsuites>\n"


def _case(row: Mapping[str, Any]) -> str:
    name = row["description"] or row["case"]
    head = f"<testcase classname={_attribute(row['metric'])} name={_attribute(name)}"
    element = _element(row)
    if not element:
        return f"{head}/>\n"
    message = f"message={_attribute(row['reason'][:_LONGEST])}"
    if element == "skipped":
        return f"{head}><skipped {message}/></testcase>\n"
    body = escape(_clean(_text(row)))
    kind = _attribute(row["kind"])
    return f"{head}><{element} type={kind} {message}>{body}</{element}></testcase>\n"


def _element(row: Mapping[str, Any]) -> str:
    if row["kind"] == "no_answer":
        return "error"
    return _ELEMENTS.get(row["outcome"], "")


def _text(row: Mapping[str, Any]) -> str:
    parts = {"answer": row["answer"], "critique": row["critique"], "raw reply": row["raw"]}
    return "\n\n".join(f"{name}:\n{text[:_LONGEST]}" for name, text in parts.items() if text)


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
