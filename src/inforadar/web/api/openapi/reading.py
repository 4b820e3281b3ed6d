"""Operations that only read: feeds, items, status."""

from __future__ import annotations

from collections.abc import Iterable

from inforadar.stages.publish.formats import FORMATS
from inforadar.store.items.order import ITEM_ORDERS, NEWEST_FIRST
from inforadar.web.api.feeds import FEED_ORDERS, FEEDS_PER_PAGE, HISTORY_DAYS
from inforadar.web.api.openapi.blocks import (
    CONTENT,
    COUNT,
    DOCUMENT,
    EMBEDDED,
    FORMAT,
    ID,
    LIMIT,
    MAX_SCORE,
    NULLABLE_TEXT,
    OBJECT,
    SOURCES,
    SWITCH,
    TEXT,
    TITLES,
    TOPICS,
    URL,
    WORDS,
    Json,
    fault,
    get,
    json_,
    limit,
    list_,
    object_,
    path,
    query,
    ref,
    sentence,
)
from inforadar.web.api.status import RUN_ORDERS
from inforadar.web.api.stories import STORY_ORDERS


def _order(orders: Iterable[str], default: str | None = None) -> Json:
    given = list(orders)
    return query("order", {"enum": given, "default": default or given[0]}, "A minus sign: descending.")


_EVENT = object_({"event": {"enum": ["progress", "end"]}, "data": TEXT}, {"id": TEXT})
_ID_OR_NONE: Json = {"anyOf": [ID, {"const": ""}]}
_CURSOR = query("cursor", TEXT, "`next` of the previous page.")
_DAY_OR_TIME: Json = {"type": "string", "examples": ["2026-10-05", "2026-10-05T06:30:00Z"]}
_SINCE, _UNTIL = (
    query("since", _DAY_OR_TIME, "Only from this time on."),
    query("until", _DAY_OR_TIME, "Only before this time."),
)
_TOTAL = query("total", SWITCH, "1: count all pages together.")
_INVALID = fault("A parameter is invalid.")
_FEED_FAULTS = {
    "400": sentence("A parameter is invalid."),
    "404": sentence("There is no such feed."),
    "503": sentence("The database does not answer."),
}
_ENDINGS = f"the name may end in a format: {', '.join(f'.{name}' for name in FORMATS)}"
_OF_FEEDS = (FORMAT, EMBEDDED, CONTENT, TITLES, MAX_SCORE)
_NOT_MODIFIED = {"304": {"description": "The client already has it."}}

_STORY_TOPIC = query("topic", TEXT, "Only stories with an item of this topic.")
_MIN_SOURCES = query(
    "min_sources",
    {"type": "integer", "minimum": 1, "maximum": 1000, "default": 2},
    "Only stories with this many sources.",
)
_BRIEF = (
    query("hours", {"type": "integer", "minimum": 1, "maximum": 744, "default": 24}, "How far back."),
    query("since", {"type": "string"}, "How far back, instead: 90m, 24h or 7d."),
    query(
        "top", {"type": "integer", "minimum": 1, "maximum": 100, "default": 10}, "Maximum number of stories."
    ),
)

PATHS: Json = {
    "/rss": get(
        "A feed as it was built, by its current URL or a former one",
        [query("url", URL, "The feed's URL.", required=True), *_OF_FEEDS],
        {"200": DOCUMENT, **_NOT_MODIFIED, **_FEED_FAULTS, "403": sentence("The feed is disabled.")},
    ),
    "/feeds/topic/{name}": get(
        f"All feeds of a topic as one feed; {_ENDINGS}",
        [path("name", {"type": "string", "minLength": 1}), *_OF_FEEDS],
        {"200": DOCUMENT, **_NOT_MODIFIED, **_FEED_FAULTS},
    ),
    "/feeds/source/{name}": get(
        f"All feeds of a source as one feed; {_ENDINGS}",
        [path("name", {"type": "string", "minLength": 1}), *_OF_FEEDS],
        {"200": DOCUMENT, **_NOT_MODIFIED, **_FEED_FAULTS},
    ),
    "/feeds/search": get(
        "The results of a search as a feed",
        [query("q", WORDS, "Words that must all occur.", required=True), *_OF_FEEDS],
        {"200": DOCUMENT, **_NOT_MODIFIED, **_FEED_FAULTS},
    ),
    "/api/item": get(
        "The item with this URL, with its newest analysis",
        [query("url", URL, "The article's URL.", required=True), MAX_SCORE],
        {"200": json_(ref("Item")), "400": _INVALID, "404": fault("No such item is served.")},
    ),
    "/api/site": get(
        "The newest items of a site, distinct by URL, mixed evenly from its feeds",
        [
            query("root", WORDS, "The root domain.", required=True),
            LIMIT,
            MAX_SCORE,
        ],
        {
            "200": json_(object_({"root": TEXT, "count": COUNT, "items": list_(ref("Item"))})),
            "400": _INVALID,
            "404": fault("No feed of this site is served."),
        },
    ),
    "/api/items": get(
        "Items, page by page",
        [
            SOURCES,
            TOPICS,
            query("feed", _ID_OR_NONE, "Only this feed."),
            query("run", _ID_OR_NONE, "Added by this run."),
            query(
                "q", TEXT, "Words that must occur in title, neutral title or text; `a*` matches any ending."
            ),
            *(query(name, SWITCH, "Filter by this mark.") for name in ("unread", "starred", "archived")),
            MAX_SCORE,
            query("min_score", MAX_SCORE["schema"], "Only analyzed items with at least this score."),
            _SINCE,
            _UNTIL,
            _order(ITEM_ORDERS, NEWEST_FIRST),
            _TOTAL,
            LIMIT,
            _CURSOR,
        ],
        {
            "200": json_(
                object_({"items": list_(ref("MarkedItem")), "next": NULLABLE_TEXT}, {"total": COUNT})
            ),
            "400": _INVALID,
        },
    ),
    "/api/items/{id}": get(
        "One item with its marks, clean text, analysis and changes",
        [path("id", ID)],
        {"200": json_(ref("ReadItem")), "404": fault("No such item is served.")},
    ),
    "/api/items/{id}/revisions": get(
        "How one item changed after publication: versions of its text, what changed, and one history with its listing",
        [path("id", ID)],
        {"200": json_(ref("ItemHistory")), "404": fault("No such item is served.")},
    ),
    "/api/stories": get(
        "Stories, page by page: events that several sources tell of",
        [
            _MIN_SOURCES,
            _STORY_TOPIC,
            _SINCE,
            _UNTIL,
            _order(STORY_ORDERS),
            _TOTAL,
            query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}, "Maximum number."
            ),
            _CURSOR,
        ],
        {
            "200": json_(object_({"stories": list_(ref("Story")), "next": NULLABLE_TEXT}, {"total": COUNT})),
            "400": _INVALID,
        },
    ),
    "/api/stories/{id}": get(
        "One story with its items, fact table and timeline",
        [path("id", ID)],
        {
            "200": json_(ref("StoryInFull")),
            "308": {"description": "The story was merged into another one."},
            "404": fault("No such story is served."),
        },
    ),
    "/feeds/stories": get(
        "Stories as a feed, one entry a story",
        [FORMAT, _MIN_SOURCES, _STORY_TOPIC],
        {"200": DOCUMENT, **_NOT_MODIFIED, "400": sentence("A parameter is invalid.")},
    ),
    "/feeds/stories/topic/{name}": get(
        f"Stories of a topic as a feed; {_ENDINGS}",
        [path("name", {"type": "string", "minLength": 1}), FORMAT, _MIN_SOURCES],
        {"200": DOCUMENT, **_NOT_MODIFIED, **_FEED_FAULTS},
    ),
    "/feeds/changes": get(
        "Significant changes of articles as a feed, one entry a change",
        [
            FORMAT,
            query("topic", TEXT, "Only articles of this topic."),
            query("source", TEXT, "Only articles of this source."),
        ],
        {"200": DOCUMENT, **_NOT_MODIFIED, "400": sentence("A parameter is invalid.")},
    ),
    "/feeds/brief": get(
        "The most-told stories of the day as a feed",
        [FORMAT, *_BRIEF],
        {"200": DOCUMENT, **_NOT_MODIFIED, "400": sentence("A parameter is invalid.")},
    ),
    "/api/labels": get(
        "Sources and topics with their number of feeds, unread items of the last week, and the worst health",
        [],
        {"200": json_(object_({"labels": list_(ref("Label"))}))},
    ),
    "/api/feeds": get(
        "Feeds with their health",
        [
            SOURCES,
            TOPICS,
            _order(FEED_ORDERS),
            _TOTAL,
            limit(FEEDS_PER_PAGE),
            _CURSOR,
            query(
                "days",
                {"type": "integer", "minimum": 0, "maximum": HISTORY_DAYS},
                "Include this many days of history for each feed.",
            ),
        ],
        {
            "200": json_(object_({"feeds": list_(ref("Feed")), "next": NULLABLE_TEXT}, {"total": COUNT})),
            "400": _INVALID,
        },
    ),
    "/api/feeds/{id}": get(
        "Everything about one feed",
        [path("id", ID)],
        {"200": json_(ref("WholeFeed")), "404": fault("There is no such feed.")},
    ),
    "/api/root-domains": get("All root domains", [], {"200": json_(object_({"root_domains": list_(TEXT)}))}),
    "/api/opml": get(
        "All feeds as OPML",
        [],
        {"200": {"description": "The list.", "content": {"text/x-opml; charset=utf-8": {"schema": TEXT}}}},
    ),
    "/api/runs": get(
        "Runs, without their changes",
        [_SINCE, _UNTIL, _order(RUN_ORDERS), _TOTAL, LIMIT, _CURSOR],
        {
            "200": json_(object_({"runs": list_(ref("Run")), "next": NULLABLE_TEXT}, {"total": COUNT})),
            "400": _INVALID,
            "404": fault("There is no such run."),
        },
    ),
    "/api/runs/{id}": get(
        "A run and all its changes",
        [path("id", ID)],
        {"200": json_(ref("Run")), "404": fault("There is no such run.")},
    ),
    "/api/runs/{id}/events": get(
        "The progress of a run as server-sent events, from the event after Last-Event-ID",
        [
            path("id", ID),
            query("after", {"type": "integer"}, "The same as Last-Event-ID, for the first request."),
        ],
        {
            "200": {
                "description": "Events.",
                "content": {"text/event-stream; charset=utf-8": {"schema": _EVENT}},
            },
            "404": fault("There is no such run."),
        },
    ),
    "/api/events": get(
        "Items, changes, stories, alerts and matches of rules as server-sent events, resumable by number",
        [
            query(
                "since",
                {"type": "integer"},
                "The number of the last event seen; Last-Event-ID means the same.",
            ),
            query(
                "kinds",
                {"type": "string"},
                "Only these, separated by commas: item, change, story, alert, match.",
            ),
        ],
        {
            "200": {
                "description": "Events.",
                "content": {"text/event-stream; charset=utf-8": {"schema": _EVENT}},
            },
            "400": _INVALID,
        },
    ),
    "/api/statistics": get(
        "Statistics of the last days: items, outcomes, scores, slow hosts, cost",
        [query("days", {"type": "integer", "minimum": 1, "maximum": 365, "default": 30}, "Number of days.")],
        {"200": json_(OBJECT), "400": _INVALID},
    ),
    "/health": get(
        "Readiness: whether the server can work",
        [],
        {"200": json_(OBJECT), "503": json_(OBJECT, "Not ready.")},
    ),
    "/health/live": get("Liveness: whether the process runs", [], {"200": json_(OBJECT)}),
    "/metrics": get(
        "Metrics in Prometheus' text format",
        [],
        {
            "200": {
                "description": "Metrics.",
                "content": {"text/plain; version=0.0.4; charset=utf-8": {"schema": TEXT}},
            }
        },
    ),
}
