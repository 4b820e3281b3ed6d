"""Bodies in pieces of any size: decoded in full or an error, never something in between."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
import zlib
from importlib.util import find_spec, module_from_spec

import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.fetch.decode import (
    ACCEPT_ENCODING,
    MAX_MEMBERS,
    BodyDecoder,
    BodyError,
    BodyTooLargeError,
    check_announced_length,
)
from tests.support.site.answers import COMPRESSORS, raw_deflate

TEXT = "Новости 新闻 أخبار 📰 ".encode() * 300
ENCODINGS = ("gzip", "deflate", "br", "zstd")


def decode(data: bytes, encoding: str, *, piece: int = 65536, max_bytes: int = 10**6) -> bytes:
    decoder = BodyDecoder(encoding, max_bytes)
    for start in range(0, len(data), piece):
        decoder.feed(data[start : start + piece])
    return decoder.finish()


@given(
    body=st.binary(max_size=3000),
    encodings=st.lists(st.sampled_from(ENCODINGS), max_size=4),
    piece=st.integers(min_value=1, max_value=400),
)
@settings(max_examples=150, deadline=None)
def test_any_stack_of_encodings_in_any_pieces_gives_the_body_back(
    body: bytes, encodings: list[str], piece: int
) -> None:
    data = body
    for encoding in encodings:
        data = COMPRESSORS[encoding](data)

    assert decode(data, ", ".join(encodings), piece=piece) == body


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("piece", [1, 7, 65536])
def test_a_stream_cut_anywhere_is_an_error(encoding: str, piece: int) -> None:
    whole = COMPRESSORS[encoding](TEXT)
    for length in {1, 2, 3, 11, len(whole) // 2, len(whole) - 5, len(whole) - 1}:
        with pytest.raises(BodyError):
            decode(whole[:length], encoding, piece=piece)


@pytest.mark.parametrize("piece", [1, 2, 65536])
def test_deflate_comes_with_and_without_its_header(piece: int) -> None:
    assert decode(zlib.compress(TEXT), "deflate", piece=piece) == TEXT
    assert decode(raw_deflate(TEXT), "deflate", piece=piece) == TEXT


@pytest.mark.parametrize("piece", [1, 2, 3, 100, 65536])
def test_several_members_are_one_body(piece: int) -> None:
    assert decode(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", piece=piece) == b"one two"
    assert decode(zstd.compress(b"one ") + zstd.compress(b"two"), "zstd", piece=piece) == b"one two"


@pytest.mark.parametrize("piece", [1, 2, 65536])
def test_padding_after_gzip_is_no_part_of_the_body(piece: int) -> None:
    for padding in (bytes(100), b"\x1f", b"garbage", b"\x1f\x00"):
        assert decode(gzip.compress(TEXT) + padding, "gzip", piece=piece) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_body_of_countless_members_is_refused(encoding: str) -> None:
    member = COMPRESSORS[encoding](b"")

    assert decode(member * MAX_MEMBERS, encoding) == b""
    with pytest.raises(BodyError, match="more than 1000"):
        decode(member * (MAX_MEMBERS + 1), encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_limit_holds_to_the_byte(encoding: str) -> None:
    data = COMPRESSORS[encoding](bytes(50_000))

    assert decode(data, encoding, max_bytes=50_000) == bytes(50_000)
    with pytest.raises(BodyTooLargeError, match=r"is larger than 48\.8 KB"):
        decode(data, encoding, max_bytes=49_999)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_bomb_is_seen_before_it_unfolds(encoding: str) -> None:
    data = COMPRESSORS[encoding](bytes(100_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLargeError):
            decode(data, encoding, max_bytes=200_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 3_000_000


def test_a_bomb_inside_another_is_seen_too() -> None:
    data = gzip.compress(gzip.compress(bytes(100_000_000)))

    with pytest.raises(BodyTooLargeError):
        decode(data, "gzip, gzip", max_bytes=200_000)


def test_what_was_sent_counts_too() -> None:
    empty_blocks = zlib.compress(b"")[:2] + b"\x00\x00\x00\xff\xff" * 50_000

    with pytest.raises(BodyTooLargeError):
        decode(empty_blocks, "deflate", max_bytes=100_000)


def test_a_zstd_window_larger_than_the_web_allows_is_refused() -> None:
    compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    data = compressor.compress(b"x" * 1000, zstd.ZstdCompressor.FLUSH_BLOCK) + compressor.flush()

    with pytest.raises(BodyError):
        decode(data, "zstd")


@pytest.mark.parametrize(
    "encoding",
    [
        "",
        "identity",
        " Identity ",
        ",",
        "identity, identity",
        "UTF-8",
        "none",
        "iso-8859-1",
        "windows-1251",
        "8bit",
    ],
)
def test_no_encoding_leaves_the_body_alone(encoding: str) -> None:
    assert decode(TEXT, encoding) == TEXT


@pytest.mark.parametrize("encoding", ["UTF-8", "none", "iso-8859-1", "windows-1251", "8bit", "none, utf8"])
def test_a_character_set_in_the_place_of_an_encoding_leaves_the_body_alone(encoding: str) -> None:
    assert decode(TEXT, encoding) == TEXT
    assert decode(gzip.compress(TEXT), f"{encoding}, gzip") == TEXT


@pytest.mark.parametrize(
    "encoding", ["GZIP", " gzip ", "x-gzip", "gzip, identity", ",gzip", "gzip, none", "utf-8, gzip"]
)
def test_an_encoding_is_known_by_any_spelling(encoding: str) -> None:
    assert decode(gzip.compress(TEXT), encoding) == TEXT


@pytest.mark.parametrize("encoding", ["compress", "sdch", "gzip, lzma", "x" * 200])
def test_an_unknown_encoding_is_named(encoding: str) -> None:
    with pytest.raises(BodyError, match="has the unknown encoding") as error:
        BodyDecoder(encoding, 1000)
    assert len(str(error.value)) < 100


def test_an_empty_body_is_empty_whatever_it_says() -> None:
    for encoding in ENCODINGS:
        assert decode(b"", encoding) == b""


@pytest.mark.parametrize(
    ("length", "too_large"),
    [
        (None, False),
        ("", False),
        ("100", False),
        ("101", True),
        ("-5", False),
        ("1e9", False),
        ("9" * 30, True),
        ("9" * 5_000, True),
    ],
)
def test_an_announced_length_is_believed_if_it_is_too_large(length: str | None, too_large: bool) -> None:
    if too_large:
        with pytest.raises(BodyTooLargeError, match="is larger than 100 bytes"):
            check_announced_length(length, 100)
    else:
        check_announced_length(length, 100)


def test_without_the_extra_speed_brotli_is_neither_asked_for_nor_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    spec = find_spec("inforadar.fetch.decode")
    assert spec is not None
    assert spec.loader is not None
    without = module_from_spec(spec)
    spec.loader.exec_module(without)
    assert without.ACCEPT_ENCODING == "gzip, deflate, zstd"
    with pytest.raises(without.BodyError, match=r"unknown encoding 'br'; pip install 'inforadar\[speed\]'"):
        without.BodyDecoder("br", 100)
    assert ACCEPT_ENCODING == "gzip, deflate, br, zstd"
