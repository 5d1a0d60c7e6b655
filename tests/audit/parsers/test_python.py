"""Parsers that are Python functions, found by module and by file; each in a Python of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.audit.parsers.spec import kind_of
from voirdire.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]
OPENING = """
import sys
sys.path.insert(0, {root!r})
from voirdire.audit.parsers.spec import open_parser
from voirdire.errors import ConfigError
try:
    for spec in sys.argv[1:]:
        print(open_parser(spec, timeout=1, memory=1 << 30)("text"))
except ConfigError as error:
    print("ConfigError:", error)
"""


def printed(folder: Path, *specs: str) -> list[str]:
    """What each parser gives for ``text``, started in a folder; or why it cannot be had."""
    command = [sys.executable, "-c", OPENING.format(root=str(ROOT)), *specs]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_init_", "__init__")
        path = path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_a_function_of_a_module_here_is_called(tmp_path: Path) -> None:
    write(tmp_path, app__read="from app.more import up\ndef parse(text): return up(text)\n")
    write(tmp_path, app__more="def up(text): return text.upper()\n")
    assert printed(tmp_path, "app.read:parse") == ["TEXT"]


def test_a_method_of_a_class_is_named_with_a_dot(tmp_path: Path) -> None:
    code = "class Reply:\n    @classmethod\n    def read(cls, text): return cls.__name__ + text\n"
    write(tmp_path, app=code)
    assert printed(tmp_path, "app:Reply.read", "./app.py:Reply.read") == ["Replytext"] * 2


def test_a_file_imports_from_its_own_folder(tmp_path: Path) -> None:
    write(tmp_path, far__away="import near\ndef parse(text): return near.NAME\n")
    write(tmp_path, far__near="NAME = 'near'\n")
    assert printed(tmp_path, "far/away.py:parse") == ["near"]


def test_a_file_that_imports_relatively_is_a_part_of_its_package(tmp_path: Path) -> None:
    write(tmp_path, src__app___init_="", src__app__deep___init_="", src__app__names="NAME = 'up'\n")
    write(tmp_path, src__app__deep__read="from ..names import NAME\ndef parse(text): return NAME\n")
    assert printed(tmp_path, "src/app/deep/read.py:parse") == ["up"]


def test_two_files_of_one_name_are_two_modules(tmp_path: Path) -> None:
    write(
        tmp_path, a__read="def parse(text): return 'a'\n", b__read="def parse(text): return 'b'\n"
    )
    assert printed(tmp_path, "a/read.py:parse", "b/read.py:parse") == ["a", "b"]


def test_data_classes_with_late_annotations_work_in_a_file(tmp_path: Path) -> None:
    code = (
        "from __future__ import annotations\nimport dataclasses, typing\n"
        "@dataclasses.dataclass\nclass Reply:\n    text: str\n    n: typing.ClassVar[int] = 1\n"
        "def parse(text): return typing.get_type_hints(Reply)['text'].__name__\n"
    )
    write(tmp_path, read=code)
    assert printed(tmp_path, "./read.py:parse") == ["str"]


@pytest.mark.parametrize("late", [False, True])
def test_two_helpers_of_one_name_are_refused_rather_than_mixed_up(
    tmp_path: Path, late: bool
) -> None:
    """Or production would be run with the eval's helper, and nothing would say so."""
    code = (
        "def parse(text):\n    import helper\n    return helper.NAME\n"
        if late
        else "import helper\ndef parse(text): return helper.NAME\n"
    )
    write(tmp_path, a__read=code, b__read=code, a__helper="NAME = 'a'", b__helper="NAME = 'b'")
    first, second = printed(tmp_path, "a/read.py:parse", "b/read.py:parse")
    assert first == "a"
    assert second.startswith("ConfigError: parser 'b/read.py:parse' imports 'helper' from")
    assert "cmd:" in second


def test_one_helper_that_both_import_is_no_clash(tmp_path: Path) -> None:
    code = "import helper\ndef parse(text): return helper.NAME\n"
    write(tmp_path, a__read=code, b__read=code, helper="NAME = 'shared'")
    assert printed(tmp_path, "a/read.py:parse", "b/read.py:parse") == ["shared", "shared"]


def test_async_functions_are_waited_for(tmp_path: Path) -> None:
    code = (
        "import asyncio\n"
        "async def parse(text):\n    await asyncio.sleep(0)\n    return text\n"
        "class Parser:\n    async def __call__(self, text): return await parse(text) + '!'\n"
        "parser = Parser()\n"
    )
    write(tmp_path, app=code)
    assert printed(tmp_path, "app:parse", "app:parser") == ["text", "text!"]


def test_a_function_is_handed_out_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrapper would cost every text."""
    from voirdire.audit.parsers.python import open_python

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("voirdire.audit.parsers.python._opened", [])
    write(tmp_path, bare_parser_module="def parse(text): return text\n")
    monkeypatch.chdir(tmp_path)
    parser = open_python("bare_parser_module:parse")
    assert parser is sys.modules["bare_parser_module"].parse


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere:parse", "there is no module 'nowhere'"),
        ("app.nowhere:parse", "there is no module 'app"),
        ("nowhere.py:parse", "there is no file 'nowhere.py'"),
        ("app:nothing", "there is no 'nothing' in it"),
        ("app:Class.nothing", "there is no 'Class.nothing' in it"),
        ("app:VALUE", "'VALUE' is no function"),
        ("app:two", "cannot be called with one text"),
        ("needs:parse", "cannot be imported: ModuleNotFoundError: No module named 'unheard_of'"),
        ("leaves:parse", "cannot be imported: SystemExit: 3"),
        ("broken:parse", "cannot be imported: SyntaxError"),
        ("./broken.py:parse", "cannot be imported: SyntaxError"),
    ],
)
def test_what_cannot_be_opened_is_told_in_a_sentence(
    tmp_path: Path, spec: str, message: str
) -> None:
    write(
        tmp_path,
        app="VALUE = 1\nclass Class: pass\ndef two(one, other): pass\n",
        needs="import unheard_of\n",
        leaves="import sys\nsys.exit(3)\n",
        broken="def (\n",
    )
    (told,) = printed(tmp_path, spec)
    assert told.startswith(f"ConfigError: parser {spec!r}")
    assert message in told


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("forward", "builtin"),
        ("promptfoo", "builtin"),
        ("json:loads", "python"),
        ("a/b.py:Class.parse", "python"),
        ("node:x.mjs", "node"),
        ("node:x.mjs#parse", "node"),
        ("cmd:python3 x.py --a b:c", "cmd"),
    ],
)
def test_a_spec_tells_its_kind(spec: str, kind: str) -> None:
    assert kind_of(spec) == kind


@pytest.mark.parametrize("spec", ["", "froward", "x.py", "x.py:", ":parse", "module:not a name"])
def test_a_spec_of_no_kind_is_refused(spec: str) -> None:
    with pytest.raises(ConfigError, match="parser"):
        kind_of(spec)
