"""A chat-completions server on loopback that gives the recorded reply to each recorded answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def canned_server(replies: Mapping[str, str]) -> Iterator[str]:
    """Serve ``{answer: reply}``; gives the base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            data = json.loads(json.loads(body)["messages"][1]["content"])
            message = {"role": "assistant", "content": replies[data["answer"]]}
            told: dict[str, Any] = {
                "model": "canned",
                "choices": [{"message": message, "finish_reason": "stop"}],
            }
            raw = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
