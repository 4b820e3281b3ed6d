"""Large documents on standard output arrive whole, however little the pipe accepts at a time."""

from __future__ import annotations

import io
import json
import os
import threading
import tty
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from inforadar.cli.terminal.output import print_json
from inforadar.cli.terminal.streams import Output
from inforadar.errors import OutputError, ReaderGoneError

DOCUMENT = ["хлеб"] * 20_000


class Narrow(io.FileIO):
    """A file whose every write is cut short, as by a signal."""

    def write(self, data, /):  # type: ignore[no-untyped-def, override]
        return super().write(bytes(data)[:1000])


class NarrowOutput(Output, Narrow):
    pass


def test_a_document_is_written_to_its_end_though_each_write_takes_a_part(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "written"
    with NarrowOutput(path, "w") as file, io.TextIOWrapper(file) as text:
        monkeypatch.setattr("sys.stdout", text)
        print_json(DOCUMENT)
        assert json.loads(path.read_text()) == DOCUMENT


def test_a_pipe_that_does_not_wait_is_waited_for() -> None:
    end, begin = os.pipe()
    os.set_blocking(begin, False)
    seen: list[bytes] = []

    def read() -> None:
        while part := os.read(end, 4096):
            seen.append(part)

    reading = threading.Thread(target=read)
    with Output(begin, "w") as pipe:
        reading.start()
        assert pipe.write(b"x" * 300_000) == 300_000
    reading.join()
    os.close(end)
    assert b"".join(seen) == b"x" * 300_000


def test_faults_of_the_output_are_known_from_those_of_anything_else() -> None:
    with (
        Output("/dev/full", "w") as full,
        pytest.raises(OutputError, match="No space left on device") as fault,
    ):
        full.write(b"x")
    assert fault.value.__cause__ is None
    end, begin = os.pipe()
    os.close(end)
    with Output(begin, "w") as pipe, pytest.raises(ReaderGoneError):
        pipe.write(b"x")


def test_json_is_harmless_where_a_person_sees_it_and_exact_where_a_program_reads_it() -> None:
    document = {"title": "invoice\u202efdp\x9b31m"}
    for is_terminal in (True, False):
        seen, written = os.openpty() if is_terminal else os.pipe()
        if is_terminal:
            tty.setraw(written)
        with (
            os.fdopen(seen, "rb", buffering=0) as reader,
            os.fdopen(written, "w", encoding="utf-8") as stream,
        ):
            with redirect_stdout(stream):
                print_json(document)
            text = reader.read(1000).decode()
        assert json.loads(text) == document
        assert ("\u202e" in text, "\x9b" in text) == (not is_terminal, not is_terminal)
