"""Parsers in JavaScript, run by a real Node."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from voirdire.audit.parsers.endings import DIED, MEMORY, TIMEOUT, Broken, RefusedError
from voirdire.audit.parsers.process import Program
from voirdire.audit.parsers.spec import open_parser
from voirdire.errors import ConfigError

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not on PATH")
LIMIT = 256 << 20

Open = Callable[..., Program]


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Open]:
    """Makes parsers out of the text of a module."""
    with ExitStack() as stack:

        def make(
            code: str,
            export: str = "",
            name: str = "a parser.mjs",
            timeout: float = 20,
            memory: int = LIMIT,
        ) -> Any:
            path = tmp_path / name
            path.write_text(code, encoding="utf-8")
            spec = f"node:{path}{export and '#'}{export}"
            return stack.enter_context(closing(open_parser(spec, timeout=timeout, memory=memory)))  # type: ignore[type-var]

        yield make


def broken(parser: Callable[[str], Any], text: str = "x") -> tuple[str, str]:
    with pytest.raises(Broken) as caught:
        parser(text)
    return caught.value.ending, caught.value.why


@needs_node
@pytest.mark.parametrize(
    ("code", "export", "name"),
    [
        ("export default (text) => JSON.parse(text)", "", "x.mjs"),
        ("export const parse = async (text) => JSON.parse(text)", "parse", "x.mjs"),
        ("module.exports = (text) => JSON.parse(text)", "", "x.cjs"),
        ("module.exports = (text) => JSON.parse(text)", "", "x.js"),
        (
            "const more = {parse: (text) => JSON.parse(text)}; module.exports = more",
            "parse",
            "x.cjs",
        ),
        ("exports.__esModule = true; exports.default = (text) => JSON.parse(text)", "", "x.cjs"),
        (
            "export class Reader { static x = JSON.parse; static read(t) { return this.x(t) } }",
            "Reader.read",
            "x.mjs",
        ),
    ],
)
def test_exports_of_either_module_system_are_called(
    node: Open, code: str, export: str, name: str
) -> None:
    parser = node(code, export, name)
    assert parser('{"a": [1, "é\\ud800"]}') == {"a": [1, "é\ud800"]}
    with pytest.raises(RefusedError) as caught:
        parser("{")
    assert caught.value.name == "SyntaxError"


@needs_node
@pytest.mark.parametrize("nothing", ["undefined", "null"])
def test_undefined_and_null_are_nothing(node: Open, nothing: str) -> None:
    assert node(f"export default () => {nothing}")("text") is None


@needs_node
def test_numbers_that_json_cannot_say_are_kept(node: Open) -> None:
    found = node("export default () => [NaN, -Infinity, 12345678901234567890n, null, -0]")("text")
    assert math.isnan(found[0])
    assert found[1:] == [-math.inf, 12345678901234567890, None, 0]


@needs_node
def test_dates_and_maps_are_the_json_they_stand_for(node: Open) -> None:
    code = "export default () => ({d: new Date(0), m: new Map([['a', {b: undefined}]])})"
    assert node(code)("text") == {"d": "1970-01-01T00:00:00.000Z", "m": {"a": {}}}


@needs_node
@pytest.mark.parametrize(
    ("value", "message"),
    [("() => 1", "a function"), ("(() => { const a = []; a.push(a); return a })()", "circular")],
)
def test_a_value_that_json_cannot_say_is_refused(node: Open, value: str, message: str) -> None:
    with pytest.raises(RefusedError, match=message) as caught:
        node(f"export default () => {value}")("text")
    assert caught.value.name == "NotJsonError"


@needs_node
def test_whatever_is_thrown_is_a_refusal(node: Open) -> None:
    parser = node("export default async (text) => { throw text === 's' ? 'why' : null }")
    for text, name in (("s", "string"), ("n", "object")):
        with pytest.raises(RefusedError) as caught:
            parser(text)
        assert caught.value.name == name


@needs_node
def test_what_the_parser_prints_is_no_answer(node: Open) -> None:
    parser = node(
        "console.log('loading'); import { writeSync } from 'node:fs';"
        "export default (text) => { console.log('{}'); process.stdout.write('x\\n');"
        "writeSync(1, 'as compiled code does'); return text }"
    )
    assert [parser("one"), parser("two")] == ["one", "two"]


@needs_node
def test_a_parser_that_replaces_the_functions_of_json_does_not_speak_for_the_audit(
    node: Open,
) -> None:
    parser = node("export default (t) => { JSON.parse = JSON.stringify = () => '7'; return t }")
    assert [parser("one"), parser("two")] == ["one", "two"]


@needs_node
def test_long_texts_arrive_whole(node: Open) -> None:
    text = "é\u2028\ud800x\x00" * 500_000
    assert node("export default (text) => text")(text) == text


@needs_node
@pytest.mark.parametrize("hang", ["for (;;);", "return new Promise(() => {})"])
def test_a_hanging_text_is_cut_off_and_the_next_is_read(node: Open, hang: str) -> None:
    parser = node(
        f"export default (text) => {{ if (text === 'hang') {hang}; return 1 }}", timeout=1
    )
    assert broken(parser, "hang")[0] == TIMEOUT
    assert parser("two") == 1


@needs_node
def test_leaving_the_process_is_told(node: Open) -> None:
    parser = node("export default (text) => text === 'die' ? process.exit(3) : 1")
    assert broken(parser, "die") == (DIED, "ended with exit code 3")
    assert parser("two") == 1


@needs_node
@pytest.mark.parametrize(
    "hog",
    [
        "const all = []; for (;;) all.push({a: all.length})",
        "const all = []; for (;;) all.push(Buffer.alloc(1 << 26, 1))",
    ],
)
def test_memory_is_told_from_other_deaths(node: Open, hog: str) -> None:
    parser = node(
        f"export default (text) => {{ if (text === 'hog') {{ {hog} }} return 1 }}",
        timeout=120,
        memory=LIMIT // 4,
    )
    assert broken(parser, "hog")[0] == MEMORY
    assert parser("two") == 1


@needs_node
@pytest.mark.parametrize(
    ("code", "export", "message"),
    [
        ("export const other = 1", "parse", r"no function parse \(but other\)"),
        ("export const other = 1", "", r"no function by default \(but other\)"),
        ("throw new Error('not today')", "", "cannot be loaded: not today"),
        ("import 'unheard-of'; export default 1", "", "Cannot find package 'unheard-of'"),
        ("export default (", "", "cannot be loaded: "),
        ("process.exit(4)", "", "ended with exit code 4"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_refused(
    node: Open, code: str, export: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        node(code, export)


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"there is no file 'nowhere\.mjs'"):
        open_parser("node:nowhere.mjs", timeout=1, memory=LIMIT)


def test_without_node_the_message_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.mjs").write_text("export default (text) => text")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="needs Node, and none is on PATH"):
        open_parser(f"node:{tmp_path / 'x.mjs'}", timeout=1, memory=LIMIT)
