"""Encodings of feeds and pages where the server, the author or a stray byte says something else than the text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inforadar.stages.canonical.document.encoding import parse_text
from inforadar.stages.discover.feed.encoding import decode

Read = Callable[[bytes, str], str]
READERS = pytest.mark.parametrize("read", [decode, parse_text], ids=["feed", "page"])

RUSSIAN = "Совет порта решил углубить внутреннюю гавань до начала зимы, работы займут одиннадцать недель."
CHINESE = "港口委员会决定在冬天之前疏浚内港，这是一个大的工程，他们说要用十一个星期的时间。"
JAPANESE = "港湾委員会は冬までに内港をさらうことを決めました。これは大きな工事で、十一週間かかります。"
GREEK = "Το συμβούλιο του λιμανιού αποφάσισε να εμβαθύνει την εσωτερική λεκάνη πριν από τον χειμώνα."


def page(text: str, meta: str = "") -> str:
    declared = f'<meta charset="{meta}">' if meta else ""
    return f"<html><head>{declared}<title>{text}</title></head><body><p>{text}</p></body></html>"


@READERS
@pytest.mark.parametrize("header", ["text/html; charset=utf-8", "text/html; charset=iso-8859-1", "text/html"])
def test_declared_utf8_with_a_stray_byte_stays_utf8(read: Read, header: str) -> None:
    data = page("It’s here — “again”", "utf-8").encode().replace(b"again", b"ag\x99ain")
    text = read(data, header)
    assert text.count("It’s here — “ag") == 2
    assert "â" not in text


@READERS
@pytest.mark.parametrize("header", ["text/html; charset=iso-8859-1", "text/html; charset=windows-1252", ""])
def test_utf8_that_nobody_declares_stays_utf8_with_a_stray_byte(read: Read, header: str) -> None:
    data = page(RUSSIAN).encode().replace(b"</p>", b"\xff</p>")
    assert read(data, header).count(RUSSIAN) == 2


@READERS
def test_a_stray_byte_does_not_end_declared_utf8_in_a_short_text(read: Read) -> None:
    assert "It’s" in read(b'<?xml version="1.0" encoding="utf-8"?><rss>It\xe2\x80\x99s\xa0</rss>', "")


@READERS
@pytest.mark.parametrize(
    "header", ["text/html; charset=latin1", "text/html; charset=windows-1252", "", "text/html; charset=utf-8"]
)
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"),
        (CHINESE, "gbk"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "shift_jis"),
        (GREEK, "windows-1253"),
    ],
)
def test_a_wrong_header_does_not_beat_a_correct_meta(
    read: Read, header: str, text: str, encoding: str
) -> None:
    assert read(page(text, encoding).encode(encoding), header).count(text) == 2


@READERS
@pytest.mark.parametrize("meta", ["utf-8", "iso-8859-1", "windows-1251", "koi8-r", "shift_jis", ""])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [(RUSSIAN, "windows-1251"), (RUSSIAN, "koi8-r"), (CHINESE, "gbk"), (JAPANESE, "euc-jp")],
)
def test_a_wrong_header_and_a_wrong_meta_do_not_beat_the_text(
    read: Read, meta: str, text: str, encoding: str
) -> None:
    assert read(page(text * 3, meta).encode(encoding), "text/html; charset=iso-8859-1").count(text) == 6


@READERS
@pytest.mark.parametrize("text", ["Über die Straße – schön", "déjà vu, où ça ?", "España «así»"])
def test_latin_text_stays_what_it_is_declared_to_be(read: Read, text: str) -> None:
    assert text in read(page(text, "iso-8859-1").encode("cp1252"), "text/html; charset=iso-8859-1")
    assert text in read(page(text).encode("cp1252"), "text/html; charset=windows-1252")


@READERS
def test_a_latin_header_does_not_beat_a_central_european_meta(read: Read) -> None:
    text = "Příliš žluťoučký kůň úpěl ďábelské ódy"
    assert text in read(page(text, "windows-1250").encode("cp1250"), "text/html; charset=iso-8859-1")
