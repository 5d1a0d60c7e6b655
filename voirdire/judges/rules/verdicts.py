"""Put the findings into the form of a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from voirdire.coverage import bare, claimless
from voirdire.judges.base import Ask
from voirdire.judges.rules.case import FOUND, MISSING, WRONG, Case, Finding
from voirdire.judges.rules.compare import compare
from voirdire.judges.rules.fold import content, fold
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.truth import Ref, Truth

_QUOTE = 280  # characters that a quote of evidence may have
_CRITIQUE = 2000
_EVIDENCE = 12  # quotes that a verdict shows
_GROUNDING = ("ground", "support", "faithful", "source")
_ANSWERING = ("answers_question", "relevan", "answers")


def clip(text: str, start: int, end: int, about: int) -> str:
    """At most 280 characters of ``text[start:end]``, exact, around the position ``about``.

    A lone surrogate cannot stand in JSON that others must read, so the cut stops before one.
    """
    if end - start > _QUOTE:
        start, end = _window(text, start, end, about)
    part = text[start:end]
    if not part.isascii():
        runs = _clean_runs(part)
        at = min(max(about - start, 0), len(part))
        part = next((run for left, run in runs if left <= at < left + len(run)), "") or (
            runs[0][1] if runs else ""
        )
    return part.strip()


def _window(text: str, first: int, last: int, about: int) -> tuple[int, int]:
    """280 characters around a position, cut between words: evidence is looked up by words."""
    start = max(first, min(about - 100, last - _QUOTE))
    end = start + _QUOTE
    while first < start < about and text[start - 1].isalnum() and text[start].isalnum():
        start += 1
    cut = end
    while about + 1 < cut < last and text[cut - 1].isalnum() and text[cut].isalnum():
        cut -= 1
    return start, cut if cut > about + 1 else end


def _clean_runs(part: str) -> list[tuple[int, str]]:
    runs = []
    left = 0
    for at, char in enumerate(part + "\ud800"):
        if "\ud800" <= char <= "\udfff":
            if part[left:at].strip():
                runs.append((left, part[left:at]))
            left = at + 1
    return runs


def clean(text: str) -> str:
    """The text with lone surrogates replaced."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _said(finding: Finding) -> str:
    piece = finding.passage.piece
    return clip(finding.passage.text, piece.start, piece.end, finding.fact.start)


def _source_says(ref: Ref) -> str:
    piece = ref.passage.piece
    return clip(ref.passage.text, piece.start, piece.end, ref.fact.start)


def _phrase(finding: Finding) -> str:
    text = finding.passage.text[finding.fact.start : finding.fact.end]
    return clean(" ".join(text[:80].split())) + ("…" if len(text) > 80 else "")


def _fault(finding: Finding, ask: Ask) -> str:
    """One failed fact in words."""
    said = f"“{_phrase(finding)}” ({finding.fact.kind}) {finding.why}"
    if finding.ref:
        name = clean(ask.sources[finding.ref.passage.owner].id)[:80]
        said += f"; the source {name} says: “{clean(_source_says(finding.ref))[:160]}”"
    return said


def listed(opening: str, items: Sequence[str], closing: str) -> str:
    """A critique of at most 2,000 characters; says how many items did not fit."""
    room = _CRITIQUE - len(opening) - len(closing) - 40
    shown: list[str] = []
    for item in items:
        if room < len(item) + 2:
            break
        room -= len(item) + 2
        shown.append(item)
    left = len(items) - len(shown)
    more = f"; and {left} more" if left else ""
    return clean(opening + "; ".join(shown) + more + closing)[:_CRITIQUE]


def distinct(quotes: Iterable[str]) -> list[str]:
    """The quotes once each, in order, as many as a verdict shows."""
    return list(dict.fromkeys(quote for quote in quotes if quote))[:_EVIDENCE]


def verdict(ask: Ask) -> dict[str, Any]:
    """The verdict on an answer, in the shape of the verdict schema."""
    case = Case(ask.sources, ask.question, ask.answer)
    findings = compare(case)
    if ask.rubric_criteria:
        return _criteria(ask, case, findings)
    return _claims(ask, case, findings)


def _criteria(ask: Ask, case: Case, findings: list[Finding]) -> dict[str, Any]:
    faults = [finding for finding in findings if finding.status in (MISSING, WRONG)]
    held = [finding for finding in findings if finding.status == FOUND]
    names = ask.rubric_criteria
    grounding = [name for name in names if any(word in name.lower() for word in _GROUNDING)]
    if len(names) == 1:
        grounding = list(names)
    answered = {
        name: _answers(ask, case, held)
        for name in names
        if name not in grounding and any(word in name.lower() for word in _ANSWERING)
    }
    unjudged = [name for name in names if name not in grounding and not answered.get(name)]
    note = f" Not judged, since no rule can: {', '.join(unjudged)}." if unjudged else ""
    if faults and grounding:
        return {
            "critique": listed("Checked by rule. ", [_fault(finding, ask) for finding in faults],
                               "." + note),
            "criteria": {name: name not in grounding for name in names},
            "evidence": distinct(_fault_quotes(faults)) or [_any_quote(ask)],
            "verdict": "fail",
            "confidence": 1.0,
        }  # fmt: skip
    sound = bool(held) and not faults and not case.exhausted
    quotes = distinct(_support(case.truth, finding) for finding in held[:_EVIDENCE])
    passed = sound and not unjudged and bool(grounding) and bool(quotes)
    if faults:
        critique = listed("Checked by rule. ", [_fault(finding, ask) for finding in faults],
                          ". No criterion of this rubric is about the source." + note)  # fmt: skip
    elif held:
        critique = _checked(held, note)
    else:
        critique = "Nothing in the answer can be checked by rule." + note
    if case.exhausted:
        critique = f"Too much to check: {case.exhausted}." + note
    return {
        "critique": clean(critique)[:_CRITIQUE],
        "criteria": {
            name: (sound and name in grounding) or bool(answered.get(name)) for name in names
        },
        "evidence": quotes or [_any_quote(ask)],
        "verdict": "pass" if passed else "cannot_decide",
        "confidence": 1.0,
    }


def _checked(held: list[Finding], note: str) -> str:
    items = [f"“{_phrase(finding)}” ({finding.fact.kind})" for finding in held]
    return listed(
        f"Checked by rule and found in the source: {len(held)} fact{'s' * (len(held) > 1)}: ",
        items,
        ". Only these facts were checked; nothing else that the answer says was." + note,
    )


def _fault_quotes(faults: list[Finding]) -> list[str]:
    quotes = []
    for finding in faults[:_EVIDENCE]:
        quotes.append(_said(finding))
        if finding.ref:
            quotes.append(_source_says(finding.ref))
    return quotes


def _support(truth: Truth, finding: Finding) -> str:
    """The source's words that bear a fact out."""
    if finding.ref:
        return _source_says(finding.ref)
    owner = truth.ids.get(str(finding.fact.keys[0][1])) if finding.fact.kind == "id" else None
    if owner is not None:
        cited = truth.sources[owner].text
        return clip(cited, 0, len(cited), 0)
    wanted = content(finding.passage.folded[finding.fact.start : finding.fact.end])
    passage = truth.likeliest(wanted, finding.passage.content)
    return clip(passage.text, passage.piece.start, passage.piece.end, passage.piece.start) \
        if passage else ""  # fmt: skip


def _answers(ask: Ask, case: Case, held: list[Finding]) -> bool:
    """Whether the answer, or what bears it out, shares a word or a fact with the question."""
    asked = content(fold(ask.question))
    if asked & content(fold(ask.answer)):
        return True
    if any(key in case.question.keys for finding in held for key in finding.fact.keys):
        return True
    return any(finding.ref and asked & finding.ref.passage.content for finding in held)


def _any_quote(ask: Ask) -> str:
    """Some quote that does stand in the case, for a verdict that rests on none."""
    for text in (ask.answer, *(source.text for source in ask.sources), ask.question):
        start = len(text) - len(text.lstrip())
        quote = clip(text, start, min(len(text), start + 2000), start)
        if quote:
            return quote
    return "(empty answer)"


def _claims(ask: Ask, case: Case, findings: list[Finding]) -> dict[str, Any]:
    by_passage: dict[int, list[Finding]] = {}
    for finding in findings:
        by_passage.setdefault(id(finding.passage), []).append(finding)
    claims: list[dict[str, Any]] = []
    faults: list[Finding] = []
    unchecked: list[str] = []
    held: list[Finding] = []
    ignored = claimless(ask.ignore)
    for passage in case.passages:
        if ignored and bare(passage.piece.text) in ignored:
            continue
        here = by_passage.get(id(passage), [])
        wrong = [finding for finding in here if finding.status in (MISSING, WRONG)]
        good = [finding for finding in here if finding.status == FOUND]
        quote = next((q for finding in good if (q := _support(case.truth, finding))), None)
        faults += wrong
        supported = not wrong and quote is not None and not case.exhausted
        if wrong:
            quote = next((_source_says(finding.ref) for finding in wrong if finding.ref), None)
        elif not supported:
            quote = None
            unchecked.append(f"“{clean(passage.piece.text[:80])}”")
        else:
            held += good
        claims.append({
            "answer_quote": _whole(passage),
            "status": "supported" if supported else "unsupported",
            "source_quote": quote or None,
        })  # fmt: skip
    if not claims:
        claims = [{
            "answer_quote": clip(ask.answer.lstrip(), 0, _QUOTE, 0) or "(empty answer)",
            "status": "unsupported",
            "source_quote": None,
        }]  # fmt: skip
    doubt = f" Could not be checked by rule: {'; '.join(unchecked[:3])}" if unchecked else ""
    if len(unchecked) > 3:
        doubt += f"; and {len(unchecked) - 3} more"
    if faults:
        critique = listed(
            "Checked by rule. ", [_fault(finding, ask) for finding in faults], "." + doubt
        )
    elif held:
        critique = _checked(held, doubt)
    else:
        critique = "Nothing in the answer can be checked by rule."
    if case.exhausted and not faults:
        critique = f"Too much to check: {case.exhausted}."
    all_held = all(claim["status"] == "supported" for claim in claims)
    return {
        "critique": critique[:_CRITIQUE],
        "claims": claims,
        "verdict": "fail"
        if faults and not case.exhausted
        else "pass"
        if all_held
        else "cannot_decide",
        "confidence": 1.0,
    }


def _whole(passage: Passage) -> str:
    """A sentence of the answer as it stands."""
    text = passage.piece.text
    if text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return max((run for _, run in _clean_runs(text)), key=len, default="") or "(unreadable)"
