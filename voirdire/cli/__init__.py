"""The command line: each command is a module of its own, loaded when it is called."""

from __future__ import annotations

import importlib
import io
import os
import sys

import click

from voirdire import __version__
from voirdire.errors import VoirdireError

_COMMANDS = {
    "init": "Ground the model-graded assertions of a promptfoo project, or begin one.",
    "doctor": "Look whether all that a grounded suite needs is there.",
    "judge": "Judge answers against their source of truth.",
    "run": "Ask several models, and let one judge decide on every answer.",
    "compare": "Compare two answers in both orders.",
    "inject": "Try to steer a judge, and see whether its verdicts move.",
    "read": "Read raw judge replies: a verdict, or the kind of fault they have.",
    "calibrate": "Compare a judge with people: how far is it to be trusted?",
    "examine": "Put twelve questions to a judge: is it fit to judge?",
    "agreement": "Tell how far raters agree, over any number of classes.",
    "report": "Report what promptfoo's results hold, and what they hide.",
    "corrected": "Correct a suite's pass rate for what its judge gets wrong.",
    "gate": "Fail the judge where it is not good enough.",
    "label": "Label answers at the keyboard, without seeing what the judge said.",
    "lint": "Find the wording of a rubric that makes a judge unsure or lenient.",
    "sample": "Judge a sample of live answers, and follow the share that fails.",
    "drift": "Tell whether the product changed or the judge did.",
    "audit": "Audit two parsers: what does the eval read, and what does production?",
    "show-prompt": "Show what a judge would be shown, byte for byte.",
    "cache": "Look at, move and prune the verdicts that are kept.",
    "journal": "List, show and export the calls that were made.",
    "schema": "Print the JSON Schema of a file that you write, for your editor.",
}


class _Commands(click.Group):
    """Loads a command's module only when it is needed: start-up is what a user waits for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"voirdire.cli.{name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="voirdire")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Examine the judge before you trust its verdict.

    Grades answers of a language model against a source of truth, and fails closed: what
    cannot be read or shown is never a pass.

    \b
    Exit codes: 0 done, 1 a judge error among the results, 2 bad input.
    """
    if "NO_COLOR" in os.environ:
        ctx.color = False


def main() -> None:
    """Run the command line; every error of ours is one sentence on standard error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: nothing is read, nothing is shown
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    out = sys.stdout
    for stream in (out, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # half a character is shown as such
    try:
        code = cli.main(standalone_mode=False, prog_name="voirdire")
        sys.stdout.flush()
    except VoirdireError as error:
        click.echo(f"voirdire: {error}", err=True)
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("voirdire: stopped; what judges were asked so far is in the journal", err=True)
        sys.exit(130)
    except SystemExit as end:
        # Where the reader has gone, click puts another stream in the place and ends with 1.
        sys.exit(end.code if sys.stdout is out else 0)
    except OSError as error:  # those of files are reported by name: this one is of the output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader (`head`, `less`) has seen enough
            sys.exit(0)
        click.echo(f"voirdire: the output cannot be written ({error.strerror})", err=True)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)
