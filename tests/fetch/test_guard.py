"""Which addresses the guard allows, in every way that an address can be written."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.errors import ConfigError
from inforadar.fetch.guard import AddressRefusedError, AllowedNetworks, Guard
from inforadar.fetch.networks import embedded_addresses, forbidden_kind
from inforadar.urls import canonical_form, hostname

PUBLIC_IPV4 = [
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255",
    "172.32.0.0", "191.255.255.255", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
]  # fmt: skip

FORBIDDEN_IPV4 = [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
    "100.100.100.200", "127.0.0.1", "127.255.255.255", "169.254.0.0", "169.254.169.254", "169.254.255.255",
    "168.63.129.16", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.2.1", "192.88.99.1",
    "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.9",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
]  # fmt: skip

PUBLIC_IPV6 = [
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "2400:cb00::1",
    "2620:fe::fe",
]

FORBIDDEN_IPV6 = [
    "::", "::1", "::2", "::127.0.0.1", "::8.8.8.8", "100::1", "100:0:0:1::1", "64:ff9b:1::1",
    "64:ff9b:1:a00::8.8.8.8", "2001:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1",
    "2001:db8::1", "3fff::1", "3fff:fff:ffff::", "5f00::1", "4000::1", "8000::1", "fc00::1", "fd00::1",
    "fd00:ec2::254", "fd20:ce::254", "fe80::1", "febf::1", "fec0::1", "feff::1", "ff02::1", "ffff::1",
]  # fmt: skip


def refused(address: str, *allowed: str, port: int = 80) -> bool:
    try:
        Guard(AllowedNetworks.parse(allowed)).check_address(address, port)
    except AddressRefusedError:
        return True
    return False


def carriers(address: IPv4Address) -> dict[str, IPv6Address]:
    """Every IPv6 address that routes to this IPv4 address."""
    bits = int(address)
    return {
        "mapped": IPv6Address(0xFFFF << 32 | bits),
        "translated": IPv6Address(0xFFFF << 48 | bits),
        "nat64": IPv6Address(0x64FF9B << 96 | bits),
        "6to4": IPv6Address(0x2002 << 112 | bits << 80 | 1),
        "teredo client": IPv6Address(0x20010000 << 96 | 0x08080808 << 64 | bits ^ 0xFFFF_FFFF),
        "teredo server": IPv6Address(0x20010000 << 96 | bits << 64 | 0x08080808 ^ 0xFFFF_FFFF),
        "isatap": IPv6Address(0x2A001450_00000000_00005EFE << 32 | bits),
        "isatap, global": IPv6Address(0x2A001450_00000000_02005EFE << 32 | bits),
    }


@pytest.mark.parametrize("address", PUBLIC_IPV4 + PUBLIC_IPV6)
def test_a_public_address_passes(address: str) -> None:
    assert not refused(address)


@pytest.mark.parametrize("address", FORBIDDEN_IPV4 + FORBIDDEN_IPV6)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert refused(address)


@pytest.mark.parametrize("address", FORBIDDEN_IPV4)
def test_no_ipv6_address_leads_to_a_forbidden_ipv4_one(address: str) -> None:
    for form, carrier in carriers(IPv4Address(address)).items():
        assert refused(str(carrier)), form


@pytest.mark.parametrize("address", PUBLIC_IPV4)
def test_an_ipv6_address_that_carries_a_public_ipv4_one_passes(address: str) -> None:
    for form, carrier in carriers(IPv4Address(address)).items():
        assert not refused(str(carrier)), form


@given(st.ip_addresses(v=4))
def test_what_is_carried_is_found_again(address: IPv4Address) -> None:
    for form, carrier in carriers(address).items():
        assert address in list(embedded_addresses(carrier)), form


@given(st.ip_addresses(v=4))
def test_we_are_at_least_as_strict_as_python_about_ipv4(address: IPv4Address) -> None:
    if forbidden_kind(address) is None:
        assert not any(
            (address.is_multicast, address.is_reserved, address.is_loopback, address.is_link_local)
        )


@given(st.ip_addresses(v=6))
def test_outside_the_part_that_is_handed_out_nothing_passes(address: IPv6Address) -> None:
    if int(address) >> 125 != 1 and not list(embedded_addresses(address)):
        assert refused(str(address))


@pytest.mark.parametrize(
    "address", ["fe80::1%eth0", "fe80::1%1", "::1%lo", "fd00::1%25eth0", "::ffff:127.0.0.1%eth0"]
)
def test_a_scope_changes_nothing(address: str) -> None:
    assert refused(address)


@pytest.mark.parametrize(
    "address",
    ["localhost", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "１２７.0.0.1", "8.8.8.8 ", "",
     "8.8.8.8\x00", "[::1]", "٨.٨.٨.٨", "8.8.8.08"],
)  # fmt: skip
def test_what_the_system_would_have_to_interpret_is_refused(address: str) -> None:
    assert refused(address)


LOOPBACK_SPELLINGS = [
    "127.0.0.1", "127.1", "127.0.1", "0x7f.0.0.1", "0x7F000001", "0177.0.0.1", "017700000001", "2130706433",
    "0x7f.1", "127.0.0.1.", "１２７.０.０.１", "①②⑦.0.0.1", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1",
    "%31%32%37.0.0.1", "0x7f.0x0.0x0.0x1", "00000177.0.0.1", "1\t27.0.0.1", "127.0\n.0.1",
]  # fmt: skip


@pytest.mark.parametrize("spelling", LOOPBACK_SPELLINGS)
def test_every_spelling_of_loopback_in_a_url_comes_out_as_the_plain_address(spelling: str) -> None:
    assert hostname(canonical_form(f"http://{spelling}/feed")) == "127.0.0.1"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://news.example@127.0.0.1/", "127.0.0.1"),
        ("http://news.example:80@127.0.0.1/", "127.0.0.1"),
        ("http://news.example%40127.0.0.1/", None),
        ("http://127.0.0.1\\@news.example/", "127.0.0.1"),
        ("http://127.0.0.1#@news.example/", "127.0.0.1"),
        ("http://127.0.0.1?@news.example/", "127.0.0.1"),
        ("http:/\\127.0.0.1/", "127.0.0.1"),
        ("http:127.0.0.1", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]/", "::ffff:7f00:1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("http://[fe80::1%25eth0]/", None),
        ("http://256.0.0.1/", None),
        ("http://1.2.3.4.5/", None),
        ("http://0x100000000/", None),
    ],
)
def test_a_tricky_url_has_the_host_that_a_browser_sees_in_it(url: str, host: str | None) -> None:
    if host is None:
        with pytest.raises(Exception, match="not a valid URL"):
            canonical_form(url)
    else:
        assert hostname(canonical_form(url)) == host


def test_an_allowed_network_passes_on_every_port() -> None:
    assert not refused("10.1.2.3", "10.0.0.0/8", port=8080)
    assert not refused("fd00::7", "fd00::/8")
    assert not refused("192.168.1.5", "192.168.1.5")
    assert refused("11.0.0.1", "8.0.0.0/8") is False
    assert refused("192.168.1.6", "192.168.1.5")
    assert refused("fd00::7", "10.0.0.0/8")


def test_an_allowed_endpoint_passes_on_its_port_only() -> None:
    assert not refused("127.0.0.1", "127.0.0.1:8080", port=8080)
    assert refused("127.0.0.1", "127.0.0.1:8080", port=8081)
    assert refused("127.0.0.2", "127.0.0.1:8080", port=8080)
    assert not refused("::1", "[::1]:8080", port=8080)
    assert refused("::1", "[::1]:8080", port=80)


def test_what_leads_to_an_allowed_address_passes_too() -> None:
    assert not refused("::ffff:10.0.0.1", "10.0.0.0/8")
    assert refused("::ffff:10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    "entry",
    ["", "localhost", "localhost:80", "10.0.0.0/33", "10.0.0.1/8", "127.0.0.1:", "127.0.0.1:0",
     "127.0.0.1:65536", "127.0.0.1:８０", "[::1]", "[::1", "[::1]:x", "::1:8080:x", "*", "10.*", "http://10.0.0.1/"],
)  # fmt: skip
def test_an_entry_that_is_no_network_is_named_in_the_error(entry: str) -> None:
    with pytest.raises(ConfigError) as error:
        AllowedNetworks.parse(["10.0.0.0/8", entry])
    assert repr(entry) in str(error.value)


def test_entries_may_have_space_around_them() -> None:
    parsed = AllowedNetworks.parse([" 10.0.0.0/8", "127.0.0.1:80 "])
    assert parsed.endpoints == {(ip_address("127.0.0.1"), 80)}


def test_a_refusal_says_what_the_address_is() -> None:
    with pytest.raises(AddressRefusedError, match=r"169\.254\.169\.254 is a cloud's metadata service"):
        Guard().check_address("169.254.169.254", 80)
