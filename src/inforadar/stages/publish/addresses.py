"""Web addresses as feeds must write them: absolute, http or https, and strict RFC 3986.

Our normalized URLs are written as in a browser, and browsers leave characters like `|`, `{` or `^` in a query.
Feed validators and some readers refuse those; percent-encoded, the address still names the same page.
"""

from __future__ import annotations

import re

from inforadar.errors import InvalidUrlError
from inforadar.urls import canonical_form

_STRICT = re.compile(
    r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?"
    r"(?:[/?](?:[0-9A-Za-z;/?:@&=+$.\-_!~*'(),]++|%[0-9A-Fa-f]{2})*+)?+"
)
_NOT_STRICT = re.compile(r"%(?![0-9A-Fa-f]{2})|[^0-9A-Za-z;/?:@&=+$.\-_!~*'(),%]")


def web_address(url: str) -> str:
    """Return the strict form of a web address; raise `InvalidUrlError` for anything else."""
    if _STRICT.fullmatch(url):
        return url
    address, hash_sign, fragment = canonical_form(url).partition("#")
    scheme, rest = address.split("://", 1)
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host}{slash}{_encode(path)}{hash_sign}{_encode(fragment)}"


def web_address_or_none(url: str | None) -> str | None:
    """Return the strict form, or None for a `data:` image or an invalid address, which the feed leaves out."""
    if not url:
        return None
    try:
        return web_address(url)
    except InvalidUrlError:
        return None


def _encode(part: str) -> str:
    return _NOT_STRICT.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), part)
