"""Assemble the web application: one ASGI app from its areas.

    /rss                       feeds/rss.py         plain ASGI, beside the router (http/rsgi.py serves it from memory)
    /feeds/topic/…  …          feeds/combined.py
    /feeds/stories  /brief  …  feeds/stories.py
    /feeds/alerts              feeds/alerts.py
    /feeds/changes             feeds/changes.py
    /  /news  /marks/…         pages/articles.py    (pages/item_query.py: filters and links; pages/sidebar.py)
    /palette                   pages/palette.py
    /item/{id}                 pages/item.py
    /favicon/{id}              pages/favicons.py
    /stories  /stories/{id}    pages/stories.py     (http/visitor_pages.py keeps what these three answer to visitors)
    /feeds  /feeds/{id}        pages/feeds.py, pages/feed_page.py (feed_query.py, feed_form.py, plots.py)
    /add  /opml                pages/add.py, pages/opml.py (http/forms.py, http/multipart.py, pages/selectors_form.py)
    /fetch  /runs              pages/fetch.py, pages/runs.py
    /statistics                pages/statistics.py
    /login  /logout            pages/login.py       (http/access.py, http/identity.py, http/proxy.py: before everything)
    /account  /people          pages/account.py
    /export.…  /searches       pages/exports.py
    /settings                  pages/settings.py    (views/settings.py)
    /rules  /channels  /alerts pages/rules.py
    /picture/…                 pages/pictures.py
    /api/greader.php/…  /reader/…  /accounts/…          greader/routes.py
    /static/…                  pages/assets.py
    /health  …                 api/health.py
    /api/item  /api/site       api/lookup.py
    /api/items  /api/marks     api/items.py
    /api/stories               api/stories.py
    /api/events                api/events.py
    /api/items/{id}/revisions  api/revisions.py     (/item/{id}/history: pages/revisions.py)
    /api/feeds  /api/opml  …   api/feeds.py
    /api/fetch  …              api/fetch.py
    /api/runs  /api/labels  …  api/status.py        (api/run_events.py: a run as it happens)
    /push/{key}                api/push.py
    /metrics  /openapi.json    api/metrics.py, api/openapi/

An area is a small class that gets its dependencies as arguments and lists its routes. There are no globals, and
nothing is opened here: the caller opens and closes the database.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from inforadar.app.push import is_push_on
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.pipeline.pool import WorkPool
from inforadar.store.database import Database
from inforadar.web.api.events import EventRoutes
from inforadar.web.api.feeds import SubscriptionRoutes
from inforadar.web.api.fetch import FetchApi
from inforadar.web.api.health import HealthRoutes
from inforadar.web.api.items import ItemRoutes
from inforadar.web.api.known_parameters import KnownParameters
from inforadar.web.api.lookup import LookupRoutes
from inforadar.web.api.metrics import Latency, MetricsRoutes
from inforadar.web.api.openapi import show_openapi
from inforadar.web.api.push import PushRoutes
from inforadar.web.api.revisions import RevisionApi
from inforadar.web.api.status import StatusRoutes
from inforadar.web.api.stories import StoryApi
from inforadar.web.feeds.alerts import AlertFeedRoutes
from inforadar.web.feeds.changes import ChangeFeedRoutes
from inforadar.web.feeds.combined import CombinedRoutes
from inforadar.web.feeds.rss import PATH as RSS_PATH
from inforadar.web.feeds.rss import RssEndpoint
from inforadar.web.feeds.stories import StoryFeedRoutes
from inforadar.web.greader.changes import Changes
from inforadar.web.greader.routes import ReaderRoutes
from inforadar.web.http.access import Access
from inforadar.web.http.address_limits import RequestLimit, StreamLimit
from inforadar.web.http.body_limits import BodyLimits
from inforadar.web.http.cors import CrossOrigin
from inforadar.web.http.identity import Identities
from inforadar.web.http.language import in_readers_language
from inforadar.web.http.login_limit import LoginLimit
from inforadar.web.http.proxy import ForwardedRequests
from inforadar.web.http.readers import FORWARDING_HEADERS, TextAccess
from inforadar.web.http.rsgi import Find, Ready, RsgiRequest, client_address
from inforadar.web.http.secret_mask import SecretMask
from inforadar.web.http.security import SecurityHeaders
from inforadar.web.http.sessions import Sessions
from inforadar.web.http.visitor_pages import VisitorPages
from inforadar.web.pages.account import AccountRoutes
from inforadar.web.pages.add import AddRoutes
from inforadar.web.pages.articles import ArticleRoutes
from inforadar.web.pages.assets import Assets
from inforadar.web.pages.exports import ExportRoutes
from inforadar.web.pages.faults import FaultPages
from inforadar.web.pages.favicons import FaviconRoutes
from inforadar.web.pages.feed_page import FeedPageRoutes
from inforadar.web.pages.feeds import FeedRoutes
from inforadar.web.pages.fetch import FetchRoutes
from inforadar.web.pages.item import ItemPageRoutes
from inforadar.web.pages.login import LoginRoutes
from inforadar.web.pages.opml import OpmlRoutes
from inforadar.web.pages.palette import PaletteRoutes
from inforadar.web.pages.picture_mode import PictureMode
from inforadar.web.pages.pictures import PictureRoutes
from inforadar.web.pages.revisions import RevisionRoutes
from inforadar.web.pages.rules import RuleRoutes
from inforadar.web.pages.runs import RunRoutes
from inforadar.web.pages.selector_trials import SelectorTrials
from inforadar.web.pages.settings import SettingsRoutes
from inforadar.web.pages.sidebar import SidebarLoader
from inforadar.web.pages.statistics import StatisticsRoutes
from inforadar.web.pages.stories import StoryRoutes
from inforadar.web.pages.templating import Pages
from inforadar.web.shared import Shared

if TYPE_CHECKING:
    from inforadar.fetch.client import Client


@dataclass(frozen=True, slots=True, kw_only=True)
class WebApp:
    """The application, and what the server needs around it."""

    app: ASGIApp
    find_ready: Find
    """Answers `/rss` from memory, bypassing the application."""
    count_answer: Callable[[int, float], None]
    """Counts an answer that bypassed the application: its status and its seconds."""
    close: Callable[[], Awaitable[None]]
    """Stops what starts with its first use: the process that tries out selectors, the client for pictures."""


def create_app(
    database: Database,
    settings: Settings,
    token: str,
    *,
    shared: Shared | None = None,
    now: Callable[[], datetime] = utc_now,
) -> WebApp:
    """Build the application.

    `token` is the admin token, required for every change; `shared` is what it has in common with other processes.
    """
    shared = shared or Shared()
    assets = Assets()
    pages = Pages(assets, now)
    sessions = Sessions(token=token)
    faults = FaultPages(pages=pages)
    identities = Identities(database, sessions, settings.web)
    limit = LoginLimit(now=now, sleep=asyncio.sleep, failures=shared.failures)
    login = LoginRoutes(database=database, pages=pages, sessions=sessions, settings=settings.web, limit=limit)
    metrics = MetricsRoutes(database=database, answers=shared.answers)
    pool = WorkPool(workers=1, warm_up=("inforadar.actions.preview",))
    trials = SelectorTrials(database=database, settings=settings, pool=pool)
    sidebar = SidebarLoader(database, shared.marks)
    state = StatusRoutes(database=database, now=now)
    pictures = PictureRoutes(
        sessions=sessions,
        make_client=partial(_make_client, settings, database),
        clock=time.monotonic,
    )
    mode = PictureMode(database=database, images=settings.web.images, address=pictures.address)
    reading = VisitorPages(database, now).kept(
        [
            *ArticleRoutes(database=database, pages=pages, sidebar=sidebar, pictures=mode, now=now).routes(),
            *ItemPageRoutes(database=database, pages=pages, sidebar=sidebar, pictures=mode, now=now).routes(),
            *StoryRoutes(database=database, pages=pages, now=now, on_marked=sidebar.forget).routes(),
        ]
    )
    spoken = in_readers_language(
        [
            *reading,
            *PaletteRoutes(sidebar=sidebar).routes(),
            *FeedRoutes(database=database, pages=pages, now=now).routes(),
            *FeedPageRoutes(
                database=database, settings=settings, pages=pages, trials=trials, now=now
            ).routes(),
            *RuleRoutes(database=database, settings=settings, pages=pages, now=now).routes(),
            *RevisionRoutes(database=database, pages=pages).routes(),
            *AddRoutes(database=database, settings=settings, pages=pages, trials=trials).routes(),
            *OpmlRoutes(database=database, fetcher=settings.fetcher, pages=pages).routes(),
            *FetchRoutes(database=database, pages=pages).routes(),
            *RunRoutes(database=database, pages=pages).routes(),
            *StatisticsRoutes(database=database, pages=pages, numbers=state.numbers, now=now).routes(),
            *AccountRoutes(
                database=database,
                pages=pages,
                limit=limit,
                base_url=settings.web.outer_url,
                now=now,
                on_changed=sidebar.forget,
            ).routes(),
            *SettingsRoutes(database=database, pages=pages).routes(),
            *login.routes(),
        ]
    )
    routed = Starlette(
        routes=[
            *spoken,
            *HealthRoutes(database=database).routes(),
            *FaviconRoutes(
                database=database, images=settings.web.images, load_picture=pictures.load
            ).routes(),
            *AlertFeedRoutes(database=database, public_url=settings.web.outer_url).routes(),
            *LookupRoutes(database=database).routes(),
            *ItemRoutes(database=database, now=now, on_marked=sidebar.forget).routes(),
            *StoryApi(database=database).routes(),
            *EventRoutes(database=database).routes(),
            *RevisionApi(database=database).routes(),
            *ChangeFeedRoutes(database=database, public_url=settings.web.outer_url).routes(),
            *StoryFeedRoutes(
                database=database, public_url=settings.web.outer_url, pages=pages, now=now
            ).routes(),
            *SubscriptionRoutes(database=database, settings=settings, now=now).routes(),
            *state.routes(),
            *FetchApi(database=database).routes(),
            *CombinedRoutes(
                database=database, public_url=settings.web.outer_url, last_n=settings.publish.items
            ).routes(),
            *ReaderRoutes(
                database=database,
                changes=Changes(database=database, settings=settings, now=now, on_marked=sidebar.forget),
                limit=limit,
                base_url=settings.web.outer_url,
                now=now,
            ).routes(),
            *ExportRoutes(database=database, sidebar=sidebar).routes(),
            *PushRoutes(database=database, is_on=is_push_on(settings), now=now).routes(),
            *metrics.routes(),
            Route("/openapi.json", show_openapi),
            *pictures.routes(),
            *assets.routes(),
        ],
        exception_handlers=faults.handlers(),
        middleware=[Middleware(SecretMask, database=database)],
    )
    rss = RssEndpoint(database, public_url=settings.web.outer_url, last_n=settings.publish.items)
    secured = SecurityHeaders(KnownParameters(routed), images=settings.web.images)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        is_rss = scope["type"] == "http" and scope["path"] == RSS_PATH
        await (rss if is_rss else secured)(scope, receive, send)

    clients = settings.clients
    guarded = Access(
        StreamLimit(dispatch, total=clients.streams, per_address=clients.streams_per_address),
        settings=settings.web,
        sessions=sessions,
        identities=identities,
        show_refusal=faults.show_refusal,
    )
    limited = RequestLimit(
        BodyLimits(guarded, pause_s=clients.body_timeout), per_address=clients.connections_per_address
    )
    latency = Latency(CrossOrigin(limited, origins=settings.web.cors_origins), shared.answers)
    app = ForwardedRequests(
        latency, prefix=urlsplit(settings.web.public_url).path, is_behind_proxy=settings.web.behind_proxy
    )

    is_private = not settings.web.public_url

    def find_ready(request: RsgiRequest) -> Ready | None:
        get = request.headers.get
        if not guarded.may_read_from(get("host")):
            return None
        forwarded = any(get(name) is not None for name in FORWARDING_HEADERS) if is_private else False
        access = guarded.stranger_access(client_address(request), is_forwarded=forwarded)
        if access is not TextAccess.ALL and (
            get("authorization") or get("cookie") or "token=" in request.query_string
        ):
            # A person may read more; the application finds out.
            return None
        return rss.ready(
            request.query_string,
            access,
            get("accept-encoding"),
            get("if-none-match"),
            get("if-modified-since"),
        )

    async def close() -> None:
        await pictures.close()
        await pool.close()

    # Behind a proxy the host comes from a forwarded header, which only the whole application reads.
    ready = _find_nothing if settings.web.behind_proxy else find_ready
    return WebApp(app=app, find_ready=ready, count_answer=shared.answers.add, close=close)


def _find_nothing(_: RsgiRequest) -> None:
    return None


async def _make_client(settings: Settings, database: Database) -> Client:
    from inforadar.app.engine import make_guarded_client  # noqa: PLC0415 - large, and many pages load no picture

    return await make_guarded_client(settings, database)
