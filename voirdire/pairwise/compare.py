"""Compare two answers: asked in both orders, journalled, read, checked and settled."""

from __future__ import annotations

from dataclasses import dataclass

from voirdire.cache.recall import Memory, recall
from voirdire.call import Heard, excerpt, fingerprint
from voirdire.echo import unless_echoed
from voirdire.errors import ConfigError
from voirdire.evidence import Texts
from voirdire.journal import Journal
from voirdire.judges.base import Ask, Judge
from voirdire.pairwise.prompt import TEMPLATE_VERSION, build_prompt
from voirdire.pairwise.swap import TAKEN, Said, Settled, settle
from voirdire.pairwise.verdict import Preference, check_preference, preference_schema
from voirdire.prompt import Prompt
from voirdire.reading import ReadingOf, read_as
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric
from voirdire.source import Source
from voirdire.strictjson import shorten


@dataclass(frozen=True)
class Pair:
    """Two answers to compare.

    Attributes:
        a: one answer.
        b: the other.
        question: what both answer, if anything.
        sources: the documents of truth; none where the comparison is to do without.
        id: the caller's name for the pair, if any; a recorded reply is found by this name with
            ``:a-first`` or ``:b-first`` after it.
        label: a person's choice, ``a``, ``b`` or ``tie``, if there is one.
    """

    a: str
    b: str
    question: str | None
    sources: tuple[Source, ...]
    id: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class Order:
    """One order of asking: what the judge was shown, what it replied, what that says."""

    said: Said
    heard: Heard[Preference]
    prompt: Prompt


@dataclass(frozen=True)
class Comparison:
    """A pair, compared.

    Attributes:
        settled: what it came to.
        orders: A first, then B first.
        judge: the judge's spec.
        fingerprint: hash of all that makes this judge this judge.
    """

    settled: Settled
    orders: tuple[Order, Order]
    judge: str
    fingerprint: str

    @property
    def canned(self) -> bool:
        """Whether a reply was recorded rather than asked for."""
        return any(order.heard.reply and order.heard.reply.canned for order in self.orders)

    @property
    def usage(self) -> Usage:
        """Tokens of all calls together."""
        return self.orders[0].heard.usage + self.orders[1].heard.usage

    @property
    def reason(self) -> str:
        """The outcome for people, on one line; says so where a reply is canned."""
        label = "[canned reply] " if self.canned else ""
        settled = self.settled
        if settled.outcome == "judge_error":
            unread = next(order for order in self.orders if order.said.winner is None)
            shown = excerpt(unread.heard.raw)
            return f"judge error ({settled.kind}): {label}{settled.detail}{shown}"
        if settled.outcome == "undecided":
            return f"undecided: {label}{settled.detail} ({settled.kind})"
        if settled.outcome == "tie":
            return f"{label}tie ({settled.kind}): {settled.detail}"
        said = self.orders[0].heard.verdict
        return f"{label}{settled.detail}. With A first: {said.critique if said else ''}"


def compare(
    pair: Pair,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    *,
    policy: str = "strict",
    memory: Memory | None = None,
) -> Comparison:
    """Compare two answers, asking the judge with A first and with B first.

    Args:
        pair: the answers, with the sources.
        rubric: what to compare by; in claim mode, by what the source supports.
        judge: who decides; not ``rules``.
        journal: where every call is written before it is read.
        policy: ``strict`` or ``tolerant``.
        memory: where preferences are kept; ``None`` keeps none.

    Raises:
        ConfigError: the judge cannot compare, the rubric needs a source and there is none, the
            judge's settings are wrong, or the journal cannot be written.
    """
    if judge.spec == "rules":
        raise ConfigError(
            "the judge rules checks one answer at a time and cannot compare two; "
            "give a model or replay:FILE"
        )
    if not rubric.criteria and not pair.sources:
        raise ConfigError(
            f"the rubric {rubric.name!r} compares claims with a source; give one, "
            "or a rubric with criteria"
        )
    mark = fingerprint(judge, rubric, policy, preference_schema(), TEMPLATE_VERSION)

    def ask(first: str) -> Order:
        return _ask(pair, first, rubric, judge, journal, mark, policy, memory or Memory())

    one, two = ask("a"), ask("b")
    return Comparison(settle(one.said, two.said), (one, two), judge.spec, mark)


def _ask(
    pair: Pair,
    first: str,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    mark: str,
    policy: str,
    memory: Memory,
) -> Order:
    answers = (pair.a, pair.b) if first == "a" else (pair.b, pair.a)
    prompt = build_prompt(rubric, pair.sources, pair.question, *answers)
    ask = Ask(
        prompt=prompt,
        schema=preference_schema(),
        rubric_criteria=(),
        sources=pair.sources,
        question=pair.question or "",
        answer="\n".join(answers),
        case_id=None if pair.id is None else f"{pair.id}:{first}-first",
    )

    def read(reply: Reply) -> ReadingOf[Preference]:
        reading = read_as(reply, check_preference, policy)
        return unless_echoed(reading, answers, check_preference)

    heard = recall(ask, rubric, judge, journal, mark, read, memory)
    return Order(_said(heard, pair, first, rubric), heard, prompt)


def _said(heard: Heard[Preference], pair: Pair, first: str, rubric: Rubric) -> Said:
    preference = heard.verdict
    if preference is None:
        return Said(first, None, heard.kind, heard.detail)
    second = "b" if first == "a" else "a"
    winner = {"first": first, "second": second}.get(preference.winner, "tie")
    return Said(first, winner, *_fault(preference, winner, pair, rubric.threshold))


def _fault(preference: Preference, winner: str, pair: Pair, threshold: float) -> tuple[str, str]:
    """Why a preference is not taken: a kind and a sentence."""
    won = {"a": pair.a, "b": pair.b}.get(winner)
    if won is not None and not any(map(str.isalnum, won)):
        return "empty_answer", "the winner says nothing"
    truth, given = Texts(source.text for source in pair.sources), Texts([pair.a, pair.b])
    in_source = [truth.hold(quote) for quote in preference.evidence]
    for quote, found in zip(preference.evidence, in_source, strict=True):
        if not found and not given.hold(quote):
            places = "the source nor the answers" if pair.sources else "of the answers"
            return (
                "evidence_not_found",
                f"the quote {shorten(quote, 120)} stands in neither {places}",
            )
    if won is not None and pair.sources and not any(in_source):
        return (
            "evidence_not_found",
            "a win needs a quote from the source; all of them are from the answers",
        )
    if preference.confidence < threshold:
        return (
            "low_confidence",
            f"confidence {preference.confidence:g} is below the threshold {threshold:g}",
        )
    return TAKEN, ""
