"""Which file of a sitemap is read next: breadth first, each file once, within limits.

Indexes list files and may list indexes again. A site can make them endless by mistake or on purpose, so nesting and
number of files are limited, and files on other hosts are followed only where that is allowed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple
from uuid import UUID

from inforadar.model.sitemap import SitemapRef
from inforadar.urls import hostname

MAX_DEPTH = 4
"""Indexes in indexes; the protocol allows none."""
MAX_FILES = 5_000
"""Files of one site in one run."""


class FileVisit(NamedTuple):
    """A file to be read."""

    url: str
    depth: int = 0
    """0 is the root: the sitemap itself."""
    lastmod: datetime | None = None
    """The lastmod that the index gives for the file."""
    parent_id: UUID | None = None
    """The stored index that lists it."""


class SkipReason(Enum):
    TOO_DEEP = auto()
    TOO_MANY = auto()
    OTHER_HOST = auto()


class SkippedFile(NamedTuple):
    url: str
    reason: SkipReason


class SitemapQueue:
    """The files of one sitemap that are still to be read."""

    def __init__(self, root: str, *, any_host: bool) -> None:
        self._any_host = any_host
        self._hosts = {hostname(root)}
        self._waiting = deque([FileVisit(root)])
        self._seen = {root}

    def next(self) -> FileVisit | None:
        return self._waiting.popleft() if self._waiting else None

    def add_host(self, url: str) -> None:
        """Count the host of `url`, to which the root was redirected, as the site's own."""
        self._hosts.add(hostname(url))

    def is_own(self, url: str) -> bool:
        """Whether `url` is on a host of the site, or may be on any."""
        return self._any_host or hostname(url) in self._hosts

    def add(
        self, files: Iterable[SitemapRef], *, listed_by: FileVisit, parent_id: UUID | None = None
    ) -> list[SkippedFile]:
        """Queue the files that an index lists, in their order; return those that are never read, and why."""
        skipped = []
        depth = listed_by.depth + 1
        for file in files:
            if file.url in self._seen:
                continue
            if reason := self._skip_reason(file.url, depth):
                skipped.append(SkippedFile(file.url, reason))
                continue
            self._seen.add(file.url)
            self._waiting.append(FileVisit(file.url, depth, file.lastmod, parent_id))
        return skipped

    def _skip_reason(self, url: str, depth: int) -> SkipReason | None:
        if depth > MAX_DEPTH:
            return SkipReason.TOO_DEEP
        if len(self._seen) >= MAX_FILES:
            return SkipReason.TOO_MANY
        return None if self.is_own(url) else SkipReason.OTHER_HOST
