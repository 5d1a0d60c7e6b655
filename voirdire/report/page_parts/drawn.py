"""Figures as small drawings, in SVG without a script or a style of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def percent(value: float | None) -> str:
    """A share in words; 0 % and 100 % only where it is none or all."""
    if value is None:
        return "not known"
    if 0 < value < 0.005:
        return "<1%"
    if 0.995 <= value < 1:
        return ">99%"
    return f"{value:.0%}"


def bounds(found: Mapping[str, Any]) -> str:
    """A share in words, with its interval where there is one."""
    if found["low"] is None or found["high"] is None:
        return percent(found["value"])
    return f"{percent(found['value'])} [{percent(found['low'])}, {percent(found['high'])}]"


def interval(found: Mapping[str, Any], name: str) -> str:
    """A share and its interval on a line from 0 to 100 %; empty where the share is not known.

    Args:
        found: ``value``, ``low`` and ``high``, 0 to 1.
        name: a class of the page's style.
    """
    if found["value"] is None:
        return ""
    at = 100 * found["value"]
    line = ""
    if found["low"] is not None and found["high"] is not None:
        low, high = 100 * found["low"], 100 * found["high"]
        line = f'<path class="reach" d="M{low:.1f} 4v8M{low:.1f} 8H{high:.1f}M{high:.1f} 4v8"/>'
    return (
        f'<svg class="interval {name}" viewBox="-3 0 106 16" aria-hidden="true">'
        '<path class="axis" d="M0 0v16M50 0v16M100 0v16"/>'
        f'{line}<circle cx="{at:.1f}" cy="8" r="3"/></svg>'
    )


def bar(share: float) -> str:
    """A share as a bar.

    Args:
        share: 0 to 1.
    """
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="axis" width="100" height="8"/><rect width="{100 * share:.1f}" height="8"/>'
        "</svg>"
    )


def reliability(bins: Sequence[Mapping[str, Any]]) -> str:
    """Stated confidence against the share of right verdicts; on the diagonal both are the same.

    Args:
        bins: ``stated``, ``right``, ``low``, ``high`` (0 to 1) and ``cases`` of each.
    """
    most = max(one["cases"] for one in bins)
    points = "".join(
        f'<path class="reach" d="M{x:.1f} {200 - 200 * one["low"]:.1f}V'
        f'{200 - 200 * one["high"]:.1f}"/>'
        f'<circle cx="{x:.1f}" cy="{200 - 200 * one["right"]:.1f}" '
        f'r="{3 + 6 * (one["cases"] / most) ** 0.5:.1f}"/>'
        for one in bins
        for x in (200 * one["stated"],)
    )
    ticks = "".join(
        f'<text x="{2 * at}" y="216" text-anchor="middle">{at}%</text>'
        f'<text x="-6" y="{204 - 2 * at}" text-anchor="end">{at}%</text>'
        for at in (0, 50, 100)
    )
    return (
        '<svg class="plot" viewBox="-58 -12 272 254" role="img" '
        'aria-label="Stated confidence against the share of right verdicts">'
        '<path class="axis" d="M0 0H200V200H0ZM0 100H200M100 0V200"/>'
        f'<path class="diagonal" d="M0 200L200 0"/>{points}{ticks}'
        '<text x="100" y="236" text-anchor="middle">stated confidence</text>'
        '<text x="-44" y="100" text-anchor="middle" transform="rotate(-90 -44 100)">'
        "right verdicts</text></svg>"
    )
