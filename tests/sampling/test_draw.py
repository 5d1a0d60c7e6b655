"""The sample of a period: reproducible, and untouched by what comes later."""

from __future__ import annotations

import json
import random
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import ConfigError
from voirdire.sampling.draw import Drawn, draw
from voirdire.sampling.period import PERIODS, period_of, read_time
from voirdire.source import Source

SHARED = (Source("s", "The link lasts 30 minutes."),)


def lines(day: str, count: int) -> list[dict[str, Any]]:
    return [
        {"id": f"{day}-{index}", "at": f"{day}T10:00:00Z", "answer": f"Answer {index}."}
        for index in range(count)
    ]


def drawn(path: Path, values: list[dict[str, Any]], **more: Any) -> list[Drawn]:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    options: dict[str, Any] = {"n": 5, "per": "day", "seed": 0, "sources": SHARED, **more}
    return draw(path, **options)


def test_the_same_log_gives_the_same_sample_in_whatever_order(tmp_path: Path) -> None:
    log = lines("2026-01-01", 50)
    (first,) = drawn(tmp_path / "log.jsonl", log)
    assert (first.period, len(first.cases), first.of) == ("2026-01-01", 5, 50)
    random.Random(1).shuffle(log)
    assert drawn(tmp_path / "log.jsonl", log) == [first]
    # Another order of the fields is the same content.
    turned = [dict(reversed(list(value.items()))) for value in log]
    assert drawn(tmp_path / "log.jsonl", turned) == [first]


def test_what_is_appended_leaves_the_samples_of_earlier_days(tmp_path: Path) -> None:
    log = lines("2026-01-01", 50)
    (first,) = drawn(tmp_path / "log.jsonl", log)
    both = drawn(tmp_path / "log.jsonl", log + lines("2026-01-02", 50))
    assert [one.period for one in both] == ["2026-01-01", "2026-01-02"]
    assert both[0] == first


def test_more_answers_of_the_same_day_only_push_some_out(tmp_path: Path) -> None:
    (before,) = drawn(tmp_path / "log.jsonl", lines("2026-01-01", 20), n=10)
    (after,) = drawn(tmp_path / "log.jsonl", lines("2026-01-01", 40), n=10)
    old = {case.id for case in before.cases}
    early = {case.id for case in after.cases if int((case.id or "").split("-")[-1]) < 20}
    assert early <= old
    assert after.sha256 != before.sha256


def test_another_seed_is_another_sample_and_each_answer_has_the_same_chance(tmp_path: Path) -> None:
    log = lines("2026-01-01", 10)
    times: dict[str, int] = {}
    for seed in range(400):
        (one,) = drawn(tmp_path / "log.jsonl", log, seed=seed)
        for case in one.cases:
            times[case.id or ""] = times.get(case.id or "", 0) + 1
    # 400 draws of 5 in 10: 200 each, 10 a standard deviation.
    assert len(times) == 10
    assert all(150 < count < 250 for count in times.values())


def test_all_are_drawn_where_there_are_few_and_a_line_twice_counts_once(tmp_path: Path) -> None:
    log = lines("2026-01-01", 3)
    (one,) = drawn(tmp_path / "log.jsonl", log + log[:2])
    assert (len(one.cases), one.of) == (3, 3)


def test_a_line_may_bring_its_own_source(tmp_path: Path) -> None:
    value = {**lines("2026-01-01", 1)[0], "source": "Another.", "question": "How long?"}
    (one,) = drawn(tmp_path / "log.jsonl", [value], sources=())
    (case,) = one.cases
    assert [source.text for source in case.sources] == ["Another."]
    assert case.question == "How long?"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"at": "yesterday"}, "log.jsonl:2: `at` must be an ISO time"),
        ({"at": 1700000000}, "log.jsonl:2: `at` must be text"),
        ({"id": None}, "log.jsonl:2: `id` must be text"),
        ({"answer": None}, "log.jsonl:2: `answer` must be text"),
        ({"question": 1}, "log.jsonl:2: `question` must be text"),
        ({"source": 1}, "log.jsonl:2: `source` must be text"),
        ({"id": "2026-01-01-0"}, "log.jsonl:2: the id '2026-01-01-0' stands twice"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    first, second = lines("2026-01-01", 2)
    with pytest.raises(ConfigError, match=re.escape(why)):
        drawn(tmp_path / "log.jsonl", [first, {**second, **change}])


def test_a_line_without_any_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"log.jsonl:1: no source of truth"):
        drawn(tmp_path / "log.jsonl", lines("2026-01-01", 1), sources=())


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-01-31T23:30:00Z", "2026-01-31T23:30:00"),
        ("2026-01-31T23:30:00.123456789+02:00", "2026-01-31T21:30:00"),
        ("2026-01-31 23:30-0130", "2026-02-01T01:00:00"),
        ("2026-01-31T23:30:00", "2026-01-31T23:30:00"),
        ("2026-01-31T23:30+05", "2026-01-31T18:30:00"),
    ],
)
def test_times_are_read_into_utc(text: str, utc: str) -> None:
    assert read_time(text).isoformat() == f"{utc}+00:00"


@pytest.mark.parametrize(
    "text", ["", "2026-01-31", "2026-13-01T00:00Z", "0001-01-01T00:00+01:00", "31.1.2026 10:00"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no ISO time"):
        read_time(text)


TIMES = st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 20))


@given(one=TIMES, other=TIMES, per=st.sampled_from(PERIODS))
def test_the_names_of_periods_sort_by_time(one: datetime, other: datetime, per: str) -> None:
    early, late = sorted(moment.replace(tzinfo=timezone.utc) for moment in (one, other))
    assert period_of(early, per) <= period_of(late, per)
    assert read_time(early.isoformat()) == early.replace(microsecond=0)


def test_periods_end_where_they_should() -> None:
    moment = datetime(2026, 1, 4, 23, 59, tzinfo=timezone.utc)
    names = {per: period_of(moment, per) for per in PERIODS}
    assert names == {
        "hour": "2026-01-04T23",
        "day": "2026-01-04",
        "week": "2026-W01",
        "month": "2026-01",
    }
    assert period_of(moment + timedelta(minutes=1), "week") == "2026-W02"
