"""`/add`: subscribe by URL. The feeds found are previewed with their items before anything is added.

/add              one input: a site, a feed or a sitemap
/add?kind=pages   for a page without a feed: its selectors, with a live preview of what they match
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.subscribe import subscribe
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, StoreError, UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.item import Listed
from inforadar.model.subscription import LIVE, WantedFeed
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_followed
from inforadar.translations import gettext as _
from inforadar.urls import canonical_form, is_twin_url, with_scheme
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.routing import resource
from inforadar.web.pages.selector_trials import SelectorTrials
from inforadar.web.pages.selectors_form import given_selectors, shown_fields
from inforadar.web.pages.templating import Pages

if TYPE_CHECKING:
    from inforadar.actions.discover import Discovery
    from inforadar.actions.preview import PagePreview
    from inforadar.model.subscription import FoundFeed

PREVIEW_ITEMS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    url: str
    kind: FeedKind
    how: str
    title: str | None
    items: Sequence[Listed]
    known: Feed | None
    """The existing feed with this URL or a twin of it, if there is one."""

    @property
    def is_twin(self) -> bool:
        return self.known is not None and is_twin_url(self.url, self.known.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddRoutes:
    database: Database
    settings: Settings
    pages: Pages
    trials: SelectorTrials

    def routes(self) -> list[Route]:
        return [
            resource("/add", get=self.show, post=self.look),
            resource("/add/feed", post=self.add),
            resource("/add/pages", post=self.try_selectors),
        ]

    async def show(self, request: Request) -> Response:
        given = request.query_params
        if given.get("kind") == FeedKind.PAGES:
            return self._show_editor(request, Form(fields={"url": given.getlist("url")}))
        return self._show(request, url=given.get("url", ""))

    async def look(self, request: Request) -> Response:
        """Find the feeds of a site with a handful of polite requests. Requires a login."""
        from inforadar.actions.discover import NoFeedOnPageError  # noqa: PLC0415 - slow

        form = await read_form(request)
        url = _address(form)
        if not url:
            return self._show(request, 422, fault=_("Paste an address first."))
        try:
            return self._show(request, url=url, found=await self._discover(url))
        except StoreError:
            raise
        except NoFeedOnPageError as fault:
            return self._show(request, 422, url=url, fault=fault.sentence, is_page=True)
        except InfoRadarError as fault:
            return self._show(request, 422, url=url, fault=str(fault))

    async def add(self, request: Request) -> Response:
        form = await read_form(request)
        kind = form.text("kind")
        if kind is not None and kind not in set(FeedKind):
            raise UsageError(f"kind must be one of {', '.join(FeedKind)}.")
        wanted = WantedFeed(
            url=_address(form),
            kind=FeedKind(kind) if kind else None,
            source=form.word("source"),
            topic=form.word("topic"),
        )
        return await self._subscribe(request, wanted)

    async def _subscribe(self, request: Request, wanted: WantedFeed) -> Response:
        added = await subscribe(self.database, self.settings.fetcher, wanted, LIVE)
        says = "added" if added.is_new else "twin" if added.is_twin else "known"
        return redirect_to(request, f"/feeds/{added.feed.id}?says={says}")

    async def try_selectors(self, request: Request) -> Response:
        """Preview what the selectors match, or add the feed if that button was pressed."""
        form = await read_form(request)
        try:
            if form.text("do") == "add":
                return await self._add_pages(request, form)
            preview = await self.trials.preview(_address(form), given_selectors(form))
        except StoreError:
            raise
        except InfoRadarError as fault:
            problems = getattr(fault, "problems", None) or (str(fault),)
            return self._show_editor(request, form, 422, problems=problems)
        return self._show_editor(request, form, preview=preview)

    async def _discover(self, url: str) -> list[FoundRow]:
        from inforadar.app.lookups import open_discovery, open_previewer  # noqa: PLC0415 - slow
        from inforadar.stages.discover.pages.sites import is_listing  # noqa: PLC0415

        if is_listing(canonical_form(url)):
            async with open_previewer(self.settings, self.database, pool=self.trials.pool) as previewer:
                page = (await previewer.preview(url)).page
            how = _("read page by page: there is a reader for this site")
            return [await self._row(url, FeedKind.PAGES, how, None, page.items)]
        async with open_discovery(self.settings, self.database) as discovery:
            found = await discovery.discover(url)
            if found[0].listing is None and found[0].kind is FeedKind.FEED:
                found = [*await _with_items(discovery, found[0]), *found[1:]]
        rows = []
        for one in found:
            title, items = (one.listing.title, one.listing.items) if one.listing else (None, ())
            rows.append(await self._row(one.url, one.kind, one.how, title, items))
        return rows

    async def _row(
        self, url: str, kind: FeedKind, how: str, title: str | None, items: Sequence[Listed]
    ) -> FoundRow:
        known = await self.database.read(find_followed, url)
        return FoundRow(url=url, kind=kind, how=how, title=title, items=items[:PREVIEW_ITEMS], known=known)

    async def _add_pages(self, request: Request, form: Form) -> Response:
        wanted = WantedFeed(
            url=_address(form),
            kind=FeedKind.PAGES,
            source=form.word("source"),
            topic=form.word("topic"),
            options=FeedOptions(selectors=given_selectors(form), cutoff_date=_cutoff(form)),
        )
        return await self._subscribe(request, wanted)

    def _show(
        self,
        request: Request,
        status: int = 200,
        *,
        url: str = "",
        found: Sequence[FoundRow] = (),
        fault: str | None = None,
        is_page: bool = False,
    ) -> Response:
        """`is_page`: there is no feed, but selectors may work."""
        return self.pages.render(
            request, "add.html", status, url=url, found=found, fault=fault, is_page=is_page, broken=0
        )

    def _show_editor(
        self,
        request: Request,
        form: Form,
        status: int = 200,
        *,
        preview: PagePreview | None = None,
        problems: Sequence[str] = (),
    ) -> Response:
        # The page's script requests only the preview.
        template = "selectors_preview.html" if "part" in request.query_params else "selectors.html"
        return self.pages.render(
            request,
            template,
            status,
            form=form,
            fields=shown_fields(form, preview),
            preview=preview,
            problems=problems,
            broken=0,
        )


async def _with_items(discovery: Discovery, found: FoundFeed) -> list[FoundFeed]:
    """Add the feed's items. The page only links to it, so it may not exist; then return it without items."""
    try:
        (inside, *_) = await discovery.discover(found.url)
    except UsageError:
        raise
    except InfoRadarError:
        return [found]
    return [type(found)(url=inside.url, kind=inside.kind, how=found.how, listing=inside.listing)]


def _address(form: Form) -> str:
    """Return the URL as pasted, with https:// if it has no scheme: `habr.com` is enough."""
    return with_scheme(form.text("url") or "")


def _cutoff(form: Form) -> date | None:
    value = form.text("cutoff")
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise UsageError(_("%(text)s is not a date. Use the form 2026-01-31.", text=repr(value))) from None
