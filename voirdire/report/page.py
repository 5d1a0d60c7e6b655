"""The report as one HTML page that needs nothing from elsewhere.

What a reader must see first (red flags, leaderboard) is plain HTML. The rows are data in a block
that nobody executes; the page's own script draws those that are looked at. Its policy lets run
that script alone, known by its hash, and forbids it to turn any text into HTML.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.examination.page import shown
from voirdire.report.page_parts.packed import packed
from voirdire.report.page_parts.summary import calibration, compared, flags, kinds, leaderboard

_PARTS = Path(__file__).with_name("page_parts")


def page(report: Mapping[str, Any]) -> str:
    """The page.

    Args:
        report: the report with its rows.
    """
    style, script = _part("page.css"), _part("page.js")
    runs = report["runs"]
    names = ", ".join(dict.fromkeys(str(run["name"]) for run in runs))
    return _part("page.html").format(
        policy=(
            f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
            "base-uri 'none'; form-action 'none'; "
            "require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        title=shown(f"Report: {names}"),
        style=style,
        script=script,
        runs="".join(map(_run, runs)),
        flags=flags(report["flags"]),
        leaderboard=leaderboard(report["leaderboard"]),
        compared=compared(report["compared"]),
        calibration=calibration(report["calibration"]),
        kinds=kinds(report["kinds"]),
        version=shown(report["tool_version"]),
        left_out=_left_out(report["rows_left_out"]),
        data=packed(report["rows"]),
    )


def _run(run: Mapping[str, Any]) -> str:
    said = [str(run[name]) for name in ("eval_id", "at") if run[name]]
    said.append(f"{run['rows']:,} answer{'' if run['rows'] == 1 else 's'}")
    if run["damaged"]:
        said.append(f"{run['damaged']:,} damaged or repeated, and left out")
    return f"<li><strong>{shown(run['name'])}</strong> {shown(', '.join(said))}</li>\n"


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f"<p>{count:,} more were graded and are only counted above, passes before others.</p>\n"


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """A text as a policy names it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
