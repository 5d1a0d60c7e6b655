"""What a call cost: tokens times the price of the model, from ``prices.yaml`` or the settings."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from voirdire.reply import Usage

PRICES = Path(__file__).with_name("prices.yaml")
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """A model's price.

    Attributes:
        input: US dollars per million prompt tokens, 0 or more.
        output: US dollars per million completion tokens, thinking included, 0 or more.
        basis: the date of the list that it is from, or ``settings``.
    """

    input: float
    output: float
    basis: str

    def of(self, usage: Usage) -> float | None:
        """The cost of some tokens in US dollars; ``None`` where the API did not say how many."""
        if usage.prompt is None or usage.completion is None:
            return None
        cost = (usage.prompt * self.input + usage.completion * self.output) / _MILLION
        return round(cost, 9)


def price_of(scheme: str, model: str) -> Price | None:
    """The price of a model at the scheme's own address; ``None`` where the list has none.

    Args:
        scheme: the spec's.
        model: the id.
    """
    return _listed().get((scheme, model))


def given_price(prices: Mapping[str, float]) -> Price:
    """The price that a judge's settings give."""
    return Price(prices["input"], prices["output"], "settings")


@functools.cache
def _listed() -> Mapping[tuple[str, str], Price]:
    from voirdire.yamlfile import load_yaml

    listed = load_yaml(PRICES, "list of prices").value
    return {
        (scheme, identity): Price(entry["input"], entry["output"], listed["date"])
        for scheme, provider in listed["providers"].items()
        for entry in provider["models"]
        for identity in entry["ids"]
    }
