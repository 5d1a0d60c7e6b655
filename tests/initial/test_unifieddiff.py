"""The diff, held to git."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.initial.unifieddiff import unified_diff

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", " x\n"]), max_size=30)
TEXT = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "z", "z\f"]))


@settings(deadline=None, max_examples=60)
@given(TEXT, TEXT)
def test_git_makes_the_new_text_out_of_the_old_one(
    tmp_path_factory: pytest.TempPathFactory, old: str, new: str
) -> None:
    folder = tmp_path_factory.mktemp("diff")
    path = folder / "file.txt"
    path.write_bytes(old.encode())
    diff = unified_diff(old, new, "file.txt")
    assert (diff == "") is (old == new)
    if diff:
        command = ["git", "apply", "--whitespace=nowarn", "-"]
        subprocess.run(command, cwd=folder, input=diff.encode(), check=True, capture_output=True)
    assert path.read_bytes() == new.encode()


def test_only_what_differs_is_shown_with_three_lines_around_it() -> None:
    old = "".join(f"{number}\n" for number in range(1, 21))
    new = old.replace("5\n6", "5\nnew\n6", 1).replace("19\n", "")
    assert unified_diff(old, new, "x") == (
        "--- a/x\n+++ b/x\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+new\n 6\n 7\n 8\n"
        "@@ -16,5 +17,4 @@\n 16\n 17\n 18\n-19\n 20\n"
    )


def test_what_differs_too_far_is_all_new() -> None:
    old = "".join(f"a{number}\n" for number in range(200))
    new = "".join(f"b{number}\n" for number in range(200)) + "a199\n"
    assert unified_diff(old, new, "x").count("\n-") == 200
