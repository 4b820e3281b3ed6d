"""What the libraries of OpenAI and Anthropic have in common: one generator makes both.

Their clients take the same arguments, their messages have the same shape, and their exceptions the same names, so
what they mean to us is said once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, TypeVar

from inforadar.stages.analyze.endpoint import Access, Turn, Unanswered, unanswered, unreachable

T = TypeVar("T")


def client_arguments(access: Access, own_url: str) -> dict[str, Any]:
    return {
        "api_key": access.api_key or "none",
        "base_url": access.base_url or own_url,
        "timeout": access.timeout_s,
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
        raise TimeoutError from fault
    except (library.APIError, ValueError) as fault:
        return unreachable(who, fault)
