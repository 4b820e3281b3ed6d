"""Read a robots.txt as RFC 9309 says, and as Google's reader does where the standard is silent. Pure.

Our own reader, because libraries differ from the standard where it matters to the sites: in which group a line belongs
to, and whose name a group bears. Patterns are matched without regular expressions: a site could make those hang.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

ALL_AGENTS = "*"
ROBOTS_PATH = "/robots.txt"
_LINE_END = re.compile(r"\r\n|\n|\r")
_NAME = re.compile(r"[\w.-]+")
_BEFORE_PATH = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?#]*")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)", re.IGNORECASE)
_UNIT_S = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_INDEX = "/index.htm"
_KEYS = {
    **dict.fromkeys(("user-agent", "useragent", "user agent"), "agent"),
    **dict.fromkeys(
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
        "disallow",
    ),
    "allow": "allow",
    **dict.fromkeys(("crawl-delay", "crawldelay", "crawl delay"), "delay"),
    "request-rate": "rate",
    **dict.fromkeys(("sitemap", "site-map"), "sitemap"),
}
"""Directive as written → as meant, with the common misspellings."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A path with wildcards; `*` stands for anything, `$` at the end for the end."""

    pieces: tuple[str, ...]
    is_anchored: bool
    weight: int

    def matches(self, path: str) -> bool:
        first, *rest = self.pieces
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.is_anchored or at == len(path)
        *middle, last = rest
        for piece in middle:
            found = path.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        if self.is_anchored:
            return len(path) - len(last) >= at and path.endswith(last)
        return path.find(last, at) >= 0


@dataclass(slots=True)
class _Group:
    """The lines for one set of names."""

    agents: set[str] = field(default_factory=set)
    rules: list[tuple[bool, _Pattern]] = field(default_factory=list)


@dataclass(slots=True)
class _Delays:
    """The delays for one set of names, in seconds.

    Apart from the groups, because a delay separates the names before it from those after it, and a rule does not:
    the standard knows no delays, so its rules apply to all names since the last rule.
    """

    agents: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """The rules of a robots.txt for one agent."""

    rules: tuple[tuple[bool, _Pattern], ...]
    """Whether a path is allowed, by pattern."""
    delay_s: float | None
    sitemaps: tuple[str, ...]

    def allows(self, url: str) -> bool:
        """The longest matching pattern decides; of two equally long ones, the one that allows."""
        path = _path_of(url)
        if path == ROBOTS_PATH:
            return True
        best, allowed = -1, True
        for is_allowed, pattern in self.rules:
            if (
                pattern.weight > best or (pattern.weight == best and is_allowed and not allowed)
            ) and pattern.matches(path):
                best, allowed = pattern.weight, is_allowed
        return allowed


def read_robots(text: str, agent: str) -> RobotsFile:
    """Read what applies to `agent`: all groups of its name together, or else those for all."""
    groups: list[_Group] = []
    delays: list[_Delays] = []
    sitemaps: list[str] = []
    opens_group = opens_delays = True
    for key, value in _lines(text):
        match key:
            case "sitemap" if value:
                sitemaps.append(value)
            case "agent":
                # Several names in a row share what follows; unknown lines between them change nothing.
                if opens_group:
                    groups.append(_Group())
                if opens_delays:
                    delays.append(_Delays())
                opens_group = opens_delays = False
                name = _name_of(value)
                groups[-1].agents.add(name)
                delays[-1].agents.add(name)
            case "allow" | "disallow" if groups:
                opens_group = opens_delays = True
                _add_rule(groups[-1], value, is_allowed=key == "allow")
            case "delay" | "rate" if delays:
                opens_delays = True
                delay_s = _delay_s(value) if key == "delay" else _rate_s(value)
                if delay_s is not None:
                    delays[-1].seconds.append(delay_s)
    is_named = any(agent.casefold() in group.agents for group in groups)
    name = agent.casefold() if is_named else ALL_AGENTS
    return RobotsFile(
        rules=tuple(rule for group in groups if name in group.agents for rule in group.rules),
        delay_s=max((one for own in delays if name in own.agents for one in own.seconds), default=None),
        sitemaps=tuple(sitemaps),
    )


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a line is about, and its value; lines that mean nothing to us are left out."""
    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        said = line.partition("#")[0].strip()
        key, _, value = said.partition(":")
        words = said.split()
        if (known := _known_key(key)) is None and len(words) == 2:
            # "Disallow /path", "Sitemap https://…": the colon was forgotten.
            known, value = _known_key(words[0]), words[1]
        if known:
            yield known, value.strip()


def _known_key(key: str) -> str | None:
    return _KEYS.get(" ".join(key.split()).lower())


def _name_of(value: str) -> str:
    """The name at the beginning: `InfoRadar bot` and `InfoRadar/1.0` are InfoRadar."""
    if value.split(maxsplit=1)[:1] == [ALL_AGENTS]:
        return ALL_AGENTS
    found = _NAME.match(value)
    return found[0].casefold() if found else ""


def _add_rule(group: _Group, value: str, *, is_allowed: bool) -> None:
    if not value:
        # "Disallow:" forbids nothing.
        return
    group.rules.append((is_allowed, _pattern(value)))
    if is_allowed and (at := value.rfind("/")) >= 0 and value[at:].startswith(_INDEX):
        # A folder is its index page.
        group.rules.append((True, _pattern(f"{value[: at + 1]}$")))


def _pattern(value: str) -> _Pattern:
    path = _normal(value)
    is_anchored = path.endswith("$")
    pieces = re.sub(r"\*+", "*", _without_dollars(path.removesuffix("$"))).split("*")
    return _Pattern(tuple(pieces), is_anchored, len(path))


def _path_of(url: str) -> str:
    """Return path and query of a URL; an empty query counts, and no sign stands for others."""
    found = _BEFORE_PATH.match(url)
    rest = url[found.end() if found else 0 :].partition("#")[0]
    return _without_dollars(_normal(rest if rest.startswith("/") else f"/{rest}")).replace("*", "%2A")


def _without_dollars(path: str) -> str:
    return path.replace("$", "%24")


def _normal(path: str) -> str:
    """Write a path in one way: signs that no URL has as bytes in UTF-8, escapes in capitals and only where needed."""
    encoded = quote(path, safe="/?:@!$&'()*+,;=-._~%#[]")
    path, mark, query = _ESCAPE.sub(_unescaped, encoded).partition("?")
    return path + mark + query.replace(":", "%3A").replace("/", "%2F") if mark else path


def _unescaped(found: re.Match[str]) -> str:
    sign = chr(int(found[0][1:], 16))
    return sign if sign.isascii() and (sign.isalnum() or sign in "-._~") else found[0].upper()


def _delay_s(value: str) -> float | None:
    try:
        delay_s = float(value) if value.isascii() else -1.0
    except ValueError:
        return None
    return delay_s if math.isfinite(delay_s) and delay_s >= 0 else None


def _rate_s(value: str) -> float | None:
    """Seconds a request of `1/10s`: a number of requests in a time."""
    found = _RATE.match(value)
    if found is None or int(found[1]) == 0:
        return None
    return int(found[2]) * _UNIT_S[found[3].lower()] / int(found[1])
