"""`inforadar feed add --content` and `feed edit --content`: how much text the published feed carries."""

from __future__ import annotations

from tests.cli.calling import Call


def test_how_much_text_is_published_is_set_changed_and_taken_away(call: Call) -> None:
    added = call("feed", "add", "https://example.com/feed", "--content", "summary", "--json").json
    assert added["options"] == {"content": "summary"}
    for given, stored in (("none", "none"), ("full", "full"), ("default", None)):
        edited = call("feed", "edit", added["id"], "--content", given, "--json").json
        assert edited["options"].get("content") == stored
    assert call("feed", "edit", added["id"], "--content", "everything").code != 0
