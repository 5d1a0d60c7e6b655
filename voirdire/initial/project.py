"""A promptfoo project as its files have it: every model-graded assertion, and who uses it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from voirdire.errors import ConfigError
from voirdire.initial.marked import Node
from voirdire.initial.modelgraded import SEEN
from voirdire.initial.references import References, dereferenced
from voirdire.initial.suitefile import PLAIN, SuiteFile

# A model-graded assertion in a cell of a table.
_GRADED = re.compile(
    rf"\s*((?:not-)?(?:{'|'.join(map(re.escape, SEEN))}|grade))(?:\([^()]{{0,20}}\))?:"
)
# What a prompt is that lies in a file.
_FILE = re.compile(r"file://\S{1,200}|[^\s{}*?]{1,200}\.(?:txt|md|json|jsonl|ya?ml)")


@dataclass(eq=False)
class Use:
    """One test that an assertion grades.

    Attributes:
        vars: the test's vars with those of defaultTest; the text of each, or ``None`` where it
            is a list or a mapping.
        known: whether these are all of its vars.
        grader: the provider that grades where the assertion names none.
        prompt: a ``rubricPrompt`` of the test's own; empty where it has none.
    """

    vars: Mapping[str, str | None]
    known: bool
    grader: Node | None
    prompt: str


@dataclass(eq=False)
class Found:
    """A model-graded assertion.

    Attributes:
        file: where it is written.
        node: the assertion.
        type: without ``not-``.
        inverted: whether it is a ``not-`` one.
        uses: the tests that it grades.
    """

    file: SuiteFile
    node: Node
    type: str
    inverted: bool
    uses: list[Use] = field(default_factory=list)


@dataclass
class Project:
    """What a project's files say.

    Attributes:
        config: its main file.
        found: the model-graded assertions, each once, in the order of the tests.
        left: files that were not looked into, and why.
        prompts: files that are prompts, and so no source of truth.
    """

    config: SuiteFile
    found: list[Found]
    left: list[str]
    prompts: set[Path]

    @property
    def folder(self) -> Path:
        """Where the config lies: what relative paths begin at."""
        return self.config.path.parent


def read_project(config: Path) -> Project:
    """Read a suite and the plain files that its tests are in.

    Raises:
        ConfigError: a file is missing, or no YAML.
    """
    return _Reading(config).project()


@dataclass
class _Test:
    """A test, the file it is written in, and what defaultTest or a scenario's row adds."""

    node: Node | None
    file: SuiteFile
    vars: dict[str, str | None] = field(default_factory=dict)
    known: bool = True


class _Reading:
    """One reading of a project; each file is read once."""

    def __init__(self, config: Path) -> None:
        self._at = References(config)
        self._config = self._at.config
        self._found: dict[int, Found] = {}

    def project(self) -> Project:
        top = self._config.marked.top
        if top is None or top.kind != "mapping":
            raise ConfigError(f"{self._config.path}: is no mapping with `prompts:` and `tests:`")
        default = self._one(top.get("defaultTest"))
        tests = self._tests(top.get("tests"), self._config)
        for scenario in _items(dereferenced(top.get("scenarios"), self._config)):
            tests += self._scenario(scenario)
        for test in tests or [_Test(None, self._config)]:
            self._use(test, default)
        return Project(
            self._config, list(self._found.values()), list(self._at.left), self._prompts()
        )

    def _one(self, node: Node | None) -> _Test:
        """``defaultTest``, which may be a file."""
        node = dereferenced(node, self._config)
        if node is None or node.kind != "scalar" or not node.text:
            return _Test(node, self._config)
        file = self._at.plain(node.text)
        if file is None:
            return _Test(None, self._config, known=False)
        return _Test(dereferenced(file.marked.top, file), file)

    def _tests(self, node: Node | None, file: SuiteFile) -> list[_Test]:
        node = dereferenced(node, file)
        if node is None or node.is_null():
            return []
        if node.kind == "scalar":
            return self._from_files(node.text)
        if node.kind == "mapping" and node.get("path") is not None:
            return self._from_program(node)
        found: list[_Test] = []
        for item in node.values() if node.kind == "sequence" else [node]:
            test = dereferenced(item, file)
            if test is None:
                continue
            if test.kind == "scalar":
                found += self._from_files(test.text)
            elif test.get("path") is not None:
                found += self._from_program(test)
            else:
                found.append(_Test(test, file))
        return found

    def _from_files(self, text: str) -> list[_Test]:
        found: list[_Test] = []
        paths = self._at.paths(text)
        if not paths:
            self._at.leave(text, "no such file")
        for path in paths:
            if path.suffix in PLAIN:
                file = self._at.file(path)
                found += self._tests(file.marked.top, file)
            elif path.suffix == ".csv":
                found += self._from_csv(path)
            else:
                self._at.leave(text)
                found.append(_Test(None, self._config, known=False))
        return found

    def _from_csv(self, path: Path) -> list[_Test]:
        """Tests out of CSV: their vars only; what they expect is not looked into."""
        try:
            with path.open(encoding="utf-8-sig", newline="") as lines:
                rows = list(csv.DictReader(lines))
        except (OSError, UnicodeDecodeError, csv.Error):
            self._at.leave(str(path))
            return [_Test(None, self._config, known=False)]
        expected = [
            cell for row in rows for name, cell in row.items() if str(name).startswith("__expected")
        ]
        graded = Counter(found[1] for cell in expected if (found := _GRADED.match(str(cell))))
        for name, count in sorted(graded.items()):
            seen = SEEN["llm-rubric" if name == "grade" else name.removeprefix("not-")]
            self._at.leave(
                str(path),
                f"{count} {name} in __expected, of a judge that sees {seen.shown}: left alone, "
                "since a table has no place for a source; ask it in YAML",
            )
        return [
            _Test(None, self._config, {k: v for k, v in row.items() if k and k[:2] != "__"})
            for row in rows
        ]

    def _from_program(self, node: Node) -> list[_Test]:
        path = node.get("path")
        self._at.leave(path.text if path else "")
        return [_Test(None, self._config, known=False)]

    def _scenario(self, node: Node) -> list[_Test]:
        node = dereferenced(node, self._config) or node
        rows = self._tests(node.get("config"), self._config) or [_Test(None, self._config)]
        tests = self._tests(node.get("tests"), self._config) or [_Test(None, self._config)]
        for row in rows:  # what a row asserts is asserted of each of its tests
            row.vars, row.known = self._vars(row)
        return [
            part
            for row in rows
            for test in tests
            for part in (
                _Test(test.node, test.file, {**row.vars, **test.vars}, row.known and test.known),
                *([row] if row.node is not None and row.node.get("assert") else []),
            )
        ]

    def _vars(self, test: _Test) -> tuple[dict[str, str | None], bool]:
        node = dereferenced(test.node.get("vars"), test.file) if test.node is not None else None
        known, found = test.known, dict(test.vars)
        if node is not None and node.kind == "scalar" and node.text:
            file = self._at.plain(node.text)
            known = known and file is not None
            node = file.marked.top if file is not None else None
        if node is not None and node.kind == "mapping":
            for key in node.names():
                value = node.get(key)
                is_text = value is not None and value.kind == "scalar"
                found[key] = value.text if value is not None and is_text else None
        return found, known

    def _use(self, test: _Test, default: _Test) -> None:
        base, base_known = self._vars(default)
        own, known = self._vars(test)
        options = [
            dereferenced(part.node.get("options"), part.file)
            for part in (test, default)
            if part.node is not None
        ]
        graders = [found.get("provider") for found in options if found is not None]
        prompts = [found.get("rubricPrompt") for found in options if found is not None]
        use = Use(
            {**base, **own},
            known and base_known,
            next((grader for grader in graders if grader is not None), None),
            next((prompt.text for prompt in prompts if prompt is not None), ""),
        )
        seen: set[Node] = set()
        for part in (default, test):
            if part.node is not None:
                self._assertions(part.node.get("assert"), part.file, use, seen)

    def _assertions(self, node: Node | None, file: SuiteFile, use: Use, seen: set[Node]) -> None:
        """Note what a list of assertions holds, each once for a test: a set may hold itself."""
        found = dereferenced(node, file)
        if found is not None and found.kind == "scalar" and not found.is_null():
            elsewhere = self._at.plain(found.text)
            if elsewhere is None:
                return
            file, found = elsewhere, dereferenced(elsewhere.marked.top, elsewhere)
        if found is not None and found.kind != "sequence" and not found.is_null():
            self._at.leave(found.text or "assert")
        for item in _items(found):
            one = dereferenced(item, file)
            ref = one.own("$ref") if one is not None else None
            if one is None or one.kind != "mapping" or ref is not None:
                self._at.leave(ref.node.text if ref else item.text)
                continue
            if one in seen:
                continue
            seen.add(one)
            kind = one.get("type")
            name = kind.text if kind is not None else ""
            if name == "assert-set":
                self._assertions(one.get("assert"), file, use, seen)
            elif name.removeprefix("not-") in SEEN:
                base = name.removeprefix("not-")
                fresh = Found(file, one, base, name != base)
                self._found.setdefault(id(one), fresh).uses.append(use)

    def _prompts(self) -> set[Path]:
        top = self._config.marked.top
        node = dereferenced(top.get("prompts"), self._config) if top is not None else None
        names = (text for text in _texts(node) if _FILE.fullmatch(text))
        return {path.resolve() for name in names for path in self._at.paths(name)}


def _items(node: Node | None) -> Sequence[Node]:
    return node.values() if node is not None and node.kind == "sequence" else []


def _texts(node: Node | None) -> Iterator[str]:
    if node is None:
        return
    if node.kind == "scalar":
        yield node.text
    for inner in node.values():
        yield from _texts(inner)
