"""The answer's JSON against a JSON Schema, every error with its path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.doorinput import find
from voirdire.errors import ConfigError
from voirdire.strictjson import parse
from voirdire.yamlfile import load_yaml, read_text

_MOST = 100  # errors that are listed
_LONGEST = 300  # characters of one error: it quotes the value, which may be the whole answer


def read(value: Any, folders: Sequence[Path]) -> Callable[[Subject], list[str]]:
    """The check for ``schema:``, a path or the schema itself.

    Raises:
        ConfigError: the file cannot be read, or is no JSON Schema of a known draft.
    """
    where = "config: schema"
    if isinstance(value, str):
        path = find(value, folders)
        where = str(path)
        value = _load(path)
    if not isinstance(value, dict) or not value:
        raise ConfigError(f"{where}: must be a JSON Schema, an object, or the path of one")
    validator = _validator(value, where)

    def faults(subject: Subject) -> list[str]:
        answer, fault = subject.json
        return [f"the answer {fault}"] if fault else _errors(validator, answer, where)

    return faults


def _load(path: Path) -> Any:
    if path.suffix in (".yaml", ".yml"):
        return load_yaml(path, "JSON Schema").value
    value, fault = parse(read_text(path, "JSON Schema"))
    if fault:
        raise ConfigError(f"{path}: not valid JSON ({fault}); mend it")
    return value


def _validator(schema: dict[str, Any], where: str) -> Any:
    # Loaded only where there is a schema: it costs a tenth of a second.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry

    from voirdire.checks.formats import StrictFormats

    draft = schema.get("$schema")
    known = validator_for(schema, default=None)  # type: ignore[arg-type]
    if draft is not None and known is None:
        raise ConfigError(f"{where}: the draft {draft!r} of $schema is not known; name another")
    kind = known or Draft202012Validator
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ConfigError(f"{where}: no JSON Schema: {_sentence(error)}") from None
    except Exception as error:  # a schema nested too deep, a pattern that is none
        raise ConfigError(f"{where}: no JSON Schema that can be read: {error}") from None
    # An empty registry: nothing is fetched from anywhere.
    registry: Any = Registry()
    return kind(schema, format_checker=StrictFormats(kind.FORMAT_CHECKER), registry=registry)


def _errors(validator: Any, answer: Any, where: str) -> list[str]:
    from jsonschema.exceptions import best_match
    from referencing.exceptions import Unresolvable

    found: list[str] = []
    try:
        errors = validator.iter_errors(answer)
        for error in islice(errors, _MOST):
            nearest = best_match([error])
            found.append(
                _sentence(error) + (f" (nearest: {_sentence(nearest)})" if nearest != error else "")
            )
        if next(errors, None):
            found.append(f"more than {_MOST} errors; the rest is not listed")
    except Unresolvable as error:
        raise ConfigError(
            f"{where}: {error.ref!r} points nowhere in the schema; put it under $defs"
        ) from None
    except ConfigError:
        raise
    except Exception as error:  # numbers beyond all bounds, nesting too deep
        found.append(f"cannot be held against the schema ({type(error).__name__}: {error})")
    return found


def _sentence(error: Any) -> str:
    message = str(error.message)
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
    return f"{error.json_path}: {message}"
