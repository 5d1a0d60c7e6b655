"""The ``config:`` of a door: what promptfoo users write, checked and turned into parts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from voirdire.doorinput import as_text, find, read_sources, var_names
from voirdire.errors import ConfigError
from voirdire.grade import ORDERS, Case, Setup, fingerprint
from voirdire.journal import default_path
from voirdire.judges.base import Judge
from voirdire.judges.spec import make_judge
from voirdire.reading import POLICIES
from voirdire.rubric import Rubric, load_rubric, rubric_from_mapping
from voirdire.source import Source, unique

if TYPE_CHECKING:  # loaded only where it is used: promptfoo waits for every import
    from voirdire.cache.recall import Memory
    from voirdire.certificate import Standing
    from voirdire.minima import Minimum
    from voirdire.quorum import Quorum

_FIELDS = (
    "rubric",
    "source",
    "judge",
    "vars",
    "policy",
    "precheck",
    "journal",
    "samples",
    "quorum",
    "order",
    "cache",
    "certificate",
    "require_certificate",
)
_DROP_IN_FIELDS = (*_FIELDS, "on_judge_error")
# promptfoo's own settings of a Python provider; it hands them on with ours.
_PROMPTFOO_FIELDS = ("basePath", "workers", "timeout", "pythonExecutable")
_VARS = ("question", "source", "case_id")


FILE_NAME = "voirdire.certificate.json"
"""The usual name of a judge's certificate, beside the suite."""


class DoorConfig(NamedTuple):
    """A checked ``config:``.

    Attributes:
        rubric: the rubric; ``None`` where a drop-in door takes the assertion's own words.
        judge: who decides.
        precheck: the ``rules`` judge where it is asked first.
        policy: ``strict`` or ``tolerant``.
        on_judge_error: ``fail`` or ``error``.
        journal: the journal's path.
        cache: where verdicts are kept; ``None`` for the default place.
        quorum: samples and how many must agree; ``None`` for one.
        order: ``source_first`` or ``both``.
        certificate: where the judge's certificate is to be, as it is written; ``None`` for the
            usual name beside the suite.
        minimum: what the certificate must show; ``None`` where none is required.
        source: the config's ``source`` as it is written; ``None`` where a test var holds it.
        names: the test vars that hold the question, the source and the case's id.
        folders: where relative paths are looked for, in order.
    """

    rubric: Rubric | None
    judge: Judge
    precheck: Judge | None
    policy: str
    on_judge_error: str
    journal: Path
    cache: str | None
    quorum: Quorum | None
    order: str
    certificate: str | None
    minimum: Minimum | None
    source: Any
    names: Mapping[str, str]
    folders: tuple[Path, ...]

    def var(self, name: str, vars_: Mapping[str, Any]) -> Any:
        """The test's var that holds this, by whatever name; ``None`` where there is none.

        Raises:
            ConfigError: the config names a var for the question, and this test has none such.
        """
        var = self.names[name]
        if name == "question" and var != name and var not in vars_:
            raise ConfigError(f"config: vars: question: this test has no var `{var}`")
        return vars_.get(var)

    def sources(self, vars_: Mapping[str, Any]) -> tuple[Source, ...]:
        """The sources of truth of these test vars' case.

        Raises:
            ConfigError: no source, or one that is missing, empty or unreadable.
        """
        return unique(read_sources(self.source, self.names["source"], vars_, self.folders))

    def memory(self) -> Memory | None:
        """Where verdicts are kept, opened; ``None`` where none are, or asking costs nothing."""
        if not self.judge.cacheable:
            return None
        from voirdire.cache.recall import Memory
        from voirdire.cache.store import open_store

        return Memory(open_store(self.cache))

    def setup(self, rubric: Rubric) -> Setup:
        """All that makes the verdicts of this door what they are."""
        votes = self.quorum
        return Setup(
            fingerprint(self.judge, rubric, self.policy),
            votes.samples if votes else 1,
            votes.needed if votes else 1,
            self.order,
            self.precheck is not None,
        )

    def standing(self, rubric: Rubric) -> Standing | None:
        """How the judge stands; ``None`` where there is no certificate and none is required.

        Raises:
            ConfigError: the certificate is named and missing, or required and cannot be used.
        """
        paths = [folder / (self.certificate or FILE_NAME) for folder in self.folders]
        path = next((path for path in paths if os.path.lexists(path)), None)
        if self.certificate and path is None:
            raise ConfigError(
                f"config: certificate: there is no {self.certificate}; write it with voirdire "
                "calibrate CASES --judge SPEC --certificate FILE"
            )
        if path is None and self.minimum is None:
            return None
        from voirdire.certificate import Standing, standing

        try:
            return standing(path, self.setup(rubric), self.minimum)
        except ConfigError as error:
            if self.minimum is not None:
                raise
            return Standing("uncertified", str(error))

    def case(self, answer: str, vars_: Mapping[str, Any]) -> Case:
        """The case that these test vars and this answer make.

        Raises:
            ConfigError: no source, or one that is missing, empty or unreadable.
        """
        question = self.var("question", vars_)
        case_id = self.var("case_id", vars_)
        return Case(
            sources=self.sources(vars_),
            question=None if question is None else as_text(question),
            answer=answer,
            id=None if case_id is None else str(case_id),
        )


def read_config(
    config: Any,
    folders: Sequence[Path],
    *,
    drop_in: bool = False,
    fields: Sequence[str] | None = None,
    var_fields: Sequence[str] = _VARS,
) -> DoorConfig:
    """Check a door's ``config:``.

    Args:
        config: as promptfoo hands it over.
        folders: where relative paths are looked for, in order.
        drop_in: whether it is the grading provider's, which has ``on_judge_error`` too.
        fields: the fields that the door has, where they are others; what is not described here
            is the caller's to check.
        var_fields: what ``vars:`` may rename.

    Raises:
        ConfigError: names the field that is wrong and what it may be.
    """
    if config is not None and not isinstance(config, dict):
        raise ConfigError("config: must be a mapping with `rubric`, `source` and `judge`")
    given = {key: value for key, value in (config or {}).items() if key not in _PROMPTFOO_FIELDS}
    accepted = fields or (_DROP_IN_FIELDS if drop_in else _FIELDS)
    for key in given:
        if key not in accepted:
            raise ConfigError(f"config: unknown field `{key}`; there is {', '.join(accepted)}")
    folders = tuple(folders)
    return DoorConfig(
        rubric=_rubric(given.get("rubric"), folders, required=not drop_in),
        judge=_judge(given.get("judge"), folders),
        precheck=_precheck(given.get("precheck")),
        policy=_choice("policy", given.get("policy", "strict"), POLICIES),
        on_judge_error=_choice(
            "on_judge_error", given.get("on_judge_error", "fail"), ("fail", "error")
        ),
        journal=_journal(given.get("journal")),
        cache=_cache(given.get("cache")),
        quorum=_quorum(given),
        order=_choice("order", given.get("order", "source_first"), ORDERS),
        certificate=_certificate(given.get("certificate")),
        minimum=_minimum(given),
        source=given.get("source"),
        names=var_names(given.get("vars", {}), var_fields),
        folders=folders,
    )


def _rubric(value: Any, folders: Sequence[Path], *, required: bool) -> Rubric | None:
    if value is None:
        if required:
            raise ConfigError("config: no rubric; add `rubric: FILE.yaml`")
        return None
    if isinstance(value, str):
        return load_rubric(find(value, folders))
    return rubric_from_mapping(value, "config.rubric")


def _judge(value: Any, folders: Sequence[Path]) -> Judge:
    settings: dict[str, Any] = {}
    if isinstance(value, dict):
        settings = dict(value)
        value = settings.pop("spec", None)
    override = os.environ.get("VOIRDIRE_JUDGE")
    # `rules` stays: it is a check that was asked for by name, not a model to be switched.
    if override and value != "rules":
        value = override
    if not isinstance(value, str) or not value:
        raise ConfigError(
            "config: no judge; add `judge: SPEC` (openai:MODEL, anthropic:MODEL, ollama:MODEL, "
            "replay:FILE or rules), or set VOIRDIRE_JUDGE"
        )
    scheme, _, path = value.partition(":")
    if scheme == "replay":
        value = f"replay:{find(path, folders)}"
    return make_judge(value, settings, of_parent=True)


def _precheck(value: Any) -> Judge | None:
    if value in (None, False):
        return None
    _choice("precheck", value, ("rules",))
    return make_judge("rules")


def _choice(field: str, value: Any, accepted: Sequence[str]) -> str:
    if value not in accepted:
        raise ConfigError(f"config: {field}: must be {' or '.join(accepted)}, not {value!r}")
    return str(value)


def _journal(value: Any) -> Path:
    if value is None:
        return default_path()
    if not isinstance(value, str) or not value:
        raise ConfigError(f"config: journal: must be a path, not {value!r}")
    return Path(value)


def _cache(value: Any) -> str | None:
    """A place, or ``off`` (YAML reads that word as false)."""
    if value is False:
        return "off"
    if value is not None and (not isinstance(value, str) or not value):
        raise ConfigError(f"config: cache: must be a file, a redis:// URL or off, not {value!r}")
    return value


def _certificate(value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise ConfigError(f"config: certificate: must be a path, not {value!r}")
    return value


def _minimum(given: Mapping[str, Any]) -> Minimum | None:
    if "require_certificate" not in given:
        return None
    from voirdire.minima import read_minimum

    # Left empty, it is an error: a requirement that was begun must not come to none.
    return read_minimum(given["require_certificate"])


def _quorum(given: Mapping[str, Any]) -> Quorum | None:
    if given.get("samples") is None and given.get("quorum") is None:
        return None
    from voirdire.quorum import read_quorum

    return read_quorum(given.get("samples"), given.get("quorum"), "config: ")
