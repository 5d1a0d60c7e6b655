"""The checks' door: each check a component result of its own, no judge asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.checks.config import read_config
from voirdire.doorinput import as_text
from voirdire.errors import ConfigError, not_installed
from voirdire.promptfoo.overruled import kept_from_passing
from voirdire.promptfoo.suite import config_paths

_LISTED = 100  # faults of one check that are kept
_SHOWN = 3  # of those, in its reason
_LONGEST = 600  # characters of a fault


def assertion(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """A ``type: python`` assertion: passes where every check of its ``config:`` passes.

    Raises:
        NotAVerdictError: a configuration error that promptfoo would invert or ignore.
    """
    config = context.get("config")
    try:
        folders = [*(path.parent for path in config_paths()), Path()]
        answer = "" if output is None else as_text(output)
        found = read_config(config, folders).run(answer, context.get("vars") or {})
    except ConfigError as error:
        return kept_from_passing(_error(_printable(str(error))), context, config)
    except ModuleNotFoundError as error:  # only the folder that npm installed is there
        return kept_from_passing(_error(not_installed(error)), context, config)
    except Exception as error:  # a fault of ours must not become promptfoo's to interpret
        fault = f"internal: {type(error).__name__}: {error}"
        return kept_from_passing(_error(_printable(fault)), context, config)
    return _result(found)


def _result(found: Mapping[str, list[str]]) -> dict[str, Any]:
    found = {name: [_printable(fault) for fault in faults] for name, faults in found.items()}
    failed = [name for name, faults in found.items() if faults]
    components = [_component(name, faults) for name, faults in found.items()]
    reasons = [item["reason"] for item in components if not item["pass"]]
    if failed:
        reason = f"{len(failed)} of {len(found)} checks failed: " + " | ".join(reasons)
    else:
        reason = f"all checks passed: {', '.join(found)}"
    return {
        "pass": not failed,
        "score": 0.0 if failed else 1.0,
        "reason": reason,
        "namedScores": {
            f"check_{item['assertion']['metric']}": item["score"] for item in components
        },
        "componentResults": components,
        "metadata": {
            "voirdire_checks": {"outcome": "fail" if failed else "pass", "failed": failed}
        },
    }


def _component(name: str, faults: list[str]) -> dict[str, Any]:
    more = f" (and {len(faults) - _SHOWN} more)" if len(faults) > _SHOWN else ""
    return {
        "pass": not faults,
        "score": 0.0 if faults else 1.0,
        "reason": f"{name}: " + ("; ".join(faults[:_SHOWN]) + more if faults else "passed"),
        # promptfoo's viewer names a component by this.
        "assertion": {"type": "python", "metric": name, "value": f"check: {name}"},
        "metadata": {"faults": faults[:_LISTED], "fault_count": len(faults)},
    }


def _printable(fault: str) -> str:
    """Cut, since it quotes the answer; without the lone surrogates that no UTF-8 file takes."""
    cut = fault if len(fault) <= _LONGEST else f"{fault[:_LONGEST]}…"
    return cut.encode("utf-8", "replace").decode()


def _error(detail: str) -> dict[str, Any]:
    return {
        "pass": False,
        "score": 0.0,
        "reason": f"checks not run: {detail}",
        "namedScores": {"check_error": 1.0},
        "metadata": {"voirdire_checks": {"outcome": "error", "failed": [], "detail": detail}},
    }
