"""The documents, byte for byte and by their content.

Run this file with WRITE_GOLDEN=1 to rewrite the golden files in tests/data/publish; read the difference before
committing it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta, timezone
from functools import partial
from pathlib import Path

import feedparser
import pytest
from lxml import etree

from inforadar.errors import InvalidUrlError
from inforadar.model.analysis import Score, ScoreName, from_json
from inforadar.stages.publish import NAMESPACE, render_atom, render_json_feed, render_rss
from inforadar.stages.publish.formats import FORMATS
from tests.stages.publish.publish_samples import CHANNEL, ENTRIES, NOW, analysis, entry
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems
from tests.support.paths import DATA

GOLDEN = DATA / "publish"

NS = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "media": "http://search.yahoo.com/mrss/",
    "d": NAMESPACE,
}


def _rss(*entries: object, embedded: bool = False, **channel: object) -> etree._Element:
    document = render_rss(replace(CHANNEL, **channel), entries, embedded=embedded)  # type: ignore[arg-type]
    return etree.fromstring(document.whole.encode())


def _texts(element: etree._Element, path: str) -> list[str]:
    return [found.text or "" for found in element.findall(path, NS)]


DOCUMENTS: dict[str, Callable[[], str]] = {
    f"{kind}.{name}": partial(format_.render, CHANNEL, entries, embedded=embedded)
    for name, format_ in FORMATS.items()
    for kind, entries, embedded in (
        ("feed", ENTRIES, False),
        ("embedded", ENTRIES, True),
        ("empty", (), False),
    )
}
RULES = {".rss": rss_problems, ".atom": atom_problems, ".json": json_feed_problems}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_the_golden_one(name: str) -> None:
    document = DOCUMENTS[name]()
    if os.environ.get("WRITE_GOLDEN"):
        (GOLDEN / name).write_text(document, encoding="utf-8", newline="")
    assert document == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_breaks_no_rule(name: str) -> None:
    assert RULES[Path(name).suffix](DOCUMENTS[name](), NOW) == []


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if not name.startswith("empty")])
def test_a_common_parser_reads_every_entry(name: str) -> None:
    if name.endswith(".json"):
        assert len(json.loads(DOCUMENTS[name]())["items"]) == len(ENTRIES)
    else:
        parsed = feedparser.parse(DOCUMENTS[name]().encode())
        assert not parsed.bozo
        assert len({read.id for read in parsed.entries}) == len(ENTRIES)


# --- the two parts


def test_the_header_is_everything_before_the_first_item() -> None:
    document = render_rss(CHANNEL, ENTRIES)
    assert document.whole == document.header + document.body
    assert document.body.startswith("<item>")
    assert "<item>" not in document.header
    assert render_rss(CHANNEL, ()).header == document.header


def test_the_build_date_is_the_one_given_and_the_only_difference() -> None:
    later = replace(CHANNEL, built_at=NOW + timedelta(hours=1))
    first, second = render_rss(CHANNEL, ENTRIES), render_rss(later, ENTRIES)
    assert "<lastBuildDate>Fri, 02 Jan 2026 03:04:05 GMT</lastBuildDate>" in first.header
    assert first.header.replace("03:04:05", "04:04:05") == second.header
    assert first.body == second.body


def test_a_build_date_in_another_zone_is_written_in_utc() -> None:
    built_at = NOW.astimezone(timezone(timedelta(hours=5)))
    assert render_rss(replace(CHANNEL, built_at=built_at), ENTRIES) == render_rss(CHANNEL, ENTRIES)


def test_a_build_date_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        render_rss(replace(CHANNEL, built_at=NOW.replace(tzinfo=None)), ())


# --- which text goes where


def test_with_an_analysis_the_neutral_words_stand_in_front_and_the_original_in_our_namespace() -> None:
    item = _rss(ENTRIES[0]).find("channel/item")
    assert _texts(item, "title") == ["Minister answers critics"]
    assert _texts(item, "description") == [
        "The minister answered critics of the bill &lt;late&gt; on Thursday."
    ]
    assert _texts(item, "d:originalTitle") == [ENTRIES[0].title]
    assert _texts(item, "d:originalDescription") == [ENTRIES[0].snippet]


def test_without_an_analysis_the_original_words_stand_in_front_and_nothing_is_claimed() -> None:
    item = _rss(entry(title="As it was", snippet="Said")).find("channel/item")
    assert (_texts(item, "title"), _texts(item, "description")) == (["As it was"], ["Said"])
    assert [child for child in item if child.tag.startswith("{" + NAMESPACE)] == []


def test_the_extension_tells_the_whole_analysis() -> None:
    told = analysis()
    item = _rss(ENTRIES[0]).find("channel/item")
    assert _texts(item, "d:summary") == [told.summary]
    assert _texts(item, "d:fact") == list(told.facts)
    assert _texts(item, "d:titleReason") == [told.title_reason]
    assert _texts(item, "d:descriptionReason") == [told.description_reason]
    assert _texts(item, "d:model") + _texts(item, "d:promptVersion") == ["local-1", "3"]
    assert _texts(item, "d:category") + _texts(item, "d:language") == ["politics", "en"]
    for name, element in zip(ScoreName, item.findall("d:score", NS), strict=True):
        score = told.score(name)
        assert element.attrib == {"name": name, "value": f"{score.value:.3f}", "label": score.label}
        assert _texts(element, "d:reason") == [score.reason]
        assert _texts(element, "d:word") == list(score.words)


def test_a_score_that_was_not_measured_is_said_in_every_format() -> None:
    score = Score(value=None, reason="Not trained for Japanese.")
    unmeasured = entry(title="x", analysis=replace(analysis(), overall=score, framing=score))
    item = _rss(unmeasured).find("channel/item")
    told = {element.get("name"): element for element in item.findall("d:score", NS)}
    assert dict(told["overall"].attrib) == {"name": "overall", "value": "", "label": "not measured"}
    assert told["clickbait"].get("value") == "0.000"
    embedded = _rss(unmeasured, embedded=True).find("channel/item")
    assert _texts(embedded, "title") == ["Minister answers critics · not measured"]
    assert "framing not measured: " in _texts(embedded, "description")[0]
    stored = json.loads(render_json_feed(CHANNEL, [unmeasured]))["items"][0]["_deframe"]["analysis"]
    assert stored["scores"]["overall"]["value"] is None


def test_counters_are_exact_and_zero_is_told() -> None:
    counters = _rss(ENTRIES[0]).find("channel/item/d:counters", NS)
    assert dict(counters.attrib) == {"views": "1234567", "comments": "0", "rating": "-2.5"}


def test_the_json_extension_holds_the_stored_analysis() -> None:
    item = json.loads(render_json_feed(CHANNEL, ENTRIES))["items"][0]
    assert from_json(item["_deframe"]["analysis"]) == analysis()
    assert item["_deframe"]["original_title"] == ENTRIES[0].title


def test_embedded_puts_score_original_and_reasons_where_plain_readers_look() -> None:
    item = _rss(ENTRIES[0], embedded=True).find("channel/item")
    assert _texts(item, "title") == ["Minister answers critics · loaded 0.81"]
    for place in ("description", "content:encoded"):
        told = etree.HTML(_texts(item, place)[0]).xpath("string()")
        assert "Minister SLAMS critics in <b>furious</b> row &amp; leaves" in told
        assert "framing loaded 0.81: Verbs of violence & anger. (SLAMS, furious)" in told
        assert "clickbait neutral 0.00" in told
        assert "The vote is on Monday." in told
    assert "First paragraph, 1 &lt; 2." in _texts(item, "content:encoded")[0]


def test_embedded_changes_nothing_of_an_entry_without_analysis() -> None:
    plain = [item for item in ENTRIES if item.analysis is None]
    assert render_rss(CHANNEL, plain, embedded=True) == render_rss(CHANNEL, plain)


def test_a_title_from_right_to_left_does_not_turn_our_words_around() -> None:
    hostile = entry(title="x", analysis=analysis("\u202eالوزير\u2066"))
    title = _texts(_rss(hostile, embedded=True), "channel/item/title")[0]
    assert title == "\u2068الوزير\u2069 · loaded 0.81"


# --- identity


@pytest.mark.parametrize("embedded", [False, True])
def test_the_guid_is_the_hash_whatever_else_changes(embedded: bool) -> None:
    changed = replace(ENTRIES[0], title="Other", analysis=None, published_at=NOW)
    for item in (ENTRIES[0], changed):
        guid = _rss(item, embedded=embedded).find("channel/item/guid")
        assert (guid.text, guid.get("isPermaLink")) == (ENTRIES[0].hash, "false")
        assert f"<id>tag:inforadar.dev,2026:item:{ENTRIES[0].hash}</id>" in render_atom(CHANNEL, [item])
        assert json.loads(render_json_feed(CHANNEL, [item]))["items"][0]["id"] == ENTRIES[0].hash


def test_the_atom_id_of_a_feed_outlives_a_move_of_the_server() -> None:
    moved = replace(CHANNEL, self_url="https://elsewhere.example/feed")
    identity = f"<id>urn:uuid:{CHANNEL.id}</id>"
    assert identity in render_atom(CHANNEL, ())
    assert identity in render_atom(moved, ())
    assert identity not in render_atom(replace(CHANNEL, id=None), ())


def test_atom_entries_of_one_moment_have_times_of_their_own_that_stay() -> None:
    both = [entry("1"), entry("2")]
    updated = "{http://www.w3.org/2005/Atom}entry/{http://www.w3.org/2005/Atom}updated"
    first, second = _texts(etree.fromstring(render_atom(CHANNEL, both).encode()), updated)
    assert first != second
    assert first[:19] == second[:19] == "2026-01-02T02:04:05"
    assert _texts(etree.fromstring(render_atom(CHANNEL, both[1:]).encode()), updated) == [second]


# --- values that cannot be published unchanged


@pytest.mark.parametrize(
    "published_at", [NOW + timedelta(days=2), NOW.replace(year=1969), NOW.replace(year=9999)]
)
def test_a_date_that_cannot_be_true_is_left_out(published_at: object) -> None:
    item = entry(published_at=published_at)
    assert _texts(_rss(item), "channel/item/pubDate") == []
    assert "<published>" not in render_atom(CHANNEL, [item])
    assert "date_published" not in json.loads(render_json_feed(CHANNEL, [item]))["items"][0]
    assert atom_problems(render_atom(CHANNEL, [item]), NOW) == []


def test_an_item_without_a_title_is_called_by_its_address() -> None:
    assert _texts(_rss(entry(title=" \x00 ")), "channel/item/title") == ["example.com/news/1"]


def test_a_description_is_taken_from_the_text_where_there_is_none() -> None:
    item = entry(title="T", text="word " * 200)
    description = _texts(_rss(item), "channel/item/description")[0]
    assert description.endswith("word…")
    assert len(description) <= 301


@pytest.mark.parametrize(
    "image", ["data:image/png;base64,AA", "/relative.png", "javascript:alert(1)", "http://", ""]
)
def test_an_image_that_is_no_web_address_is_left_out(image: str) -> None:
    item = entry(image=image)
    assert _rss(item).find("channel/item/media:content", NS) is None
    assert "image" not in json.loads(render_json_feed(CHANNEL, [item]))["items"][0]


def test_an_icon_of_a_kind_that_rss_does_not_know_is_left_to_the_other_formats() -> None:
    channel = replace(CHANNEL, icon="https://example.com/favicon.ico")
    assert "<image>" not in render_rss(channel, ()).header
    assert "<icon>https://example.com/favicon.ico</icon>" in render_atom(channel, ())


@pytest.mark.parametrize("field", ["link", "self_url"])
def test_a_channel_without_a_usable_address_is_refused(field: str) -> None:
    for render in (render_rss, render_atom, render_json_feed):
        with pytest.raises(InvalidUrlError):
            render(replace(CHANNEL, **{field: "/relative"}), ())


def test_a_language_is_told_for_an_entry_only_where_it_differs() -> None:
    same, other = entry("1", language="en-GB"), entry("2", language="pl")
    items = _rss(same, other).findall("channel/item")
    assert [_texts(item, "dc:language") for item in items] == [[], ["pl"]]
    # The same in JSON, whose document is made anew when the RSS changes.
    document = json.loads(render_json_feed(CHANNEL, (same, other)))
    assert [item.get("language") for item in document["items"]] == [None, "pl"]


def test_authors_and_tags_are_single_lines_without_repetition() -> None:
    item = _rss(entry(author="A\n B ", tags=("x", " x", "", "y"))).find("channel/item")
    assert _texts(item, "dc:creator") == ["A B"]
    assert _texts(item, "category") == ["x", "y"]
