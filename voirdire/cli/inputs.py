"""Options and files that several commands share."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from voirdire.errors import ConfigError
from voirdire.journal import Journal, default_path
from voirdire.reading import POLICIES
from voirdire.source import Source, excerpts, load_sources, unique
from voirdire.wholefile import write_pieces

if TYPE_CHECKING:
    from voirdire.cache.recall import Memory
    from voirdire.judges.base import Judge
    from voirdire.rubric import Rubric

F = TypeVar("F", bound=Callable[..., Any])

rubric_option = click.option(
    "--rubric", type=click.Path(path_type=Path), required=True, help="The rubric, a YAML file."
)
source_option = click.option(
    "--source",
    "sources",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A source of truth: text, Markdown, or JSON excerpts with ids. May be repeated.",
)
policy_option = click.option(
    "--policy",
    type=click.Choice(POLICIES),
    default="strict",
    show_default=True,
    help="How replies are read; tolerant sets prose around exactly one object aside.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
judge_option = click.option(
    "--judge",
    "spec",
    envvar="VOIRDIRE_JUDGE",
    help="openai:MODEL[@URL], openrouter:MODEL, ollama:MODEL, anthropic:MODEL, replay:FILE, rules."
    "  [env: VOIRDIRE_JUDGE]",
)
settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the judge: temperature, seed, max_tokens, reasoning, timeout_s, budget_s, "
    "retries, in_flight, api_key_env, allow_floating, max_calls, max_tokens_total, max_cost, "
    "prices. May be repeated.",
)
journal_option = click.option(
    "--journal",
    type=click.Path(path_type=Path),
    default=None,
    help="The journal.  [default: $VOIRDIRE_JOURNAL or .voirdire/journal.jsonl]",
)


def cache_options(command: F) -> F:
    """``--cache``, ``--no-cache`` and ``--refresh``, for :func:`open_memory`."""
    for option in (
        click.option("--refresh", is_flag=True, help="Ask again, and keep the new verdicts."),
        click.option("--no-cache", is_flag=True, help="Keep and use no verdicts."),
        click.option("--cache", help="A file, a redis:// URL, or off.  [env: VOIRDIRE_CACHE]"),
    ):
        command = option(command)
    return command


def open_memory(cache: str | None, *, no_cache: bool, refresh: bool) -> Memory:
    """Where verdicts are kept, as the options say.

    Raises:
        ConfigError: there is no such place.
    """
    from voirdire.cache.recall import Memory
    from voirdire.cache.store import open_store

    return Memory(open_store("off" if no_cache else cache), refresh)


@dataclass(frozen=True)
class Asking:
    """How a judge is asked, as the options of a command say.

    Attributes:
        spec: the judge's.
        settings: the judge's, as ``JudgeSettings`` has them.
        policy: how replies are read.
        cache, no_cache, refresh: as :func:`open_memory` has them.
        journal_file: where calls are written; ``None`` for the default place.
    """

    spec: str
    settings: Mapping[str, Any]
    policy: str
    cache: str | None
    no_cache: bool
    refresh: bool
    journal_file: Path | None

    @property
    def in_flight(self) -> int:
        """How many cases are judged at once."""
        return int(self.settings.get("in_flight", 4))

    @cached_property
    def journal(self) -> Journal:
        """Where calls are written; made when it is first needed."""
        return Journal(journal_path(self.journal_file))

    @cached_property
    def memory(self) -> Memory:
        """Where verdicts are kept; opened when it is first needed."""
        return open_memory(self.cache, no_cache=self.no_cache, refresh=self.refresh)

    def judge(self, spec: str = "") -> Judge:
        """The judge, or another of the same settings; what is to be known of it is said.

        Raises:
            ConfigError: there is no such judge, or a setting is wrong.
        """
        from voirdire.judges.spec import make_judge
        from voirdire.record import judge_facts
        from voirdire.reply import Usage

        judge = make_judge(spec or self.spec, self.settings)
        for warning in judge_facts(judge, Usage(0, 0))["warnings"]:
            click.echo(f"warning: {warning}", err=True)
        return judge


def asking_options(command: F) -> F:
    """The options that say which judge is asked and how; the command takes ``asking``.

    Raises:
        ConfigError: no judge was given.
    """

    @wraps(command)
    def packed(
        *,
        spec: str | None,
        settings: tuple[str, ...],
        policy: str,
        cache: str | None,
        no_cache: bool,
        refresh: bool,
        journal: Path | None,
        **others: Any,
    ) -> Any:
        if not spec:
            raise ConfigError("no judge was given; add --judge SPEC (rules needs no model)")
        given = judge_settings(settings)
        asking = Asking(spec, given, policy, cache, no_cache, refresh, journal)
        return command(asking=asking, **others)

    taken: Any = packed
    for option in (journal_option, policy_option, cache_options, settings_option, judge_option):
        taken = option(taken)
    with_options: F = taken
    return with_options


def rubric_facts(rubric: Rubric) -> dict[str, Any]:
    """What reports and certificates say of a rubric."""
    return {"name": rubric.name, "version": rubric.version, "threshold": rubric.threshold}


def journal_path(given: Path | None) -> Path:
    """The journal's path as given, or where it lies by default."""
    return given or default_path()


def read_sources(paths: tuple[Path, ...]) -> tuple[Source, ...]:
    """All sources of the files given.

    Raises:
        ConfigError: none given, or one missing, empty or unreadable.
    """
    if not paths:
        raise ConfigError("no source of truth was given; add --source FILE")
    return unique([source for path in paths for source in load_sources(path)])


def inline_sources(value: Any, where: str) -> tuple[Source, ...]:
    """Sources given in a JSONL line: a text, or a list of excerpts.

    Raises:
        ConfigError: neither.
    """
    if isinstance(value, str) and value.strip():
        return (Source("source", value),)
    if isinstance(value, list):
        return unique(excerpts(value, where))
    raise ConfigError(f"{where}: `source` must be text that is not empty, or a list of excerpts")


def judge_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """The judge's settings as given: ``NAME=VALUE`` each, the value as YAML has it.

    Raises:
        ConfigError: one without ``=``, or with a value that is no YAML.
    """
    import yaml  # the words of YAML for numbers, true, false and null

    result: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(f"--set {pair}: write NAME=VALUE")
        try:
            result[name.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ConfigError(f"--set {pair}: the value cannot be read") from None
    return result


def text_argument(value: str) -> str:
    """A text given on the command line; ``-`` reads standard input.

    Raises:
        ConfigError: standard input is not UTF-8.
    """
    if value != "-":
        return value
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"standard input: not UTF-8 text (byte {error.start})") from None


def text_field(
    value: Mapping[str, Any], key: str, where: str, *, required: bool = False
) -> str | None:
    """A text of a JSONL line; ``None`` where it is null or missing.

    Raises:
        ConfigError: it is of another type, or required and missing.
    """
    text = value.get(key)
    if text is None and not required:
        return None
    if not isinstance(text, str):
        raise ConfigError(f"{where}: `{key}` must be text")
    return text


def dump(value: Any) -> str:
    """One line of JSON; ASCII, so that any text survives any terminal."""
    return json.dumps(value, ensure_ascii=True)


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write JSONL whole or not at all.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_pieces(path, (dump(value) + "\n" for value in values))
