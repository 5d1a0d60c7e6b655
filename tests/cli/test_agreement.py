"""``voirdire agreement``: raters over any number of classes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
PANDALM = Path(os.environ.get("VOIRDIRE_DATA") or ROOT.parent / "shared" / "data") / "pandalm"


def written(folder: Path, rows: list[dict[str, Any]], name: str = "ratings.jsonl") -> str:
    """A file of ratings."""
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_every_two_raters_are_compared_and_what_is_no_rating_is_apart(
    run: Run, tmp_path: Path
) -> None:
    rows: list[dict[str, Any]] = [{"ann": "a", "ben": "a"}] * 6 + [{"ann": "b", "ben": "b"}] * 3
    rows += [{"ann": "tie", "ben": "a"}, {"ann": "b", "ben": None}, {"ann": "b", "ben": "oops"}]
    file = written(tmp_path, rows)
    (found,) = run("agreement", file, "--raters", "ann,ben", "--classes", "a,b,tie", "--json").json
    (pair,) = found["pairs"]
    assert (found["cases"], pair["n"]) == (12, 10)
    assert pair["missing"] == {"ann": 0, "ben": 2}
    assert pair["agreement"]["value"] == 0.9
    assert pair["kappa"]["low"] < pair["kappa"]["value"] < pair["kappa"]["high"]
    assert pair["missing_as_a_class"]["agreement"] == 0.75
    assert (
        "no rating: ben 2"
        in run("agreement", file, "--raters", "ann,ben", "--classes", "a,b,tie").out
    )


def test_one_class_alone_leaves_kappa_undefined_in_words(run: Run, tmp_path: Path) -> None:
    file = written(tmp_path, [{"ann": "a", "ben": "a"}] * 3)
    shown = run("agreement", file, "--raters", "ann,ben").out
    assert "kappa undefined: both chose" in shown
    assert "nan" not in shown.lower()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ratings.jsonl", "--raters", "ann"], "--raters"),
        (["ratings.jsonl", "--raters", "ann,ben", "--majority"], "--raters"),
        (["ratings.jsonl", "--raters", "ann,eve"], "'eve'"),
        (["none.jsonl", "--raters", "ann,ben"], "none.jsonl"),
    ],
)
def test_bad_input_is_one_sentence(run: Run, tmp_path: Path, words: list[str], said: str) -> None:
    file = written(tmp_path, [{"ann": "a", "ben": "a"}])
    words[0] = words[0].replace("ratings.jsonl", file)
    done = run("agreement", *words)
    assert done.code == 2
    assert said in done.err


def test_pandalm_comes_out_as_published(run: Run, tmp_path: Path) -> None:
    if not PANDALM.is_dir():
        pytest.skip(f"{PANDALM} is not there: VOIRDIRE_DATA names the folder of the public data")
    people = json.loads((PANDALM / "testset-v1.json").read_text("utf-8"))
    judge = json.loads((PANDALM / "gpt-3.5-turbo-testset-v1.json").read_text("utf-8"))
    names = {"Tie": "0"}
    rows = [
        {
            **{f"annotator{n}": row[f"annotator{n}"] for n in (1, 2, 3)},
            "judge": names.get(said["gpt_result"], said["gpt_result"]),
        }
        for row, said in zip(people, judge, strict=True)
    ]
    raters = "annotator1,annotator2,annotator3"
    file = written(tmp_path, rows)
    (found,) = run("agreement", file, "--raters", raters, "--json").json
    kappas = [round(pair["kappa"]["value"], 4) for pair in found["pairs"]]
    assert kappas == [0.8520, 0.8789, 0.8617]
    words = ("--raters", f"{raters},judge", "--majority", "--classes", "0,1,2", "--json")
    (found,) = run("agreement", file, *words).json
    (pair,) = found["pairs"]
    assert pair["missing"] == {"the majority": 0, "judge": 25}
    assert round(pair["missing_as_a_class"]["agreement"], 3) == 0.698
    assert round(pair["missing_as_a_class"]["kappa"], 4) == 0.4755
