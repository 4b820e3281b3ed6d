"""The screens by their names in the settings, and the keys that the settings give them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from inforadar.config import read_keys

if TYPE_CHECKING:
    from inforadar.tui.commands.keys import Keymap
    from inforadar.tui.screens.base import RadarScreen


def load_keymap(home: Path) -> Keymap:
    """Read `[keys]` of the settings file. Without it, no other screen is imported: the list appears sooner."""
    given = read_keys(home)
    if not given:
        return {}
    from inforadar.tui.commands.keymap import parse_keymap  # noqa: PLC0415

    return parse_keymap(given, all_screens())


def all_screens() -> dict[str, type[RadarScreen]]:
    """Import all screens; return them by name."""
    from inforadar.tui.screens.alerts import AlertsScreen  # noqa: PLC0415
    from inforadar.tui.screens.articles import ArticlesScreen  # noqa: PLC0415
    from inforadar.tui.screens.feeds import FeedsScreen  # noqa: PLC0415
    from inforadar.tui.screens.fetch import FetchScreen  # noqa: PLC0415
    from inforadar.tui.screens.reading import ReadingScreen  # noqa: PLC0415
    from inforadar.tui.screens.rules import RulesScreen  # noqa: PLC0415
    from inforadar.tui.screens.searches import SearchesScreen  # noqa: PLC0415
    from inforadar.tui.screens.stories import StoriesScreen  # noqa: PLC0415
    from inforadar.tui.screens.story import StoryScreen  # noqa: PLC0415
    from inforadar.tui.screens.welcome import WelcomeScreen  # noqa: PLC0415

    screens: tuple[type[RadarScreen], ...] = (
        ArticlesScreen,
        ReadingScreen,
        FeedsScreen,
        FetchScreen,
        StoriesScreen,
        StoryScreen,
        AlertsScreen,
        RulesScreen,
        SearchesScreen,
        WelcomeScreen,
    )
    return {screen.KEYS: screen for screen in screens}
