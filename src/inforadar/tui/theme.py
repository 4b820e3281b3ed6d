"""The light and dark themes. Colours have the same meaning as on the web page and in the commands.

There is one accent colour; green, yellow and red show a state, always with a word or a number beside them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from textual.theme import Theme

DARK = Theme(
    name="dark",
    primary="#6cb6ff",
    secondary="#8b949e",
    accent="#6cb6ff",
    success="#57ab5a",
    warning="#d4a72c",
    error="#f47067",
    foreground="#d5dae0",
    background="#15181c",
    surface="#15181c",
    panel="#22272e",
    dark=True,
    variables={"muted": "#8b949e", "cursor-line": "#263445", "input-selection-background": "#6cb6ff 35%"},
)
LIGHT = Theme(
    name="light",
    primary="#0a5cb8",
    secondary="#5f6972",
    accent="#0a5cb8",
    success="#1a7f37",
    warning="#8a5d00",
    error="#c01c28",
    foreground="#22272e",
    background="#fbfaf7",
    surface="#fbfaf7",
    panel="#eceae4",
    dark=False,
    variables={"muted": "#5f6972", "cursor-line": "#dbe7f5", "input-selection-background": "#0a5cb8 25%"},
)
THEMES = (DARK, LIGHT)

SCORE_COLOURS = {"neutral": "success", "slanted": "warning", "loaded": "error"}
"""{label of a score: name of its colour in the themes}."""


def preferred_theme(environment: Mapping[str, str] = os.environ) -> str:
    """Return the theme that matches the terminal: the last number of COLORFGBG is its background."""
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT.name if background in {"7", "15"} else DARK.name
