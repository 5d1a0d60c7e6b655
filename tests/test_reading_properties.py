"""No text at all makes the reading raise, invent a verdict, or take more than linear time."""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from voirdire.reading import POLICIES, UNREADABLE, Reading, read
from voirdire.reply import Reply, Usage
from voirdire.verdict import verdict_schema

CRITERIA = ("grounded", "answers_question")
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
PLAIN: dict[str, str] = {
    case["name"]: case["reply"]
    for case in json.loads((GOLDEN / "judge_replies.json").read_text("utf-8"))["cases"]
}
PASS, FAIL = PLAIN["plain-pass"], PLAIN["plain-fail"]
VALIDATOR = jsonschema.Draft202012Validator(verdict_schema(CRITERIA))

both_policies = pytest.mark.parametrize("policy", POLICIES)


def read_text(text: str, policy: str = "strict") -> Reading:
    return read(Reply(text, "stop"), CRITERIA, policy)


# Texts made of what steers a reader: brackets, quotes, tags, fences, whole and broken verdicts.
TOKENS = st.sampled_from(
    [
        *'{}[]":,\\`~\n 1',
        *("<think>", "</think>", "```", "```json\n", "~~~", "null", "true", "NaN", "//", "\ud800"),
        *('"verdict"', '"pass"', '{"a": ', '\\"', "\u200b", "\ufeff", "so ", "..."),
        *(PASS, FAIL, PASS[:-1], PASS[1:], FAIL[:90], FAIL[90:], json.dumps(PASS)),
    ]
)
SOUP = st.lists(TOKENS | st.text(max_size=5), max_size=12).map("".join)
TEXTS = st.one_of(SOUP, st.text(st.characters(exclude_categories=[]), max_size=60))
TOKEN_COUNTS = st.none() | st.integers(-5, 10_000)


@settings(max_examples=400)
@given(
    text=st.none() | TEXTS,
    finish_reason=st.none() | st.sampled_from(["stop", "length", "SAFETY", "tool_calls"]) | TEXTS,
    refusal=st.none() | TEXTS,
    reasoning=st.none() | TEXTS,
    usage=st.builds(Usage, TOKEN_COUNTS, TOKEN_COUNTS, TOKEN_COUNTS),
    max_tokens=TOKEN_COUNTS,
    policy=st.sampled_from(POLICIES),
    criteria=st.sampled_from([CRITERIA, ()]),
)
def test_read_never_raises(
    text: str | None,
    finish_reason: str | None,
    refusal: str | None,
    reasoning: str | None,
    usage: Usage,
    max_tokens: int | None,
    policy: str,
    criteria: tuple[str, ...],
) -> None:
    reply = Reply(text, finish_reason, refusal, reasoning, usage, max_tokens=max_tokens)
    reading = read(reply, criteria, policy)
    assert reading.kind in ("verdict", *UNREADABLE)
    assert (reading.kind == "verdict") == (reading.verdict is not None)


def valid_verdicts_in(text: str) -> list[str]:
    """The decisions of all valid verdicts that any slice of the text is, by the plain library."""
    found = []
    decoder = json.JSONDecoder()
    for start in (at for at, char in enumerate(text) if char == "{"):
        try:
            value, _ = decoder.raw_decode(text, start)
        except ValueError:
            continue
        if VALIDATOR.is_valid(value):
            found.append(value["verdict"])
    return found


@settings(max_examples=400)
@given(text=SOUP, policy=st.sampled_from(POLICIES))
@example(text=f"{{ {PASS} }}", policy="tolerant")
@example(text=PASS + FAIL, policy="tolerant")
@example(text=f"[{PASS}", policy="tolerant")
def test_a_verdict_stands_whole_and_valid_in_the_text(text: str, policy: str) -> None:
    verdict = read_text(text, policy).verdict
    if verdict is not None:
        assert verdict.decision in valid_verdicts_in(text)
        if "</think>" not in text:  # thinking that was set aside may hold others
            assert valid_verdicts_in(text) == [verdict.decision]


NO_TAG = SOUP.filter(lambda text: "think>" not in text)


@settings(max_examples=400)
@given(before=NO_TAG, after=NO_TAG, original=st.sampled_from([PASS, FAIL]))
@both_policies
def test_text_around_a_verdict_never_makes_it_another(
    policy: str, before: str, after: str, original: str
) -> None:
    alone = read_text(original).verdict
    around = read_text(before + original + after, policy).verdict
    assert around is None or around == alone


@settings(max_examples=200)
@given(before=SOUP, after=SOUP)
@both_policies
def test_no_text_around_a_fail_makes_it_a_pass_without_a_pass_of_its_own(
    policy: str, before: str, after: str
) -> None:
    reading = read_text(before + FAIL + after, policy)
    if reading.verdict is not None and reading.verdict.decision == "pass":
        # Only a thinking tag can set the fail aside, and only for a whole pass that follows.
        assert "</think>" in before + after
        assert "pass" in valid_verdicts_in(before + after)


WORDS = st.text("abc {}[]\"'\n.:é", max_size=30)


@settings(max_examples=200)
@given(thought=WORDS, original=st.sampled_from([PASS, FAIL]), fence=st.sampled_from(["```", "~~~"]))
@both_policies
def test_a_fence_or_closed_thinking_keeps_the_verdict(
    policy: str, thought: str, original: str, fence: str
) -> None:
    alone = read_text(original).verdict
    assert read_text(f"<think>{thought}</think>\n{original}", policy).verdict == alone
    assert read_text(f"{fence}json\n{original}\n{fence}", policy).verdict == alone
    assert read_text(f"so, {thought}</think>\n{original}", policy).verdict == alone


@settings(max_examples=100)
@given(cut=st.integers(1, len(PASS) - 1))
@both_policies
def test_a_verdict_cut_anywhere_is_truncated(policy: str, cut: int) -> None:
    assert read_text(PASS[:cut], policy).kind == "truncated"


@settings(max_examples=200)
@given(data=st.data())
def test_a_character_deleted_never_turns_a_fail_into_a_pass(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(FAIL) - 1))
    verdict = read_text(FAIL[:at] + FAIL[at + 1 :], "tolerant").verdict
    assert verdict is None or verdict.decision == "fail"


def hostile_texts(size: int) -> dict[str, str]:
    """Replies of about ``size`` characters that make a careless reader slow."""
    units = [
        *("{", "{}", "{x}", "{ x ", '{"', '{"a":', '{"a":1}', "[1]", "[{", '"{"', '{"}', "\\u"),
        *("<think>", "</think>", "<think></think>", "{x</think>", '{"x</think>', "{x:}</think>"),
        *(".", " ", "`", "~", "```\n", '"', "\u0301", "words ", "{a" + " " * 80, "{" + " " * 99),
    ]
    texts = {f"{unit[:12]!r} repeated": unit * (size // len(unit)) for unit in units}
    half = size // 2
    return texts | {
        "arrays in arrays": "[" * half + "]" * half,
        "objects in objects": '{"a":' * half + "1" + "}" * half,
        "a string that never ends": '{"a": "' + "x" * size,
        "escaped quotation marks": '{"a": "' + '\\"' * half,
        "backslashes": '{"a": "' + "\\" * size + '"}',
        "surrogate escapes": '{"a": "' + "\\ud800" * (size // 6) + '"}',
        "a long key": '{"' + "k" * size + '": 1}',
        "a long bare key": "{" + "k" * size + ": 1}",
        "a long number": '{"a": ' + "9" * size + "}",
        "a long fraction": "0." + "9" * size,
        "many numbers": "[" + "1," * half + "1]",
        "many empty objects": "[" + "{}," * (size // 3) + "{}]",
        "space in braces": "x {" + " " * size + "!} y",
        "space in an open brace": "{" + " " * size + "!",
        "space in an open bracket": "[" + " " * size + "!",
        "space after a fence": "```" + " " * size + "x!",
        "a fence of back quotes": "`" * size + "x",
        "two fences of back quotes": "`" * half + "!" + "`" * half,
        "closing braces": "{}" + "} " * half + "x",
        "braces while thinking": "{x" * half + "</think>{}",
        "quotes in braces": "x {x " + "' " * half + "}",
    }


HOSTILE = hostile_texts(200_000)


@both_policies
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_reply_is_no_verdict(name: str, policy: str) -> None:
    # That it ends at all is half of the test: in quadratic time it would not.
    assert read_text(HOSTILE[name], policy).verdict is None


@pytest.mark.bench
@both_policies
def test_time_grows_linearly_with_a_hostile_reply(policy: str) -> None:
    def seconds(text: str) -> float:
        start = process_time()
        read_text(text, policy)
        return process_time() - start

    small, large = hostile_texts(2_500_000), hostile_texts(10_000_000)
    figures = {name: (seconds(small[name]), seconds(large[name])) for name in small}
    for name, (short, long) in sorted(figures.items(), key=lambda item: -item[1][1]):
        print(f"{policy:8} {name:32} 2.5 MB {short:.3f} s · 10 MB {long:.3f} s")
    assert [
        name for name, (short, long) in figures.items() if long > 1 or long > 8 * short + 0.1
    ] == []
