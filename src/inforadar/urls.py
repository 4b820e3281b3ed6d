"""URLs: one normal form, and what is computed from it.

Parsing is WHATWG's (ada), as browsers do it: lower-case host, IDNA, default ports and dot segments
gone. Beyond that the fragment goes, and so do the tracking parameters listed here; the order of the
others stays, because some servers care. `http` and `https`, with and without `www`, stay distinct.

All ids and hashes are computed over the normal form. The URL as given is what is requested, and a feed's
URL loses no parameter.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NewType

import ada_url

from inforadar.errors import InvalidUrlError

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

UrlHash = NewType("UrlHash", str)
"""SHA-256 of the normalized URL, 64 hex digits."""

Uid = NewType("Uid", str)
"""An article's key: the first 16 hex digits of the SHA-1 of its normalized URL."""

MAX_LENGTH = 8192
MAX_HOST = 253
"""No longer name can be looked up. Hosts are keys, too: PostgreSQL has no index for those of thousands of letters."""

UNREADABLE = "it cannot be read; it should look like https://example.com/feed"

TRACKING_PARAMETERS = frozenset(
    {
        # advertising clicks
        "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "ysclid", "twclid",
        "ttclid", "li_fat_id", "rdt_cid", "epik", "irclickid", "_openstat",
        # mailings
        "mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv", "_hsenc", "_hsmi", "oly_anon_id",
        "oly_enc_id", "ck_subscriber_id", "wickedid", "bsft_clkid", "bsft_uid",
        # analytics
        "_ga", "_gl", "igsh", "igshid", "ref_src", "ref_url", "guccounter", "guce_referrer",
        "guce_referrer_sig", "xtor", "cmpid", "ocid", "ncid", "soc_src", "soc_trk", "at_campaign",
        "at_medium", "at_link_id", "at_link_origin", "at_link_type", "at_ptr_name", "at_format",
    }
)  # fmt: skip
"""Parameters that name the way a reader came, not what is read."""

TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "hsa_", "at_custom", "at_bbc")
"""Families of such parameters."""


def normalize(url: str, base: str | None = None) -> str:
    """The normal form of an absolute URL, or of one relative to `base`. Idempotent."""
    href = canonical_form(url, base)
    if "#" in href:
        href = href[: href.index("#")]
    if "?" not in href:
        return href
    path, query = href.split("?", 1)
    kept = "&".join(part for part in query.split("&") if part and not _is_tracking(part))
    return f"{path}?{kept}" if kept else path


def canonical_form(url: str, base: str | None = None) -> str:
    """As a browser would write it, nothing dropped; refuses what is not http or https."""
    text = url.strip()
    _check_length(text)
    if is_plain(text):
        return text
    if not text and base is None:
        raise InvalidUrlError(url, "it is empty")
    try:
        href: str = ada_url.join_url(base, text) if base is not None else ada_url.normalize_url(text)
    except ValueError:
        raise InvalidUrlError(text, UNREADABLE) from None
    if not href.startswith(("http://", "https://")):
        raise InvalidUrlError(text, "only http and https are fetched")
    # Escapes make a URL longer, and a normal form must have a normal form: itself.
    _check_length(href)
    _check_host(href)
    return href


_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN = re.compile(
    rf"https?://(?:[a-z0-9.-]+\.[a-z]+|(?:{_OCTET}\.){{3}}{_OCTET})"
    r"(?::(?!80/|443/)(?:[1-9]\d{0,3}|[1-5]\d{4}))?"
    r"/[\w\-.~!$&'()*+,;=:@/%]*"
    r"(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?",
    re.ASCII,
)


def is_plain(url: str) -> bool:
    """Whether a URL surely is its own canonical form, as most are; parsing it takes several times as long."""
    # Dot segments, plain or escaped, go; names in another alphabet are checked letter by letter, long ones counted.
    return (
        bool(_PLAIN.fullmatch(url))
        and "/." not in url
        and "/%2" not in url
        and "xn--" not in url
        and not _may_have_long_host(url)
    )


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise InvalidUrlError(text[:80] + "…", f"it is longer than {MAX_LENGTH} characters")


def _may_have_long_host(href: str) -> bool:
    """By what stands before its path, a port or credentials too: hardly ever, and quick to say."""
    return href.find("/", len("https://")) > len("http://") + MAX_HOST


def _check_host(href: str) -> None:
    if _may_have_long_host(href) and is_long_host(host := hostname(href)):
        raise InvalidUrlError(host[:80] + "…", f"its host name is longer than {MAX_HOST} characters")


def is_long_host(host: str) -> bool:
    """Whether there can be no such host, given with or without its port. URLs of earlier versions may name one."""
    return len(host.partition(":")[0]) > MAX_HOST


def _is_tracking(parameter: str) -> bool:
    name = parameter.split("=", 1)[0].lower()
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES)


def url_hash(normalized: str) -> UrlHash:
    """SHA-256 of a normal form, in hex."""
    return UrlHash(hashlib.sha256(normalized.encode()).hexdigest())


def uid(normalized: str) -> Uid:
    """Seed 3's short key of an article."""
    return Uid(hashlib.sha1(normalized.encode(), usedforsecurity=False).hexdigest()[:16])


def hostname(url: str) -> str:
    """The host without its port, IPv6 without brackets."""
    return _parts(url)[1].strip("[]")


def host_key(url: str) -> str:
    """`hostname:port`: what the delay between two requests is counted by."""
    protocol, host, port = _parts(url)
    return f"{host}:{port or ('443' if protocol == 'https:' else '80')}"


def _parts(url: str) -> tuple[str, str, str]:
    """Protocol, host and port. All URLs of a site share them, so that what was parsed once serves the others."""
    end = url.find("/", len("https://"))
    try:
        return _parse_parts(url if end < 0 else url[: end + 1])
    except ValueError:
        # `http:////example.com/` and the like: browsers read even that.
        return _parse_parts(url)


@lru_cache(maxsize=4096)
def _parse_parts(url: str) -> tuple[str, str, str]:
    parsed = ada_url.URL(url)
    return str(parsed.protocol), str(parsed.hostname), str(parsed.port)


def origin(url: str) -> str:
    """Scheme, host and port."""
    return str(ada_url.URL(url).origin)


def keeps_credentials(given: str, target: str) -> bool:
    """Whether credentials that a person gave for one URL may be sent to the other.

    They belong to an origin. Its `https` may have them too, where `http` had them; never the other way round.
    """
    was, now = _parts(given), _parts(target)
    host = was[1]
    return now == was or (was == ("http:", host, "") and now == ("https:", host, ""))


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - reading the list takes 70 ms

    return PublicSuffixList(accept_unknown=True)


def root_domain(url: str) -> str:
    """The registrable domain by the public suffix list that is shipped; a bare host or address is itself."""
    host = hostname(url).rstrip(".")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        found: str | None = _suffixes().privatesuffix(host)
        return found or host
    return host


def readable(url: str) -> str:
    """A URL for people: no scheme, host in its own script, no trailing slash."""
    parsed = ada_url.URL(url)
    host = parsed.host
    if "xn--" in host:
        host = ada_url.idna.decode(host)
    rest = f"{parsed.pathname}{parsed.search}".rstrip("/")
    return f"{host}{rest}"
