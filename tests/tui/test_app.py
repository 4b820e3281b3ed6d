"""The app and its screens know each other by the names of actions only: every name must be one."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from inforadar.tui.app import RadarApp
from inforadar.tui.commands.actions import ACTIONS
from inforadar.tui.screens import article_list, articles, reading, welcome
from inforadar.tui.screens.all_screens import all_screens
from inforadar.tui.screens.base import RadarScreen
from inforadar.tui.screens.entries import EntriesScreen
from inforadar.tui.widgets.line import Span

SCREENS = all_screens().values()


def is_action(screen: type[RadarScreen], action: str) -> bool:
    name = action.partition("(")[0]
    owner, name = (RadarApp, name.removeprefix("app.")) if name.startswith("app.") else (screen, name)
    return hasattr(owner, f"action_{name}")


@pytest.mark.parametrize("screen", SCREENS)
def test_every_key_of_a_screen_has_its_action(screen: type[RadarScreen]) -> None:
    actions = [binding.action for binding in screen.BINDINGS if isinstance(binding, Binding)]
    assert [action for action in actions if not is_action(screen, action)] == []


@pytest.mark.parametrize(
    ("screen", "hints"),
    [
        (articles.ArticlesScreen, article_list.HINTS),
        (reading.ReadingScreen, reading.HINTS),
        *((screen, screen.HINTS) for screen in SCREENS if issubclass(screen, EntriesScreen)),
    ],
)
def test_every_hint_that_can_be_clicked_has_its_action(
    screen: type[RadarScreen], hints: tuple[Span, ...]
) -> None:
    assert [span.action for span in hints if span.action and not is_action(screen, span.action)] == []


def test_every_command_and_every_way_to_begin_is_an_action_of_the_app() -> None:
    names = [*ACTIONS.values(), *(action for action, *_ in welcome.WAYS)]
    assert [name for name in names if not hasattr(RadarApp, f"action_{name}")] == []
