"""Conditional requests by ETag or date (RFC 9110, 13). Pure.

A reader that polls every few minutes should cost a few hundred bytes, not a document. Each encoding of a document has
different bytes and so its own strong ETag: `"d1ge57"`, `"d1ge57-gzip"`, `"d1ge57-br"`. A client that has any of them
has the document.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime

from inforadar.fetch.freshness import parse_http_date

_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')


def strong_etag(body: bytes) -> str:
    """Return an ETag that depends only on the bytes, on every machine."""
    return f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'


def encoded_etag(etag: str, encoding: str) -> str:
    return f'{etag[:-1]}-{encoding}"' if encoding else etag


def is_not_modified(
    *, etag: str, modified_at: datetime | None, if_none_match: str | None, if_modified_since: str | None
) -> bool:
    """Whether the client already has the document. A date is ignored if it is invalid or an ETag is given too."""
    if if_none_match is not None:
        tags = [tag.partition("-")[0] for tag in _ENTITY_TAG.findall(if_none_match)]
        return if_none_match.strip() == "*" or etag.strip('"') in tags
    since = parse_http_date(if_modified_since) if if_modified_since and modified_at else None
    # HTTP dates have whole seconds.
    return since is not None and modified_at is not None and modified_at.replace(microsecond=0) <= since
