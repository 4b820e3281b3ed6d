"""Operations that only read: feeds, items, status."""

from __future__ import annotations

from inforadar.stages.publish.formats import FORMATS
from inforadar.web.api.feeds import FEEDS_PER_PAGE, HISTORY_DAYS
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

_EVENT = object_({"event": {"enum": ["progress", "end"]}, "data": TEXT}, {"id": TEXT})
_ID_OR_NONE: Json = {"anyOf": [ID, {"const": ""}]}
_INVALID = fault("A parameter is invalid.")
_FEED_FAULTS = {
    "400": sentence("A parameter is invalid."),
    "404": sentence("There is no such feed."),
    "503": sentence("The database does not answer."),
}
_ENDINGS = f"the name may end in a format: {', '.join(f'.{name}' for name in FORMATS)}"
_OF_FEEDS = (FORMAT, EMBEDDED, CONTENT, TITLES, MAX_SCORE)
_NOT_MODIFIED = {"304": {"description": "The client already has it."}}

_MIN_SOURCES = query(
    "min_sources",
    {"type": "integer", "minimum": 1, "maximum": 1000, "default": 2},
    "Only stories with this many sources.",
)
_BRIEF = (
    query("hours", {"type": "integer", "minimum": 1, "maximum": 744, "default": 24}, "How far back."),
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
        "Items, newest first, page by page",
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
            LIMIT,
            query("cursor", TEXT, "`next` of the previous page."),
        ],
        {
            "200": json_(object_({"items": list_(ref("MarkedItem")), "next": NULLABLE_TEXT})),
            "400": _INVALID,
        },
    ),
    "/api/items/{id}": get(
        "One item with its marks, clean text, analysis and changes",
        [path("id", ID)],
        {"200": json_(ref("ReadItem")), "404": fault("No such item is served.")},
    ),
    "/api/stories": get(
        "Stories, newest first, page by page: events that several sources tell of",
        [
            _MIN_SOURCES,
            query("topic", TEXT, "Only stories with an item of this topic."),
            query(
                "limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}, "Maximum number."
            ),
            query("cursor", TEXT, "`next` of the previous page."),
        ],
        {
            "200": json_(object_({"stories": list_(ref("Story")), "next": NULLABLE_TEXT})),
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
        [FORMAT, _MIN_SOURCES],
        {"200": DOCUMENT, **_NOT_MODIFIED, "400": sentence("A parameter is invalid.")},
    ),
    "/feeds/stories/topic/{name}": get(
        f"Stories of a topic as a feed; {_ENDINGS}",
        [path("name", {"type": "string", "minLength": 1}), FORMAT, _MIN_SOURCES],
        {"200": DOCUMENT, **_NOT_MODIFIED, **_FEED_FAULTS},
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
            limit(FEEDS_PER_PAGE),
            query("after", _ID_OR_NONE, "Only feeds added after this one: `next` of the previous page."),
            query(
                "days",
                {"type": "integer", "minimum": 0, "maximum": HISTORY_DAYS},
                "Include this many days of history for each feed.",
            ),
        ],
        {"200": json_(object_({"feeds": list_(ref("Feed")), "next": NULLABLE_TEXT})), "400": _INVALID},
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
        "Runs, newest first, without their changes",
        [LIMIT, query("before", _ID_OR_NONE, "Only runs that started before this one.")],
        {
            "200": json_(object_({"runs": list_(ref("Run"))})),
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
