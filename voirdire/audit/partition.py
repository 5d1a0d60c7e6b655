"""One file of a corpus, audited on a worker of a Dask cluster.

The Dask worker starts a process for it, which runs what one machine would run, in the folder that
the audit was started in: specs of parsers and their hashes are relative to that, and the Dask
worker's own folder belongs to all that it does. Where the worker's machine has no such folder, the
parsers must be installed there, or named by a path that holds everywhere.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from voirdire import __version__
from voirdire.audit.worker import receive, send
from voirdire.errors import ConfigError

_ROOT = Path(__file__).resolve().parents[2]
# Not from the working folder, which -c puts first: it may hold a json.py.
_START = (
    "import sys; del sys.path[0]; sys.path.append(sys.argv[1]); "
    "from voirdire.audit.partition import main; sys.exit(main())"
)


def audited(partition: Mapping[str, Any], order: Mapping[str, Any]) -> dict[str, Any]:
    """Audit a file; runs on a thread of a Dask worker.

    Args:
        partition: the file, its number in the corpus, and which eval of it where it is a database.
        order: what is the same for all files (see ``cluster``).

    Returns:
        ``tally`` and ``file``, or ``refused``: a sentence on what would fail on every try.

    Raises:
        RuntimeError: the process ended without an answer; another try may bring one.
    """
    from distributed import get_worker

    here = f"the Dask worker at {get_worker().address}"
    if order["version"] != __version__:
        return {
            "refused": f"{here} has voirdire {__version__}, and this machine {order['version']}; "
            "install the same version on both"
        }
    folder = order["folder"] if Path(order["folder"]).is_dir() else None
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            [sys.executable, "-c", _START, str(_ROOT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd=folder,
        ) as child,
    ):
        assert child.stdin is not None
        assert child.stdout is not None
        with suppress(BrokenPipeError):
            send(child.stdin, {**order, **partition})
        # Its input stays open: where that closes without an answer given, this worker has died.
        frame = receive(child.stdout)
        if frame is None:
            code = child.wait()
            said.seek(0)
            last = said.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise RuntimeError(f"on {here} its process ended with {code}: {last or 'no word'}")
    answer = frame[0]
    return {"refused": f"{here}: {answer['refused']}"} if "refused" in answer else answer


def main() -> int:
    """Audit the one file that standard input names, and write what was found."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the Dask worker does
    frame = receive(sys.stdin.buffer)
    if frame is None:
        return 1
    threading.Thread(target=_stop_with_starter, daemon=True).start()
    try:
        answer = _answer(frame[0])
    except ConfigError as error:
        answer = {"refused": str(error)}
    send(sys.stdout.buffer, answer)
    return 0


def _stop_with_starter() -> None:
    """Stop as by Ctrl-C once the Dask worker is gone: then the parsers' process is ended, too."""
    os.read(0, 1)
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    signal.pthread_kill(main_thread, signal.SIGINT)


def _answer(order: Mapping[str, Any]) -> dict[str, Any]:
    from voirdire.audit import engine
    from voirdire.audit.both import Plan
    from voirdire.audit.corpus.files import File
    from voirdire.audit.corpus.item import Form
    from voirdire.audit.corpus.open import Corpus

    plan = Plan(**order["plan"])
    _compare_parsers(order)
    file = File(**{**order["file"], "path": Path(order["file"]["path"])})
    if not os.access(file.path or "", os.R_OK):
        raise ConfigError(
            f"{file.name}: cannot be read as {file.path}; every worker needs the corpus there"
        )
    corpus = Corpus((file.name,), Form(*order["form"]), order["eval_id"], [file])
    blocks = (block._replace(file=order["number"]) for block in corpus.blocks())
    tally = engine.run(plan, blocks, 1, sample_size=order["sample_size"], seed=order["seed"])
    return {"tally": tally.to_json(), "file": corpus.files[0]}


def _compare_parsers(order: Mapping[str, Any]) -> None:
    """Refuse to audit other code than that whose hash the report will hold."""
    from voirdire.audit.code import identity

    missing = "" if Path.cwd() == Path(order["folder"]) else f"; it has no folder {order['folder']}"
    for side, wanted in order["parsers"].items():
        try:
            found = identity(wanted["spec"])
        except ConfigError as error:
            raise ConfigError(f"the parser of {side}: {error}{missing}") from None
        if found["sha256"] != wanted["sha256"]:
            raise ConfigError(
                f"the parser of {side} ({wanted['spec']}) is other code there than on this "
                f"machine{missing}; bring the worker's copy up to date"
            )
