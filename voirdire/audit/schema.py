"""The JSON Schema that a value must satisfy to count as parsed. Nothing is fetched for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing import Resource
from referencing.exceptions import NoSuchResource, Unresolvable
from referencing.jsonschema import DRAFT202012, specification_with

from voirdire.errors import ConfigError


def load(path: Path) -> Any:
    """The schema in a file.

    Raises:
        ConfigError: it cannot be read, is no schema, or refers to what is not in it.
    """
    try:
        schema: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: the schema cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is no JSON ({error})") from None
    if isinstance(schema, dict):
        if not isinstance(schema.get("$schema", ""), str):
            raise ConfigError(f"{path}: is no JSON Schema ($schema is no text)")
    elif not isinstance(schema, bool):
        raise ConfigError(f"{path}: is no JSON Schema, which is an object, true or false")
    try:
        kind: Any = validator_for(schema)
        kind.check_schema(schema)
        missing = next(_missing(schema), None)
        if missing is None:
            validity(schema)(None)
    except SchemaError as error:
        raise ConfigError(f"{path}: is no JSON Schema ({error.message})") from None
    except RecursionError:
        raise ConfigError(f"{path}: the schema refers to itself without end") from None
    if missing is not None:
        raise ConfigError(
            f"{path}: the schema refers to {missing!r}, which is not in it; nothing is fetched, so "
            "copy it into $defs"
        )
    return schema


def validity(schema: Any) -> Callable[[Any], bool]:
    """Whether a JSON value satisfies a schema that was loaded."""
    # With a registry of its own a validator does not look for references on the network.
    valid: Callable[[Any], bool] = validator_for(schema)(schema, registry=REGISTRY).is_valid
    return valid


def _missing(schema: Any) -> Iterator[str]:
    """The references that lead nowhere."""
    dialect = validator_for(schema).META_SCHEMA.get("$schema", "")
    specification = specification_with(dialect, default=DRAFT202012)
    root: Resource[Any] = specification.create_resource(schema)
    waiting = [(root, REGISTRY.resolver_with_root(root))]
    while waiting:
        resource, resolver = waiting.pop()
        if isinstance(resource.contents, dict):
            for key in ("$ref", "$dynamicRef"):
                wanted = resource.contents.get(key)
                if isinstance(wanted, str):
                    try:
                        resolver.lookup(wanted)
                    except (Unresolvable, NoSuchResource):
                        yield wanted
        for inner in resource.subresources():
            waiting.append((inner, resolver.in_subresource(inner)))
