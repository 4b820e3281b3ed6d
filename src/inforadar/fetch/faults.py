"""What went wrong on the wire, as a reason, an outcome and a sentence. Pure.

Everything here is expected: sites are down, certificates run out, connections break. Only what the
server did is told; texts that come from the server are not repeated.
"""

from __future__ import annotations

import errno
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.http_exceptions import LineTooLong

from inforadar.fetch.decode import BodyError, BodyTooLargeError
from inforadar.fetch.guard import AddressRefusedError
from inforadar.model.http import FailureReason, Outcome


class BrokenConnectionError(Exception):
    """A fresh connection broke before an answer came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """How a request ended that got no usable answer."""

    reason: FailureReason
    message: str
    outcome: Outcome = Outcome.TEMPORARY_ERROR


def fault_of_error(error: BaseException, host: str, timeout_s: float) -> Fault:
    """The fault behind an error of `EXPECTED`."""
    for kind, describe in _FAULTS:
        if isinstance(error, kind):
            return describe(error, host, timeout_s)
    raise error


def _refusal(error: AddressRefusedError, host: str, _timeout_s: float) -> Fault:
    where = host if host.strip("[]") == error.address else f"{host} leads to {error.address}, which"
    return Fault(
        reason=FailureReason.GUARD,
        outcome=Outcome.PERMANENT_ERROR,
        message=f"{where} is {error.kind}; we do not connect there unless FETCHER_ALLOWED_NETWORKS names it.",
    )


def _too_large_body(error: BodyTooLargeError, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.TOO_LARGE,
        outcome=Outcome.PERMANENT_ERROR,
        message=f"The answer of {host} {error}.",
    )


def _bad_body(error: BodyError, host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.BROKEN, message=f"The answer of {host} {error}.")


def _proxy_answer(error: aiohttp.ClientHttpProxyError, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.STATUS,
        message=f"The proxy answered {error.status} and did not lead us to {host}.",
    )


def _bad_answer(error: aiohttp.ClientResponseError, host: str, _timeout_s: float) -> Fault:
    if _is_about_size(error):
        return Fault(
            reason=FailureReason.TOO_LARGE,
            outcome=Outcome.PERMANENT_ERROR,
            message=f"The answer of {host} has headers larger than we take.",
        )
    return Fault(reason=FailureReason.BROKEN, message=f"What {host} answered is not HTTP.")


def _is_about_size(error: BaseException | None) -> bool:
    """The parser's own error is wrapped twice; that of too many fields has no type of its own."""
    while error is not None:
        if isinstance(error, LineTooLong) or str(getattr(error, "message", "")).startswith(
            "Too many headers"
        ):
            return True
        error = error.__cause__
    return False


def _certificate(error: aiohttp.ClientConnectorCertificateError, host: str, _timeout_s: float) -> Fault:
    what = _CERTIFICATE_ERRORS.get(
        getattr(error.certificate_error, "verify_code", 0), "is not one that we can trust"
    )
    return Fault(reason=FailureReason.TLS, message=f"The certificate of {host} {what}.")


_CERTIFICATE_ERRORS = {
    9: "is not valid yet",
    10: "has run out",
    18: "is signed by nobody but itself",
    62: "is for another name",
    64: "is for another address",
}
"""By OpenSSL's numbers of what is wrong with a certificate."""


def _encryption(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.TLS, message=f"{host} and we could not agree on encryption.")


def _name(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.DNS, message=f"The name {host} leads nowhere.")


def _proxy_away(_error: BaseException, _host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.REFUSED, message="The proxy cannot be reached.")


def _connecting(error: aiohttp.ClientConnectorError, host: str, timeout_s: float) -> Fault:
    cause = error.os_error
    if isinstance(cause, TimeoutError):
        return _timeout(error, host, timeout_s)
    if isinstance(cause, ConnectionResetError):
        return _broken(error, host, timeout_s)
    if isinstance(cause, ConnectionRefusedError):
        message = f"{host} refused the connection."
    elif cause.errno in {errno.EMFILE, errno.ENFILE}:
        message = "This machine has too many files open to connect anywhere; raise its limit (ulimit -n)."
    else:
        message = f"{host} cannot be reached."
    return Fault(reason=FailureReason.REFUSED, message=message)


def _bad_url(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.URL,
        outcome=Outcome.PERMANENT_ERROR,
        message=f"This address on {host} cannot be requested.",
    )


def _timeout(_error: BaseException, host: str, timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.TIMEOUT,
        message=f"{host} did not finish its answer within {timeout_s:g} seconds.",
    )


def _broken(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.BROKEN, message=f"{host} broke the connection before its answer was complete."
    )


_FAULTS: tuple[tuple[type[BaseException], Callable[[Any, str, float], Fault]], ...] = (
    # The more particular kind stands first.
    (AddressRefusedError, _refusal),
    (BodyTooLargeError, _too_large_body),
    (BodyError, _bad_body),
    (aiohttp.ClientHttpProxyError, _proxy_answer),
    (aiohttp.ClientResponseError, _bad_answer),
    (aiohttp.ClientConnectorCertificateError, _certificate),
    (aiohttp.ClientSSLError, _encryption),
    (ssl.SSLError, _encryption),
    (aiohttp.ClientConnectorDNSError, _name),
    (aiohttp.ClientProxyConnectionError, _proxy_away),
    (aiohttp.ClientConnectorError, _connecting),
    (aiohttp.InvalidURL, _bad_url),
    (TimeoutError, _timeout),
    (BrokenConnectionError, _broken),
    (aiohttp.ClientError, _broken),
    (OSError, _broken),
)

EXPECTED: tuple[type[BaseException], ...] = tuple(kind for kind, _ in _FAULTS)
"""What a request may raise; anything else is a fault of ours and goes on up."""
