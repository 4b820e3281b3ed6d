"""Empties `<noscript>` elements with open tags in them, which would swallow the rest of the page.

A browser with scripts reads the content of `<noscript>` as text. The parser here reads it as elements, because
articles keep pictures there; but `<noscript><div></noscript>` then ends only with the page.
"""

from __future__ import annotations

import re
from collections import Counter

_START = re.compile(r"<noscript(?:[\s/][^>]*+)?+>", re.IGNORECASE)
_END = re.compile(r"</noscript[\s/>]", re.IGNORECASE)
# An end tag does not reach over these, nor over a comment that is left open.
_BARRIER = re.compile(
    r"<(/?)(address|article|aside|blockquote|center|div|dl|fieldset|figure|footer|form|header|li|main|nav|object|ol"
    r"|p|section|table|td|tr|ul|iframe|style|script|textarea|select)(?=[\s/>])",
    re.IGNORECASE,
)


def empty_open_noscripts(html: str) -> str:
    """Return the page without the contents of `<noscript>` elements that leave a tag open."""
    kept: list[str] = []
    done = 0
    at = 0
    while start := _START.search(html, at):
        end = _END.search(html, start.end())
        if end is None:
            break
        at = end.start()
        if _leaves_open(html[start.end() : at]):
            kept.append(html[done : start.end()])
            done = at
    kept.append(html[done:])
    return "".join(kept) if done else html


def _leaves_open(content: str) -> bool:
    count: Counter[str] = Counter()
    for closing, name in _BARRIER.findall(content):
        count[name.lower()] += -1 if closing else 1
    return any(count.values()) or content.count("<!--") != content.count("-->")
