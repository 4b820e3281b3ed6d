"""Validators: taken from a response and sent back byte for byte, or not at all. Pure.

Valid UTF-8 survives the round trip through the HTTP library unchanged. A value that would not (other bytes
above 127, control characters) is not kept: an If-None-Match that differs from the ETag in one byte is a
validator that we made up.
"""

from __future__ import annotations

from collections.abc import Mapping

from inforadar.fetch.headers import is_sendable
from inforadar.model.http import Validators


def parse_validators(headers: Mapping[str, str], url: str) -> Validators:
    """Read the validators for the next request from the response of `url`; `headers` are unprocessed."""
    etag, last_modified = headers.get("ETag"), headers.get("Last-Modified")
    return Validators(
        etag=etag if etag and is_sendable(etag) else None,
        last_modified=last_modified if last_modified and is_sendable(last_modified) else None,
        url=url,
    )


def conditional_headers(validators: Validators, url: str) -> dict[str, str]:
    """Return the headers that ask `url` if it has changed; none if the validators belong to another URL."""
    headers: dict[str, str] = {}
    if validators.url is not None and validators.url != url:
        return headers
    if validators.etag and is_sendable(validators.etag):
        headers["If-None-Match"] = validators.etag
    if validators.last_modified and is_sendable(validators.last_modified):
        headers["If-Modified-Since"] = validators.last_modified
    return headers
