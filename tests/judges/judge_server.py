"""A judge's API on loopback: OpenAI's and Anthropic's, played from a script.

In a test::

    with JudgeServer([status(500), reply("{}")]) as server:
        judge = make_judge(f"openai:m@{server.url}/v1")
        ...
        assert server.requests[0].json["model"] == "m"

As a process, which prints its port and then serves until it is ended::

    python judge_server.py --port 0 --reply-file steps.json

where the file holds a list of steps, such as
``[{"kind": "status", "status": 500}, {"kind": "reply", "text": "{}"}]``. The last step is
played for ever. ``GET /requests`` returns what the server was sent.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

Step = Mapping[str, Any]

BROKEN = '{"choices": [' + " " * 200
"""What comes of a body before its connection breaks."""


def reply(text: Any = "{}", **fields: Any) -> Step:
    """A reply in the shape of the API that was asked.

    Args:
        text: the visible text; ``None`` for none.
        fields: ``finish_reason``, ``refusal``, ``reasoning``, ``reasoning_content``, ``usage``.
    """
    return {"kind": "reply", "text": text, **fields}


def status(code: int, message: str = "told to fail", **headers: str) -> Step:
    """An error of the API's shape; header names are written with ``_`` for ``-``."""
    return {"kind": "status", "status": code, "message": message, "headers": headers}


def body(text: str, code: int = 200) -> Step:
    """A body as it stands."""
    return {"kind": "body", "text": text, "status": code}


def refuse(part: str, message: str, code: int = 400) -> Step:
    """An error as long as the request's body has the field ``part``, then a reply."""
    return {"kind": "refuse", "part": part, "message": message, "status": code, "text": "{}"}


# Never answers; answers a byte at a time, from the headers or the body on; breaks the
# connection in mid-body, with a length that was announced or in chunks; sends 17 MB.
HANG: Step = {"kind": "hang"}
DRIP: Step = {"kind": "drip"}
DRIP_HEADERS: Step = {"kind": "drip_headers"}
RESET: Step = {"kind": "reset"}
RESET_CHUNKED: Step = {"kind": "reset_chunked"}
HUGE: Step = {"kind": "huge"}
# Says in an error body what the client authenticated itself with.
ECHO_KEY: Step = {"kind": "echo_key", "status": 401}
ECHO_KEY_IN_REPLY: Step = {"kind": "echo_key", "status": 200}


def redirect(to: str) -> Step:
    """A redirection to another URL."""
    return {"kind": "status", "status": 307, "message": "", "headers": {"Location": to}}


@dataclass(frozen=True)
class Request:
    """What the server was sent."""

    path: str
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.text)


@dataclass
class JudgeServer:
    """The server; runs while it is used as a context."""

    steps: Sequence[Step]
    port: int = 0
    requests: list[Request] = field(default_factory=list)
    # The most requests that were ever being answered at once.
    most_in_flight: int = 0
    hold_s: float = 0.0

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._in_flight = 0
        self.closing = threading.Event()
        self._http = _Server(("127.0.0.1", self.port), _Handler)
        self._http.judge = self
        self.port = self._http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> JudgeServer:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread."""
        self._http.serve_forever()

    def next_step(self, request: Request) -> Step:
        """Take note of a request; the step to play for it."""
        with self._lock:
            self.requests.append(request)
            return self.steps[min(len(self.requests), len(self.steps)) - 1]

    def answering(self, change: int) -> None:
        """Count the requests that are being answered."""
        with self._lock:
            self._in_flight += change
            self.most_in_flight = max(self.most_in_flight, self._in_flight)


class _Server(ThreadingHTTPServer):
    judge: JudgeServer
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of many scripts."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        """Tests read ``requests`` instead."""

    def do_GET(self) -> None:
        sent = [
            {"path": item.path, "headers": dict(item.headers), "body": item.text}
            for item in self.server.judge.requests
        ]
        self._send(200, json.dumps(sent))

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        judge = self.server.judge
        judge.answering(+1)
        try:
            step = judge.next_step(Request(self.path, dict(self.headers), text))
            judge.closing.wait(judge.hold_s)
            play: Callable[[Step, Any], None] = getattr(self, f"_play_{step['kind']}")
            play(step, json.loads(text))
        finally:
            judge.answering(-1)

    def _play_reply(self, step: Step, sent: Any) -> None:
        write = anthropic_body if "/messages" in self.path else openai_body
        self._send(200, json.dumps(write(step, sent)))

    def _play_status(self, step: Step, sent: Any) -> None:
        self._send(step["status"], _error(step.get("message", "")), step.get("headers", {}))

    def _play_body(self, step: Step, sent: Any) -> None:
        self._send(step.get("status", 200), step["text"])

    def _play_refuse(self, step: Step, sent: Any) -> None:
        if step["part"] in sent:
            self._send(step["status"], _error(step["message"]))
        else:
            self._play_reply(step, sent)

    def _play_echo_key(self, step: Step, sent: Any) -> None:
        seen = self.headers.get("Authorization") or self.headers.get("x-api-key") or ""
        if step["status"] == 200:
            self._play_reply(reply(f"you sent {seen}", reasoning=f"they sent {seen}"), sent)
        else:
            self._send(step["status"], _error(f"not a valid key: {seen}, {dict(self.headers)}"))

    def _play_hang(self, step: Step, sent: Any) -> None:
        self.server.judge.closing.wait(30)
        self.close_connection = True

    def _play_drip(self, step: Step, sent: Any) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
        self._drip(head + BROKEN.encode(), b"{" * (100_000 - len(BROKEN)))

    def _play_drip_headers(self, step: Step, sent: Any) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\n", b"X-Slow: yes\r\n" * 1000)

    def _drip(self, at_once: bytes, slowly: bytes) -> None:
        self.close_connection = True
        self.wfile.write(at_once)
        for place in range(len(slowly)):
            if self.server.judge.closing.wait(0.02):
                return
            self.wfile.write(slowly[place : place + 1])

    def _play_reset(self, step: Step, sent: Any) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + BROKEN.encode())
        self._reset()

    def _play_reset_chunked(self, step: Step, sent: Any) -> None:
        chunk = f"{len(BROKEN):x}\r\n{BROKEN}\r\n"
        self.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk.encode())
        self._reset()

    def _reset(self) -> None:
        self.wfile.flush()
        # With no lingering, closing sends RST instead of a tidy end.
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True

    def _play_huge(self, step: Step, sent: Any) -> None:
        self._send(200, " " * (17 * 2**20))

    def _send(self, code: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error"}})


def openai_body(step: Step, sent: Any) -> dict[str, Any]:
    """A chat completion, as OpenAI's reference describes it."""
    message = {"role": "assistant", "content": step["text"], "refusal": step.get("refusal")}
    for name in ("reasoning", "reasoning_content"):
        if name in step:
            message[name] = step[name]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": sent.get("model"),
        "choices": [
            {"index": 0, "message": message, "finish_reason": step.get("finish_reason", "stop")}
        ],
        "usage": step.get(
            "usage",
            {
                "prompt_tokens": 700,
                "completion_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
        ),
    }


def anthropic_body(step: Step, sent: Any) -> dict[str, Any]:
    """A message, as Anthropic's reference describes it."""
    content = []
    if "reasoning" in step:
        content.append({"type": "thinking", "thinking": step["reasoning"], "signature": "c2ln"})
    if step["text"] is not None:
        content.append({"type": "text", "text": step["text"]})
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": sent.get("model"),
        "content": content,
        "stop_reason": step.get("finish_reason", "end_turn"),
        "usage": step.get("usage", {"input_tokens": 700, "output_tokens": 100}),
    }


def main() -> None:
    """Serve a script from a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--reply-file", type=Path, help="JSON list of steps; default: one reply {}")
    options = parser.parse_args()
    steps = json.loads(options.reply_file.read_text("utf-8")) if options.reply_file else [reply()]
    server = JudgeServer(steps, options.port)
    print(server.port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
