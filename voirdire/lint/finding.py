"""What a lint can find in a rubric: why each matters and how to mend it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Finding(NamedTuple):
    """One thing to mend.

    Attributes:
        kind: a key of ``KINDS``.
        where: ``file:line``.
        words: the words of the rubric that it is about; empty where something is missing.
    """

    kind: str
    where: str
    words: str

    @property
    def why(self) -> str:
        """Why it matters, one sentence."""
        return KINDS[self.kind][0]

    @property
    def mend(self) -> str:
        """What to do about it, one sentence."""
        return KINDS[self.kind][1]

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON values; ``line`` is null where only the file is known."""
        file, _, line = self.where.rpartition(":")
        known = bool(file) and line.isdigit()
        return {
            "kind": self.kind,
            "file": file if known else self.where,
            "line": int(line) if known else None,
            "words": self.words,
            "why": self.why,
            "mend": self.mend,
        }


KINDS: dict[str, tuple[str, str]] = {
    "too-many-criteria": (
        "all criteria must hold for a pass, so the judge's slips add up with each of them",
        "keep at most four; ask the others in a rubric of their own",
    ),
    "two-questions": (
        "one true or false cannot answer two questions; which of them failed is lost",
        "make each a criterion of its own",
    ),
    "no-yes-no": (
        "a criterion is decided true or false, and this cannot be answered by yes or no",
        "begin with Is, Does, Has or Can, so that yes is what a pass needs",
    ),
    "yes-is-bad": (
        (
            "a pass needs every criterion true, and here true means a fault: the judge must fail"
            " what it should pass"
        ),
        "turn it round: ask for what a sound answer does",
    ),
    "negated": (
        "judges err more on a no within a question, and yes no longer plainly means good",
        "ask for what must be there: `Is every statement stated in the source?`",
    ),
    "scale": (
        "scores of a scale drift and have no agreed line between pass and fail",
        "ask yes/no questions, one for each thing that must hold",
    ),
    "vague": (
        "everybody, and every model, has a bar of its own for such a word",
        "say what a person could look up: which fact, which step, which limit must be there",
    ),
    "source-unnamed": (
        "without its name, the judge may hold the answer against what it knows itself",
        "name the source in the question: `… stated in the help-centre excerpts?`",
    ),
    "not-covered": (
        (
            "nothing says what an answer should do where the source is silent, so an honest"
            " `I do not know` and an invention are judged by mood"
        ),
        "add a rule: `If the source does not cover the question, an answer that says so …`",
    ),
    "length": (
        "judges favour long and friendly answers unless told otherwise",
        "add a rule: `Length, tone and style do not matter.`",
    ),
    "no-claim": (
        (
            "greetings, offers and general advice are statements that no source states, so a strict"
            " judge fails sound answers for them"
        ),
        "add a rule: `Greetings, offers of help and general advice are not claims.`",
    ),
    "verdict-twice": (
        (
            "the prompt already says how to give the verdict; a second form contradicts it, and"
            " replies become unreadable"
        ),
        "drop it: a rubric says what to decide, not how to reply",
    ),
    "threshold": (
        "verdicts are taken that the judge itself thinks more likely wrong than right",
        "drop the line (0.9), or take the threshold that `voirdire calibrate` supports",
    ),
}
"""Kind → why it matters, and how to mend it."""
