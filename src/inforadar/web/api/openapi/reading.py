"""What is read: feeds, items, how it is going."""

from __future__ import annotations

from inforadar.stages.publish.formats import FORMATS
from inforadar.web.api.feeds import DAYS
from inforadar.web.api.openapi.blocks import (
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
    TOPICS,
    URL,
    WORDS,
    Json,
    fault,
    get,
    json_,
    list_,
    object_,
    path,
    query,
    ref,
    sentence,
)

_EVENT = object_({"event": {"enum": ["progress", "end"]}, "data": TEXT}, {"id": TEXT})
_ID_OR_NONE: Json = {"anyOf": [ID, {"const": ""}]}
_WRONG = fault("A parameter means nothing.")
_FEED_FAULTS = {
    "400": sentence("A parameter means nothing."),
    "404": sentence("There is no such feed."),
    "503": sentence("The database does not answer."),
}
_ENDINGS = f"the name may end in a format: {', '.join(f'.{name}' for name in FORMATS)}"
_UNCHANGED = {"304": {"description": "The asker has it already."}}

PATHS: Json = {
    "/rss": get(
        "A feed as it was built, by its URL or one it had before",
        [query("url", URL, "The feed's URL.", required=True), FORMAT, EMBEDDED, MAX_SCORE],
        {"200": DOCUMENT, **_UNCHANGED, **_FEED_FAULTS, "403": sentence("The feed is disabled.")},
    ),
    "/feeds/topic/{name}": get(
        f"All feeds with a topic as one; {_ENDINGS}",
        [path("name", {"type": "string", "minLength": 1}), FORMAT, EMBEDDED, MAX_SCORE],
        {"200": DOCUMENT, **_UNCHANGED, **_FEED_FAULTS},
    ),
    "/feeds/source/{name}": get(
        f"All feeds of a source as one; {_ENDINGS}",
        [path("name", {"type": "string", "minLength": 1}), FORMAT, EMBEDDED, MAX_SCORE],
        {"200": DOCUMENT, **_UNCHANGED, **_FEED_FAULTS},
    ),
    "/feeds/search": get(
        "Everything that a search finds as a feed",
        [query("q", WORDS, "Words that all must be there.", required=True), FORMAT, EMBEDDED, MAX_SCORE],
        {"200": DOCUMENT, **_UNCHANGED, **_FEED_FAULTS},
    ),
    "/api/item": get(
        "The item behind a URL, with its newest analysis",
        [query("url", URL, "The article's URL.", required=True), MAX_SCORE],
        {"200": json_(ref("Item")), "400": _WRONG, "404": fault("No such item is served.")},
    ),
    "/api/site": get(
        "The newest items of a site, distinct by URL, fairly mixed from its feeds",
        [
            query("root", WORDS, "The root domain.", required=True),
            LIMIT,
            MAX_SCORE,
        ],
        {
            "200": json_(object_({"root": TEXT, "count": COUNT, "items": list_(ref("Item"))})),
            "400": _WRONG,
            "404": fault("No feed of this site is served."),
        },
    ),
    "/api/items": get(
        "Items, newest first, page by page",
        [
            SOURCES,
            TOPICS,
            query("feed", _ID_OR_NONE, "Of this feed."),
            query("run", _ID_OR_NONE, "Added by this run."),
            query("q", TEXT, "Words that title, neutral title or text must have; a* for any ending."),
            *(query(name, SWITCH, "By mark.") for name in ("unread", "starred", "archived")),
            MAX_SCORE,
            query("min_score", MAX_SCORE["schema"], "Only items that are analyzed and score at least that."),
            LIMIT,
            query("cursor", TEXT, "`next` of the page before."),
        ],
        {
            "200": json_(object_({"items": list_(ref("MarkedItem")), "next": NULLABLE_TEXT})),
            "400": _WRONG,
        },
    ),
    "/api/items/{id}": get(
        "One item with its marks, clean text, analysis, and what changed",
        [path("id", ID)],
        {"200": json_(ref("ReadItem")), "404": fault("No such item is served.")},
    ),
    "/api/labels": get(
        "Sources and their topics, with feeds, unread items of the last week, and the worst health",
        [],
        {"200": json_(object_({"labels": list_(ref("Label"))}))},
    ),
    "/api/feeds": get(
        "Feeds with their health",
        [
            SOURCES,
            TOPICS,
            LIMIT,
            query(
                "after", _ID_OR_NONE, "Those that were added after this one: the `next` of the page before."
            ),
            query("days", {"type": "integer", "minimum": 0, "maximum": DAYS}, "With so many days each."),
        ],
        {"200": json_(object_({"feeds": list_(ref("Feed")), "next": NULLABLE_TEXT})), "400": _WRONG},
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
        "Runs, newest first, without what each changed",
        [LIMIT, query("before", _ID_OR_NONE, "Those that started before this one.")],
        {
            "200": json_(object_({"runs": list_(ref("Run"))})),
            "400": _WRONG,
            "404": fault("There is no such run."),
        },
    ),
    "/api/runs/{id}": get(
        "A run and everything that it changed",
        [path("id", ID)],
        {"200": json_(ref("Run")), "404": fault("There is no such run.")},
    ),
    "/api/runs/{id}/events": get(
        "A run as it goes on, over server-sent events, from the event after Last-Event-ID",
        [path("id", ID), query("after", {"type": "integer"}, "The same, for a first request.")],
        {
            "200": {
                "description": "Events.",
                "content": {"text/event-stream; charset=utf-8": {"schema": _EVENT}},
            },
            "404": fault("There is no such run."),
        },
    ),
    "/api/statistics": get(
        "Numbers over the last days: items, outcomes, scores, slow hosts, cost",
        [query("days", {"type": "integer", "minimum": 1, "maximum": 365, "default": 30}, "How many.")],
        {"200": json_(OBJECT), "400": _WRONG},
    ),
    "/health": get(
        "Whether it can do its work", [], {"200": json_(OBJECT), "503": json_(OBJECT, "It cannot.")}
    ),
    "/health/live": get("Whether the process lives", [], {"200": json_(OBJECT)}),
    "/metrics": get(
        "Measurements in Prometheus' format",
        [],
        {
            "200": {
                "description": "Measurements.",
                "content": {"text/plain; version=0.0.4; charset=utf-8": {"schema": TEXT}},
            }
        },
    ),
}
