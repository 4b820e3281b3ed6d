"""Hostile titles, names, texts and log lines on the terminal's screens."""

from __future__ import annotations

from datetime import timedelta

from inforadar.config import Settings
from inforadar.model.analysis import Score
from inforadar.model.article import Extracted
from tests.support.faces.newsroom import Newsroom, analysis
from tests.support.faces.terminal import NOW, Terminal, opened
from tests.tui.test_text import HOSTILE

LONG = "长" * 10_000
ALL = "".join(text for text, _ in HOSTILE.values())
WEB = "https://evil.example"


def assert_harmless(terminal: Terminal, width: int) -> None:
    for strip in terminal.app.screen._compositor.render_strips():
        assert strip.cell_length == width
        text = strip.text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert all(sign.isprintable() for sign in text)


async def test_no_screen_is_moved_by_what_a_feed_says(
    newsroom: Newsroom, web_settings: Settings, in_utc: None
) -> None:
    feed = await newsroom.add_feed(source=f"[red]{ALL}", topic=f"[b]{ALL}")
    titles = [*(text for text, _ in HOSTILE.values()), LONG, ALL, "[@click=app.exit]leave[/]", "$accent"]
    for number, title in enumerate(titles):
        at = NOW - timedelta(minutes=number)
        await newsroom.add_item(
            feed, f"{WEB}/{number}", title=title, author=ALL, snippet=ALL, tags=(ALL,), published_at=at
        )
    text = Extracted(
        clean_text=ALL, markdown=f"# {ALL}\n\n[{ALL}](javascript:alert(1))\n\n<b>{ALL}</b>\n\n`{ALL}`"
    )
    loaded = Score(value=0.9, reason=ALL)
    await newsroom.finish_articles({f"{WEB}/3": text})
    found = analysis(0.9, title=ALL, summary=ALL, facts=(ALL, LONG), framing=loaded)
    await newsroom.finish_analyses({f"{WEB}/3": found})
    async with opened(web_settings, newsroom.database) as terminal:
        assert_harmless(terminal, 80)
        assert "[red]bold[/red] [link=x]" in terminal.text
        await terminal.press("s")
        assert_harmless(terminal, 80)
        await terminal.press("space", "enter")
        assert_harmless(terminal, 80)
        await terminal.press("j", "j", "j", "enter")
        assert_harmless(terminal, 80)
        await terminal.press("G")
        assert_harmless(terminal, 80)
        for _ in range(len(titles) - 4):
            await terminal.press("n")
            assert_harmless(terminal, 80)
        assert terminal.app.is_running
