"""What the checks' configuration refuses, and what a check loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checks.held import SOURCE
from voirdire.checks.config import read_config
from voirdire.errors import ConfigError


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "must be a mapping with checks"),
        ([], "must be a mapping with checks"),
        ({}, "no check; add one of schema"),
        ({"source": "x.md"}, "no check"),
        ({"numbers": False, "links": False}, "no check"),
        ({"number": True}, "unknown field `number`"),
        ({"numbers": "yes"}, "numbers: must be true or false"),
        ({"numbers": 1}, "numbers: must be true or false"),
        ({"numbers": None}, "numbers: must be true or false"),
        ({"citations": {}}, "citations: must be true"),
        ({"citations": {"pattern": "("}}, "pattern: no regular expression"),
        ({"citations": {"pattern": None}}, "pattern: no regular expression"),
        ({"citations": {"pattern": "x*"}}, "pattern: must match some text"),
        ({"citations": {"pattern": "(x)(y)"}}, "pattern: must match some text"),
        ({"links": {"allowed": []}}, "links: must be true"),
        ({"links": {"allow": []}}, "allow: must be a list"),
        ({"links": {"allow": ["https://x.example"]}}, "is no domain"),
        ({"links": {"allow": [""]}}, "is no domain"),
        ({"forbidden": []}, "forbidden: must be a list"),
        ({"forbidden": "x"}, "forbidden: must be a list"),
        ({"forbidden": ["\u200b"]}, "must be text"),
        ({"forbidden": [3]}, "must be text"),
        ({"length": {}}, "length: must have"),
        ({"length": {"unit": "words"}}, "length: must have"),
        ({"length": {"min": 1, "most": 2}}, "unknown field `most`"),
        ({"length": {"min": 3, "max": 2}}, "min 3 is more than max 2"),
        ({"length": {"min": -1}}, "whole number"),
        ({"length": {"max": True}}, "whole number"),
        ({"length": {"max": None}}, "whole number"),
        ({"length": {"max": 3, "unit": "tokens"}}, "unit: must be characters"),
        ({"length": {"max": 3, "unit": []}}, "unit: must be characters"),
        ({"required_fields": []}, "required_fields: must be a list"),
        ({"required_fields": ["a..b"]}, "required_fields: must be a list"),
        ({"numbers": True, "fence": True}, "fence: must be allowed or refused"),
        ({"numbers": True, "vars": {"question": "q"}}, "'question' is not one of source"),
    ],
)
def test_a_wrong_configuration_is_named(config: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_config(config, [Path()])


@pytest.mark.parametrize("name", ["citations", "links", "numbers"])
def test_without_a_source_nothing_can_be_held_against_it(name: str) -> None:
    suite = read_config({name: True}, [Path()])
    with pytest.raises(ConfigError, match="no source of truth"):
        suite.run("x", {})
    with pytest.raises(ConfigError, match="source of truth is empty"):
        suite.run("", {"source": " "})


def test_a_check_that_needs_no_source_asks_for_none() -> None:
    suite = read_config({"length": {"max": 9}, "source": "missing.md"}, [Path()])
    assert suite.run("x", {}) == {"length": []}


def test_the_source_may_be_a_test_var() -> None:
    assert read_config({"numbers": True}, []).run("14 days", {"source": SOURCE}) == {"numbers": []}
    named = read_config({"numbers": True, "vars": {"source": "truth"}}, [])
    assert named.run("14 days", {"truth": "14 days"}) == {"numbers": []}
    assert named.run("15 days", {"truth": "14 days"}) != {"numbers": []}


@pytest.mark.parametrize(
    ("config", "loaded"), [({"length": {"max": 9}}, False), ({"schema": {"type": "null"}}, True)]
)
def test_jsonschema_is_loaded_only_for_a_schema(config: dict[str, Any], loaded: bool) -> None:
    code = (
        "import sys; from voirdire.promptfoo.checks import assertion; "
        f"assertion('x', {{'config': {config!r}}}); "
        "print('jsonschema' in sys.modules, 'requests' in sys.modules, 'yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(loaded), "False", "False"]
