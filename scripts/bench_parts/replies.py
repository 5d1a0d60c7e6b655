"""Replies as reasoning and chat models give them to a judge's prompt, about 1 kB each, by a seed.

Most end with a verdict that readers from either end find. Reasoning before it holds braces that
begin no JSON, as placeholders, sets and code do. The rest has what parsers differ about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

_REASONS = (
    "The customer asks about {topic}, and the excerpts give {number} days for it.",
    "I first look at what is said about {topic}: the answer states it, the source does not.",
    "On {topic} the answer is silent, although the question names it.",
    "That leaves {topic}; section {number} says the same in other words.",
    "A careful reader would want the exact figure, and {number} is nowhere in the source.",
    "Then the tone: polite, short, and without a promise that we could not keep on {topic}.",
    "However, the rubric is strict about {topic}, so one slip is enough to fail.",
    "It says “within {number} days” where the excerpt says “about {number}” — close enough?",
)
_BRACES = (
    "The template still has {name} and {date} in it, which the customer would see.",
    "Possible grades are {pass, fail}, and nothing between them.",
    "The code in the answer, if (done) { return total; }, is what the manual shows.",
    "As a set the plans are {free, team, business}; the answer lists two.",
    "The config it quotes, {retries: 3, wait: '5s'}, is right.",
)
_TOPICS = ("refunds", "the reset link", "late delivery", "team seats", "the invoice", "data export")
_AFTER = (
    "Let me know if you would like me to look at the tone as well.",
    "Note: I did not check the figures of section 4.",
)


def lines(count: int, seed: int) -> Iterator[str]:
    """``count`` lines of JSON with the field ``text``; no two texts are the same."""
    random = Random(seed)
    for number in range(count):
        yield json.dumps({"text": reply(random, number)}, ensure_ascii=False) + "\n"


def reply(random: Random, number: int) -> str:
    """One of them; ``number`` is told in it."""
    verdict = _verdict(random, number)
    thought = _thought(random, random.randint(3, 7))
    share = random.random()
    if share < 0.75:
        return f"{thought}\n\n{verdict}"
    if share < 0.85:
        return f"<think>\n{thought}\n</think>\n{verdict}\n"
    if share < 0.90:
        return f"{thought}\n\n```json\n{verdict}\n```"
    if share < 0.94:
        return f"{thought}\n\n{verdict}\n\n{random.choice(_AFTER)}"
    if share < 0.96:
        return f"{thought}\n\n{verdict}\n\nOn reflection:\n{_verdict(random, number)}"
    if share < 0.98:
        return f"{thought}\n\n{verdict[: len(verdict) * 2 // 3]}"
    return f"{thought}\n\n{_thought(random, 4)} Case {number} cannot be judged."


def _thought(random: Random, sentences: int) -> str:
    said = [
        random.choice(_REASONS).format(topic=random.choice(_TOPICS), number=random.randint(2, 90))
        for _ in range(sentences)
    ]
    if random.random() < 0.4:
        said.insert(random.randrange(sentences), random.choice(_BRACES))
    return " ".join(said)


def _verdict(random: Random, number: int) -> str:
    passed = random.random() < 0.6
    verdict = {
        "case": number,
        "critique": _thought(random, 2).replace("{", "(").replace("}", ")"),
        "criteria": {"grounded": passed, "complete": random.random() < 0.7, "polite": True},
        "evidence": [_thought(random, 1) for _ in range(random.randint(0, 2))],
        "verdict": "pass" if passed else "fail",
        "confidence": random.randint(50, 99) / 100,
    }
    return json.dumps(verdict, ensure_ascii=False, indent=2 if random.random() < 0.3 else None)
