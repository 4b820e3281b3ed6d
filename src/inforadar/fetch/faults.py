"""Network errors as a reason, an outcome and a sentence. Pure.

All of these are expected: sites are down, certificates expire, connections break. The sentences say what the
server did and never repeat text that came from it.
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
    """A fresh connection broke before a response came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a request got no usable response."""

    reason: FailureReason
    message: str
    outcome: Outcome = Outcome.TEMPORARY_ERROR


def fault_of_error(error: BaseException, host: str, timeout_s: float) -> Fault:
    """Describe one of the `EXPECTED_ERRORS`."""
    for kind, describe in _FAULTS:
        if isinstance(error, kind):
            return describe(error, host, timeout_s)
    raise error


def _refused_address(error: AddressRefusedError, host: str, _timeout_s: float) -> Fault:
    where = host if host.strip("[]") == error.address else f"{host} resolves to {error.address}, which"
    return Fault(
        reason=FailureReason.GUARD,
        outcome=Outcome.PERMANENT_ERROR,
        message=f"{where} is {error.kind}; it is blocked unless FETCHER_ALLOWED_NETWORKS lists it.",
    )


def _large_body(error: BodyTooLargeError, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.TOO_LARGE,
        outcome=Outcome.PERMANENT_ERROR,
        message=f"The response from {host} {error}.",
    )


def _bad_body(error: BodyError, host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.BROKEN, message=f"The response from {host} {error}.")


def _proxy_error(error: aiohttp.ClientHttpProxyError, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.STATUS,
        message=f"The proxy answered {error.status} and did not connect to {host}.",
    )


def _bad_response(error: aiohttp.ClientResponseError, host: str, _timeout_s: float) -> Fault:
    if _is_header_too_large(error):
        return Fault(
            reason=FailureReason.TOO_LARGE,
            outcome=Outcome.PERMANENT_ERROR,
            message=f"The response headers from {host} are too large.",
        )
    return Fault(reason=FailureReason.BROKEN, message=f"{host} did not send a valid HTTP response.")


def _is_header_too_large(error: BaseException | None) -> bool:
    """Search the chain of causes: the parser's error is wrapped twice, and too many fields have no error type."""
    while error is not None:
        if isinstance(error, LineTooLong) or str(getattr(error, "message", "")).startswith(
            "Too many headers"
        ):
            return True
        error = error.__cause__
    return False


def _bad_certificate(error: aiohttp.ClientConnectorCertificateError, host: str, _timeout_s: float) -> Fault:
    what = _CERTIFICATE_ERRORS.get(getattr(error.certificate_error, "verify_code", 0), "is not trusted")
    return Fault(reason=FailureReason.TLS, message=f"The certificate of {host} {what}.")


_CERTIFICATE_ERRORS = {
    9: "is not valid yet",
    10: "has expired",
    18: "is self-signed",
    62: "is for a different host name",
    64: "is for a different address",
}
"""By OpenSSL's verification error code."""


def _tls_failure(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.TLS, message=f"The TLS handshake with {host} failed.")


def _unresolved_name(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.DNS, message=f"{host} could not be resolved.")


def _proxy_unreachable(_error: BaseException, _host: str, _timeout_s: float) -> Fault:
    return Fault(reason=FailureReason.REFUSED, message="The proxy could not be reached.")


def _connect_failure(error: aiohttp.ClientConnectorError, host: str, timeout_s: float) -> Fault:
    cause = error.os_error
    if isinstance(cause, TimeoutError):
        return _timeout(error, host, timeout_s)
    if isinstance(cause, ConnectionResetError):
        return _broken_connection(error, host, timeout_s)
    if isinstance(cause, ConnectionRefusedError):
        message = f"{host} refused the connection."
    elif cause.errno in {errno.EMFILE, errno.ENFILE}:
        message = "Too many files are open on this machine to connect anywhere; raise the limit (ulimit -n)."
    else:
        message = f"{host} could not be reached."
    return Fault(reason=FailureReason.REFUSED, message=message)


def _bad_url(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.URL,
        outcome=Outcome.PERMANENT_ERROR,
        message=f"This URL on {host} cannot be requested.",
    )


def _timeout(_error: BaseException, host: str, timeout_s: float) -> Fault:
    unit = "second" if timeout_s == 1 else "seconds"
    return Fault(
        reason=FailureReason.TIMEOUT,
        message=f"{host} did not finish its response within {timeout_s:g} {unit}.",
    )


def _broken_connection(_error: BaseException, host: str, _timeout_s: float) -> Fault:
    return Fault(
        reason=FailureReason.BROKEN,
        message=f"{host} closed the connection before its response was complete.",
    )


_FAULTS: tuple[tuple[type[BaseException], Callable[[Any, str, float], Fault]], ...] = (
    # Subclasses come before their base classes.
    (AddressRefusedError, _refused_address),
    (BodyTooLargeError, _large_body),
    (BodyError, _bad_body),
    (aiohttp.ClientHttpProxyError, _proxy_error),
    (aiohttp.ClientResponseError, _bad_response),
    (aiohttp.ClientConnectorCertificateError, _bad_certificate),
    (aiohttp.ClientSSLError, _tls_failure),
    (ssl.SSLError, _tls_failure),
    (aiohttp.ClientConnectorDNSError, _unresolved_name),
    (aiohttp.ClientProxyConnectionError, _proxy_unreachable),
    (aiohttp.ClientConnectorError, _connect_failure),
    (aiohttp.InvalidURL, _bad_url),
    (TimeoutError, _timeout),
    (BrokenConnectionError, _broken_connection),
    (aiohttp.ClientError, _broken_connection),
    (OSError, _broken_connection),
)

EXPECTED_ERRORS: tuple[type[BaseException], ...] = tuple(kind for kind, _ in _FAULTS)
"""Errors that a request may raise; any other is our own bug and is not caught."""
