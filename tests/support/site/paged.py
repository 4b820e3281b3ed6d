"""A paged listing on the scriptable site: newest first, with a page size and counters that tests can change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from html import escape

from tests.support.site.answers import Answer, SiteRequest, html
from tests.support.site.server import Site

SELECTORS: Mapping[str, str] = {
    "item": "article.post",
    "link": "h2 a",
    "title": "h2 a",
    "date": "time",
    "author": ".author",
    "views": ".views",
    "comments": ".comments",
    "next": "a[rel=next]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    number: int
    at: datetime | None
    title: str
    views: int = 0
    comments: int = 0


@dataclass(slots=True)
class PagedSite:
    """A listing at `/latest`, `/latest?page=2` and so on."""

    site: Site
    posts: list[Post] = field(default_factory=list)
    """Newest first."""
    page_size: int = 5
    path: str = "/latest"
    host: str | None = None
    head: str = ""
    """The head of each page, with its tags."""
    advertiser: str | None = None
    """The start of a URL that each page shows first, with another ending each time and the date of now."""

    def __post_init__(self) -> None:
        self.site.respond(self.path, self._answer, host=self.host)

    @property
    def url(self) -> str:
        return self.site.url(self.path, self.host)

    def publish(
        self, count: int, *, newest: datetime | None = None, step: timedelta = timedelta(hours=1)
    ) -> None:
        """Add this many older posts below the existing ones."""
        newest = newest or datetime.now(UTC).replace(microsecond=0)
        first = len(self.posts)
        self.posts += [
            Post(number=first + n, at=newest - (first + n) * step, title=f"Post {first + n}")
            for n in range(count)
        ]

    def change(self, number: int, **fields: object) -> None:
        self.posts = [
            replace(post, **fields) if post.number == number else post  # type: ignore[arg-type]
            for post in self.posts
        ]

    def post_url(self, number: int) -> str:
        return self.site.url(f"/posts/{number}", self.host)

    @property
    def asked(self) -> list[str]:
        """Return the listing pages that were requested, in order: "1", "2", …"""
        return [
            request.target.partition("page=")[2] or "1"
            for request in self.site.requests
            if request.path == self.path
        ]

    def listing(self, page: int) -> str:
        """Return the rows of one page, for tests that link the pages differently."""
        start = (page - 1) * self.page_size
        return "".join(self._row(post) for post in self.posts[start : start + self.page_size])

    def _answer(self, request: SiteRequest) -> Answer:
        page = int(request.target.partition("page=")[2] or "1")
        rows = self._advertisement() + self.listing(page)
        if not rows and page > 1:
            return Answer(status=404)
        more = page * self.page_size < len(self.posts)
        link = f"<a rel=next href='{self.path}?page={page + 1}'>older</a>" if more else ""
        return html(f"<html>{self.head}<body><main>{rows}</main>{link}</body></html>")

    def _advertisement(self) -> str:
        if self.advertiser is None:
            return ""
        url = f"{self.advertiser}{len(self.site.requests)}"
        date = datetime.now(UTC).isoformat()
        return f"<article class=post><h2><a href='{url}'>Реклама 🛒</a></h2><time datetime='{date}'></time></article>"

    def _row(self, post: Post) -> str:
        date = f"<time datetime='{post.at.isoformat()}'></time>" if post.at else ""
        return (
            f"<article class=post><h2><a href='/posts/{post.number}'>{escape(post.title)}</a></h2>{date}"
            f"<span class=author>Ilse Marn</span><b class=views>{post.views}</b>"
            f"<b class=comments>{post.comments}</b></article>"
        )
