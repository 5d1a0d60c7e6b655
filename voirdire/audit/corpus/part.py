"""One file of a corpus, read as lines of JSON and hashed on the way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from voirdire.audit.corpus import files, readers
from voirdire.audit.corpus.files import File
from voirdire.audit.corpus.item import Form
from voirdire.audit.corpus.readers import Lines, Read
from voirdire.audit.corpus.source import Source
from voirdire.promptfoo.outputs import StoredEval

_READERS: Final[dict[str, Read]] = {
    files.TEXT: readers.raw_text,
    files.JSONL: readers.json_lines,
    files.RESULTS: readers.results,
    files.ROWS: readers.result_rows,
    files.JOURNAL: readers.journal,
}


class Part:
    """A file that is read from its beginning to its end, once.

    Attributes:
        file: which.
        read: how many of the file's bytes were read so far, for progress.
        record: what a report says of it; complete when all was read.

    Args:
        file: which.
        form: where the user's JSON lines keep what.
    """

    def __init__(self, file: File, form: Form) -> None:
        self.file = file
        self.form = form
        self.read = 0
        self.record: dict[str, Any] = {"name": file.name, "format": file.format}

    def lines(self, size: int) -> Iterator[Lines]:
        """What is in it, the user's own lines about ``size`` bytes at a time.

        Raises:
            OSError: it cannot be read.
            ConfigError: it is damaged past reading.
        """
        read, name = _READERS[self.file.format], self.file.name
        with closing(Source(self.file.path, self.file.packed)) as source:
            last = Lines(0, b"\n", self.form)
            for last in read(source.stream, name, self.form, size):
                self.read = source.bytes
                yield last
            if source.damage:
                # Behind the last line, even if that was cut off.
                number = last.first + last.data.count(b"\n") + 1
                yield readers.damage(number, name, source.damage)
            self._finish(source)

    def hash_alone(self) -> None:
        """Read it for its hash.

        Raises:
            OSError: it cannot be read.
            ConfigError: it is damaged past reading.
        """
        with closing(Source(self.file.path)) as source:
            self._finish(source)

    def _finish(self, source: Source) -> None:
        source.drain()
        self.read = source.bytes
        self.record |= {"bytes": source.bytes, "sha256": source.sha256}


class Database(Part):
    """An eval of promptfoo's database.

    The file changes at every run of promptfoo, so the hash is of what was read of it.

    Raises:
        ConfigError: it cannot be read, or there is no such eval.
    """

    def __init__(self, file: File, path: Path, form: Form, eval_id: str | None) -> None:
        super().__init__(file, form)
        self._eval = StoredEval(path, file.name, eval_id)
        self.record["eval_id"] = self._eval.id

    def lines(self, size: int) -> Iterator[Lines]:
        """See :class:`Part`."""
        digest, count, whole = hashlib.sha256(), 0, self.file.size or 0
        for number, output in enumerate(self._eval.outputs(), 1):
            row = json.dumps(output._asdict(), sort_keys=True).encode("ascii") + b"\n"
            digest.update(row)
            count += len(row)
            self.read = whole * number // max(number, self._eval.rows)
            yield readers.of_output(output, number, f"{self.file.name}#{number}")
        self.read = whole
        self.record |= {"bytes": count, "sha256": digest.hexdigest()}

    def hash_alone(self) -> None:
        """See :class:`Part`."""
        for _ in self.lines(0):
            pass
