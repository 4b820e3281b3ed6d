from __future__ import annotations

from inforadar.views.browser_name import browser_name

CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"


def test_a_browser_is_named_as_people_call_it() -> None:
    firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"
    iphone = (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
        "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1"
    )
    android = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 OPR/83.0"
    assert [browser_name(one) for one in (CHROME, firefox, iphone, f"{CHROME} Edg/126.0", android)] == [
        "Chrome on Linux",
        "Firefox on Windows",
        "Safari on iPhone",
        "Edge on Linux",
        "Opera on Android",
    ]


def test_what_is_not_known_is_shown_as_it_is() -> None:
    assert [browser_name(one) for one in ("", "curl/8.5", "Wget on Linux", "Firefox/1")] == [
        "",
        "curl/8.5",
        "Wget on Linux",
        "Firefox",
    ]
