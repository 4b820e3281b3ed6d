"""What a newcomer's terminal gets: a browser on a desktop alone, and commands that can be pasted."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from inforadar.cli.terminal.browser import is_desktop
from inforadar.cli.terminal.command import command_of
from inforadar.errors import UsageError
from inforadar.sample import server


@pytest.mark.parametrize(
    ("environment", "platform", "terminal", "opens"),
    [
        ({"DISPLAY": ":0"}, "linux", True, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True, True),
        ({}, "darwin", True, True),
        ({}, "linux", True, False),
        ({"DISPLAY": ":0"}, "linux", False, False),
        ({"DISPLAY": "localhost:10", "SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}, "linux", True, False),
        ({"SSH_TTY": "/dev/pts/1"}, "darwin", True, False),
    ],
)
def test_the_browser_opens_on_a_desktop_and_not_over_ssh(
    environment: dict[str, str], platform: str, terminal: bool, opens: bool
) -> None:
    assert is_desktop(environment, platform=platform, terminal=terminal) is opens


@pytest.mark.parametrize(
    ("started", "found", "command"),
    [
        ("/home/a/radar/.venv/bin/inforadar", None, ".venv/bin/inforadar"),
        ("/home/a/radar/.venv/bin/inforadar", "/usr/bin/inforadar", ".venv/bin/inforadar"),
        ("/usr/bin/inforadar", "/usr/bin/inforadar", "inforadar"),
        ("/opt/my radar/inforadar", None, "'/opt/my radar/inforadar'"),
        ("/home/a/radar/src/inforadar/__main__.py", None, "inforadar"),
    ],
)
def test_a_printed_command_can_be_pasted(started: str, found: str | None, command: str) -> None:
    assert command_of(started, found, Path("/home/a/radar")) == command


def test_the_samples_port_is_chosen_if_the_usual_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind((server.HOST, 0))
        other.listen()
        taken = other.getsockname()[1]
        with pytest.raises(UsageError, match="is taken by another program"):
            server.choose_sample_port(taken)
        # As if it were the usual one.
        monkeypatch.setattr(server, "USUAL_PORT", taken)
        port = server.choose_sample_port(taken)
    assert port != taken
    server.check_sample_port(port)
    assert server.choose_sample_port(port) == port
