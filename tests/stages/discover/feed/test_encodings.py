"""Encodings that are declared by the document, named by the server, missing or wrong."""

from __future__ import annotations

import codecs

import pytest

from inforadar.stages.discover.feed.encoding import decode
from inforadar.stages.discover.feed.parse import parse_feed

URL = "https://example.org/feed"
RUSSIAN = "Съешь же ещё этих мягких французских булок, да выпей чаю"
CHINESE = "新闻报道：今天的天气很好，我们去公园散步"
JAPANESE = "いろはにほへと 散りぬるを 我が世誰ぞ"
KOREAN = "오늘의 뉴스: 날씨가 좋습니다"
ARABIC = "أخبار اليوم من العالم"


def document(title: str, declared: str = "") -> str:
    declaration = f' encoding="{declared}"' if declared else ""
    item = f"<item><title>{title}</title><link>/1</link></item>"
    return f'<?xml version="1.0"{declaration}?><rss><channel>{item}</channel></rss>'


def title(data: bytes, content_type: str = "") -> str | None:
    return parse_feed(data, URL, content_type).items[0].title


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"),
        (CHINESE, "gb2312"),
        (CHINESE, "gbk"),
        (CHINESE, "gb18030"),
        ("繁體中文新聞", "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso-2022-jp"),
        (KOREAN, "euc-kr"),
        (ARABIC, "windows-1256"),
        ("Žluťoučký kůň", "iso-8859-2"),
        ("Café €", "windows-1252"),
        ("Ελληνικά", "iso-8859-7"),
        ("emoji 🎉", "utf-8"),
    ],
)
def test_a_declared_encoding_is_read(text: str, encoding: str) -> None:
    assert title(document(text, encoding).encode(encoding)) == text
    assert title(document(text).encode(encoding), f'text/xml; charset="{encoding}"') == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_read_with_and_without_a_mark(encoding: str) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE,
            "utf-32-le": codecs.BOM_UTF32_LE, "utf-32-be": codecs.BOM_UTF32_BE}[encoding]  # fmt: skip
    data = document(RUSSIAN, "utf-16").encode(encoding)
    assert title(mark + data) == RUSSIAN
    assert title(data) == RUSSIAN


def test_a_mark_wins_over_every_claim() -> None:
    data = codecs.BOM_UTF8 + document(RUSSIAN, "iso-8859-1").encode()
    assert title(data, "text/xml; charset=windows-1251") == RUSSIAN


@pytest.mark.parametrize(
    "declared", ["iso-8859-1", "windows-1251", "us-ascii", "gb2312", "utf-16", "no-such-thing"]
)
def test_utf8_is_recognized_whatever_it_is_called(declared: str) -> None:
    assert title(document(RUSSIAN, declared).encode(), "text/xml; charset=iso-8859-1") == RUSSIAN


def test_the_servers_encoding_wins_over_the_documents_where_both_fit() -> None:
    data = document(RUSSIAN, "iso-8859-1").encode("windows-1251")
    assert title(data, "application/xml; charset=windows-1251") == RUSSIAN


def test_a_stray_windows_byte_in_utf8_is_read_as_windows_1252() -> None:
    data = document(f"{RUSSIAN} % {RUSSIAN}").encode().replace(b"%", b"\x92")
    assert title(data) == f"{RUSSIAN} ’ {RUSSIAN}"


def test_a_gb2312_document_with_characters_beyond_it_is_read() -> None:
    assert title(document("朱镕基", "gb2312").encode("gb18030")) == "朱镕基"


def test_windows_characters_in_latin_1_are_read() -> None:
    assert title(document("“quoted” – €5", "iso-8859-1").encode("cp1252")) == "“quoted” – €5"


@pytest.mark.parametrize(
    ("text", "encoding"), [(RUSSIAN, "windows-1251"), (JAPANESE * 3, "shift_jis"), (CHINESE * 3, "gb18030")]
)
def test_an_undeclared_encoding_is_guessed(text: str, encoding: str) -> None:
    assert title(document(text).encode(encoding)) == text


@pytest.mark.parametrize(
    "codec", ["punycode", "idna", "unicode_escape", "utf-7", "rot13", "zlib", "hex", "undefined", "\x00"]
)
def test_codecs_that_are_not_text_encodings_are_not_used(codec: str) -> None:
    assert decode(b"<rss>caf\xe9 \\u0041", f"text/xml; charset={codec}") == "<rss>café \\u0041"
