"""How a Python provider keeps its results out of promptfoo's own cache on disk."""

from __future__ import annotations

from typing import Any


def uncached(response: dict[str, Any]) -> dict[str, Any]:
    """A provider's response that promptfoo does not store.

    promptfoo would serve it again for the same vars though a source, a rubric or a recording
    had changed. It stores no response with an error: `false` is one to the code that stores
    and none to the code that grades. Its scheduler searches an error for words unless it is
    told the kind, hence the second field.
    """
    metadata = {**response.get("metadata", {}), "rateLimitKind": "quota"}
    return {**response, "metadata": metadata, "error": False}
