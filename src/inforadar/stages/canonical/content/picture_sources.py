"""Reads one picture of a page: which of its addresses to use, its size and its description; nothing for decoration.

A page names the same picture several times: small in `src` until a script has run, in several widths in `srcset`,
in other formats in `<source>`, and once more in `<noscript>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from inforadar.errors import InvalidUrlError
from inforadar.short_cache import short_cache
from inforadar.stages.canonical.document.dom import Node
from inforadar.urls import canonical_form

MIN_SIDE_PIXELS = 100
"""Smaller pictures are decoration."""
MAX_SIDE_PIXELS = 20_000
MIN_WIDTH_PIXELS, MAX_WIDTH_PIXELS = 800, 1600
"""Of the offered widths, the smallest in this range is taken: sharp in a column of text, and not too heavy."""
MAX_ALT_CHARACTERS = 500
MAX_CANDIDATES = 60
_MAX_SRCSET_CHARACTERS = 20_000

# Match whole words only: "silicon" is not an icon, and "791x1024" is not 1x1.
_PLACEHOLDER = re.compile(
    r"(?<![^\W\d_])(?:logos?|logotype|placeholder|spacer|blank|fallback|(?:fav|(?:site|touch)[-_]?)icon"
    r"|site[-_]?(?:image|logo)|default[-_]?(?:image|img|og|share|thumb(?:nail)?|social)s?)(?![^\W\d_])"
    r"|/(?:default\.|(?:bl|gr)?avatars?/)|(?<!\d)1x1(?!\d)|\.svg(?:$|\?)",
    re.IGNORECASE,
)
"""Placeholders that publishers state for articles without an image."""
_DECORATION = re.compile(
    r"(?<![^\W\d_])(?:icons?|avatars?|sprites?|pixel|tracking|beacon|badges?|buttons?|emojis?|smil(?:ey|ie)s?|spinner"
    r"|loading|adverts?|advertisement|ads|captcha|transparent|headshots?|profiles?|gravatar|byline)(?![^\W\d_])|/ad/",
    re.IGNORECASE,
)
"""Decoration inside articles. In an image URL that the publisher states, these words are topics."""
_TRACKER_HOST = re.compile(
    r"(?:^|\.)(?:doubleclick\.net|google-analytics\.com|googletagmanager\.com|googlesyndication\.com"
    r"|scorecardresearch\.com|quantserve\.com|chartbeat\.(?:com|net)|statcounter\.com|pixel\.wp\.com|stats\.wp\.com"
    r"|feedsportal\.com|feedburner\.com|feedblitz\.com|gravatar\.com|counter\.yadro\.ru|mc\.yandex\.(?:ru|com)"
    r"|top-fwz1\.mail\.ru|top\.mail\.ru|krxd\.net|imrworldwide\.com|ioam\.de|ivwbox\.de|vgwort\.de|xiti\.com"
    r"|adnxs\.com|criteo\.(?:com|net)|bat\.bing\.com|px\.ads\.linkedin\.com|hits\.?\w*\.theguardian\.com)$",
    re.IGNORECASE,
)
# Every picture of a feed is checked by these, so each begins with a literal: the text is searched for that first.
_TRACKER_PATH = re.compile(
    r"/(?:(?:pixel|track(?:ing|er)?|beacon|counter|hit|collect|piwik|matomo|utm|open)(?:\.(?:gif|php|png|aspx?))?(?:$|[/?])"
    r"|(?:b|p|c|t|1x1|blank|spacer|clear|transparent)\.gif$)",
    re.IGNORECASE,
)
_SINGLE_PIXEL = re.compile(r"1(?<!\d1)x1(?!\d)", re.IGNORECASE)
_FACEBOOK_PIXEL = re.compile(r"facebook(?<![^.]facebook)\.com/tr(?:$|[/?])")
_PLAIN_ADDRESS = re.compile(
    r"https?://([a-z0-9.-]+)(?::[0-9]{1,5})?(/[A-Za-z0-9/._~%+:@!$*(),;=-]*)(?:[?#]|\Z)"
)
"""What `urlsplit` would take apart in the same way, but for ten times as long."""
_PIXELS = re.compile(r"\s*(\d{1,6})(?:\.\d+)?\s*(?:px)?\s*")
_STYLE_SIDE = re.compile(r"(?:^|[;\s])(width|height)\s*:\s*(\d{1,6})px")
_SIZE_IN_NAME = re.compile(r"[-_](\d{2,4})x(\d{2,4})(?=\.\w{3,4}$|$)")
_SIZE_SEGMENT = re.compile(r"(?:\d{1,4}x\d{0,4}|[wh][_=-]?\d{2,4}|fit-in|smart|\d{1,3}%)", re.IGNORECASE)
_SCALED = re.compile(
    r"(?:@\dx|-scaled|[-_](?:small|medium|large|thumb(?:nail)?|full))(?=\.\w{3,4}$|$)", re.IGNORECASE
)
_EXTENSION = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|jpg_large)$", re.IGNORECASE)
_FILE_NAME = re.compile(r"[\w%+.-]+\.(?:jpe?g|png|gif|webp|avif)", re.IGNORECASE)
_DESCRIPTOR = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)([wxh])(?:,(.*))?", re.DOTALL)
_OLD_BROWSERS_SKIP = frozenset(("image/avif", "image/jxl", "image/heic"))

_LAZY_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-full-src", "data-hi-res-src", "data-url", "data-image", "src",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    src: str
    """Absolute, http or https."""
    alt: str = ""
    width: int | None = None
    height: int | None = None
    """In pixels, as the page says; both or none."""


def read_picture(node: Node, base: str) -> Picture | None:
    """Read an `<img>`; None if it is decoration, a tracker, or has no address yet."""
    if not _is_large(node):
        return None
    source = next(_usable(_addresses(node), base), None)
    if source is None:
        return None
    width, height = _side(node, "width"), _side(node, "height")
    is_sized = width is not None and height is not None
    return Picture(
        src=source, alt=_alt(node), width=width if is_sized else None, height=height if is_sized else None
    )


def stated_picture(address: str, base: str) -> str | None:
    """The absolute address of a picture that the publisher states; None for a placeholder."""
    address = address.strip()
    if not address or address[:5].lower() == "data:":
        return None
    try:
        found = canonical_form(address, base)
    except InvalidUrlError:
        return None
    # The host is not checked: it is the publisher's name, whatever words it contains.
    parts = urlsplit(found)
    return None if _PLACEHOLDER.search(f"{parts.path}?{unquote(parts.query)}") else found


def is_tracker(address: str) -> bool:
    """Is it an address that counts readers, and shows nothing? Or no address at all?"""
    if plain := _PLAIN_ADDRESS.match(address):
        host, path = plain[1], plain[2]
    else:
        try:
            parts = urlsplit(address)
        except ValueError:
            return True
        host, path = parts.hostname or "", parts.path
    return bool(
        _is_tracker_host(host)
        or _TRACKER_PATH.search(path)
        or _SINGLE_PIXEL.search(path)
        or _FACEBOOK_PIXEL.search(f"{host}{path}".lower())
    )


@short_cache(1024, max_length=300)
def _is_tracker_host(hostname: str) -> bool:
    """Cached, because a site's pictures come from one host."""
    return _TRACKER_HOST.search(hostname) is not None


def picture_key(address: str) -> str:
    """The part of an address that all sizes of one picture share."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    *folders, name = parts.path.lower().split("/")
    name = _SCALED.sub("", _SIZE_IN_NAME.sub("", name))
    key = (
        "/".join(one for one in folders if not _SIZE_SEGMENT.fullmatch(one)) + "/" + _EXTENSION.sub("", name)
    )
    if _EXTENSION.search(parts.path):
        return key
    kept = (
        one for one in parts.query.split("&") if not re.match(r"(?:w|h|q|width|height|quality|dpr)=", one)
    )
    return f"{key}?{'&'.join(kept)}"


def _usable(addresses: Iterator[str], base: str) -> Iterator[str]:
    for address in addresses:
        found = stated_picture(address, base)
        if found and not is_tracker(found) and not _is_decoration(found):
            yield found


def _is_decoration(address: str) -> bool:
    path = urlsplit(address).path
    size = _SIZE_IN_NAME.search(path)
    is_small = size is not None and max(int(size[1]), int(size[2])) < MIN_SIDE_PIXELS
    return is_small or _DECORATION.search(path) is not None


def _is_large(node: Node) -> bool:
    named = f"{node.get('class')} {node.get('alt')[:40]}"
    if _PLACEHOLDER.search(named) or _DECORATION.search(named):
        return False
    sides = [_side(node, "width"), _side(node, "height")]
    sides += [int(pixels) for _, pixels in _STYLE_SIDE.findall(node.get("style")[:1000])]
    return all(side is None or side >= MIN_SIDE_PIXELS for side in sides)


def _side(node: Node, name: str) -> int | None:
    match = _PIXELS.fullmatch(node.get(name)[:20])
    side = int(match[1]) if match else None
    return side if side is not None and side <= MAX_SIDE_PIXELS else None


def _alt(node: Node) -> str:
    alt = " ".join(node.get("alt")[: 2 * MAX_ALT_CHARACTERS].split())
    return "" if _FILE_NAME.fullmatch(alt) else alt[:MAX_ALT_CHARACTERS]


def _addresses(node: Node) -> Iterator[str]:
    """The addresses of a picture, the best first: one of a good width, the real one of a lazy picture, then `src`."""
    sets = [node.get(name) for name in _LAZY_SETS]
    own = [one for text in sets if text for one in parse_srcset(text)]
    yield from _by_width(own)
    for name in _LAZY_SOURCES:
        if value := node.get(name):
            yield value
    yield from (address for address, width in own if width is None)
    parent = node.parent
    if parent is not None and parent.tag == "picture":
        offered = [
            one
            for source in parent.children
            if isinstance(source, Node) and source.tag == "source"
            if source.get("type").lower() not in _OLD_BROWSERS_SKIP
            for name in _LAZY_SETS
            if source.get(name)
            for one in parse_srcset(source.get(name))
        ]
        yield from _by_width(offered)
        yield from (address for address, width in offered if width is None)


def _by_width(candidates: list[tuple[str, int | None]]) -> Iterator[str]:
    known = sorted(
        ((width, address) for address, width in candidates if width is not None), key=lambda one: one[0]
    )
    fitting = [one for one in known if MIN_WIDTH_PIXELS <= one[0] <= MAX_WIDTH_PIXELS]
    small = [one for one in known if one[0] < MIN_WIDTH_PIXELS]
    large = [one for one in known if one[0] > MAX_WIDTH_PIXELS]
    # Too large is better than blurred, unless it is hardly blurred.
    for _, address in (*fitting, *large, *reversed(small)):
        yield address


def parse_srcset(text: str) -> list[tuple[str, int | None]]:
    """Read the candidates of a `srcset`: address and width, None if only a density is given."""
    found: list[tuple[str, int | None]] = []
    address = ""
    for token in text[:_MAX_SRCSET_CHARACTERS].split():
        rest = token
        while rest:
            descriptor = _DESCRIPTOR.fullmatch(rest) if address else None
            if descriptor:
                width = int(float(descriptor[1])) if descriptor[2] == "w" else None
                found.append((address, width))
                address, rest = "", descriptor[3] or ""
            elif address:
                found.append((address, None))
                address = ""
            elif rest == ",":
                rest = ""
            else:
                address, rest = rest.lstrip(","), ""
                if address.endswith(","):
                    found.append((address.rstrip(","), None))
                    address = ""
        if len(found) >= MAX_CANDIDATES:
            return found
    return [*found, (address, None)] if address else found
