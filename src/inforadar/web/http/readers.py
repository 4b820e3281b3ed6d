"""Who may read whole texts, which are their authors' and not ours to publish. Pure.

a person         with the token or a login: everything
this machine     as long as the server has no public address and no proxy forwarded the request: everything
anybody else     summary and link; with INFORADAR_PUBLIC_TEXT=on, what each feed publishes
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import lru_cache

from inforadar.config import WebSettings
from inforadar.model.feed_options import Content, least_content

TEXT_SCOPE = "inforadar.text"
"""The scope key of a request's `TextAccess`."""
FORWARDING_HEADERS = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-real-ip",
)
_FORWARDING = frozenset(name.encode() for name in FORWARDING_HEADERS)


class TextAccess(StrEnum):
    ALL = "all"
    AS_PUBLISHED = "as_published"
    """As much as each feed publishes."""
    SUMMARY = "summary"

    def limit(self, asked: Content | None, own: Content) -> Content:
        """How much is served to whom asked for this; `own` is what the feed publishes."""
        if self is TextAccess.ALL:
            return asked or own
        allowed = own if self is TextAccess.AS_PUBLISHED else least_content(own, Content.SUMMARY)
        return least_content(asked or own, allowed)

    def may_read(self, own: Content) -> bool:
        """Whether the whole text of an item is shown; `own` is what its feed publishes."""
        return self.limit(Content.FULL, own) is Content.FULL


def stranger_access(settings: WebSettings) -> Callable[[str | None, bool], TextAccess]:
    """Make the function that says, by client address and whether it was forwarded, what needs no credentials."""
    usual = TextAccess.AS_PUBLISHED if settings.public_text else TextAccess.SUMMARY

    def access(client: str | None, is_forwarded: bool) -> TextAccess:
        is_own = not settings.public_url and not is_forwarded and client is not None and _is_loopback(client)
        return TextAccess.ALL if is_own else usual

    return access


def is_forwarded(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name in _FORWARDING for name, _ in headers)


@lru_cache(maxsize=1024)
def _is_loopback(client: str) -> bool:
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback
