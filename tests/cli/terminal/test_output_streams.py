"""Standard output and error as a shell may leave them: closed, full, with a narrow encoding, or without a reader."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.cli.calling import Call

FEED = "https://example.com/feed"
NORMAL, UNBUFFERED = {"PYTHONUNBUFFERED": ""}, {"PYTHONUNBUFFERED": "1"}
COMMANDS = (
    ("feed", "list"),
    ("feed", "show", FEED),
    ("export", "-"),
    ("--help",),
)
"""Commands that each write differently: lines, Rich, bytes from inside the store, Cyclopts."""


def _run(
    home: Path, arguments: tuple[str, ...], redirection: str = "", *, before: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a shell does."""
    line = f"{before} exec {shlex.join([sys.executable, '-m', 'inforadar', *arguments])} {redirection}"
    return subprocess.run(
        ["/bin/sh", "-c", line],
        env={**os.environ, "INFORADAR_HOME": str(home), **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )


def _run_for_nobody(home: Path, arguments: tuple[str, ...], **environment: str) -> tuple[int, bytes]:
    """Run the program with its output in a pipe that nobody reads."""
    end, begin = os.pipe()
    os.close(end)
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "inforadar", *arguments],
            env={**os.environ, "INFORADAR_HOME": str(home), **environment},
            stdout=begin,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(begin)
    return ended.returncode, ended.stderr


@pytest.fixture
def with_feed(home: Path, call: Call) -> Path:
    assert call("feed", "add", FEED, "--topic", "Хлеб").code == 0
    return home


@pytest.mark.parametrize("buffering", [NORMAL, UNBUFFERED], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_has_gone_ends_a_command_quietly(
    with_feed: Path, arguments: tuple[str, ...], buffering: dict[str, str]
) -> None:
    code, said = _run_for_nobody(with_feed, arguments, **buffering)
    assert code == 0
    assert all(line.endswith((b"row", b"rows")) for line in said.splitlines()), said


@pytest.mark.parametrize("buffering", [NORMAL, UNBUFFERED], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_disk_is_one_sentence(
    with_feed: Path, arguments: tuple[str, ...], buffering: dict[str, str]
) -> None:
    ended = _run(with_feed, arguments, ">/dev/full", **buffering)
    assert ended.returncode == 1
    said = [line for line in ended.stderr.splitlines() if not line.endswith((b"row", b"rows"))]
    assert said == [b"inforadar: The output cannot be written: No space left on device."]


def test_an_export_that_finds_no_room_names_its_file_and_leaves_nothing(
    home: Path, tmp_path: Path, call: Call
) -> None:
    letters = Random(1)
    feeds = "".join(
        f'<outline xmlUrl="https://h.example/{letters.randbytes(900).hex()}"/>' for _ in range(300)
    )
    listed = tmp_path / "feeds.opml"
    listed.write_text(f"<opml><body>{feeds}</body></opml>")
    assert call("opml", "import", str(listed)).code == 0
    target = tmp_path / "kept" / "all.zst"
    # No file may be longer than 100 KB.
    ended = _run(home, ("export", str(target)), before="ulimit -f 200;")
    assert ended.returncode == 1
    said = [line for line in ended.stderr.splitlines() if not line.endswith((b"row", b"rows"))]
    assert said == [f"inforadar: {target} cannot be written: File too large.".encode()]
    assert not [*target.parent.iterdir()]


@pytest.mark.parametrize("buffering", [NORMAL, UNBUFFERED], ids=["buffered", "unbuffered"])
def test_what_is_logged_where_no_room_is_left_is_lost_and_the_work_goes_on(buffering: dict[str, str]) -> None:
    program = (
        "import structlog\n"
        "from inforadar.cli.terminal.logs import configure_logs\n"
        "from inforadar.cli.terminal.streams import close_streams, open_streams\n"
        "from inforadar.config import LogSettings\n"
        "open_streams()\n"
        "configure_logs(LogSettings())\n"
        "for number in range(1000): structlog.get_logger().error('feed.crashed', number=number)\n"
        "print('done')\n"
        "close_streams()\n"
    )
    line = f"exec {shlex.join([sys.executable, '-c', program])} 2>/dev/full"
    ended = subprocess.run(
        ["/bin/sh", "-c", line], env={**os.environ, **buffering}, capture_output=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, b"done\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_encoding_does_not_know_are_spelled_out(with_feed: Path, encoding: str) -> None:
    ended = _run(with_feed, ("feed", "show", FEED), PYTHONIOENCODING=encoding)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert rb"\u0425\u043b\u0435\u0431" in ended.stdout


@pytest.mark.parametrize(
    ("redirection", "arguments"),
    [("<&-", ()), (">&-", ("feed", "list", "--json")), ("2>&-", ("feed", "list")), ("<&- >&- 2>&-", ())],
)
def test_a_stream_that_is_closed_stops_no_command(
    with_feed: Path, redirection: str, arguments: tuple[str, ...]
) -> None:
    ended = _run(with_feed, arguments, redirection)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert bool(ended.stdout) == (" >&-" not in f" {redirection}")


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_a_fault_keeps_its_exit_code_where_it_cannot_be_told(with_feed: Path, redirection: str) -> None:
    assert _run(with_feed, ("feed", "list", "--home="), redirection).returncode == 2
