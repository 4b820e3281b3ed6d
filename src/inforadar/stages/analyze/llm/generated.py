"""What the libraries of OpenAI and Anthropic have in common: one generator makes both.

Their clients take the same arguments, their messages have the same shape, and their exceptions the same names, so
what they mean to us is said once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

import httpx2

from inforadar.stages.analyze.llm.connection import unreachable, was_sent
from inforadar.stages.analyze.llm.endpoint import Access, Turn, Unanswered, unanswered

T = TypeVar("T")


def client_arguments(access: Access, own_url: str) -> dict[str, Any]:
    # The connection gets a part of the time only: who could not be connected to was asked nothing, and that is not
    # seen once the time for the whole is over.
    timeout = httpx2.Timeout(access.timeout_s, connect=access.timeout_s / 2)
    return {
        "api_key": access.api_key or "none",
        "base_url": access.base_url or own_url,
        "timeout": timeout,
        "max_retries": 0,
    }


def messages_of(turns: Sequence[Turn]) -> list[dict[str, str]]:
    return [{"role": turn.role.value, "content": turn.text} for turn in turns]


async def sent(library: Any, who: str, request: Awaitable[T]) -> T | Unanswered:
    """What came back, or what the library's exception means. `library` is its module."""
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
