"""URLs: one idempotent normal form, and the ids and names computed from it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inforadar.errors import InvalidUrlError
from inforadar.urls import (
    MAX_HOST_CHARS,
    MAX_URL_CHARS,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
    canonical_form,
    host_key,
    hostname,
    is_long_host,
    is_surely_canonical,
    keeps_credentials,
    normalize,
    origin,
    parse,
    readable,
    root_domain,
    uid,
    url_hash,
)


@pytest.mark.parametrize(
    ("given_url", "normal"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("  https://example.com/a  ", "https://example.com/a"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("http://example.com:443/a", "http://example.com:443/a"),
        ("https://example.com:8443/a", "https://example.com:8443/a"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        ("https://example.com/../../a", "https://example.com/a"),
        ("https://example.com/%2e%2e/a", "https://example.com/a"),
        ("https://example.com\\a\\b", "https://example.com/a/b"),
        ("https://example.com/a#part", "https://example.com/a"),
        ("https://example.com/a?#part", "https://example.com/a"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a/", "https://example.com/a/"),
        ("https://ПРИМЕР.рф/лента", "https://xn--e1afmkfd.xn--p1ai/%D0%BB%D0%B5%D0%BD%D1%82%D0%B0"),
        ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://example.com/a b", "https://example.com/a%20b"),
        ("https://example.com/\ta\n", "https://example.com/a"),
        ("https://example.com/a^b?c^d#e^f", "https://example.com/a%5Eb?c^d"),
        ("https://example.com/🚀", "https://example.com/%F0%9F%9A%80"),
        ("http://[2001:DB8::0:1]:80/", "http://[2001:db8::1]/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("https://user:pass@example.com/", "https://user:pass@example.com/"),
    ],
)
def test_the_normal_form(given_url: str, normal: str) -> None:
    assert normalize(given_url) == normal


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("utm_source=x&utm_medium=y", ""),
        ("a=1&utm_source=x&b=2", "?a=1&b=2"),
        ("UTM_Source=x&a=1", "?a=1"),
        ("fbclid=x&id=7&gclid=y", "?id=7"),
        ("b=2&a=1", "?b=2&a=1"),
        ("a=2&a=1", "?a=2&a=1"),
        ("a&b=&=c", "?a&b=&=c"),
        ("a=1&&b=2&", "?a=1&b=2"),
        ("ref=news&source=x&from=y", "?ref=news&source=x&from=y"),
        ("q=utm_source", "?q=utm_source"),
        ("q=a%26utm_source=b", "?q=a%26utm_source=b"),
        ("page=2#utm_source=x", "?page=2"),
        ("тег=наука", "?%D1%82%D0%B5%D0%B3=%D0%BD%D0%B0%D1%83%D0%BA%D0%B0"),
    ],
)
def test_tracking_parameters_go_and_the_order_of_the_others_stays(query: str, kept: str) -> None:
    assert normalize(f"https://example.com/a?{query}") == f"https://example.com/a{kept}"


@pytest.mark.parametrize(
    "name", sorted({*TRACKING_PARAMETERS, *(f"{prefix}x" for prefix in TRACKING_PREFIXES)})
)
def test_each_documented_parameter_is_dropped(name: str) -> None:
    assert normalize(f"https://example.com/?{name}=1&keep={name}") == f"https://example.com/?keep={name}"


def test_the_documented_parameters_are_in_lower_case() -> None:
    assert all(name == name.lower() for name in (*TRACKING_PARAMETERS, *TRACKING_PREFIXES))


def test_schemes_and_www_stay_distinct() -> None:
    variants = (
        "http://example.com/",
        "https://example.com/",
        "http://www.example.com/",
        "https://www.example.com/",
    )
    assert len({normalize(url) for url in variants}) == 4
    assert len({url_hash(normalize(url)) for url in variants}) == 4


def test_paths_keep_their_case_and_their_escapes() -> None:
    assert normalize("https://example.com/A%2fb?C=%7e") == "https://example.com/A%2fb?C=%7e"


@pytest.mark.parametrize(
    ("reference", "absolute"),
    [
        ("b", "https://example.com/a/b"),
        ("/b", "https://example.com/b"),
        ("//Other.example/b", "https://other.example/b"),
        ("?q=1", "https://example.com/a/?q=1"),
        ("", "https://example.com/a/"),
        ("../b?utm_source=x", "https://example.com/b"),
        ("http://other.example", "http://other.example/"),
    ],
)
def test_a_relative_url_is_read_from_its_base(reference: str, absolute: str) -> None:
    assert normalize(reference, "https://example.com/a/") == absolute


def test_the_canonical_form_drops_nothing() -> None:
    url = "https://example.com/a?utm_source=x&&b=1#part"
    assert canonical_form(url) == url


HOSTS = st.sampled_from(
    [
        "example.com",
        "EXAMPLE.com",
        "пример.рф",
        "xn--e1afmkfd.xn--p1ai",
        "例え.jp",
        "127.0.0.1",
        "[::1]",
        "0x7f.1",
    ]
)
PARTS = st.text(
    st.sampled_from("abAB09/.%2eE\\?&=#;:@+-_~ \t|^`{}[]<>\"'éжمん🚀") | st.characters(codec="utf-8"),
    max_size=20,
)
PARAMETERS = st.lists(
    st.tuples(st.sampled_from(["a", "utm_source", "UTM_x", "fbclid", "", "q", "тег"]), PARTS), max_size=4
).map(lambda pairs: "&".join(f"{name}={value}" for name, value in pairs))
URLS = st.builds(
    lambda scheme, user, host, port, path, query, fragment: (
        f"{scheme}://{user}{host}{port}/{path}?{query}#{fragment}"
    ),
    st.sampled_from(["http", "https", "HTTP", "hTTpS"]),
    st.sampled_from(["", "user@", "u:p@", "ж@"]),
    HOSTS,
    st.sampled_from(["", ":80", ":443", ":8080", ":0080", ":"]),
    PARTS,
    PARAMETERS,
    PARTS,
)


@given(URLS)
@example("https://example.com/?utm_source=a&")
@example("https://example.com/?&")
@example("https://example.com/?utm_source&#")
@example("https://example.com/? utm_source=1")
@example("https://example.com/?\tutm_source=1")
def test_the_normal_form_of_a_normal_form_is_itself(url: str) -> None:
    once = normalize(url)
    assert normalize(once) == once
    assert canonical_form(once) == once
    assert "#" not in once
    assert once.isascii()


@given(
    st.builds(
        "{}://{}{}/{}{}".format,
        st.sampled_from(["http", "https"]),
        st.sampled_from(
            ["a.example", "a-.-b.c1.example", "a..example", "127.1.0.1", "127.1", "0x7f.1", "1.2.3.256"]
        )
        | st.from_regex(r"[a-z0-9.-]{1,9}\.[a-z0-9]{1,3}", fullmatch=True),
        st.sampled_from(["", ":80", ":443", ":8080", ":59999", ":65536", ":0"]),
        st.text("ab0/.%2eE7;=:@~'(&-", max_size=12),
        st.just("") | st.text("ab0/.%2e?'&=", max_size=8).map("?{}".format),
    )
)
@example("https://a.example/%7E//;x=1:@/?a=%2e/..")
@example("https://a.example/a.../%zz?")
def test_a_url_taken_for_canonical_without_parsing_is_canonical(url: str) -> None:
    if is_surely_canonical(url):
        assert parse(url).href == url
        assert parse(url, "https://base.example/a/").href == url


@pytest.mark.parametrize("url", ["https://a.example/b/c.xml?d=e%20f&g", "http://127.1.0.1:8080/feed.xml"])
def test_usual_urls_are_recognized_as_canonical_without_parsing(url: str) -> None:
    assert is_surely_canonical(url)


@given(URLS, st.data())
def test_a_mutated_url_is_normalized_to_a_fixed_point_or_refused(url: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(url)))
    cut = data.draw(st.integers(0, 3))
    mutated = url[:at] + data.draw(PARTS) + url[at + cut :]
    try:
        once = normalize(mutated)
    except InvalidUrlError:
        return
    assert normalize(once) == once
    assert once.startswith(("http://", "https://"))
    for compute in (url_hash, uid, hostname, host_key, origin, root_domain, readable):
        assert compute(once)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        ("example.com", "should look like https://example.com/feed"),
        ("/feed", "cannot be read"),
        ("http://", "cannot be read"),
        ("https://exa mple.com/", "cannot be read"),
        ("https://example.com:99999/", "cannot be read"),
        ("http://[::1/", "cannot be read"),
        ("https://xn--a/", "cannot be read"),
        ("ftp://example.com/", "only http and https are fetched"),
        ("javascript:alert(1)", "only http and https are fetched"),
        ("file:///etc/passwd", "only http and https are fetched"),
        ("data:text/html,x", "only http and https are fetched"),
        ("mailto:a@example.com", "only http and https are fetched"),
        ("https://example.com/" + "a" * MAX_URL_CHARS, f"longer than {MAX_URL_CHARS} characters"),
        (f"https://{'a.' * 125}long/feed", f"its host name is longer than {MAX_HOST_CHARS} characters"),
        (f"https://{'a.' * 125}LONG/feed", f"its host name is longer than {MAX_HOST_CHARS} characters"),
        (
            f"https://name:word@{'ж.' * 50}long:8080",
            f"its host name is longer than {MAX_HOST_CHARS} characters",
        ),
        (f"http://{'a' * 5000}", f"its host name is longer than {MAX_HOST_CHARS} characters"),
    ],
)
def test_an_invalid_url_is_refused_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(InvalidUrlError) as refused:
        normalize(text)
    message = str(refused.value)
    assert why in message
    assert message.endswith(".")
    assert len(message) < 400
    assert refused.value.exit_code == 2


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(InvalidUrlError, match="cannot be read"):
        normalize("https://example.com/\ud83d")


def test_a_url_that_is_too_long_once_escaped_is_refused() -> None:
    """Otherwise the normal form could not be normalized again."""
    with pytest.raises(InvalidUrlError, match="longer than"):
        normalize("https://example.com/" + "ж" * (MAX_URL_CHARS // 3))


@pytest.mark.parametrize("start", ["https://", "http://", "https://name:word@"])
@pytest.mark.parametrize("end", ["/", ":8080/feed"])
def test_the_longest_name_that_can_be_resolved_is_a_host(start: str, end: str) -> None:
    url = f"{start}{'a.' * 125}com{end}"
    assert len(hostname(url)) == MAX_HOST_CHARS
    assert normalize(url) == url
    assert not is_long_host(host_key(url))
    assert is_long_host(host_key(url.replace("com", "long")))


def test_hashes_are_those_of_the_normal_form() -> None:
    url = "https://example.com/a"
    assert url_hash(url) == hashlib.sha256(url.encode()).hexdigest()
    assert uid(url) == hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()[:16]
    assert (len(url_hash(url)), len(uid(url))) == (64, 16)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.example.com/", "example.com"),
        ("https://a.b.example.co.uk/", "example.co.uk"),
        ("https://someone.github.io/blog", "someone.github.io"),
        ("https://github.io/", "github.io"),
        ("https://co.uk/", "co.uk"),
        ("https://www.пример.рф/", "xn--e1afmkfd.xn--p1ai"),
        ("https://a.公司.cn/", "a.xn--55qx5d.cn"),
        ("http://localhost:8000/", "localhost"),
        ("http://192.0.2.1/", "192.0.2.1"),
        ("http://[2001:db8::1]:8080/", "2001:db8::1"),
        ("http://news.internal/", "news.internal"),
        ("http://a.news.internal/", "news.internal"),
        ("https://user:pw@www.example.com./", "example.com"),
    ],
)
def test_the_root_domain_is_the_registrable_domain(url: str, domain: str) -> None:
    assert root_domain(normalize(url)) == domain


@pytest.mark.parametrize(
    ("url", "host", "key"),
    [
        ("https://Example.com/a", "example.com", "example.com:443"),
        ("http://example.com/a", "example.com", "example.com:80"),
        ("http://example.com:8080/a", "example.com", "example.com:8080"),
        ("https://user:pw@example.com:1/", "example.com", "example.com:1"),
        ("http://[::1]:8/", "::1", "[::1]:8"),
    ],
)
def test_hosts_are_named_with_and_without_their_port(url: str, host: str, key: str) -> None:
    assert (hostname(url), host_key(url)) == (host, key)


@pytest.mark.parametrize(
    ("given", "target", "kept"),
    [
        ("https://example.com/feed", "https://example.com/other?a=1", True),
        ("http://example.com:8080/", "http://example.com:8080/x", True),
        ("http://example.com/", "http://EXAMPLE.com:80/", True),
        ("http://example.com/", "https://example.com/", True),
        ("https://example.com/", "http://example.com/", False),
        ("http://example.com:8080/", "https://example.com:8080/", False),
        ("http://example.com/", "https://example.com:8443/", False),
        ("http://example.com:8080/", "https://example.com/", False),
        ("https://example.com:8443/", "https://example.com/", False),
        ("http://127.0.0.1:8981/", "http://127.0.0.1:8982/", False),
        ("https://example.com/", "https://www.example.com/", False),
        ("https://example.com/", "https://example.com.evil.example/", False),
        ("https://example.com/", "https://example.com@evil.example/", False),
        ("https://[::1]/", "https://[::2]/", False),
    ],
)
def test_credentials_stay_with_their_origin_or_its_https(given: str, target: str, kept: bool) -> None:
    assert keeps_credentials(given, target) is kept


def test_the_origin_has_no_credentials() -> None:
    assert origin("https://user:pw@example.com:8443/a?b") == "https://example.com:8443"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.com/", "example.com"),
        ("https://xn--e1afmkfd.xn--p1ai/a/?b=1", "пример.рф/a/?b=1"),
        ("http://example.com:8080/a/", "example.com:8080/a"),
        ("https://user:pw@example.com/", "example.com"),
    ],
)
def test_a_url_for_people(url: str, shown: str) -> None:
    assert readable(url) == shown
