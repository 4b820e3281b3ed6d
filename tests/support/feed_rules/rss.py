"""RSS 2.0."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from lxml import etree

from tests.support.feed_rules.values import (
    ATOM,
    ATOM_LINK,
    CONTENT,
    DC,
    ITUNES,
    MEDIA,
    MEDIA_CONTENT,
    MIME,
    address,
    children,
    language,
    media,
    parse,
    plain,
    rfc822,
    rfc3339,
    safe_html,
    text,
    text_of,
)

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+( \([^)]+\))?")
_CHANNEL_ONCE = {
    "title", "link", "description", "language", "copyright", "managingEditor", "webMaster", "pubDate",
    "lastBuildDate", "generator", "docs", "cloud", "ttl", "image", "rating", "textInput", "skipHours",
    "skipDays", f"{DC}language",
}  # fmt: skip
_ITEM_ONCE = {
    "title", "link", "description", "author", "comments", "enclosure", "guid", "pubDate", "source",
    f"{CONTENT}encoded", f"{DC}date", f"{DC}language", f"{ATOM}updated", f"{ITUNES}duration", f"{MEDIA}thumbnail",
}  # fmt: skip
_RSS_ATTRIBUTES = {
    "guid": {"isPermaLink"},
    "enclosure": {"url", "length", "type"},
    "source": {"url"},
    "category": {"domain"},
    f"{ATOM}link": ATOM_LINK,
    f"{MEDIA}content": MEDIA_CONTENT,
    f"{MEDIA}thumbnail": {"url"},
}


def rss_problems(document: str, now: datetime) -> list[str]:
    root, problems = parse(document)
    if root is None:
        return problems
    if root.tag != "rss" or dict(root.attrib) != {"version": "2.0"} or [c.tag for c in root] != ["channel"]:
        return [*problems, "is not RSS 2.0 with one channel"]
    channel = root[0]
    problems += children(channel, _CHANNEL_ONCE, {"item", "category", f"{ATOM}link"}, _RSS_ATTRIBUTES)
    for name in ("title", "link", "description"):
        if not text_of(channel, name):
            problems.append(f"channel has no {name}")
        elif name != "link":
            problems += plain(f"channel {name}", text_of(channel, name))
    problems += address("channel link", text_of(channel, "link"))
    for name in ("pubDate", "lastBuildDate"):
        if channel.find(name) is not None:
            problems += rfc822(f"channel {name}", text_of(channel, name), now)
    if channel.find("language") is not None:
        problems += language("channel language", text_of(channel, "language"))
    selves = [link for link in channel.findall(f"{ATOM}link") if link.get("rel") == "self"]
    if len(selves) != 1 or selves[0].get("type") != "application/rss+xml":
        problems.append("channel has no atom:link with rel self and the type of RSS")
    for link in selves:
        problems += address("atom:link", link.get("href", ""))
    if (image := channel.find("image")) is not None:
        problems += children(image, {"url", "title", "link", "width", "height", "description"}, set(), {})
        problems += address("image url", text_of(image, "url"))
        for name in ("title", "link"):
            if text_of(image, name) != text_of(channel, name):
                problems.append(f"the image's {name} is not the channel's")
        if not text_of(image, "url").lower().endswith((".png", ".gif", ".jpg", ".jpeg")):
            problems.append("the image is not a PNG, GIF or JPEG")
    guids = Counter(text(guid) for guid in channel.iterfind("item/guid"))
    problems += [f"guid {guid!r} is not unique" for guid, count in guids.items() if count > 1]
    for item in channel.findall("item"):
        problems += _item_problems(item, now)
    return problems


def _item_problems(item: etree._Element, now: datetime) -> list[str]:
    names = [child.tag for child in item]
    problems = children(item, _ITEM_ONCE, {"category", f"{DC}creator", f"{MEDIA}content"}, _RSS_ATTRIBUTES)
    problems += [f"item has no {name}" for name in ("title", "link", "guid") if not text_of(item, name)]
    problems += plain("item title", text_of(item, "title"))
    problems += address("item link", text_of(item, "link"))
    problems += safe_html("item description", text_of(item, "description"))
    problems += safe_html("content:encoded", text_of(item, f"{CONTENT}encoded"))
    if f"{CONTENT}encoded" in names and "description" not in names[: names.index(f"{CONTENT}encoded")]:
        problems.append("no description before content:encoded")
    if (guid := item.find("guid")) is not None:
        if guid.get("isPermaLink", "true") not in ("true", "false"):
            problems.append("isPermaLink is neither true nor false")
        elif guid.get("isPermaLink", "true") == "true":
            problems += address("guid", text(guid))
        elif len(text(guid)) < 9 and text(guid).isdigit():
            problems.append("guid is not sufficiently unique")
    if "pubDate" in names:
        problems += rfc822("item pubDate", text_of(item, "pubDate"), now)
    if f"{ATOM}updated" in names:
        problems += rfc3339("atom:updated", text_of(item, f"{ATOM}updated"), now)
    if "comments" in names:
        problems += address("comments", text_of(item, "comments"))
    if f"{ITUNES}duration" in names and not text_of(item, f"{ITUNES}duration").isdigit():
        problems.append("itunes:duration is no number of seconds")
    if "author" in names and not _EMAIL.fullmatch(text_of(item, "author")):
        problems.append(f"item author is not an e-mail address: {text_of(item, 'author')!r}")
    for core, extension in (("author", f"{DC}creator"), ("pubDate", f"{DC}date")):
        if core in names and extension in names:
            problems.append(f"item says the same in {core} and {extension}")
    for label in [*item.findall("category"), *item.findall(f"{DC}creator")]:
        problems += plain(label.tag, text(label)) if text(label) else [f"{label.tag} is blank"]
    if f"{DC}language" in names:
        problems += language("dc:language", text_of(item, f"{DC}language"))
    if (enclosure := item.find("enclosure")) is not None:
        problems += address("enclosure url", enclosure.get("url", ""))
        if not enclosure.get("length", "").isdigit() or not MIME.fullmatch(enclosure.get("type", "")):
            problems.append("enclosure lacks length or type")
    return [*problems, *media(item)]
