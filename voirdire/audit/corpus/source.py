"""Bytes of a file, hashed while they are read, and unpacked."""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER = 256 * 1024


class Source:
    """A file, or standard input, to be read once from its beginning.

    Attributes:
        stream: what is in it; of a gzip file, unpacked.

    Args:
        path: the file; ``None`` for standard input.
        packed: whether it is gzip.
    """

    def __init__(self, path: Path | None, packed: bool = False) -> None:
        self._raw = _Hashed(path.open("rb", buffering=0) if path else None)
        self._unpacked = _Unpacked(self._raw) if packed else None
        self.stream: IO[bytes] = io.BufferedReader(self._unpacked or self._raw, _BUFFER)

    @property
    def damage(self) -> str:
        """Why a gzip file could not be unpacked to its end; empty where it could."""
        return self._unpacked.damage if self._unpacked else ""

    @property
    def bytes(self) -> int:
        """How many of the file's bytes were read."""
        return self._raw.bytes

    @property
    def sha256(self) -> str:
        """Of these bytes, hex."""
        return self._raw.digest.hexdigest()

    def drain(self) -> None:
        """Read what is left of the file, so that the hash is of all of it."""
        while self._raw.readinto(bytearray(_BUFFER)):
            pass

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self.stream.close()


def _stdin() -> io.BufferedReader:
    return cast("io.BufferedReader", sys.stdin.buffer)


class _Hashed(io.RawIOBase):
    def __init__(self, file: io.FileIO | None) -> None:
        self._file = file
        self._readinto = file.readinto if file else _stdin().readinto1
        self.digest = hashlib.sha256()
        self.bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        got = self._readinto(buffer) or 0
        self.digest.update(memoryview(buffer)[:got])
        self.bytes += got
        return got

    def close(self) -> None:
        if self._file:
            self._file.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """What a gzip file holds as far as it can be unpacked, then an end like any other."""

    def __init__(self, packed: _Hashed) -> None:
        self._packed = packed
        self._file = gzip.GzipFile(fileobj=io.BufferedReader(packed, _BUFFER), mode="rb")
        self.damage = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        try:
            data = self._file.read1(len(view))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            self.damage = f"cannot be unpacked to its end ({error})"
            return 0
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packed.close()
        super().close()
