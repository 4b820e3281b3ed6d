"""The common parts of the OpenAI and Anthropic libraries, which are made by the same generator.

Their clients take the same arguments, their messages have the same shape and their exceptions the same names, so they
are handled in one place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

import httpx2

from inforadar.stages.analyze.llm.connection import unreachable, was_sent
from inforadar.stages.analyze.llm.endpoint import Access, Turn, Unanswered, unanswered

T = TypeVar("T")


def client_arguments(access: Access, own_url: str) -> dict[str, Any]:
    """Return the arguments of either library's client."""
    # Connecting gets only half of the time: a failed connection must be seen as such, because it costs nothing,
    # before the time for the whole request is over.
    timeout = httpx2.Timeout(access.timeout_s, connect=access.timeout_s / 2)
    return {
        "api_key": access.api_key or "none",
        "base_url": access.base_url or own_url,
        "timeout": timeout,
        "max_retries": 0,
    }


def messages_of(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """Return turns as either library's messages."""
    return [{"role": turn.role.value, "content": turn.text} for turn in turns]


async def sent(library: Any, who: str, request: Awaitable[T]) -> T | Unanswered:
    """Await a request; translate exceptions of `library`, the vendor's module, into `Unanswered`."""
    try:
        return await request
    except library.APIStatusError as fault:
        return unanswered(who, fault.status_code, fault.message, fault.response.headers)
    except library.APITimeoutError as fault:
        if was_sent(fault):
            raise TimeoutError from fault
        return unreachable(who, fault)
    except (library.APIError, ValueError) as fault:
        return unreachable(who, fault)
