"""URLs: one normal form, and the ids and names computed from it.

Parsing follows WHATWG (ada), as browsers do: lower-case host, IDNA, no default ports and dot segments. The normal form
also drops the fragment and the tracking parameters listed here. The other parameters keep their order, because some
servers care. `http` and `https`, and hosts with and without `www`, stay distinct.

All ids and hashes are computed from the normal form. Requests use the URL as given, and a feed's URL keeps all its
parameters.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NewType

import can_ada

from inforadar.errors import InvalidUrlError
from inforadar.short_cache import short_cache

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

UrlHash = NewType("UrlHash", str)
"""SHA-256 of the normalized URL, 64 hex digits."""

Uid = NewType("Uid", str)
"""An article's key: the first 16 hex digits of the SHA-1 of its normalized URL."""

MAX_URL_CHARS = 8192
MAX_HOST_CHARS = 253
"""DNS cannot resolve longer names. Hosts are also keys, and PostgreSQL cannot index thousands of characters."""

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
"""Parameters that say how a reader got to a page, not which page it is."""

TRACKING_PREFIXES = ("utm_", "pk_", "mtm_", "piwik_", "hsa_", "at_custom", "at_bbc")
"""Prefixes of families of tracking parameters."""


_BARE_HOST = re.compile(
    r"(?!mailto:)(?:[^\s/@]+@)?(?:[^\s/:@?#.]+(?:\.[^\s/:@?#.]+)+\.?|localhost|\[[0-9a-fA-F:.]+\])(?::\d+)?(?:[/?#]|$)"
)


def with_scheme(text: str) -> str:
    """Put https:// before what a person typed without a scheme, like `example.com/feed`."""
    typed = text.strip()
    return f"https://{typed}" if "://" not in typed and _BARE_HOST.match(typed) else text


def normalize(url: str, base: str | None = None) -> str:
    """Return the normal form of an absolute URL, or of one relative to `base`. Idempotent."""
    href = canonical_form(url, base)
    if "#" in href:
        href = href[: href.index("#")]
    if "?" not in href:
        return href
    path, query = href.split("?", 1)
    kept = "&".join(part for part in query.split("&") if part and not _is_tracking(part))
    return f"{path}?{kept}" if kept else path


def normalized_or_none(url: str | None, base: str | None = None) -> str | None:
    """The normal form, or None if there is none: for the links and ids of documents."""
    if url is None or (base is None and not url.startswith(("http://", "https://"))):
        return None
    try:
        return normalize(url, base)
    except InvalidUrlError:
        return None


def canonical_or_none(url: str | None, base: str | None = None) -> str | None:
    """The URL as a browser would write it, or None if it is none: for addresses in which nothing may be dropped."""
    if url is None or (base is None and not url.startswith(("http://", "https://"))):
        return None
    try:
        return canonical_form(url, base)
    except InvalidUrlError:
        return None


def tracks_readers(parameter: str) -> bool:
    """Whether a parameter, or a fragment in its form, only says how a reader got to the page."""
    return "=" in parameter and _is_tracking(parameter)


def canonical_form(url: str, base: str | None = None) -> str:
    """Return the URL as a browser would write it, with nothing dropped; refuses all but http and https."""
    text = url.strip()
    if len(text) <= MAX_URL_CHARS and is_surely_canonical(text):
        return text
    _check_length(text)
    if not text and base is None:
        raise InvalidUrlError(url, "it is empty")
    try:
        href = _escape_carets(parse(text, base).href)
    except ValueError:
        raise InvalidUrlError(text, UNREADABLE) from None
    if not href.startswith(("http://", "https://")):
        raise InvalidUrlError(text, "only http and https are fetched")
    # Escapes make a URL longer; without this check a normal form could itself be too long to normalize.
    _check_length(href)
    _check_host(href)
    return href


def parse(url: str, base: str | None = None) -> can_ada.URL:
    """Parse a URL, absolute or relative to `base`; raise ValueError if it is none."""
    try:
        return can_ada.parse(url) if base is None else can_ada.parse(base) + url
    except TypeError:
        raise ValueError("half of a surrogate pair is no character") from None


def _escape_carets(href: str) -> str:
    """Escape `^` in the path, as the standard has it since 2024 and this release of ada does not yet."""
    if "^" not in href:
        return href
    end = len(re.split(r"[?#]", href, maxsplit=1)[0])
    return href[:end].replace("^", "%5E") + href[end:]


def in_its_script(host: str) -> str:
    """Format a host name for people: `münchen.example` instead of `xn--mnchen-3ya.example`."""
    # Its types say text; it takes bytes.
    return can_ada.idna_decode(host.encode()) if "xn--" in host else host  # type: ignore[arg-type]


_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN = re.compile(
    rf"https?://(?=[^/]{{1,{MAX_HOST_CHARS}}}/)(?:[a-z0-9.-]+\.[a-z]+|(?:{_OCTET}\.){{3}}{_OCTET})"
    r"(?::(?!80/|443/)(?:[1-9]\d{0,3}|[1-5]\d{4}))?"
    r"/[\w\-.~!$&'()*+,;=:@/%]*"
    r"(?:\?[\w\-.~!$&()*+,;=:@/?%]*)?",
    re.ASCII,
)


def is_surely_canonical(url: str) -> bool:
    """Whether a URL certainly is its own canonical form, as most are. Parsing it would take several times as long."""
    # Dot segments, plain or escaped, would be removed; IDNA names need checking, long hosts need measuring.
    return bool(_PLAIN.fullmatch(url)) and "/." not in url and "/%2" not in url and "xn--" not in url


def _check_length(text: str) -> None:
    if len(text) > MAX_URL_CHARS:
        raise InvalidUrlError(text[:80] + "…", f"it is longer than {MAX_URL_CHARS} characters")


def _may_have_long_host(href: str) -> bool:
    """A quick check of everything before the path, including port and credentials; rarely true."""
    return href.find("/", len("https://")) > len("http://") + MAX_HOST_CHARS


def _check_host(href: str) -> None:
    if _may_have_long_host(href) and is_long_host(host := hostname(href)):
        raise InvalidUrlError(host[:80] + "…", f"its host name is longer than {MAX_HOST_CHARS} characters")


def is_long_host(host: str) -> bool:
    """Whether a host, with or without port, is too long to exist. URLs stored by earlier versions may have one."""
    return len(host.partition(":")[0]) > MAX_HOST_CHARS


def _is_tracking(parameter: str) -> bool:
    name = parameter.split("=", 1)[0].lower()
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES)


@short_cache(8192, max_length=1000)
def url_hash(normalized: str) -> UrlHash:
    """Return the SHA-256 of a normalized URL, in hex. Cached: saving a listing asks for each several times."""
    return UrlHash(hashlib.sha256(normalized.encode()).hexdigest())


def uid(normalized: str) -> Uid:
    """Return the short key of an article (seed 3)."""
    return Uid(hashlib.sha1(normalized.encode(), usedforsecurity=False).hexdigest()[:16])


def hostname(url: str) -> str:
    """Return the host without its port, IPv6 without brackets."""
    return _parts(url)[1].strip("[]")


def host_key(url: str) -> str:
    """Return `hostname:port`, the key that requests are paced by."""
    protocol, host, port = _parts(url)
    return f"{host}:{port or ('443' if protocol == 'https:' else '80')}"


def _parts(url: str) -> tuple[str, str, str]:
    """Return protocol, host and port. Cached by origin, because all URLs of a site share them."""
    end = url.find("/", len("https://"))
    try:
        return _parse_parts(url if end < 0 else url[: end + 1])
    except ValueError:
        # `http:////example.com/` and the like, which browsers accept.
        return _parse_parts(url)


@short_cache(4096, max_length=1000)
def _parse_parts(url: str) -> tuple[str, str, str]:
    parsed = parse(url)
    return str(parsed.protocol), str(parsed.hostname), str(parsed.port)


def origin(url: str) -> str:
    """Return scheme, host and port."""
    return str(parse(url).origin)


def keeps_credentials(given: str, target: str) -> bool:
    """Whether credentials that a person gave for one URL may be sent to another.

    Credentials belong to an origin. If that is `http`, the same host on `https` may get them too; never the other
    way round.
    """
    was, now = _parts(given), _parts(target)
    host = was[1]
    return now == was or (was == ("http:", host, "") and now == ("https:", host, ""))


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - reading the list takes 70 ms

    return PublicSuffixList(accept_unknown=True)


def root_domain(url: str) -> str:
    """Return the registrable domain by the bundled public suffix list; a bare host or an IP address stays as it is."""
    host = hostname(url).rstrip(".")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        found: str | None = _suffixes().privatesuffix(host)
        return found or host
    return host


@short_cache(8192, max_length=300)
def domain_key(host: str) -> str:
    """Return the registrable domain of `hostname:port`, the key that requests are paced by on shared hosting."""
    return root_domain(f"https://{host}/")


def twin_urls(url: str) -> tuple[str, ...]:
    """URLs that are most likely the same feed: with http or https, with or without a slash at the end."""
    scheme, _, rest = url.partition("://")
    path, question, query = rest.partition("?")
    other = (
        path[:-1]
        if path.endswith("/") and path.count("/") > 1
        else path
        if path.endswith("/")
        else f"{path}/"
    )
    schemes, paths = (scheme, "http" if scheme == "https" else "https"), dict.fromkeys((path, other))
    found = (f"{one}://{two}{question}{query}" for one in schemes for two in paths)
    return tuple(twin for twin in found if twin != url)


def is_twin_url(url: str, other: str) -> bool:
    """Whether `other`, in canonical form, is most likely the same feed under another URL."""
    return other in twin_urls(canonical_form(url))


_AMP_PATH = re.compile(r"(?:/amp(?=/?$)|(?<=[^/])\.amp(?=(?:\.html?)?$))|^/amp(?=/)", re.IGNORECASE)
_AMP_QUERY = re.compile(r"(?:^|&)(?:amp(?:=[^&]*)?|outputType=amp)(?=&|$)", re.IGNORECASE)


def page_forms(url: str) -> tuple[str, ...]:
    """A normalized URL and the other URLs at which sites serve the same page, the likeliest first.

    http or https, with or without `www.`, with or without a final slash, and the page that an AMP page stands for.
    """
    parsed = parse(url)
    query = _AMP_QUERY.sub("", str(parsed.search)[1:]).lstrip("&")
    path = _AMP_PATH.sub("", str(parsed.pathname)) or "/"
    bare = str(parsed.host).removeprefix("amp.").removeprefix("www.")
    paths = dict.fromkeys((str(parsed.pathname), path, path.rstrip("/") or "/", path.rstrip("/") + "/"))
    hosts = dict.fromkeys((str(parsed.host), bare, f"www.{bare}"))
    protocols = dict.fromkeys((str(parsed.protocol), "https:", "http:"))
    forms = (
        f"{protocol}//{host}{way}{f'?{query}' if query else ''}"
        for way in paths
        for host in hosts
        for protocol in protocols
    )
    return tuple(dict.fromkeys((url, *forms)))


def readable(url: str) -> str:
    """Format a URL for people: no scheme, host in its own script, no trailing slash."""
    parsed = parse(url)
    host = in_its_script(parsed.host)
    rest = f"{parsed.pathname}{parsed.search}".rstrip("/")
    return f"{host}{rest}"


def sqlite_url(path: Path) -> str:
    """The database URL of an SQLite file: `?` and `%` in its path are ordinary characters there."""
    return f"sqlite:///{str(path).replace('%', '%25').replace('?', '%3F')}"
