"""An audit from its parts to its report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voirdire import __version__
from voirdire.audit import engine, report
from voirdire.audit.both import Plan
from voirdire.audit.code import identity
from voirdire.audit.corpus.item import Form
from voirdire.audit.corpus.open import Corpus
from voirdire.audit.examples import HURRIED_S, counterexamples
from voirdire.audit.outcome import SIDES
from voirdire.audit.tally import Tally
from voirdire.errors import ConfigError

Progress = Callable[[int, int, int | None], None]
"""Told after each block: its texts, the bytes read so far, and those there are, where known."""


BASES = 64
"""Values of the corpus that mutations start from, chosen by the seed."""


class Request(NamedTuple):
    """What is to be audited.

    Attributes:
        plan: the parsers, the schema and the limits.
        paths: the corpus.
        form: the fields of its JSON lines.
        eval_id: which eval of a promptfoo database; ``None``: the latest.
        schema: where the plan's schema stands.
        jobs: worker processes; ``None``: one a core.
        mutate: how many mutants to audit besides.
        seed: of the mutants.
        growth: whether to measure how the parsers' time grows.
        results: a promptfoo results file to score again.
        expected: the test variable of the value that its outputs should have.
        scheduler: the address of a Dask scheduler; ``None``: this machine alone.
    """

    plan: Plan
    paths: tuple[str, ...]
    form: Form = Form()
    eval_id: str | None = None
    schema: Path | None = None
    jobs: int | None = None
    mutate: int = 0
    seed: int = 0
    growth: bool = True
    results: Path | None = None
    expected: str | None = None
    scheduler: str | None = None


def audit(
    request: Request,
    progress: Progress = lambda texts, read, total: None,
    stage: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """Run an audit. The same request over the same files gives the same report, byte for byte,
    but for the growth, which is measured.

    Args:
        request: what to audit.
        progress: told after each block of the corpus.
        stage: told what comes after the corpus.

    Raises:
        ConfigError: a parser, the corpus, the schema or the results cannot be used, or there is
            no text to be parsed.
    """
    plan = request.plan
    if request.results is not None:
        from voirdire.audit.rescore import check

        check(request.results)
    parsers = {side: identity(spec) for side, spec in zip(SIDES, plan.parsers, strict=True)}
    tally, files = _over_the_corpus(request, progress)
    if not tally.all.texts:
        named = "; ".join(f"{damage.where}: {damage.why}" for damage in tally.named_damages()[:3])
        raise ConfigError(
            f"{', '.join(request.paths)}: no text to be parsed"
            + (f" ({named}); name the texts' field with --field" if named else "")
        )
    stage("shrinking the counterexamples")
    found = report.gap(tally)
    found.pop("texts")
    result = {
        "tool_version": __version__,
        "parsers": parsers,
        "schema": schema_record(request.schema),
        "limits": {"timeout_s": plan.timeout, "memory_bytes": plan.memory},
        "corpus": {
            **report.corpus_record(list(request.paths), tally, files, combined(files)),
            "form": request.form._asdict(),
            "eval_id": request.eval_id,
        },
        **found,
        "counterexamples": _shrunk(plan, tally),
        "mutations": _mutations(request, tally, stage),
        "growth": _growth(request, stage),
        "rescored": None,
    }
    if request.results is not None:
        from voirdire.audit.rescore import rescore

        stage("scoring the stored outputs again")
        jobs = request.jobs or engine.jobs_for(plan)
        result["rescored"] = rescore(plan, request.results, request.expected, jobs)
    return result


def combined(files: list[Mapping[str, Any]]) -> str:
    """One hash of a corpus: of its files' names, sizes and hashes, in order."""
    rows = [[file["name"], file["bytes"], file["sha256"]] for file in files]
    return hashlib.sha256(json.dumps(rows).encode("ascii")).hexdigest()


def schema_record(path: Path | None) -> dict[str, str] | None:
    """A schema's path and hash.

    Raises:
        ConfigError: it cannot be read.
    """
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: the schema cannot be read ({error.strerror})") from None
    return {"path": str(path), "sha256": hashlib.sha256(data).hexdigest()}


def _over_the_corpus(request: Request, progress: Progress) -> tuple[Tally, list[Mapping[str, Any]]]:
    sample = BASES if request.mutate else 0
    if request.scheduler is not None:
        from voirdire.audit.cluster import run_on_cluster

        return run_on_cluster(request, sample, progress)
    corpus = Corpus(request.paths, request.form, request.eval_id)
    jobs = request.jobs or engine.jobs_for(request.plan)
    tally = engine.run(
        request.plan,
        corpus.blocks(),
        jobs,
        sample_size=sample,
        seed=request.seed,
        progress=lambda texts: progress(texts, corpus.read, corpus.total),
    )
    return tally, list(corpus.files)


def _shrunk(plan: Plan, tally: Tally) -> list[dict[str, Any]]:
    if not tally.shortest:
        return []
    hurried = plan._replace(timeout=min(plan.timeout, HURRIED_S))
    with engine.looking(plan) as look, engine.looking(hurried) as look_hurried:
        return counterexamples(tally, look, look_hurried)


def _mutations(
    request: Request, sample: Tally, stage: Callable[[str], None]
) -> dict[str, Any] | None:
    if not request.mutate:
        return None
    from voirdire.audit.beyond import mutants

    stage("auditing mutations of the corpus")
    jobs = request.jobs or engine.jobs_for(request.plan)
    tally = engine.run(request.plan, mutants(sample, request.mutate, request.seed), jobs)
    return {
        "seed": request.seed,
        "bases": len(sample.sample),
        **report.gap(tally),
        "counterexamples": _shrunk(request.plan, tally),
    }


def _growth(request: Request, stage: Callable[[str], None]) -> dict[str, Any] | None:
    if not request.growth:
        return None
    from voirdire.audit.slow import growth

    stage("timing the parsers on growing texts")
    with engine.timing(request.plan) as seconds:
        return growth(request.plan, seconds)
