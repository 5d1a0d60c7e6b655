"""A page for each command, out of its own ``--help``.

Usage: command_pages.py [--check]. Writes docs/commands/; with --check nothing is written: exit
code 1 says that a page is not what the command says now, but for where its lines are broken.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import click

from voirdire.cli import cli

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "commands"
HEAD = """\
# Commands

Made by `scripts/command_pages.py` out of their `--help`.

| | |
|---|---|
"""
WIDTH: dict[str, Any] = {"terminal_width": 100, "max_content_width": 100}


def main(arguments: list[str]) -> int:
    """Write the pages, or with ``--check`` only compare them."""
    wrong = []
    pages = made()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.md"):
        if path.name not in pages:
            wrong.append(path.name)
            if "--check" not in arguments:
                path.unlink()
    for name, text in pages.items():
        path = FOLDER / name
        # The library that makes the help breaks its lines otherwise in another version.
        if not path.exists() or path.read_text(encoding="utf-8").split() != text.split():
            wrong.append(name)
            if "--check" not in arguments:
                path.write_text(text, encoding="utf-8")
    if wrong and "--check" in arguments:
        print(f"not what the commands say now: {', '.join(wrong)}; run scripts/command_pages.py")
        return 1
    print(f"{len(pages)} pages; written: {', '.join(wrong) or 'nothing, all as it was'}")
    return 0


def made() -> dict[str, str]:
    """Every page by its file's name; those of a group's own commands stand on its page."""
    context = click.Context(cli, info_name="voirdire", **WIDTH)
    rows, pages = [], {}
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        pages[f"{name}.md"] = _page(command, name, context)
        rows.append(f"| [`{name}`]({name}.md) | {command.get_short_help_str(120)} |\n")
    return {"README.md": HEAD + "".join(rows), **pages}


def _page(command: click.Command, name: str, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent, **WIDTH)
    text = f"# voirdire {name}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            own = click.Context(found, info_name=inner, parent=context, **WIDTH)
            shown = found.get_help(own).rstrip()
            text += f"\n## voirdire {name} {inner}\n\n```text\n{shown}\n```\n"
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
