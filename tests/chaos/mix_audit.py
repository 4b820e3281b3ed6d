"""What must be true of alerts, stories, versions, accounts and counters once all is quiet."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from sqlalchemy import Connection, text

from inforadar.store.people.streams import load_numbered_urls
from inforadar.store.schema.people import marks
from inforadar.urls import url_hash
from tests.chaos.mix import Mix, Reader
from tests.pipeline.notify.receiving import Receiver

_UNTOLD = {
    "items that no rule was asked about": (
        "SELECT count(*) FROM items i WHERE NOT EXISTS (SELECT 1 FROM rule_matches m WHERE m.item_id = i.id)"
    ),
    "items of which no message was made": (
        "SELECT count(*) FROM items i WHERE NOT EXISTS (SELECT 1 FROM notifications n WHERE n.item_id = i.id)"
        " AND i.run_id <> (SELECT f.run_id FROM items f WHERE f.feed_id = i.feed_id ORDER BY f.id LIMIT 1)"
    ),
    "messages that still wait": "SELECT count(*) FROM notifications WHERE due_at IS NOT NULL",
    "messages left out though nothing was told of their story": (
        "SELECT count(*) FROM notifications n WHERE n.delivery_id IS NULL AND n.due_at IS NULL"
        " AND n.change IS NULL AND NOT EXISTS (SELECT 1 FROM notifications o"
        " JOIN story_items told ON told.item_id = o.item_id JOIN story_items own ON own.item_id = n.item_id"
        " WHERE o.delivery_id IS NOT NULL AND own.story_id IN (o.story_id, told.story_id))"
    ),
    "deliveries that were not sent": "SELECT count(*) FROM deliveries WHERE state <> 'sent'",
    "events without a number": "SELECT count(*) FROM events WHERE number IS NULL",
    "items without a story": (
        "SELECT count(*) FROM items i WHERE NOT EXISTS (SELECT 1 FROM story_items s WHERE s.item_id = i.id)"
    ),
    "items in the queue of stories": "SELECT count(*) FROM story_queue",
}
"""What was lost, as questions whose answer is a number."""
_HALF = {
    "stories whose count is not that of their items": (
        "SELECT count(*) FROM stories s WHERE s.merged_into IS NULL AND s.item_count <>"
        " (SELECT count(*) FROM story_items i WHERE i.story_id = s.id)"
    ),
    "items in a story that was merged": (
        "SELECT count(*) FROM story_items i JOIN stories s ON s.id = i.story_id WHERE s.merged_into IS NOT NULL"
    ),
    "revisions without one of their versions": (
        "SELECT count(*) FROM article_revisions r WHERE NOT EXISTS"
        " (SELECT 1 FROM article_versions v WHERE v.uid = r.uid AND v.number = r.new_version)"
    ),
    "feeds whose items are counted wrongly": (
        "SELECT count(*) FROM feed_counts c WHERE c.items <>"
        " (SELECT count(*) FROM items i WHERE i.feed_id = c.feed_id)"
    ),
    "people whose read items are counted wrongly": (
        "SELECT count(*) FROM person_feed_counts c WHERE c.read <>"
        " (SELECT count(*) FROM items i JOIN marks m ON m.hash = i.hash AND m.person_id = c.person_id"
        " WHERE i.feed_id = c.feed_id AND m.read_at IS NOT NULL)"
    ),
}
_TWICE = {
    "changes of an article": (
        "SELECT count(*) FROM (SELECT 1 FROM article_revisions GROUP BY uid, new_version HAVING count(*) > 1) t"
    ),
    "messages of an item": (
        "SELECT count(*) FROM (SELECT 1 FROM notifications WHERE change IS NULL AND item_id IS NOT NULL"
        " GROUP BY rule_id, item_id HAVING count(*) > 1) t"
    ),
}


def _counted(connection: Connection) -> Iterator[str]:
    for kind, questions in (("lost", _UNTOLD), ("half-written", _HALF), ("duplicated", _TWICE)):
        for what, question in questions.items():
            if number := connection.execute(text(question)).scalar_one():
                yield f"{kind}: {number} {what}"


def _texts(connection: Connection) -> Iterator[str]:
    """The last version of an article that changed is the text that is shown."""
    query = text(
        "SELECT a.url, a.clean_text, v.hash FROM articles a JOIN article_versions v ON v.uid = a.uid"
        " AND v.number = (SELECT max(number) FROM article_versions o WHERE o.uid = a.uid)"
    )
    for row in connection.execute(query):
        if hashlib.sha256(row.clean_text.encode()).hexdigest() != row.hash:
            yield f"half-written: {row.url} shows another text than its last version"


def _confirmed(connection: Connection, readers: Iterable[Reader]) -> Iterator[str]:
    for reader in readers:
        found = load_numbered_urls(connection, reader.person_id, sorted(reader.confirmed))
        query = marks.select().with_only_columns(marks.c.hash)
        read = set(
            connection.execute(
                query.where(marks.c.person_id == reader.person_id, marks.c.read_at.is_not(None))
            ).scalars()
        )
        if len(found) != len(reader.confirmed):
            yield f"lost: {len(reader.confirmed) - len(found)} items that a person marked"
        yield from (f"lost: the mark of {url}" for url in found if url_hash(url) not in read)


def _webhooks(connection: Connection, hook: Receiver) -> Iterator[str]:
    bodies: defaultdict[str, set[str]] = defaultdict(set)
    for headers, body in hook.requests:
        told = sorted(item["url"] for item in json.loads(body)["items"])
        bodies[headers.get("webhook-id") or headers["Webhook-Id"]].add(json.dumps(told))
    sent = connection.execute(text("SELECT id FROM deliveries WHERE state = 'sent'")).scalars()
    arrived = {key.replace("-", "").removeprefix("msg_") for key in bodies}
    for one in sent:
        if str(one).replace("-", "") not in arrived:
            yield f"lost: the delivery {one} never arrived"
    yield from (
        f"duplicated: {key} was sent with different contents" for key in bodies if len(bodies[key]) > 1
    )
    times = Counter(url for told in bodies.values() for url in json.loads(min(told)))
    yield from (f"duplicated: {url} was told under {n} keys" for url, n in times.items() if n > 1)


def list_mix_violations(connection: Connection, mix: Mix) -> list[str]:
    """Everything that is wrong; each begins with its kind."""
    return [
        *_counted(connection),
        *_texts(connection),
        *_confirmed(connection, mix.readers),
        *_webhooks(connection, mix.hook),
    ]


def count_mix(connection: Connection, mix: Mix) -> dict[str, int]:
    """How much of everything there was, so that a check of nothing is seen."""
    tables = ("stories", "articles", "article_revisions", "deliveries")
    counts = {name: connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in tables}
    return {
        **counts,
        "webhooks": len(mix.hook.requests),
        "marks": sum(len(reader.confirmed) for reader in mix.readers),
    }
