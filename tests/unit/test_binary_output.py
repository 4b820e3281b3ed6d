"""Large documents on standard output arrive whole, however little the pipe takes at a time."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

from inforadar.cli.output import print_json


class Narrow(io.RawIOBase):
    """A pipe whose every write is cut short, as a signal does it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        part = bytes(data)[:1000]
        self.seen += part
        return len(part)


def test_a_document_is_written_to_its_end_though_each_write_takes_a_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pipe = Narrow()
    monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=pipe))
    document = ["хлеб"] * 20_000
    print_json(document)
    assert json.loads(pipe.seen) == document
    assert not pipe.closed
