"""Failed connections to a model's endpoint, and whether the request may have arrived.

All vendors' libraries use httpx2, and its exceptions tell the two apart. A request that arrived may be billed, whether
or not its answer came back.
"""

from __future__ import annotations

import httpx2

from inforadar.stages.analyze.base import FailureKind, clean_line
from inforadar.stages.analyze.llm.endpoint import Unanswered

_NEVER_SENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    httpx2.InvalidURL,
    # Raised for a key that no header can carry.
    UnicodeEncodeError,
)


def was_sent(fault: Exception) -> bool:
    """Tell whether the request may have arrived. The libraries raise their own exceptions from httpx2's."""
    return not isinstance(fault, _NEVER_SENT) and not isinstance(fault.__cause__, _NEVER_SENT)


def unreachable(who: str, fault: Exception) -> Unanswered:
    """Describe a failed or broken connection, or a body that no client of this protocol can read."""
    why = clean_line(str(fault), 300) or type(fault).__name__
    told = f"{who} could not be reached: {why}"
    return Unanswered(kind=FailureKind.OUTAGE, message=told, may_be_billed=was_sent(fault))
