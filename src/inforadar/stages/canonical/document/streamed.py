"""Puts parts of a page that were sent later in their place, as the page's own script would.

React sends a page with `<template id="B:1">` where something is not ready yet, followed by what to show meanwhile, and
later the part itself in `<div hidden id="S:1">` at the end of the page. Unmoved, an article is in pieces outside the
element that names it.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_PARTS = 500
"""More parts than any page has; each costs a walk to the root."""
_MARK = '<div hidden id="S:'


def place_streamed_parts(page: LexborHTMLParser, html: str) -> None:
    """Move each late part to its place; `html` is the text of the page."""
    if _MARK not in html:
        return
    places = {
        node.attributes.get("id") or "": node for node in page.css('template[id^="B:"], template[id^="P:"]')
    }
    for part in page.css('div[hidden][id^="S:"]')[:MAX_PARTS]:
        number = (part.attributes.get("id") or "")[2:]
        place = places.pop(f"B:{number}", None) or places.pop(f"P:{number}", None)
        if place is None or _is_inside(place, part):
            continue
        _hide_stand_in(place)
        place.replace_with(part, move=True)
        del part.attrs["hidden"]


def _is_inside(node: LexborNode, other: LexborNode) -> bool:
    at: LexborNode | None = node
    while at is not None:
        if at.mem_id == other.mem_id:
            return True
        at = at.parent
    return False


def _hide_stand_in(place: LexborNode) -> None:
    """Hide what is shown until the part arrives: everything up to the comment `/$` that ends the place."""
    stand_in: list[LexborNode] = []
    depth = 0
    at = place.next
    while at is not None:
        if at.is_comment_node:
            mark = (at.comment_content or "").strip()
            if mark == "/$" and depth == 0:
                # Not removed: parts may have their places inside.
                for node in stand_in:
                    node.attrs["hidden"] = ""
                return
            depth += {"$": 1, "$?": 1, "$!": 1, "/$": -1}.get(mark, 0)
        elif at.is_element_node and not (at.attributes.get("id") or "").startswith("S:"):
            stand_in.append(at)
        at = at.next
