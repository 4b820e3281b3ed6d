"""Export the whole state as one file: lines of JSON, compressed with zstd. `zstdcat FILE | jq` reads it.

    {"format": "inforadar", "version": 1, "schema": "0005", …}     the header
    {"table": "feeds", "columns": ["id", …]}                       then its rows, one array each
    ["0198…", …]
    {"end": {"feeds": {"rows": 12, "checksum": "…"}, …}}           shows that the file is complete

It contains no file names, so there are no paths or links to abuse. It is written in one snapshot; `import_archive`
reads it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import BinaryIO

import msgspec
from sqlalchemy import Connection

from inforadar import __version__
from inforadar.clock import utc_now
from inforadar.store.upkeep.revision import OURS
from inforadar.store.upkeep.transfer import (
    Digest,
    line_encoder,
    load_rows,
    transferred_columns,
    transferred_tables,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

VERSION = 1
SECRETS = frozenset({"feed_credentials", "person_passwords", "person_tokens", "secret_keys"})
"""Tables that an export without secrets leaves out."""
SUFFIX = ".jsonl.zst"

OnTableDone = Callable[[str, int], None]
"""Called with the name of each finished table and its number of rows."""


def write_archive(
    connection: Connection, file: BinaryIO, told: OnTableDone, *, secrets: bool = True
) -> dict[str, int]:
    """Write everything; return the number of rows of each table. Call it in a snapshot."""
    digests: dict[str, Digest] = {}
    with zstd.ZstdFile(file, "wb") as out:
        head = {
            "format": "inforadar",
            "version": VERSION,
            "schema": OURS.head,
            "program": __version__,
            "made_at": utc_now(),
        }
        out.write(msgspec.json.encode(head) + b"\n")
        for table in transferred_tables():
            if table.name in SECRETS and not secrets:
                continue
            columns = [str(column.name) for column in transferred_columns(table)]
            out.write(msgspec.json.encode({"table": str(table.name), "columns": columns}) + b"\n")
            digest, encode = digests.setdefault(str(table.name), Digest()), line_encoder(table)
            for values in load_rows(connection, table):
                line = encode(values)
                digest.add(line)
                out.write(line + b"\n")
            told(table.name, digest.rows)
        out.write(msgspec.json.encode({"end": _totals(digests)}) + b"\n")
    return {name: digest.rows for name, digest in digests.items()}


def _totals(digests: dict[str, Digest]) -> dict[str, dict[str, int | str]]:
    return {name: {"rows": digest.rows, "checksum": digest.checksum} for name, digest in digests.items()}
