"""voirdire from Python: grade an answer in a script or a test.

A verdict is a signal and authorises nothing: what must not happen without a person's word must
not happen on a judge's either.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voirdire.grade import Case, Outcome, fingerprint, grade
from voirdire.journal import Journal, default_path
from voirdire.judges.spec import make_judge
from voirdire.quorum import read_quorum
from voirdire.rubric import Rubric
from voirdire.source import Source


class Judge:
    """A judge that answers are put to.

    Example::

        judge = Judge("openai:gpt-4.1-2025-04-14")
        outcome = judge.grade("30 minutes.", rubric, Source("help", text), question="How long?")
        assert outcome.outcome == "pass", outcome.reason

    Args:
        spec: ``openai:MODEL[@URL]``, ``anthropic:MODEL``, ``replay:FILE``, ``rules`` and so on.
        journal: where every call is written; ``.voirdire/journal.jsonl`` by default.
        cache: where verdicts are kept: a file, a ``redis://`` URL or ``off``; the user's cache
            folder by default.
        policy: ``strict`` or ``tolerant``.
        samples, quorum: how often it is asked, and how many must agree.
        order: ``both`` asks with the source first and the answer first.
        **settings: of the judge: ``temperature``, ``max_tokens``, ``max_cost`` and so on.

    Raises:
        ConfigError: a spec or a setting that is not accepted.
    """

    def __init__(
        self,
        spec: str,
        *,
        journal: str | Path | None = None,
        cache: str | None = None,
        policy: str = "strict",
        samples: int | None = None,
        quorum: int | None = None,
        order: str = "source_first",
        **settings: Any,
    ) -> None:
        self._judge = make_judge(spec, settings)
        self._journal = Journal(Path(journal) if journal else default_path())
        self._policy = policy
        self._quorum = read_quorum(samples, quorum, "")
        self._order = order
        self._memory = None
        if self._judge.cacheable:
            from voirdire.cache.recall import Memory
            from voirdire.cache.store import open_store

            self._memory = Memory(open_store(cache))

    def grade(
        self,
        answer: str,
        rubric: Rubric,
        sources: Source | Sequence[Source],
        question: str | None = None,
        case_id: str | None = None,
    ) -> Outcome:
        """Grade one answer.

        Args:
            answer: the text under judgement.
            rubric: what to decide.
            sources: the documents of truth, at least one.
            question: what the answer answers.
            case_id: its name; the ``replay`` judge looks replies up by it.

        Returns:
            An outcome; only one whose ``outcome`` is ``pass`` is a pass. A judge error is no
            fail of the answer.

        Raises:
            ConfigError: no source, or the judge cannot be used.
        """
        found = (sources,) if isinstance(sources, Source) else tuple(sources)
        return grade(
            Case(found, question, answer, case_id),
            rubric,
            self._judge,
            self._journal,
            policy=self._policy,
            memory=self._memory,
            quorum=self._quorum,
            order=self._order,
        )

    def fingerprint(self, rubric: Rubric) -> str:
        """SHA-256, hex, of all that makes this judge with this rubric what it is."""
        return fingerprint(self._judge, rubric, self._policy)
