"""Whether a model id names one fixed version: a judge that moves is another judge tomorrow.

What counts as a version:

- OpenAI: a date (``gpt-4.1-2025-04-14``, ``gpt-4-0613``), a fine-tuned model's whole id, or an
  id of the list in ``pins.yaml``.
- Anthropic: a date (``claude-haiku-4-5-20251001``), or an id that the list has as fixed.
- OpenRouter: for the models of these two, the same; for others a number in the model's name.
- Ollama: a tag (``qwen3:8b``).
- Any other server has no versions: it serves what its owner put there.

``latest`` and ``auto`` are never one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError

PINS = Path(__file__).with_name("pins.yaml")

_MOVING = re.compile(r"~.*|(?:.*[/:@._-])?(?:latest|auto)", re.IGNORECASE)
_DATES = {
    "openai": re.compile(
        r"ft:[^:]+:[^:]*:[^:]*:[^:]+"
        r"|.+-20\d\d-[01]\d-[0-3]\d(?:-preview)?"
        r"|gpt-[34].*-[01]\d[0-3]\d(?:-preview)?"
    ),
    "anthropic": re.compile(r".+[-@]20\d{6}"),
}


def is_floating(scheme: str, model: str, *, own_server: bool, allowed: bool) -> bool:
    """Whether a model id may mean another model tomorrow.

    Args:
        scheme: the spec's.
        model: the id.
        own_server: whether it is asked elsewhere than at the scheme's own address.
        allowed: whether it may.

    Raises:
        ConfigError: it may not; the sentence says what to write instead.
    """
    # What OpenRouter puts behind a colon chooses a host or a tariff, not a model.
    name = model.partition(":")[0] if scheme == "openrouter" else model
    if _is_fixed(scheme, name, own_server):
        return False
    if allowed:
        return True
    raise ConfigError(
        f"the judge {scheme}:{model} names no fixed version of a model:"
        f" {_advice(scheme, name, own_server)}, or set allow_floating: true in its settings"
    )


def _is_fixed(scheme: str, name: str, own_server: bool) -> bool:
    if _MOVING.fullmatch(name):
        return False
    if scheme == "ollama":
        return ":" in name.rpartition("/")[2]
    if own_server:
        return True
    if scheme != "openrouter":
        return _has_version(scheme, name)
    vendor, _, short = name.partition("/")
    if vendor in _DATES:
        return _has_version(vendor, _dashed(short)) or name in _provider("openrouter")["fixed"]
    return any(letter.isdigit() for letter in short)


def _has_version(provider: str, name: str) -> bool:
    if _DATES[provider].fullmatch(name):
        return True
    pins = _provider(provider)
    form = pins.get("fixed_form")
    return name in pins["fixed"] or bool(form and re.fullmatch(form, name))


def _advice(scheme: str, name: str, own_server: bool) -> str:
    if scheme == "ollama":
        bare = name.removesuffix(":latest")
        return f"write its tag, such as {bare}:8b (`ollama list` shows those that are there)"
    if own_server:
        return "write the name by which the server lists the model"
    found = list(_instead(scheme, name))
    if found:
        return f"write {_either(found)} (as of {_pins()['date']})"
    looks = _provider(scheme)["looks_like"]
    return f"write the id with its version, which looks like {looks}"


def _instead(scheme: str, name: str) -> Iterator[str]:
    """The ids that an alias may stand for; nothing where that is not known."""
    if scheme == "openrouter":
        vendor, _, short = name.lstrip("~").partition("/")
        if vendor in _DATES:
            found = _instead(vendor, _dashed(short))
            # It writes Anthropic's ids with a dot, and the dated ones in an order of its own.
            yield from (
                f"{vendor}/{_dotted(item) if vendor == 'anthropic' else item}"
                for item in found
                if vendor != "anthropic" or not _DATES[vendor].fullmatch(item)
            )
        return
    pins = _provider(scheme)
    if name in pins["aliases"]:
        yield from pins["aliases"][name]
    elif name.endswith("-latest"):
        stem = name.removesuffix("-latest")
        known = [*pins["fixed"], *(item for ids in pins["aliases"].values() for item in ids)]
        yield from (item for item in known if f"{item}-".startswith(f"{stem}-"))


def _dashed(name: str) -> str:
    return re.sub(r"^(claude-.*\d)\.(\d)", r"\1-\2", name)


def _dotted(name: str) -> str:
    return re.sub(r"-(\d+)-(\d+)$", r"-\1.\2", name)


def _either(items: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(items[:-1]), items[-1])))


def _provider(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _pins()["providers"][name]
    return found


@functools.cache
def _pins() -> Mapping[str, Any]:
    from voirdire.yamlfile import load_yaml

    pins: Mapping[str, Any] = load_yaml(PINS, "list of fixed model ids").value
    return pins
