"""``voirdire lint``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run, folder, run

__all__ = ["folder", "run"]


def test_each_finding_says_where_why_and_how_to_mend(run: Run, folder: Path) -> None:
    done = run("lint", "rubric.yaml")
    assert done.code == 1
    assert "rubric.yaml:1: not-covered\n    why:  " in done.out
    assert "    mend: add a rule: `Length, tone and style do not matter.`" in done.out
    assert done.out.endswith("2 findings\n")


def test_a_sound_rubric_is_clean_and_others_are_named_with_it(run: Run, folder: Path) -> None:
    sound = "name: r\nmode: claims\nrules: The contract is the only source of truth.\n"
    (folder / "sound.yaml").write_text(sound)
    done = run("lint", "sound.yaml")
    assert (done.code, done.out, done.err) == (0, "nothing to mend\n", "")
    both = run("lint", "sound.yaml", "rubric.yaml", "--json")
    assert both.code == 1
    (value,) = both.json
    assert {finding["file"] for finding in value["findings"]} == {"rubric.yaml"}
    assert [finding["kind"] for finding in value["findings"]] == ["not-covered", "length"]


def test_another_language_is_said_to_be_looked_at_less(run: Run, folder: Path) -> None:
    (folder / "de.yaml").write_text("name: r\ncriteria: {a: Steht jede Aussage in der Quelle?}\n")
    done = run("lint", "de.yaml")
    assert (done.code, done.out) == (0, "nothing to mend\n")
    assert done.err == "de.yaml: not English: only its structure was looked at\n"


def test_what_is_no_rubric_is_bad_input(run: Run, folder: Path) -> None:
    assert run("lint", "none.yaml").code == 2
    assert run("lint").code == 2
    (folder / "junk.yaml").write_text("name: [\n")
    done = run("lint", "rubric.yaml", "junk.yaml")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("voirdire: junk.yaml:2: not valid YAML")
