"""Operations that make changes. All require the admin token."""

from __future__ import annotations

from inforadar.web.api.openapi.blocks import (
    ID,
    OBJECT,
    TEXT,
    Json,
    asking,
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
_ID_PARAMETER = [path("id", ID)]

PATHS: Json = {
    "/api/marks": {
        "put": change(
            "Set or clear the read, starred and archived marks, the labels and the note of items",
            body=json_body(ref("MarksChange")),
            responses={"200": json_(ref("Marks"), "The marks after the change.")},
        )
    },
    "/api/items/lookup": {
        "post": asking(
            "Look up many pages by any form of their URLs; unknown ones are left out",
            body=json_body(ref("Pages")),
            responses={"200": json_(object_({"items": OBJECT}), "{URL as given: its item, with its story}.")},
        )
    },
    "/api/feeds": {
        "post": change(
            "Add a feed: enabled, polling and fetched now",
            body=json_body(ref("NewFeed")),
            responses={
                "200": json_(ref("Feed"), "It already exists; nothing was changed."),
                "201": json_(ref("Feed"), "Added."),
            },
        )
    },
    "/api/feeds/{id}": {
        "patch": change(
            "Change a feed; other fields stay. Unless only switches change, it is enabled, polls and runs now",
            parameters=_ID_PARAMETER,
            body=json_body(ref("FeedChange")),
            responses={
                "200": json_(ref("Feed"), "The feed after the change."),
                "404": _NO_FEED,
                "409": fault("Another feed has that URL; nothing was changed."),
            },
        ),
        "delete": change(
            "Delete a feed; adding it again restores it",
            parameters=_ID_PARAMETER,
            responses={"204": {"description": "Deleted."}, "404": _NO_FEED},
        ),
    },
    "/api/feeds/{id}/sync": {
        "post": change(
            "Fetch a feed now; a suspended one is revived",
            parameters=_ID_PARAMETER,
            responses={
                "200": json_(ref("Feed"), "Nothing was requested: that was done within the last 30 seconds."),
                "202": json_(ref("Feed"), "Requested; a worker fetches it next."),
                "404": _NO_FEED,
                "409": fault("The feed is disabled."),
            },
        )
    },
    "/api/discover": {
        "post": change(
            "Find the feeds of a site with at most three requests to it",
            body=json_body(ref("Address")),
            responses={
                "200": json_(object_({"found": list_(ref("Found"))})),
                "422": fault("No feed was found; the error says why."),
            },
        )
    },
    "/api/opml": {
        "post": change(
            "Add all feeds of an OPML file; folders become topics",
            body={"text/x-opml": {"schema": TEXT}},
            responses={"200": json_(ref("Imported"), "The result for each feed.")},
        )
    },
    "/api/fetch": {
        "post": change(
            "Request a fetch run, which a worker executes",
            body=json_body(ref("FetchAsked")),
            responses={"202": json_(ref("Run"), "Requested; its events report the progress.")},
        )
    },
    "/api/runs/{id}/stop": {
        "post": change(
            "Stop a run between two items",
            parameters=_ID_PARAMETER,
            responses={
                "202": json_(ref("Run"), "Requested."),
                "404": fault("There is no such run."),
                "409": fault("The run has already ended."),
            },
        )
    },
}
