"""What is changed, all of it behind the admin token."""

from __future__ import annotations

from inforadar.web.api.openapi.blocks import (
    ID,
    TEXT,
    Json,
    change,
    fault,
    json_,
    json_body,
    list_,
    object_,
    path,
    ref,
)

_NO_FEED = fault("There is no such feed.")
_WHICH = [path("id", ID)]

PATHS: Json = {
    "/api/marks": {
        "put": change(
            "Mark items as read, starred or archived, or no longer",
            body=json_body(ref("MarksChange")),
            responses={"200": json_(ref("Marks"), "As they are now.")},
        )
    },
    "/api/feeds": {
        "post": change(
            "Add a feed: enabled, polling and asked for now",
            body=json_body(ref("NewFeed")),
            responses={
                "200": json_(ref("Feed"), "It is there already, and stays as it is."),
                "201": json_(ref("Feed"), "Added."),
            },
        )
    },
    "/api/feeds/{id}": {
        "patch": change(
            "Change a feed; what is not named stays. More than switches: it is enabled, polls, and runs now",
            parameters=_WHICH,
            body=json_body(ref("FeedChange")),
            responses={
                "200": json_(ref("Feed"), "As it is now."),
                "404": _NO_FEED,
                "409": fault("Another feed has that URL; nothing was changed."),
            },
        ),
        "delete": change(
            "Delete a feed; adding it again brings it back",
            parameters=_WHICH,
            responses={"204": {"description": "It is gone."}, "404": _NO_FEED},
        ),
    },
    "/api/feeds/{id}/sync": {
        "post": change(
            "Fetch a feed now; revives one that was suspended",
            parameters=_WHICH,
            responses={
                "202": json_(ref("Feed"), "A worker takes it next."),
                "404": _NO_FEED,
                "409": fault("It is disabled."),
            },
        )
    },
    "/api/discover": {
        "post": change(
            "The feeds of a site, found in at most three requests to it",
            body=json_body(ref("Address")),
            responses={
                "200": json_(object_({"found": list_(ref("Found"))})),
                "422": fault("None was found; says why."),
            },
        )
    },
    "/api/opml": {
        "post": change(
            "Add every feed of an OPML file; folders become topics",
            body={"text/x-opml": {"schema": TEXT}},
            responses={"200": json_(ref("Imported"), "What became of each.")},
        )
    },
    "/api/fetch": {
        "post": change(
            "Ask for a fetch run; a worker executes it",
            body=json_body(ref("FetchAsked")),
            responses={"202": json_(ref("Run"), "Asked for; its events tell how it goes.")},
        )
    },
    "/api/runs/{id}/stop": {
        "post": change(
            "Ask a run to stop, between two items",
            parameters=_WHICH,
            responses={
                "202": json_(ref("Run"), "Asked for."),
                "404": fault("There is no such run."),
                "409": fault("It has ended already."),
            },
        )
    },
}
