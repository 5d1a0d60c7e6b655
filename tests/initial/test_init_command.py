"""`voirdire init` as a user meets it: what it prints, writes and ends with."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from voirdire.calibration.cases import load_cases
from voirdire.cli.init import command
from voirdire.errors import ConfigError
from voirdire.initial.patch import Change, write
from voirdire.lint.check import lint

Init = Callable[..., Result]
Project = Callable[[str], Path]
PROJECTS = ("handbook", "refunds", "resumes")


def files(folder: Path) -> dict[str, bytes]:
    """Every file, and what is in it."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("name", PROJECTS)
def test_nothing_is_written_before_it_is_asked_for(name: str, init: Init, project: Project) -> None:
    folder = project(name)
    before = files(folder)
    result = init()
    assert result.return_value == 1
    assert "--write writes them" in result.output
    assert files(folder) == before


@pytest.mark.parametrize("name", PROJECTS)
def test_a_second_run_finds_nothing_to_do(name: str, init: Init, project: Project) -> None:
    folder = project(name)
    assert init("--write").return_value == 0
    written = files(folder)
    for args in ((), ("--write",)):
        result = init(*args)
        assert result.return_value == 0
        assert "nothing to write" in result.output
    assert files(folder) == written


@pytest.mark.parametrize("name", PROJECTS)
def test_the_patch_that_is_shown_is_the_one_that_is_written(
    name: str, init: Init, project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = project(name)
    for path in [*folder.glob("*.yaml"), *folder.glob("tests/*.yaml")]:
        if name == "resumes":  # and with the line ends of another system
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    other = tmp_path_factory.mktemp("patched")
    shutil.copytree(folder, other, dirs_exist_ok=True)
    shown = json.loads(init("--json").output)
    assert json.loads(init("--write", "--json").output) == {**shown, "written": True}
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=other,
        input=shown["patch"].encode(),
        check=True,
        capture_output=True,
    )
    assert files(other) == files(folder)


def test_the_rubrics_need_no_mending(init: Init, project: Project) -> None:
    folder = project("handbook")
    init("--write")
    found = list((folder / "rubrics").glob("*.yaml"))
    assert len(found) == 2
    assert [lint(path).findings for path in found] == [[], []]


def test_an_empty_folder_gets_a_project_with_six_labelled_cases(init: Init, folder: Path) -> None:
    assert init().return_value == 1
    assert not [path for path in folder.iterdir() if path.name != ".git"]
    assert init("--write").return_value == 0
    labels = [case.label for case in load_cases(folder / "cases.jsonl", sources=None).cases]
    assert sorted(labels) == ["fail"] * 3 + ["pass"] * 3
    assert lint(folder / "rubric.yaml").findings == []
    assert init().return_value == 0


def test_a_folder_with_files_of_its_own_is_not_written_over(init: Init, folder: Path) -> None:
    (folder / "source.md").write_text("mine", "utf-8")
    result = init("--write")
    assert isinstance(result.exception, ConfigError)
    assert "source.md: is there" in str(result.exception)
    assert sorted(path.name for path in folder.iterdir()) == [".git", "source.md"]


def test_the_door_of_an_npm_package_above_is_found(project: Project) -> None:
    folder = project("handbook")
    door = folder / "node_modules/voirdire/providers/judge.py"
    door.parent.mkdir(parents=True)
    door.write_text("", "utf-8")
    inner = folder / "evals"
    inner.mkdir()
    for name in ("promptfooconfig.yaml", "passages"):
        shutil.move(folder / name, inner / name)
    result = CliRunner().invoke(command, [str(inner), "--write"], standalone_mode=False)
    assert result.return_value == 0
    text = (inner / "promptfooconfig.yaml").read_text("utf-8")
    assert "id: file://../node_modules/voirdire/providers/judge.py" in text
    assert not (inner / "voirdire_judge.py").exists()


def test_the_door_says_in_a_sentence_that_its_python_lacks_voirdire(
    init: Init, project: Project
) -> None:
    """It can be loaded all the same: promptfoo waits minutes for a script that cannot be."""
    folder = project("handbook")
    init("--write")
    code = "import voirdire_judge as door; print('loaded'); door.call_api('', {}, {})"
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", f"import sys; sys.path.append('.'); {code}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "loaded\n"
    assert "has no module 'voirdire'; install voirdire into it with pip" in done.stderr


def test_another_file_of_the_doors_name_is_not_written_over(init: Init, project: Project) -> None:
    folder = project("handbook")
    (folder / "voirdire_judge.py").write_text("mine", "utf-8")
    before = files(folder)
    assert "give that file another name" in str(init("--write").exception)
    assert files(folder) == before


def test_where_one_file_cannot_be_written_none_is(folder: Path) -> None:
    (folder / "first.yaml").write_text("old\n", "utf-8")
    (folder / "blocked").write_text("", "utf-8")
    changes = [
        Change(folder / "made/new.yaml", None, "new\n"),
        Change(folder / "first.yaml", "old\n", "new\n"),
        Change(folder / "blocked/x.yaml", None, "new\n"),
    ]
    with pytest.raises(ConfigError, match="blocked: cannot be made"):
        write(changes)
    assert files(folder) == {"first.yaml": b"old\n", "blocked": b""}
    assert not (folder / "made").exists()


class Interrupted(list[Change]):
    """Changes whose writing is interrupted before the last of them."""

    looked = False

    def __iter__(self) -> Iterator[Change]:
        """All of them when they are looked at; then all but the last."""
        yield from list.__iter__(self[:-1])
        if self.looked:
            raise KeyboardInterrupt
        self.looked = True
        yield self[-1]


def test_an_interrupt_leaves_everything_as_it_was(folder: Path) -> None:
    (folder / "first.yaml").write_text("old\n", "utf-8")
    changes = Interrupted(
        [
            Change(folder / "made/new.yaml", None, "new\n"),
            Change(folder / "first.yaml", "old\n", "new\n"),
            Change(folder / "last.yaml", None, "new\n"),
        ]
    )
    with pytest.raises(KeyboardInterrupt):
        write(changes)
    assert files(folder) == {"first.yaml": b"old\n"}
    assert not (folder / "made").exists()


def test_what_comes_next_is_said_for_the_folder_of_the_command(
    init: Init, folder: Path, project: Project
) -> None:
    """A line that can be pasted, with the rubrics and the config where they lie."""
    project("handbook")
    last = init("--write").output.splitlines()[-1]
    lint, _, run = last.removeprefix("next: ").partition("; ")
    rubrics = shlex.split(lint)[2:]
    assert rubrics
    assert all(Path(name).is_file() for name in rubrics)
    assert shlex.split(run) == ["npx", "promptfoo", "eval", "-c", f"{folder}/promptfooconfig.yaml"]


def test_what_changed_meanwhile_is_not_written_over(folder: Path) -> None:
    (folder / "a.yaml").write_text("newer\n", "utf-8")
    with pytest.raises(ConfigError, match="changed meanwhile"):
        write([Change(folder / "b.yaml", None, "x\n"), Change(folder / "a.yaml", "old\n", "x\n")])
    assert files(folder) == {"a.yaml": b"newer\n"}


def test_a_link_stays_one(folder: Path) -> None:
    (folder / "real.yaml").write_text("old\n", "utf-8")
    (folder / "link.yaml").symlink_to("real.yaml")
    write([Change(folder / "link.yaml", "old\n", "new\n")])
    assert (folder / "link.yaml").is_symlink()
    assert (folder / "real.yaml").read_text("utf-8") == "new\n"


def test_what_could_steer_a_terminal_is_shown_as_text(init: Init, folder: Path) -> None:
    (folder / "promptfooconfig.yaml").write_text(
        'tests: [{vars: {context: a}, assert: [{type: llm-rubric, value: "context \\e[31m"}]}]\n',
        "utf-8",
    )
    assert "\x1b" not in init().output
