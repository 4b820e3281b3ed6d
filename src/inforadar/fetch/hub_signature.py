"""The signature of a push: an HMAC over its body with the secret that only the hub and we know. Pure."""

from __future__ import annotations

import hashlib
import hmac

METHODS = frozenset({"sha1", "sha256", "sha384", "sha512"})
"""The hash functions that WebSub names."""
MAX_HEADER_CHARACTERS = 200


def is_signed(header: str, secret: str, body: bytes) -> bool:
    """Whether `X-Hub-Signature` is that of the body. Without a signature, it is not."""
    method, separator, given = header[:MAX_HEADER_CHARACTERS].strip().partition("=")
    method, given = method.casefold(), given.strip().casefold()
    if not separator or method not in METHODS or not given.isascii():
        return False
    expected = hmac.new(secret.encode(), body, getattr(hashlib, method)).hexdigest()
    return hmac.compare_digest(expected, given)
