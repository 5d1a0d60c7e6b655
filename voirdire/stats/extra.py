"""The libraries of the extra ``voirdire[stats]``: slow to load, so only where one is used."""

from __future__ import annotations

import importlib
from typing import Any

from voirdire.errors import ConfigError

MISSING = "this needs {}, which is not installed: pip install 'voirdire[stats]'"


def load(module: str) -> Any:
    """A module of numpy, scipy, statsmodels or scikit-learn.

    Raises:
        ConfigError: the extra is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ConfigError(MISSING.format(module.partition(".")[0])) from None
