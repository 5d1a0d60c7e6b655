"""Every question to every model, and every answer to the judge; what is kept is not asked again."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple

from voirdire import __version__
from voirdire.call import reply_fields
from voirdire.errors import ConfigError, JudgeCallError
from voirdire.grade import Case, fingerprint, grade
from voirdire.journal import Journal, new_id
from voirdire.judges.base import Judge
from voirdire.judges.model import ModelJudge
from voirdire.prompt import build_prompt
from voirdire.record import as_record
from voirdire.rubric import Rubric
from voirdire.runs.done import Answer, Done, Fault, answer_of, read_answer
from voirdire.runs.kept import ANSWER, VERDICT, RunFolder, key_of
from voirdire.runs.metered import Metered
from voirdire.runs.models import Model, asking
from voirdire.runs.questions import Question, Template
from voirdire.source import text_hash


class Plan(NamedTuple):
    """What is compared, and how.

    Attributes:
        models: the models under test; no two have one spec.
        questions: what each of them is asked.
        template: the prompt.
        judge: who judges every answer.
        rubric: what is decided.
        policy: how the judge's replies are read.
        max_cost: US dollars for models and judge together; ``None`` is no limit.
        in_flight: how many pairs of model and question are worked on at once, 1 or more.
    """

    models: Sequence[Model]
    questions: Sequence[Question]
    template: Template
    judge: Judge
    rubric: Rubric
    policy: str = "strict"
    max_cost: float | None = None
    in_flight: int = 4


def check_prices(plan: Plan) -> None:
    """See that a limit of cost can be held.

    Raises:
        ConfigError: a model, or the judge, has no known price.
    """
    asked: list[tuple[str, Model | Judge]] = [("--model-set", model) for model in plan.models]
    for option, one in [*asked, ("--set", plan.judge)]:
        if plan.max_cost is not None and isinstance(one, ModelJudge) and one.price is None:
            raise ConfigError(
                f"--max-cost needs the price of {one.spec}, which is not in the list: add"
                f" {option} 'prices={{input: …, output: …}}', in US dollars per million tokens"
            )


def compare(
    plan: Plan,
    folder: RunFolder,
    journal: Journal,
    on_done: Callable[[Done], None],
    on_stop: Callable[[], None],
) -> list[Done]:
    """Ask and judge, several pairs at a time, the models of one question beside each other.

    Who is stopped in the middle goes on where he was. Answers and verdicts are kept; what came
    to an error is asked again by the next run.

    Args:
        plan: what to do.
        folder: where answers and verdicts are kept.
        journal: where every call is written.
        on_done: told of each pair as it is done, in the caller's thread.
        on_stop: told that the calls under way are waited for.

    Returns:
        All pairs: by question, and by model within.

    Raises:
        ConfigError: a setting is wrong, or a file cannot be written.
        KeyboardInterrupt: the calls under way were waited for, and are kept.
        GivenUpError: a second one came meanwhile; threads are still at work.
    """
    work = _Work(plan, folder, journal)
    pairs = [(model, question) for question in plan.questions for model in plan.models]
    pool = ThreadPoolExecutor(plan.in_flight)
    try:
        found = [pool.submit(work.done, *pair) for pair in pairs]
        for future in as_completed(found):
            on_done(future.result())
        return [future.result() for future in found]
    finally:
        work.stopped.set()
        try:
            pool.shutdown(wait=False, cancel_futures=True)
            if sys.exc_info()[0] is KeyboardInterrupt:
                on_stop()
            pool.shutdown()
        except KeyboardInterrupt:
            raise GivenUpError from None


class GivenUpError(Exception):
    """The run was left while calls were under way."""


class _StoppedError(Exception):
    """The run ends: nothing more is asked."""


class _Work:
    def __init__(self, plan: Plan, folder: RunFolder, journal: Journal) -> None:
        self.stopped = threading.Event()
        self._plan = plan
        self._folder = folder
        self._journal = journal
        self._mark = fingerprint(plan.judge, plan.rubric, plan.policy)
        self._judge = self._metered(plan.judge)
        self._models = {model.spec: self._metered(model) for model in plan.models}

    def _metered(self, one: Judge | Model) -> Any:
        if not isinstance(one, ModelJudge):
            return one
        return Metered(one, one.price, self._plan.max_cost, self._folder.path)

    def done(self, model: Model, question: Question) -> Done:
        """Answer and verdict of one pair, as far as they come."""
        prompt = self._plan.template.filled(question)
        answered, asked = self._answered(model, question, prompt)
        if isinstance(answered, Fault):
            return Done(model.spec, question, None, answered, None, "", asked)
        if not answered.text.strip():
            ended = answered.finish_reason or "no reason given"
            fault = Fault("no_answer", f"{model.spec} sent no text (it ended with: {ended})")
            return Done(model.spec, question, None, fault, None, "", asked)
        verdict, shown, calls = self._judged(model, question, answered)
        return Done(model.spec, question, answered, None, verdict, shown, asked + calls)

    def _answered(
        self, model: Model, question: Question, prompt: str
    ) -> tuple[Answer | Fault, int]:
        key = key_of(dict(model.identity), text_hash(prompt), question.id)
        kept = None if model.is_recorded else read_answer(self._folder.get(ANSWER, key))
        if kept is not None:
            return kept, 0
        self._go_on()
        try:
            reply = self._models[model.spec].ask(asking(prompt, question.id))
        except JudgeCallError as error:
            if error.kind not in ("budget", "no_record"):
                fault = {"kind": error.kind, "detail": error.detail, "status": error.status}
                sent = {"error": fault, "raw": error.raw, "failed": list(error.failed)}
                self._write(model, question, prompt, sent)
            return Fault(error.kind, error.detail, error.raw), int(error.kind == "unreachable")
        except ConfigError as error:
            raise ConfigError(f"{model.spec}: {error}") from None
        cost = 0.0 if reply.canned else model.price.of(reply.usage) if model.price else None
        answer = answer_of(reply, cost)
        if model.is_recorded:
            return answer, 0
        self._folder.keep(ANSWER, key, answer._asdict(), paid=True)
        self._write(model, question, prompt, reply_fields(reply))
        return answer, 1

    def _judged(
        self, model: Model, question: Question, answer: Answer
    ) -> tuple[dict[str, Any], str, int]:
        plan = self._plan
        prompt = build_prompt(plan.rubric, question.sources, question.text, answer.text)
        shown = f"[system]\n{prompt.system}\n[user]\n{prompt.user}"
        key = key_of(self._mark, prompt.sha256, question.id, model.spec, __version__)
        kept = self._folder.get(VERDICT, key)
        if kept is not None:
            return dict(kept), shown, 0
        self._go_on()
        case = Case(question.sources, question.text, answer.text, question.id)
        outcome = grade(case, plan.rubric, self._judge, self._journal, policy=plan.policy)
        record = as_record(outcome, plan.judge, [model.spec])
        record["rubric"] = {"name": plan.rubric.name, "version": plan.rubric.version}
        asked = isinstance(plan.judge, ModelJudge)
        if outcome.outcome != "judge_error":
            self._folder.keep(VERDICT, key, record, paid=asked)
        return record, shown, int(asked)

    def _go_on(self) -> None:
        if self.stopped.is_set():
            raise _StoppedError

    def _write(self, model: Model, question: Question, prompt: str, sent: dict[str, Any]) -> None:
        """The model's call in the journal; nobody reads it there for a verdict."""
        fields = {
            "judge": model.spec,
            "role": "under test",
            "identity": dict(model.identity),
            "case_id": question.id,
            "prompt_sha256": text_hash(prompt),
            "request": {"messages": [{"role": "user", "content": prompt}]},
            **sent,
        }
        self._journal.record("call", new_id(), fields)
