"""Live pages: articles that grow entry by entry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inforadar.model.revision import Snapshot
from inforadar.stages.revise.difference import ParagraphDiff, ParagraphState

MIN_ENTRIES = 3
_ENTRY_TIME = re.compile(
    r"^\W{0,3}\d{1,2}[:.h]\d{2}(?:\s?[ap]\.?m\.?)?(?:\s?[A-Z]{2,4})?(?=\W|$)", re.MULTILINE | re.IGNORECASE
)
_LIVE_NAME = re.compile(
    r"\blive[\s\-_]?(?:blog|updates?|ticker|text|coverage)?\b(?=.{0,3}[:|/\-–—]|[\s-]updates|$)|liveblog|liveticker|"
    r"en direct|en vivo|minuto a minuto|in diretta|онлайн|текстовая трансляция|na żywo|直播|ライブ|速報|실시간|مباشر",
    re.IGNORECASE,
)


def is_live_growth(old: Snapshot, new: Snapshot, diffs: Sequence[ParagraphDiff]) -> bool:
    """Whether a live page only grew: entries came, none went, and none was rewritten."""
    states = [diff.state for diff in diffs]
    if ParagraphState.ADDED not in states:
        return False
    if ParagraphState.REMOVED in states or ParagraphState.CHANGED in states:
        return False
    return looks_live(new) and looks_live(old)


def looks_live(snapshot: Snapshot) -> bool:
    """Whether its title or address calls it live, or its entries begin with the time of day."""
    path = snapshot.url.split("://", 1)[-1].partition("/")[2]
    if _LIVE_NAME.search(snapshot.title or "") or re.search(
        r"(?:^|[/-])live(?:blog|ticker)?(?:[/-]|$)|liveblog|liveticker", path
    ):
        return True
    return len(_ENTRY_TIME.findall(snapshot.text)) >= MIN_ENTRIES
