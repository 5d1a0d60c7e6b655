"""Settings of a model judge, checked before anything is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from voirdire.errors import ConfigError

MAX_TOKENS = 2048
MAX_TOKENS_REASONING = 16_000

_LARGEST = 10**12
_HIGHEST_PRICE = 1_000_000

_ENV_NAME = r"[A-Za-z_][A-Za-z0-9_]*"

# What a client writes itself: an override would make the record of the call untrue, or
# (``stream``, ``n``) bring a reply of another shape than the one that is read.
_OWN_FIELDS = frozenset({"model", "messages", "system", "stream", "n"})
_OWN_SETTINGS = {
    "temperature": "temperature",
    "seed": "seed",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
}


class JudgeSettings(NamedTuple):
    """How a model judge is asked.

    Attributes:
        temperature: 0 to 2; ``None`` leaves it out of the request.
        seed: sent where the API takes one; ``None`` leaves it out.
        max_tokens: completion budget, 1 to 1,000,000 tokens.
        reasoning: the judge thinks before it answers: the budget is 16,000 tokens and no
            temperature is sent, unless either is given.
        timeout_s: bound of one HTTP call as a whole, in seconds (up to 3,600).
        budget_s: bound of one question, all its attempts and waits together, in seconds
            (up to 86,400).
        retries: further attempts after a failed one, 0 to 20.
        in_flight: calls to one host at a time, over all processes of this user, 1 to 64.
        api_key_env: environment variable that holds the key; ``None`` is the scheme's own.
        extra: further fields of the request body.
        allow_floating: a model id that names no fixed version is taken.
        max_calls: calls in one run, over all its processes, 1 or more; ``None`` is no limit.
        max_tokens_total: prompt and completion tokens in one run, 1 or more.
        max_cost: US dollars in one run, more than 0.
        prices: US dollars per million tokens, ``input`` and ``output``; ``None`` takes the
            package's list.
    """

    temperature: float | None = 0
    seed: int | None = None
    max_tokens: int = MAX_TOKENS
    reasoning: bool = False
    timeout_s: float = 60
    budget_s: float = 180
    retries: int = 4
    in_flight: int = 4
    api_key_env: str | None = None
    extra: Mapping[str, Any] = MappingProxyType({})
    allow_floating: bool = False
    max_calls: int | None = None
    max_tokens_total: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, float] | None = None


def read_settings(given: Mapping[str, Any] | None) -> JudgeSettings:
    """Check settings and fill in what is not given.

    Raises:
        ConfigError: an unknown setting, a wrong type, a value out of range.
    """
    values = dict(given or {})
    known = JudgeSettings._fields
    for name in values:
        if name not in known:
            raise ConfigError(
                f"unknown judge setting {name!r}: the settings are {', '.join(known)}"
            )
    reasoning = _flag("reasoning", values.get("reasoning", False))
    max_tokens = MAX_TOKENS_REASONING if reasoning else MAX_TOKENS
    temperature = values.get("temperature", None if reasoning else 0)
    seed = values.get("seed")
    key_env = values.get("api_key_env")
    max_calls = values.get("max_calls")
    max_tokens_total = values.get("max_tokens_total")
    max_cost = values.get("max_cost")
    prices = values.get("prices")
    return JudgeSettings(
        temperature=None if temperature is None else _number("temperature", temperature, 0, 2),
        seed=None if seed is None else _whole("seed", seed, -(2**63), 2**63 - 1),
        max_tokens=_whole("max_tokens", values.get("max_tokens", max_tokens), 1, 1_000_000),
        reasoning=reasoning,
        timeout_s=_seconds("timeout_s", values.get("timeout_s", 60), 3600),
        budget_s=_seconds("budget_s", values.get("budget_s", 180), 86_400),
        retries=_whole("retries", values.get("retries", 4), 0, 20),
        in_flight=_whole("in_flight", values.get("in_flight", 4), 1, 64),
        api_key_env=None if key_env is None else _env_name(key_env),
        extra=_extra(values.get("extra", {})),
        allow_floating=_flag("allow_floating", values.get("allow_floating", False)),
        max_calls=None if max_calls is None else _whole("max_calls", max_calls, 1, _LARGEST),
        max_tokens_total=(
            None
            if max_tokens_total is None
            else _whole("max_tokens_total", max_tokens_total, 1, _LARGEST)
        ),
        max_cost=None if max_cost is None else _cost("max_cost", max_cost),
        prices=None if prices is None else _prices(prices),
    )


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"judge setting {name} must be true or false, not {value!r}")
    return value


def _number(name: str, value: Any, low: float, high: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        raise ConfigError(
            f"judge setting {name} must be a number from {low:g} to {high:g}, not {value!r}"
        )
    return float(value) if not float(value).is_integer() else int(value)


def _seconds(name: str, value: Any, high: float) -> float:
    seconds = _number(name, value, 0, high)
    if seconds == 0:
        raise ConfigError(f"judge setting {name} must be more than 0 seconds")
    return seconds


def _cost(name: str, value: Any) -> float:
    cost = _number(name, value, 0, _LARGEST)
    if cost == 0:
        raise ConfigError(f"judge setting {name} must be more than 0 US dollars")
    return cost


def _prices(value: Any) -> Mapping[str, float]:
    if not isinstance(value, Mapping) or set(value) != {"input", "output"}:
        raise ConfigError(
            "judge setting prices must read {input: …, output: …}, in US dollars per million tokens"
        )
    return {name: _number(f"prices.{name}", value[name], 0, _HIGHEST_PRICE) for name in value}


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(
            f"judge setting {name} must be a whole number from {low} to {high}, not {value!r}"
        )
    return value


def _env_name(value: Any) -> str:
    # The value is not shown: people paste the key itself here.
    if not isinstance(value, str) or not re.fullmatch(_ENV_NAME, value):
        raise ConfigError(
            "judge setting api_key_env must be the name of an environment variable,"
            " such as OPENAI_API_KEY, not the key itself"
        )
    return value


def _extra(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"judge setting extra must be a mapping, not {type(value).__name__}")
    for name in value:
        if name in _OWN_FIELDS:
            raise ConfigError(f"judge setting extra may not hold {name!r}: voirdire writes it")
        if name in _OWN_SETTINGS:
            raise ConfigError(
                f"judge setting extra may not hold {name!r}: use the setting {_OWN_SETTINGS[name]}"
            )
    try:
        return dict(json.loads(json.dumps(dict(value), allow_nan=False)))
    except (TypeError, ValueError, RecursionError):
        raise ConfigError("judge setting extra must hold JSON values only") from None
