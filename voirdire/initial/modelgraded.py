"""promptfoo's model-graded assertions, and what each shows its judge.

As of promptfoo 0.123; ``similar``, ``classifier`` and ``moderation`` ask no judge for a verdict.
"""

from __future__ import annotations

from typing import NamedTuple


class Seen(NamedTuple):
    """What the judge of an assertion of this type is shown.

    Attributes:
        shown: in words.
        blind: what it is not shown; empty where it is shown a source.
    """

    shown: str
    blind: str


_PROMPT = "the source, unless the model's own prompt holds it"

SEEN = {
    "llm-rubric": Seen("the rubric and the answer", "the source"),
    "factuality": Seen("the model's prompt, a reference answer and the answer", _PROMPT),
    "model-graded-factuality": Seen(
        "the model's prompt, a reference answer and the answer", _PROMPT
    ),
    "model-graded-closedqa": Seen("the model's prompt, the criterion and the answer", _PROMPT),
    "g-eval": Seen("the model's prompt, the criteria and the answer", _PROMPT),
    "answer-relevance": Seen(
        "the answer alone: questions made out of it are compared with the query", "the source"
    ),
    "conversation-relevance": Seen("the messages", "the source"),
    "context-faithfulness": Seen("the query, the var context and the answer", ""),
    "context-recall": Seen(
        "the context and the expected answer", "the answer: it is the retrieval that is graded"
    ),
    "context-relevance": Seen(
        "the context and the query", "the answer: it is the retrieval that is graded"
    ),
    "search-rubric": Seen("the rubric, the answer, and what a web search finds", "the source"),
    "agent-rubric": Seen("the rubric, the answer, and what an agent looks up", "the source"),
    "select-best": Seen("the criterion and all answers", "the source"),
    "trajectory:goal-success": Seen("the goal and the steps", "the source"),
    "pi": Seen("the model's prompt, the criterion and the answer", _PROMPT),
}
"""Type → what is shown; only ``llm-rubric`` takes voirdire's door."""
