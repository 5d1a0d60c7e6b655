"""Files that a command is going to write, looked at before it begins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from voirdire.errors import ConfigError


def see_outputs(outputs: Iterable[Path], inputs: Sequence[Path]) -> None:
    """Refuse what could not be written in the end, or would be written over what is read.

    Args:
        outputs: files that will be written.
        inputs: files and folders that are read, or are kept for something else.

    Raises:
        ConfigError: an output is no file of its own that can be written.
    """
    taken: set[Path] = set()
    for path in outputs:
        real = path.resolve()
        if not path.parent.is_dir():
            raise ConfigError(f"{path}: there is no folder {path.parent}; make it first")
        if not os.access(path.parent, os.W_OK) or (path.exists() and not path.is_file()):
            raise ConfigError(f"{path}: cannot be written; name another file")
        if real in taken:
            raise ConfigError(f"{path}: is named twice; write to a file of its own")
        taken.add(real)
        for given in inputs:
            if given.resolve() in (real, *real.parents):
                raise ConfigError(
                    f"{path}: is, or lies in, {given}, which is used otherwise; name another"
                )


def see_certificate(outputs: Iterable[Path | None], certificate: Path | None) -> None:
    """The same of a judge's certificate, which may be there already, and what is written beside it.

    Args:
        outputs: files that will be written; ``None`` for those that were not asked for.
        certificate: which will be written, if any.

    Raises:
        ConfigError: an output cannot be written, or what is there is no certificate.
    """
    see_outputs([path for path in (*outputs, certificate) if path is not None], ())
    if certificate is not None and certificate.exists():
        from voirdire.certificate import load

        load(certificate)
