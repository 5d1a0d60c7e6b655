"""A corpus, wherever its texts lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from voirdire.audit.corpus.files import DATABASE, PARQUET, File, find, unreadable
from voirdire.audit.corpus.item import OWN, Block, Form
from voirdire.audit.corpus.part import Database, Part
from voirdire.audit.corpus.readers import Lines
from voirdire.errors import ConfigError

BLOCK_BYTES: Final = 256 * 1024


class Corpus:
    """The texts in some files and folders, each file once however often it is named.

    Opening it looks at the beginning of every file, so that what cannot be read is told before
    the first text is parsed.

    Attributes:
        total: bytes to be read; ``None`` where a pipe is among them.

    Args:
        paths: files and folders; ``-`` is standard input.
        form: where JSON lines and Parquet files keep what.
        eval_id: which eval of a promptfoo database; the latest by default.
        found: the files at these paths, where they were looked for already.

    Raises:
        ConfigError: a path is missing, cannot be read or holds no corpus.
    """

    def __init__(
        self,
        paths: Sequence[str],
        form: Form,
        eval_id: str | None = None,
        found: Sequence[File] | None = None,
    ) -> None:
        files = find(paths) if found is None else found
        self._parts = [_opened(file, form, eval_id) for file in files]
        if eval_id is not None and not any(isinstance(part, Database) for part in self._parts):
            raise ConfigError(
                f"{', '.join(paths)}: there is no promptfoo database, so no eval {eval_id!r}"
            )
        sizes = [part.file.size for part in self._parts]
        self.total = None if None in sizes else sum(size or 0 for size in sizes)

    @property
    def read(self) -> int:
        """Bytes read so far, of ``total``."""
        return sum(part.read for part in self._parts)

    @property
    def files(self) -> list[dict[str, Any]]:
        """Of every file its ``name``, ``format``, ``bytes`` and ``sha256``.

        Of a database, which changes at every run, ``eval_id``, and bytes and hash of what that
        eval holds. Complete after :meth:`blocks` or :meth:`read_hashes`.
        """
        return [part.record for part in self._parts]

    def blocks(self, size: int = BLOCK_BYTES) -> Iterator[Block]:
        """All texts in order, in blocks of about ``size`` bytes; a longer line is one block.

        Raises:
            ConfigError: a file cannot be read, or what looked like a results file is damaged.
        """
        small = _Gathered(size)
        for number, part in enumerate(self._parts):
            name = part.file.name
            try:
                for lines in part.lines(size):
                    if lines.form == OWN:
                        yield from small.add(number, name, lines)
                    else:
                        yield from small.rest()
                        yield Block(number, name, *lines)
            except OSError as error:
                raise unreadable(name, error) from None
        yield from small.rest()

    def read_hashes(self) -> None:
        """Read everything for the sake of :attr:`files` alone.

        Raises:
            ConfigError: a file cannot be read.
        """
        for part in self._parts:
            try:
                part.hash_alone()
            except OSError as error:
                raise unreadable(part.file.name, error) from None


def _opened(file: File, form: Form, eval_id: str | None) -> Part:
    if file.path is not None and file.format == DATABASE:
        return Database(file, file.path, form, eval_id)
    if file.path is not None and file.format == PARQUET:
        from voirdire.audit.corpus.parquet import Parquet

        return Parquet(file, file.path, form)
    return Part(file, form)


class _Gathered:
    """Lines of the form ``OWN``, gathered to blocks: many texts are files of their own.

    A block has the place of its first line. Those behind it may be of later files; they keep their
    order, and say themselves where they stand.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lines: list[bytes] = []
        self._bytes = 0
        self._place = (0, "", 0)

    def add(self, file: int, name: str, lines: Lines) -> Iterator[Block]:
        """Take some more lines; give a block where enough came together."""
        if not self._lines:
            self._place = (file, name, lines.first)
        self._lines.append(lines.data)
        self._bytes += len(lines.data)
        if self._bytes >= self._size:
            yield from self.rest()

    def rest(self) -> Iterator[Block]:
        """What came together, if anything."""
        if self._lines:
            yield Block(*self._place, b"".join(self._lines), OWN)
            self._lines, self._bytes = [], 0
