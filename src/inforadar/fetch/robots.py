"""robots.txt by RFC 9309: what we may fetch on a host, and how fast. Pure.

The caller fetches it with `robots_request` and passes the result to `robots_from_result`: a missing file
allows everything, one that is unavailable right now allows nothing for now.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from inforadar.errors import InvalidUrlError
from inforadar.fetch.freshness import MAX_WAIT_S
from inforadar.fetch.robots_file import RobotsFile, read_robots
from inforadar.model.http import Failed, FailureReason, Fetched, FetchResult, NotModified, Request, Validators
from inforadar.urls import canonical_form

MAX_PARSED_BYTES = 500 * 1024
"""The size that the standard requires us to read; rules beyond it are ignored."""

MAX_FETCHED_BYTES = 4 * 2**20
MAX_SITEMAPS = 1000
MIN_WEIGHT, RULE_BYTES = 1000, 220
"""Of the memory that rules take, as measured."""


class RobotsAccess(StrEnum):
    RULES = "rules"
    ALL = "all"
    """No robots.txt: everything is allowed."""
    NONE = "none"
    """robots.txt is unavailable: nothing is allowed until it can be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsRules:
    """The rules of one host's robots.txt for us. `parse_robots` makes an equal value from `text`."""

    access: RobotsAccess
    text: str = ""
    crawl_delay_s: float | None = None
    sitemaps: tuple[str, ...] = ()
    agent: str = "*"
    _parsed: RobotsFile | None = field(default=None, repr=False, compare=False)

    @property
    def weight(self) -> int:
        """About how many bytes these rules take in memory: a short line becomes a pattern of several objects."""
        rules = len(self._parsed.rules) if self._parsed else 0
        return MIN_WEIGHT + len(self.text) + RULE_BYTES * rules

    def allows(self, url: str) -> bool:
        if self._parsed is None:
            return self.access is RobotsAccess.ALL
        return self._parsed.allows(url)


ALLOW_ALL = RobotsRules(access=RobotsAccess.ALL)
ALLOW_NOTHING = RobotsRules(access=RobotsAccess.NONE)


def robots_request(url: str, validators: Validators | None = None) -> Request:
    """Build the request for the robots.txt that governs `url`."""
    return Request(
        url=canonical_form("/robots.txt", url),
        validators=validators or Validators(),
        accept="text/plain, */*;q=0.5",
        max_bytes=MAX_FETCHED_BYTES,
    )


def product_token(user_agent: str) -> str:
    """Return our name in robots.txt files: the User-Agent up to its version."""
    return user_agent.partition("/")[0].partition(" ")[0] or "*"


def parse_robots(text: str, user_agent: str, base: str) -> RobotsRules:
    """Parse our rules from a robots.txt that was fetched from `base`."""
    agent = product_token(user_agent)
    parsed = read_robots(text, agent)
    return RobotsRules(
        access=RobotsAccess.RULES,
        text=text,
        crawl_delay_s=None if parsed.delay_s is None else min(parsed.delay_s, MAX_WAIT_S),
        sitemaps=_sitemaps(parsed, base),
        agent=agent,
        _parsed=parsed,
    )


def robots_from_result(result: FetchResult, user_agent: str, known: RobotsRules | None = None) -> RobotsRules:
    """Return the rules that follow from a `robots_request`; `known` are the rules we had, for a 304."""
    match result:
        case Fetched():
            head = result.body[:MAX_PARSED_BYTES]
            if len(result.body) > MAX_PARSED_BYTES:
                # A rule cut in the middle would mean something else.
                head = head[: head.rfind(b"\n") + 1]
            return parse_robots(head.decode("utf-8-sig", "replace"), user_agent, result.final_url)
        case NotModified():
            return known if known is not None else ALLOW_NOTHING
        case Failed():
            return ALLOW_ALL if _is_missing(result) else ALLOW_NOTHING
        case _:
            assert_never(result)


def _is_missing(failed: Failed) -> bool:
    """Is it missing: 4xx, or broken redirects? A 429 says nothing about the file, only about this moment."""
    if failed.reason is FailureReason.REDIRECTS:
        return True
    return failed.status is not None and 400 <= failed.status < 500 and not failed.is_rate_limited


def _sitemaps(parsed: RobotsFile, base: str) -> tuple[str, ...]:
    """Return the valid sitemap URLs, absolute, each once."""
    found: dict[str, None] = {}
    for text in parsed.sitemaps:
        if len(found) == MAX_SITEMAPS:
            break
        try:
            found.setdefault(canonical_form(text, base))
        except InvalidUrlError:
            continue
    return tuple(found)
