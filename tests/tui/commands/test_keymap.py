"""The keys of the settings file: what they change, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from inforadar.config import Settings, load_settings
from inforadar.errors import ConfigError
from inforadar.store.database import Database
from inforadar.tui.commands.keymap import parse_keymap
from inforadar.tui.screens.all_screens import all_screens
from inforadar.tui.screens.articles import ArticlesScreen
from inforadar.tui.screens.feeds import FeedsScreen
from tests.support.faces.terminal import opened


async def test_a_key_of_the_settings_replaces_the_default_also_in_hints_and_help(
    filled: Database, web_settings: Settings
) -> None:
    (web_settings.home / "inforadar.toml").write_text('[keys.articles]\nfeeds = ["Z", "ctrl+y"]\n')
    async with opened(load_settings(web_settings.home, {}), filled) as terminal:
        assert "Z feeds" in terminal.status
        await terminal.press("F")
        assert isinstance(terminal.app.screen, ArticlesScreen)
        await terminal.press("question_mark", *["j"] * 12)
        assert "Z Ctrl-Y" in terminal.text
        await terminal.press("escape", "Z")
        assert isinstance(terminal.app.screen, FeedsScreen)


def test_one_table_can_be_for_all_screens() -> None:
    keymap = parse_keymap({"all": {"quit": "Q"}, "reading": {"quit": "X"}}, all_screens())
    assert keymap["articles.quit"] == keymap["stories.quit"] == "Q"
    assert keymap["reading.quit"] == "X"
    assert "fetch.quit" not in keymap


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"lists": {}}, "[keys.lists] is not a screen. Use one of: all, articles,"),
        ({"articles": "x"}, "must be a table"),
        ({"articles": {"fech": "x"}}, "has no action 'fech'. Did you mean 'fetch'?"),
        ({"articles": {"fetch": 7}}, "must be a key or a list of keys"),
        ({"articles": {"fetch": "f g"}}, "'f g' is not a key."),
        ({"articles": {"fetch": "j"}}, "gives j to both move-next and fetch."),
        ({"articles": {"fetch": "asterisk"}}, "gives * to both"),
    ],
)
def test_keys_that_cannot_be_are_refused_with_a_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as fault:
        parse_keymap(given, all_screens())
    assert said in str(fault.value)


def test_no_screen_has_a_key_or_an_action_twice() -> None:
    assert parse_keymap({}, all_screens()) == {}
    for screen in all_screens().values():
        ids = [binding.id for binding in screen.BINDINGS]
        assert len(ids) == len(set(ids))
