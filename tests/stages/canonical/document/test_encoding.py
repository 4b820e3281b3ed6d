"""Pages decode to the text that the author wrote, whatever encoding they declare."""

from __future__ import annotations

import pytest

from inforadar.stages.canonical.document.encoding import parse_text

SAMPLES = {
    "gb18030": "市水务局表示，明年还将在城南再建一座同样规模的处理厂，届时全市的污水将全部得到处理。",
    "big5": "市政府表示，明年還將在城南再建一座同樣規模的處理廠，屆時全市的污水將會得到處理。",
    "cp932": "市は二十日、駅前広場の改修工事を来年四月に始めると発表した。工事の期間はおよそ一年半になる。",
    "euc_jp": "市は二十日、駅前広場の改修工事を来年四月に始めると発表した。工事の期間はおよそ一年半になる。",
    "cp949": "시립도서관이 다음 달부터 밤 열한 시까지 문을 연다. 직장인들의 요청이 많았기 때문이다.",
    "cp1251": "В посёлке на этой неделе открыли мост, которого жители ждали почти двенадцать лет.",
    "koi8_r": "В поселке на этой неделе открыли мост, которого жители ждали почти двенадцать лет.",
    "cp1253": "Ο δήμος ανακοίνωσε ότι η γέφυρα θα ανοίξει την επόμενη εβδομάδα για όλα τα οχήματα.",
    "cp1255": "העירייה הודיעה כי הגשר ייפתח בשבוע הבא לכל כלי הרכב אחרי שנתיים של עבודות.",
    "cp1256": "أعلنت البلدية أن الجسر سيفتح في الأسبوع القادم أمام جميع المركبات بعد عامين من العمل.",
    "cp1252": "Der Gemeinderat hat beschlossen, die Straße für größere Wagen zu öffnen: „endlich“, so Käthe.",
}


def page(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>t</title></head><body><p>{text}</p><p>{text}</p></body></html>"


@pytest.mark.parametrize("encoding", SAMPLES)
def test_a_page_that_states_nothing_is_read_by_the_look_of_its_text(encoding: str) -> None:
    text = SAMPLES[encoding]
    assert text in parse_text(page(text).encode(encoding))


@pytest.mark.parametrize("encoding", SAMPLES)
def test_the_http_header_is_believed_where_it_decodes(encoding: str) -> None:
    text = SAMPLES[encoding]
    assert text in parse_text(page(text).encode(encoding), f'text/html; charset="{encoding}"')


@pytest.mark.parametrize(
    ("label", "encoding"),
    [("gb2312", "gb18030"), ("Shift_JIS", "cp932"), ("ks_c_5601-1987", "cp949"), ("windows-1251", "cp1251")],
)
def test_labels_mean_what_browsers_take_them_for(label: str, encoding: str) -> None:
    text = SAMPLES[encoding]
    assert text in parse_text(page(text, f'<meta charset="{label}">').encode(encoding))


@pytest.mark.parametrize("claimed", ["iso-8859-1", "windows-1251", "gb2312", "utf-16", "no-such-charset"])
def test_utf8_is_seen_through_a_wrong_claim(claimed: str) -> None:
    text = "Größe, Москва, 北京, القاهرة 🌍"
    body = page(text, f'<meta charset="{claimed}">').encode()
    assert text in parse_text(body, f"text/html; charset={claimed}")


def test_a_claim_of_utf8_does_not_spoil_windows_1251() -> None:
    text = SAMPLES["cp1251"]
    body = page(text, '<meta charset="utf-8">').encode("cp1251")
    assert text in parse_text(body, "text/html; charset=utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_outranks_everything(encoding: str) -> None:
    text = "Größe и 北京"
    found = parse_text(page(text).encode(encoding), "text/html; charset=windows-1252")
    assert text in found
    assert not found.startswith("\ufeff")


def test_utf16_without_a_mark_is_seen_by_its_zeros() -> None:
    assert "Größe" in parse_text(page("Größe").encode("utf-16-le"))


def test_utf8_that_was_cut_in_the_middle_of_a_sign_stays_utf8() -> None:
    body = page("Ещё один день в порту, и ещё один. " * 40).encode()[:-60]
    body = body[: len(body) - 1] if body[-1] & 0x80 else body[: body.rfind(b"\xd0") + 1]
    assert "порту" in parse_text(body)


@pytest.mark.parametrize("meta", ["", '<meta charset="utf-8">'], ids=["no meta", "meta"])
@pytest.mark.parametrize("header", ["text/html", "text/html; charset=utf-8"])
def test_a_stray_escape_does_not_make_another_encoding_of_utf8(header: str, meta: str) -> None:
    text = (
        "В посёлке на этой\x1b неделе открыли\x1b(B мост,\x1b$)C которого ждали\x1b$B почти двенадцать лет."
    )
    assert text in parse_text(page(text, meta).encode(), header)


def test_a_stray_escape_among_ascii_stays_ascii() -> None:
    text = "The bridge\x1b opened\x1b$)C this\x1b$B week, at last."
    assert text in parse_text(page(text).encode(), "text/html; charset=iso-2022-jp")


@pytest.mark.parametrize("header", ["text/html", "text/html; charset=ISO-2022-JP"])
def test_japanese_in_seven_bits_is_seen_by_its_shifts(header: str) -> None:
    text = SAMPLES["euc_jp"]
    assert text in parse_text(page(text).encode("iso2022_jp"), header)


@pytest.mark.parametrize(
    "label", ["undefined", "idna", "punycode", "unicode_escape", "cp037", "utf-16", "utf-7", "hex"]
)
def test_a_claim_that_no_browser_knows_is_no_claim(label: str) -> None:
    text = SAMPLES["cp1251"]
    body = page(text, f'<meta charset="{label}">').encode("cp1251")
    assert text in parse_text(body, f"text/html; charset={label}")


@pytest.mark.parametrize(("label", "encoding"), [("ibm819", "cp1252"), ("csshiftjis", "cp932")])
def test_other_names_of_an_encoding_are_known(label: str, encoding: str) -> None:
    text = SAMPLES[encoding]
    assert text in parse_text(page(text).encode(encoding), f"text/html; charset={label}")


def test_two_accents_in_a_row_are_still_latin() -> None:
    text = "Grüße aus der Straße: Füße, größer, Maß"
    assert text in parse_text(page(text).encode("cp1252"))


def test_nul_characters_are_dropped_and_rubbish_is_survived() -> None:
    assert "\x00" not in parse_text(b"<p>a\x00b</p>" + bytes(range(256)) * 3)
