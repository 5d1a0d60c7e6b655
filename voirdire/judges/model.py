"""What the judges that are models behind an HTTP API have in common."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from voirdire.errors import ConfigError, JudgeCallError
from voirdire.judges.base import Ask
from voirdire.judges.dialect import Part, ask_without_refused, describe_error
from voirdire.judges.endpoint import Endpoint, Secrets, find_key
from voirdire.judges.pins import is_floating
from voirdire.judges.prices import Price, given_price, price_of
from voirdire.judges.settings import JudgeSettings
from voirdire.reply import Reply

if TYPE_CHECKING:  # loaded only where a run has a budget: promptfoo waits for every import
    from voirdire.judges.budget import Account


@dataclass(frozen=True)
class Service:
    """An API that a scheme stands for: its name in a spec, its base URL and its key's variable."""

    scheme: str
    base_url: str
    key_env: str


class MalformedBodyError(Exception):
    """A successful call brought a body that is not the API's; the message says what is wrong."""


class ModelJudge(ABC):
    """A model behind an HTTP API.

    Args:
        service: the API.
        model: the model's name there.
        base_url: another place of the same API; ``None`` for the service's own.
        settings: checked settings.
        sleep: waits for a number of seconds, between attempts.
        of_parent: whether its calls belong to the parent process's run rather than to this one's.

    Raises:
        ConfigError: a base URL that is none, settings that the API does not take, a model that
            names no fixed version, or a limit of cost for a model that has no price.
    """

    parts: ClassVar[tuple[Part, ...]] = ()

    def __init__(
        self,
        service: Service,
        model: str,
        base_url: str | None,
        settings: JudgeSettings,
        sleep: Callable[[float], None] = time.sleep,
        *,
        of_parent: bool = False,
    ) -> None:
        self.settings = settings
        self.model = model
        self.endpoint = Endpoint.parse(base_url or service.base_url)
        self._service = service
        self._has_own_url = base_url is not None
        self._sleep = sleep
        self._of_parent = of_parent
        self._is_elsewhere = self.endpoint.host != Endpoint.parse(service.base_url).host
        self.floating = is_floating(
            service.scheme,
            model,
            own_server=self._is_elsewhere,
            allowed=settings.allow_floating,
        )
        if settings.max_cost is not None and self.price is None:
            raise ConfigError(
                f"max_cost needs the price of {self.spec}, which is not in the list: add"
                " prices: {input: …, output: …} to its settings, in US dollars per million tokens"
            )

    @property
    def spec(self) -> str:
        """The spec it was made from, without what its URL may hold of user and query."""
        place = f"@{self.endpoint.shown}" if self._has_own_url else ""
        return f"{self._service.scheme}:{self.model}{place}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Model, place and every setting that can change a verdict."""
        return {
            "scheme": self._service.scheme,
            "model": self.model,
            "host": self.endpoint.shown,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed,
            "max_tokens": self.settings.max_tokens,
            "reasoning": self.settings.reasoning,
            "extra": dict(self.settings.extra),
        }

    @property
    def can_reask(self) -> bool:
        """A model may see its unreadable reply and try again."""
        return True

    @property
    def cacheable(self) -> bool:
        """A model's verdict is worth keeping."""
        return True

    @property
    def price(self) -> Price | None:
        """What its tokens cost; ``None`` where that is not known."""
        if self.settings.prices is not None:
            return given_price(self.settings.prices)
        return None if self._is_elsewhere else price_of(self._service.scheme, self.model)

    def ask(self, ask: Ask) -> Reply:
        """Ask the model once, with as many requests as that takes.

        Raises:
            JudgeCallError: ``unreachable`` or ``budget``.
            ConfigError: the API key is missing.
        """
        with self._account(ask) as account:
            return self._asked(ask, account)

    def _account(self, ask: Ask) -> AbstractContextManager[Account | None]:
        settings = self.settings
        limits = (settings.max_calls, settings.max_tokens_total, settings.max_cost)
        if limits == (None, None, None):
            return nullcontext()
        from voirdire.judges.budget import Limits, RunBudget, run_name

        said = [*ask.prompt.messages, *ask.turns]
        run = RunBudget(Limits(*limits), self.price, run_name(of_parent=self._of_parent))
        return run.reserved(len(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")))

    def _asked(self, ask: Ask, account: Account | None) -> Reply:
        # Here and not above: a run whose verdicts are all known never waits for requests.
        from voirdire.judges.http import Budget, Caller, post_json

        key = find_key(self.endpoint, self.settings.api_key_env, self._service.key_env)
        secrets = Secrets([key or "", *self.endpoint.secrets])
        caller = Caller(
            endpoint=self.endpoint,
            headers={"Content-Type": "application/json", **self.headers()},
            signature=self.signature(key) if key else {},
            key_name=(self.settings.api_key_env or self._service.key_env) if key else "",
            secrets=secrets,
            settings=self.settings,
        )
        budget = Budget(self.settings.budget_s, self.settings.retries)
        answer, notes = ask_without_refused(
            lambda body, is_refusal: post_json(
                caller, self.path(), body, budget, is_lasting=is_refusal, sleep=self._sleep
            ),
            {**self.body(ask), **self.settings.extra},
            # What the user wrote is not for us to leave out.
            tuple(part for part in self.parts if part.field not in self.settings.extra),
            self.endpoint.shown,
        )
        if account is not None:
            account.answered = True
        try:
            reply = self.read(_parse(answer.body))
        except MalformedBodyError as error:
            raise JudgeCallError(
                "unreachable",
                secrets.scrub_error(f"{self.endpoint.host} sent no usable reply: {error}"),
                raw=secrets.scrub_error(answer.body),
                failed=[failed.record for failed in budget.failed],
            ) from None

        if account is not None:
            account.usage, account.text = reply.usage, f"{reply.reasoning or ''}{reply.text or ''}"
        if self.floating:
            notes = (*notes, f"floating: {self.model} names no fixed version")

        def clean(text: str | None) -> str | None:
            # Again, now that the JSON escapes are undone.
            return None if text is None else secrets.scrub(text)

        return reply._replace(
            text=clean(reply.text),
            finish_reason=clean(reply.finish_reason),
            refusal=clean(reply.refusal),
            reasoning=clean(reply.reasoning),
            model=clean(reply.model),
            raw=answer.body,
            latency_ms=answer.latency_ms,
            max_tokens=self.settings.max_tokens,
            attempts=budget.attempts,
            notes=(*reply.notes, *notes),
            failed=tuple(failed.record for failed in budget.failed),
        )

    @abstractmethod
    def path(self) -> str:
        """The path of the API's method under the base URL."""

    @abstractmethod
    def headers(self) -> dict[str, str]:
        """The API's own headers, without the key."""

    @abstractmethod
    def signature(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""

    @abstractmethod
    def body(self, ask: Ask) -> dict[str, Any]:
        """The request's body, before the extra fields of the settings."""

    @abstractmethod
    def read(self, body: Mapping[str, Any]) -> Reply:
        """What a successful call's body says.

        Raises:
            MalformedBodyError: a part is missing or of the wrong type.
        """


def text_or_none(value: Any, name: str) -> str | None:
    """A field that is a string or absent.

    Raises:
        MalformedBodyError: it is something else.
    """
    if value is None or isinstance(value, str):
        return value
    raise MalformedBodyError(f"its {name} is no text")


def count_or_none(value: Any) -> int | None:
    """A token count; ``None`` for whatever is none."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


def mapping_or_empty(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for whatever is none."""
    return value if isinstance(value, Mapping) else {}


def _parse(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedBodyError("the body is not JSON") from None
    if not isinstance(body, Mapping):
        raise MalformedBodyError("the body is no JSON object")
    if body.get("error"):
        raise MalformedBodyError(describe_error(body) or "the body is an error")
    return body
