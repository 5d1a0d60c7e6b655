"""The audit of a corpus on a Dask cluster that is there: a task for each file.

The files must lie under the same path on every worker, and voirdire and what the parsers need be
installed there; a program (``cmd:``) is started once for each file. Whatever differs there from
this machine stops the audit, so that its report is the one that this machine alone would have
written, byte for byte. A file whose worker dies goes to another one. Files that were begun when an
audit is stopped are finished, for nobody.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire import __version__
from voirdire.audit.code import identity
from voirdire.audit.corpus.files import DATABASE, find
from voirdire.audit.corpus.open import Corpus
from voirdire.audit.outcome import SIDES
from voirdire.audit.tally import Tally
from voirdire.errors import ConfigError

if TYPE_CHECKING:
    from voirdire.audit.run import Progress, Request

CONNECT_S = 10
"""Seconds within which the scheduler must answer."""
PATIENCE_S = 120.0
"""Seconds without any worker after which the audit ends: a cluster may take some to grow."""
RETRIES = 2
"""Further tries of a file whose process failed. Of workers that die, Dask itself keeps count
(``distributed.scheduler.allowed-failures`` of the scheduler's configuration)."""
_POLL_S = 0.05
_LOOK_S = 2.0
_TASK = "__import__('voirdire.audit.partition', fromlist=['']).audited(partition, order)"
"""What a worker evaluates. A function of ours, or an object, would end a worker that cannot import
voirdire while it reads its orders; this is an error of the task."""


def run_on_cluster(
    request: Request, sample_size: int, progress: Progress
) -> tuple[Tally, list[Mapping[str, Any]]]:
    """Count what both parsers make of all texts.

    Args:
        request: what to audit, and the scheduler's address.
        sample_size: how many bases of mutations to keep.
        progress: told after each file.

    Returns:
        The tally, and of every file its record in the report.

    Raises:
        ConfigError: the corpus or a parser cannot be used there, the cluster cannot be reached,
            or a file was lost for good.
    """
    partitions = _partitions(request)
    order = {
        "version": __version__,
        "folder": str(Path.cwd()),
        "plan": request.plan._asdict(),
        "parsers": {
            side: identity(spec) for side, spec in zip(SIDES, request.plan.parsers, strict=True)
        },
        "form": list(request.form),
        "sample_size": sample_size,
        "seed": request.seed,
    }
    total, read = Tally(sample_size=sample_size), 0
    whole = sum(partition["file"]["size"] for partition in partitions)
    records: list[Mapping[str, Any]] = [{}] * len(partitions)
    with _connected(str(request.scheduler)) as client:
        for number, answer in _answers(client, partitions, order):
            found = Tally.from_json(answer["tally"])
            total.merge(found)
            records[number] = answer["file"]
            read += partitions[number]["file"]["size"]
            progress(found.all.texts, read, whole)
    total.settle()
    return total, records


def _partitions(request: Request) -> list[dict[str, Any]]:
    files = find(request.paths)
    for file in files:
        if file.path is None or file.size is None:
            raise ConfigError(
                f"{file.name}: can be read by this machine alone; write it to a file that the "
                "workers can read, or leave out --engine dask"
            )
    if all(file.format == DATABASE for file in files):
        raise ConfigError(
            f"{', '.join(request.paths)}: a promptfoo database is read in one piece, which a "
            "cluster cannot share; leave out --engine dask"
        )
    corpus = Corpus(request.paths, request.form, request.eval_id, files)  # all can be read
    return [
        {
            "number": number,
            "file": {**vars(file), "path": str(file.path and file.path.absolute())},
            "eval_id": record.get("eval_id"),
        }
        for number, (file, record) in enumerate(zip(files, corpus.files, strict=True))
    ]


def _dask() -> Any:
    """The package, whose functions have no types."""
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"--engine dask needs Dask (there is no module {error.name!r}); "
            "pip install 'voirdire[dask]'"
        ) from None
    return distributed


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    dask = _dask()
    try:
        # A client that cannot connect is closed late, and complains: so we ask first.
        there = asyncio.run(asyncio.wait_for(_who_is_at(dask, address), CONNECT_S))
    except (OSError, ValueError, asyncio.TimeoutError) as error:
        there = str(error).partition("\n")[0] or f"nothing within {CONNECT_S} seconds"
    if there != "a Dask Scheduler":
        raise ConfigError(
            f"--scheduler {address}: no Dask scheduler answers there ({there}); "
            "give the address that it printed when it was started, tcp://HOST:PORT"
        )
    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what it would log with tracebacks is said in an error
    try:
        with dask.Client(address, timeout=CONNECT_S, set_as_default=False) as client:
            yield client
    finally:
        logger.setLevel(level)


async def _who_is_at(dask: Any, address: str) -> str:
    security = dask.Security().get_connection_args("client")
    server = dask.rpc(address, connection_args=security, timeout=CONNECT_S)
    try:
        return f"a Dask {(await server.identity())['type']}"
    finally:
        await server.close_rpc()


def _answers(
    client: Any, partitions: Sequence[Mapping[str, Any]], order: Mapping[str, Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """What was found in each file, as they are done."""
    names = [{"partition": partition, "order": order} for partition in partitions]
    futures = client.map(
        eval, [_TASK] * len(names), names, key="voirdire-audit", pure=False, retries=RETRIES
    )
    numbers = {future.key: number for number, future in enumerate(futures)}
    done = _dask().as_completed(futures, loop=client.loop)
    del futures  # a result is dropped by the cluster when nobody holds its future any more
    seen = looked = time.monotonic()
    while numbers:
        for future in done.next_batch(block=False):
            number = numbers.pop(future.key)
            name = partitions[number]["file"]["name"]
            try:
                answer = future.result()
            except Exception as error:
                raise _lost(name, error) from None
            if "refused" in answer:
                raise ConfigError(f"{name}: {answer['refused']}")
            yield number, answer
        time.sleep(_POLL_S)
        now = time.monotonic()
        if now - looked > _LOOK_S:
            looked = now
            with suppress(OSError):  # a lost scheduler ends the futures
                seen = now if client.ncores() else seen
            if now - seen > PATIENCE_S:
                raise ConfigError(
                    f"the scheduler has had no worker for {PATIENCE_S:.0f} seconds; start one: "
                    f"dask worker {client.scheduler.address}"
                )


def _lost(name: str, error: Exception) -> ConfigError:
    dask = _dask()
    if isinstance(error, dask.KilledWorker):
        died = getattr(error, "allowed_failures", 0) + 1
        why = f"{died} Dask workers died over it (their logs say why; is it a lack of memory?)"
    elif isinstance(error, ModuleNotFoundError) and str(error.name).startswith("voirdire"):
        why = f"a Dask worker has no voirdire; pip install 'voirdire[dask]=={__version__}' on all"
    elif isinstance(error, dask.CancelledError):
        why = "the Dask scheduler was lost before the file was audited"
    else:
        said = str(error).partition("\n")[0]
        why = f"the cluster could not audit it ({type(error).__name__}: {said})"
    return ConfigError(f"{name}: {why}; there is no report without it")
