"""The page of one feed: its articles, warnings and history, and the forms that edit everything in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.edit import edit_live
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, StoreError
from inforadar.model.analysis import AnalyzerName
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.subscription import FeedChanges
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import has_credentials
from inforadar.store.feeds.history import load_changed_outcomes
from inforadar.store.feeds.queries import load_broken_count, load_feed, load_former_urls
from inforadar.store.feeds.rhythms import load_rhythms
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.pages import load_item_page
from inforadar.store.push.queries import load_subscription
from inforadar.translations import pgettext
from inforadar.views.item import read_item
from inforadar.views.push import push_sentence
from inforadar.views.rhythm import DAY_NAMES, polling_sentence, week_map
from inforadar.web.http.forms import Form, read_form, redirect_to
from inforadar.web.http.identity import person_id_of
from inforadar.web.http.routing import resource
from inforadar.web.pages.feed_form import form_values, parse_edit
from inforadar.web.pages.feeds import feed_id_of, load_live_feed, load_rows, notice_of
from inforadar.web.pages.selector_trials import SelectorTrials
from inforadar.web.pages.selectors_form import given_selectors, shown_fields, stored_fields
from inforadar.web.pages.templating import Pages

if TYPE_CHECKING:
    from inforadar.actions.preview import PagePreview

SHOWN_ITEMS = 20
SHOWN_OUTCOMES = 20
AWAITED_FOR = timedelta(minutes=10)
"""How long a page waits for a fetch that was asked for; then nobody is there to do it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPageRoutes:
    database: Database
    settings: Settings
    pages: Pages
    trials: SelectorTrials
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        return [
            resource("/feeds/{id:uuid}", get=self.show, post=self.edit),
            resource("/feeds/{id:uuid}/selectors", post=self.edit_selectors),
        ]

    async def show(self, request: Request) -> Response:
        feed = await self.database.read(load_feed, feed_id_of(request))
        if feed.deleted_at is not None:
            return self.pages.render(request, "feed_deleted.html", 410, feed=feed, broken=0)
        return await self._show(request, feed)

    async def edit(self, request: Request) -> Response:
        """Save what the form changed, which enables the feed and its polling (B3), and fetch it now."""
        feed, form = await load_live_feed(self.database, request), await read_form(request)
        try:
            changes = parse_edit(form, feed)
            self._check_prompt(changes)
            if not changes:
                return redirect_to(request, f"/feeds/{feed.id}?says=unchanged")
            edited = await edit_live(self.database, self.settings.fetcher, feed.id, changes)
        except StoreError:
            raise
        except InfoRadarError as fault:
            return await self._show(request, feed, 422, form=form, fault=str(fault))
        says = "moved" if edited.dropped_credentials else "saved"
        return redirect_to(request, f"/feeds/{feed.id}?says={says}")

    async def edit_selectors(self, request: Request) -> Response:
        """Preview what the selectors match on the feed's page, or save them."""
        feed, form = await load_live_feed(self.database, request), await read_form(request)
        try:
            if form.text("do") == "save":
                changes = FeedChanges(kind=FeedKind.PAGES, options={"selectors": given_selectors(form)})
                await edit_live(self.database, self.settings.fetcher, feed.id, changes)
                return redirect_to(request, f"/feeds/{feed.id}?says=saved")
            preview = await self.trials.preview(feed.url, given_selectors(form), feed.zone)
        except StoreError:
            raise
        except InfoRadarError as fault:
            problems = getattr(fault, "problems", None) or (str(fault),)
            return await self._show_trial(request, feed, form, 422, problems=problems)
        return await self._show_trial(request, feed, form, preview=preview)

    async def _show_trial(
        self,
        request: Request,
        feed: Feed,
        form: Form,
        status: int = 200,
        *,
        preview: PagePreview | None = None,
        problems: Sequence[str] = (),
    ) -> Response:
        trial = {"preview": preview, "problems": problems}
        if "part" in request.query_params:
            return self.pages.render(request, "selectors_preview.html", status, **trial, broken=0)
        return await self._show(
            request, feed, status, fields=shown_fields(form, preview), tries=True, trial=trial
        )

    async def _show(
        self,
        request: Request,
        feed: Feed,
        status: int = 200,
        *,
        form: Form | None = None,
        fault: str | None = None,
        fields: Any = None,
        tries: bool = False,
        trial: dict[str, Any] | None = None,
    ) -> Response:
        now, database = self.now(), self.database
        (row,) = await load_rows(database, [feed], now)
        rhythm = (await database.read(load_rhythms, [feed.id])).get(feed.id)
        wanted = ItemFilter(feed_id=feed.id, person_id=person_id_of(request.scope))
        page = await database.read(load_item_page, wanted, limit=SHOWN_ITEMS)
        return self.pages.render(
            request,
            "feed.html",
            status,
            row=row,
            items=[read_item(item) for item in page.items],
            has_more=page.next is not None,
            outcomes=await database.read(load_changed_outcomes, feed.id, limit=SHOWN_OUTCOMES),
            timing=polling_sentence(feed, rhythm, now),
            push=push_sentence(await self.database.read(load_subscription, feed.id), now),
            week=[
                (pgettext("day", name), hours)
                for name, hours in zip(DAY_NAMES, week_map(rhythm, feed, now), strict=False)
            ],
            former=await database.read(load_former_urls, feed.id),
            analyzers=[name.value for name in AnalyzerName],
            values=form_values(feed, form),
            has_credentials=await database.read(has_credentials, feed.id),
            fault=fault,
            fields=fields or stored_fields(feed.options.selectors),
            tries=tries,
            is_awaited=is_awaited(feed, now),
            is_running=is_running(feed, now),
            says=notice_of(request, feed),
            broken=await database.read(load_broken_count),
            **(trial or {"preview": None, "problems": ()}),
        )

    def _check_prompt(self, changes: FeedChanges) -> None:
        if name := changes.options.get("prompt"):
            from inforadar.stages.analyze.choose import prompts_folder  # noqa: PLC0415 - slow
            from inforadar.stages.analyze.llm.prompt import load_prompt  # noqa: PLC0415

            load_prompt(str(name), prompts_folder(self.settings.home))


def is_running(feed: Feed, now: datetime) -> bool:
    """Whether a worker fetches it right now."""
    return feed.locked_until is not None and feed.locked_until > now


def is_awaited(feed: Feed, now: datetime) -> bool:
    """Whether a fetch was asked for or runs now, so that the page should show its result when it ends."""
    is_asked = feed.requested_at is not None and now - feed.requested_at < AWAITED_FOR
    return feed.enabled and (is_asked or is_running(feed, now))
