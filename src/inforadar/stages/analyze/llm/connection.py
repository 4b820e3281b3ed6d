"""What a failed connection to a model's endpoint means, and whether the question may have got through.

All vendors' libraries speak HTTP by httpx2, and its exceptions, or those made from them, tell the one from the other.
Whoever was asked may send a bill, whether the answer arrived or not.
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
    # Of a key that no header can carry.
    UnicodeEncodeError,
)


def was_sent(fault: Exception) -> bool:
    """Whether the question may have arrived. The libraries raise their own exceptions from httpx2's."""
    return not isinstance(fault, _NEVER_SENT) and not isinstance(fault.__cause__, _NEVER_SENT)


def unreachable(who: str, fault: Exception) -> Unanswered:
    """No connection, one that broke, or a body that no client of this protocol can read."""
    why = clean_line(str(fault), 300) or type(fault).__name__
    told = f"{who} cannot be reached: {why}"
    return Unanswered(kind=FailureKind.OUTAGE, message=told, may_be_billed=was_sent(fault))
