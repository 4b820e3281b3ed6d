"""Fill a database from an export (see `export_archive`).

The export is read in one transaction: if anything in it is wrong, nothing of it is stored.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from sqlalchemy import Column, Connection, Table, delete, insert
from sqlalchemy.exc import StatementError

from inforadar.errors import ParseError, StoreError, UsageError
from inforadar.store.faults import is_data_fault
from inforadar.store.migrations.backfills import backfills
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.upkeep.checks import find_contents, sqlite_file
from inforadar.store.upkeep.export_archive import VERSION, OnTableDone
from inforadar.store.upkeep.repair import count_anew
from inforadar.store.upkeep.revision import OURS
from inforadar.store.upkeep.transfer import (
    ROWS_PER_PAGE,
    Digest,
    Values,
    row_type,
    transferred_columns,
    transferred_tables,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_LINE_BYTES = 64 * 2**20
MAX_RATIO, RATIO_CHECK_BYTES = 300, 32 * 2**30
"""Text shrinks to about a tenth. A huge file that expands much more was made to fill a disk. Below this size the ratio
says nothing: a thousand pages that share one text are real, and shrink to next to nothing."""
SPACE_CHECK_BYTES, MIN_FREE_BYTES = 64 * 2**20, 256 * 2**20
"""How often the disk of an SQLite database is looked at, and what is left free on it."""
_ZSTD = b"\x28\xb5\x2f\xfd"


def read_archive(
    connection: Connection, file: BinaryIO, told: OnTableDone, *, replace: bool
) -> dict[str, int]:
    """Fill an empty database, or any with `replace`. Raises `ParseError`; the caller's transaction rolls back."""
    file.seek(0)  # a transaction that met a deadlock starts over
    if not replace and (there := find_contents(connection)):
        raise UsageError(
            f"The database is not empty: it holds {there}. Pass --replace to delete everything in it."
        )
    for table in reversed(all_tables()):
        connection.execute(delete(table))
    return _Reading(connection=connection, told=told).read(_lines(file, _folder(connection)))


def _folder(connection: Connection) -> Path | None:
    """The folder of an SQLite database."""
    return sqlite_file(connection).parent if connection.dialect.name == "sqlite" else None


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    format: str
    version: int
    schema: str
    program: str
    made_at: datetime


class _Total(msgspec.Struct, forbid_unknown_fields=True):
    rows: int
    checksum: str


class _TableStart(msgspec.Struct, forbid_unknown_fields=True):
    table: str
    columns: list[str]


class _End(msgspec.Struct, forbid_unknown_fields=True):
    end: dict[str, _Total]


_NOT_OURS = "This is not an export of Info Radar. `inforadar export FILE` makes one."


def _lines(file: BinaryIO, folder: Path | None) -> Iterator[bytes]:
    """The lines of a compressed file; refuses endless lines, and files that would fill the disk."""
    counted = _CountingReader(file)
    expanded, next_look = 0, SPACE_CHECK_BYTES
    try:
        with zstd.ZstdFile(io.BufferedReader(counted)) as stream:
            while line := stream.readline(MAX_LINE_BYTES + 1):
                expanded += len(line)
                if len(line) > MAX_LINE_BYTES:
                    raise ParseError(
                        f"The export has a line of over {MAX_LINE_BYTES // 2**20} MB; a real export has none."
                    )
                if expanded > RATIO_CHECK_BYTES and expanded > counted.number * MAX_RATIO:
                    raise ParseError(
                        f"The export expands to over {MAX_RATIO} times its size: it was made to do harm."
                    )
                if folder and expanded > next_look:
                    _require_space(folder)
                    next_look = expanded + SPACE_CHECK_BYTES
                yield line
    except (zstd.ZstdError, EOFError) as fault:
        is_zstd = counted.began.startswith(_ZSTD)
        raise ParseError(f"The export is damaged or cut off. ({fault})" if is_zstd else _NOT_OURS) from None


def _require_space(folder: Path) -> None:
    if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
        raise StoreError(
            f"The disk of {folder} is almost full, and the export is larger. Nothing was imported. Make room first."
        )


class _CountingReader(io.RawIOBase):
    """Counts the bytes read; a pipe has no position to ask for."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.began = b""
        self.number = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self.began = self.began or data[:4]
        self.number += len(data)
        return len(data)


@dataclass(slots=True, kw_only=True)
class _Reading:
    """One pass over the lines."""

    connection: Connection
    told: OnTableDone
    digests: dict[str, Digest] = field(default_factory=dict)
    number: int = 0
    """Number of the current line."""
    schema: str = OURS.head
    """The schema that the export was written with."""

    def read(self, lines: Iterator[bytes]) -> dict[str, int]:
        self._check_head(next(lines, b""))
        self.number = 1
        current: _Filling | None = None
        for line in lines:
            self.number += 1
            if line.startswith(b"["):
                if current is None:
                    raise ParseError(f"Line {self.number} of the export is a row of no table.")
                current.add(line, self.number)
                continue
            if current is not None:
                self._close(current)
            if line.startswith(b'{"end"'):
                self._check_end(line)
                if next(lines, None) is not None:
                    raise ParseError("The export continues after its end.")
                self._fill_in()
                return {name: digest.rows for name, digest in self.digests.items()}
            current = self._open(line)
        raise ParseError("The export is cut off: its end is missing.")

    def _check_head(self, line: bytes) -> None:
        try:
            head = msgspec.json.decode(line, type=_Head)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise ParseError(_NOT_OURS) from None
        if head.format != "inforadar":
            raise ParseError(_NOT_OURS)
        if head.version > VERSION or head.schema not in OURS.known:
            raise ParseError(
                f"The export was written by a newer Info Radar ({head.program}, schema {head.schema}). "
                "Upgrade this program first."
            )
        self.schema = head.schema

    def _fill_in(self) -> None:
        """Give the rows of an older export what the later migrations would have given them; count what was imported."""
        for revision in OURS.known[OURS.known.index(self.schema) + 1 :]:
            for statement in backfills(self.connection.dialect.name, revision):
                self.connection.exec_driver_sql(statement)
        count_anew(self.connection)

    def _open(self, line: bytes) -> _Filling:
        try:
            start = msgspec.json.decode(line, type=_TableStart)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as fault:
            raise ParseError(f"Line {self.number} of the export cannot be read: {fault}.") from None
        table = next((table for table in transferred_tables() if table.name == start.table), None)
        if table is None or start.table in self.digests:
            raise ParseError(f"Line {self.number} of the export names an unknown or repeated table.")
        there = {column.name: column for column in transferred_columns(table)}
        if len(set(start.columns)) != len(start.columns) or not set(start.columns) <= set(there):
            raise ParseError(
                f"Line {self.number} of the export names columns that {table.name} does not have."
            )
        digest = self.digests.setdefault(table.name, Digest())
        columns = [there[name] for name in start.columns]
        return _Filling(connection=self.connection, table=table, columns=columns, digest=digest)

    def _close(self, filled: _Filling) -> None:
        filled.flush()
        self.told(filled.table.name, filled.digest.rows)

    def _check_end(self, line: bytes) -> None:
        try:
            end = msgspec.json.decode(line, type=_End).end
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            raise ParseError("The end of the export cannot be read.") from None
        found = {name: _Total(digest.rows, digest.checksum) for name, digest in self.digests.items()}
        wrong = sorted(name for name in found | end if found.get(name) != end.get(name))
        if wrong:
            raise ParseError(f"The export is damaged: the checksums of {', '.join(wrong)} do not match.")


@dataclass(slots=True, kw_only=True)
class _Filling:
    """Inserts the rows of one table."""

    connection: Connection
    table: Table
    columns: list[Column[object]]
    digest: Digest
    _waiting: list[tuple[object, ...]] = field(default_factory=list)
    _decoder: msgspec.json.Decoder[tuple[object, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._decoder = msgspec.json.Decoder(row_type(self.columns))

    def add(self, line: bytes, number: int) -> None:
        text = line.rstrip(b"\n")
        try:
            self._waiting.append(self._decoder.decode(text))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as fault:
            raise ParseError(
                f"Line {number} of the export is not a row of {self.table.name}: {fault}."
            ) from None
        self.digest.add(text)
        if len(self._waiting) >= ROWS_PER_PAGE:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        names = [column.name for column in self.columns]
        try:
            insert_values(self.connection, self.table, names, self._waiting)
        except StatementError as fault:
            if not is_data_fault(fault):
                raise
            raise ParseError(
                f"The export is inconsistent: rows of {self.table.name} are duplicated, refer to rows that do not "
                "exist, or contain invalid values."
            ) from None
        self._waiting = []


def insert_values(
    connection: Connection, table: Table, names: Sequence[str], rows: Sequence[Mapping[str, Any] | Values]
) -> None:
    """Insert rows whose values are in the order of `names`."""
    connection.execute(insert(table), [dict(zip(names, row, strict=True)) for row in rows])
