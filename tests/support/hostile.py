"""Documents made to hang a parser or exhaust its memory, by name. Built on demand, because some are large."""

from __future__ import annotations

import json
from collections.abc import Callable

_HEAD = b'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>'
_ITEM = b"<item><title>first</title><link>https://example.org/1</link></item>"
_TAIL = b"</channel></rss>"
_JSON = b'{"version":"https://jsonfeed.org/version/1","items":['
_MB = 2**20


def _rss(body: bytes) -> bytes:
    return _HEAD + _ITEM + body + _TAIL


def _doctype(subset: bytes, body: bytes) -> bytes:
    head = (
        b'<?xml version="1.0"?><!DOCTYPE rss [' + subset + b']><rss version="2.0"><channel><title>t</title>'
    )
    return head + _ITEM + body + _TAIL


def _laughs() -> bytes:
    entities = [b'<!ENTITY a "ha">']
    for name, inner in zip(b"bcdefghij", b"abcdefghi", strict=True):
        entities.append(b'<!ENTITY %c "%s">' % (name, b"&%c;" % inner * 10))
    return _doctype(b"".join(entities), b"<item><title>&j;</title></item>")


def _atom(attributes: bytes, body: bytes) -> bytes:
    return b'<feed xmlns="http://www.w3.org/2005/Atom" ' + attributes + b">" + body + b"</feed>"


def _xhtml(children: bytes) -> bytes:
    return b'<entry><link href="/1"/><content type="xhtml">' + children + b"</content></entry>"


def _hidden_sections(count: int) -> bytes:
    """Section starts that appear one by one as the sections inside them are removed."""
    inner = (b"<![CD" * depth + b"<![CDATA[" + b"ATA[" * depth for depth in range(1, count))
    return _rss(b"<item><description><![CDATA[" + b"".join(inner))


def _attributes(count: int) -> bytes:
    return b" ".join(b'a%d="1"' % number for number in range(count))


DOCUMENTS: dict[str, Callable[[], bytes]] = {
    "deep nesting": lambda: _rss(b"<item><description>" + b"<a>" * 1_000_000),
    "deep nesting, closed": lambda: _rss(b"<a>" * 500_000 + b"</a>" * 500_000),
    "deep nesting of items": lambda: _rss(b"<item>" * 500_000),
    "100,000 attributes": lambda: _rss(b"<item " + _attributes(100_000) + b"/>"),
    "100,000 attributes on the root": lambda: b"<rss " + _attributes(100_000) + b"><channel/></rss>",
    "100,000 namespaces": lambda: b"<rss " + _attributes(100_000).replace(b"a", b"xmlns:a") + b"/>",
    "the same attribute 100,000 times": lambda: _rss(b"<item " + b'a="1" ' * 100_000 + b"/>"),
    "attributes with signs of tags": lambda: _rss(b"<item " + b'a=">" ' * 300_000 + b"/>"),
    "billion laughs": _laughs,
    "quadratic blow-up": lambda: _doctype(
        b'<!ENTITY a "' + b"x" * 9_000 + b'">', b"<item><title>" + b"&a;" * 500_000 + b"</title></item>"
    ),
    "an entity of a file": lambda: _doctype(
        b'<!ENTITY a SYSTEM "file:///etc/passwd">', b"<item><link>https://example.org/2</link><title>&a;</title></item>"
    ),
    "a parameter entity from outside": lambda: _doctype(
        b'<!ENTITY % p SYSTEM "http://127.0.0.1:9/evil.dtd">%p;', b"<item><title>&a;</title></item>"
    ),
    "100,000 entities": lambda: _doctype(b"".join(b'<!ENTITY e%d "x">' % n for n in range(100_000)), b""),
    "a document type without an end": lambda: b"<!DOCTYPE rss [" + b'<!ENTITY a "' * 500_000,
    "millions of elements": lambda: _rss(b"<a/>" * 2_500_000),
    "millions of items": lambda: _rss(b"<item/>" * 1_400_000),
    "150,000 categories": lambda: _rss(
        b"<item><link>/2</link>" + b"".join(b"<category>%d</category>" % number for number in range(150_000))
    ),
    "a million names": lambda: _rss(b"".join(b"<n%d/>" % number for number in range(900_000))),
    "a million open tags": lambda: _rss(b"".join(b"<n%d>" % number for number in range(900_000))),
    "only tags' beginnings": lambda: _HEAD + b"<" * (10 * _MB),
    "only ampersands": lambda: _rss(b"<item><title>" + b"&" * (10 * _MB)),
    "only quotes": lambda: _rss(b'<item a="' + b"'\"" * (5 * _MB)),
    "unclosed quotes in tags": lambda: _rss(b"<a \"'" * 1_500_000),
    "unclosed sections": lambda: _rss(b"<![CDATA[" * 1_000_000),
    "unclosed comments": lambda: _rss(b"<!--" * 2_500_000),
    "unclosed instructions": lambda: _rss(b"<?x " * 2_500_000),
    "every byte, again and again": lambda: _HEAD + bytes(range(256)) * 40_000,
    "zero bytes": lambda: bytes(10 * _MB),
    "zero bytes in a feed": lambda: _rss(bytes(10 * _MB)),
    "spaces": lambda: b" " * (10 * _MB),
    "one long text": lambda: _rss(b"<item><title>" + b"x" * (11 * _MB) + b"</title></item>"),
    "one long word in a date": lambda: _rss(b"<item><pubDate>" + b"1" * (5 * _MB) + b"</pubDate></item>"),
    "a long link": lambda: _rss(b"<item><link>https://e.org/" + b"a" * (5 * _MB) + b"</link></item>"),
    "a long word among attributes": lambda: _rss(b"<item " + b"a" * (2 * _MB) + b" b=c><title>&</title>"),
    "a page with a long word among attributes": lambda: b"<html><link " + b"a" * 290_000 + b" b=c>",
    "many document types": lambda: b"<!DOCTYPE r [" * 400_000 + b"<rss><channel><item/></channel></rss>",
    "a number of a million digits": lambda: _rss(
        b"<item><link>/2</link><title>x &amp;#" + b"9" * 5_000 + b"; &#" + b"9" * _MB + b";</title></item>"
    ),
    "an author of signs": lambda: _rss(b"<item><link>/2</link><author>" + b"@(" * 500_000 + b"</author>"),
    "a text that is no encoding's": lambda: _HEAD + b"x" * (5 * _MB) + b"\x81\x8d" * 100 + b"\xff",
    "many tags in a summary": lambda: _rss(
        b"<item><link>/2</link><description>" + b"&lt;script" * 500_000 + b"</description></item>"
    ),
    "a page of links": lambda: b"<html><head>" + b"<link rel=alternate type=text/html href=/x>" * 200_000,
    "a page of tags' beginnings": lambda: b"<html><head>" + b"<link " * 1_500_000,
    "a UTF-16 bomb of elements": lambda: ("<rss><channel>" + "<a/>" * 1_200_000).encode("utf-16"),
    "another encoding, millions of tags": lambda: b"<?xml version='1.0' encoding='cp1251'?><rss><channel>"
    + b"<item>\xef\xf0\xe8" * 1_200_000,
    "no encoding that fits": lambda: _HEAD + b"\xff\xfe\x81\x8d" * (2 * _MB),
    "a name that no tag ends": lambda: _HEAD + b"<" + b"a" * 500_000 + _ITEM + _TAIL,
    "a name with a prefix that no tag ends": lambda: _HEAD + b"<a:" + b"a" * 500_000 + _ITEM + _TAIL,
    "a base of a megabyte": lambda: _atom(
        b'xml:base="https://example.org/' + b"a" * _MB + b'/"', b'<entry><link href="1"/></entry>' * 20_000
    ),
    "many short bases": lambda: _atom(
        b'xml:base="https://example.org/a/"',
        b'<a xml:base="%s/">' % (b"b" * 1900) * 190 + b'<entry><link href="1"/></entry>' * 2_000 + b"</a>" * 190,
    ),
    "a namespace of a megabyte": lambda: _atom(b'xmlns:q="' + b"a" * _MB + b'"', _xhtml(b"<b/>" * 20_000)),
    "elements of a namespace of a megabyte": lambda: _atom(
        b'xmlns:q="' + b"a" * _MB + b'"', b"".join(b"<q:b%d/>" % number for number in range(20_000))
    ),
    "many namespaces, many children": lambda: _atom(
        b" ".join(b'xmlns:a%d="%s"' % (number, b"a" * 80) for number in range(90)), _xhtml(b"<b/>" * 100_000)
    ),
    "a word that begins like a namespace, again and again": lambda: _rss(b"<a>" + b"xmlns" * 400_000 + b"</a>"),
    "a namespace of entities": lambda: b'<!DOCTYPE feed [<!ENTITY a "' + b"a" * 9_000 + b'">]>' + _atom(
        b'xmlns:q="' + b"&a;" * 100 + b'"', _xhtml(b"<b/>" * 20_000)
    ),
    "sections inside sections": lambda: _hidden_sections(700),
    "items inside items, strewn": lambda: b"<rss><x>" + b"<item><link>/1</link><description>" * 100
    + b"x" * (5 * _MB) + b"</description></item>" * 100 + b"</x></rss>",
    "10,000 authors of signs": lambda: _rss(
        b"".join(b"<item><link>/%d</link><author>%s</author></item>" % (n, b"a@" * 450) for n in range(10_000))
    ),
    "deep JSON": lambda: _JSON + b"[" * 5_000_000,
    "JSON of empty items": lambda: _JSON + b"{}," * 3_000_000 + b"{}]}",
    "JSON of numbers": lambda: b'{"items":[' + b"1.5," * 2_000_000 + b"1]}",
    "JSON with a huge number": lambda: _JSON + b'{"id":' + b"9" * 5_000_000 + b"}]}",
    "JSON never closed": lambda: json.dumps({"items": ["x" * 1000] * 8000}).encode()[:-5],
}  # fmt: skip
