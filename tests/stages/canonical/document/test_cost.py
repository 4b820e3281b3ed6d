"""Whatever page of at most 5 MB comes, reading it costs little time and memory.

The broken figures were 4 to 30 s and more than 1 GB. The limits are twice the goal of 2 s, since a processor that is
shared with others counts more time for the same work; an idle one takes less than half of the goal.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

from tests.support.paths import SOURCE

pytestmark = pytest.mark.slow

MAX_CPU_SECONDS = 4.0
MAX_GROWTH_MB = 300

ARTICLE = "<article>' + '<p>The council voted on Tuesday to close the pier for two long years.</p>' * 20 + '</article>"

HOSTILE = {
    "30,000 options": "'<select>' + '<option>x' * 30_000 + '</select>' + article",
    "100,000 options": "'<select>' + '<option>x' * 100_000 + '</select>' + article",
    "groups of options": "'<select>' + '<optgroup><option>x' * 100_000 + '</select>' + article",
    "options outside a list": "'<option>x' * 100_000 + article",
    "nested blocks": "'<div>' * 900 + article",
    "nested spans": "'<span>' * 90_000 + article",
    "formatting that every paragraph reopens": "''.join(f'<b id={i}>' for i in range(50)) + '<p>x' * 100_000",
    "50,000 attributes": "'<p ' + ' '.join(f'a{i}=1' for i in range(50_000)) + '>' + article",
    "a tag of 50,000 attributes that is cut": "article + '<p ' + ' '.join(f'a{i}=1' for i in range(50_000))",
    "many tags of many attributes": "('<p ' + ' '.join(f'a{i}=1' for i in range(490)) + '>x') * 1_500",
    "one huge line": "'<p>' + 'word ' * 900_000",
    "one huge word": "'<p>' + 'w' * 4_900_000",
    "one huge word in Chinese": "'<p>' + '汉' * 1_600_000",
    "unclosed tags": "'<p><b><i><a href=x>' * 50_000",
    "unclosed links": "'<p><a href=/x>word word' * 100_000",
    "thousands of tables": "'<table><tr><td>x</td></tr></table>' * 20_000 + article",
    "thousands of rows": "'<table>' + '<tr><td>x y<td>z' * 100_000 + '</table>' + article",
    "nested tables": "'<table><tr><td>' * 300 + article",
    "blocks moved out of a table": "'<table>' + '<p>x' * 100_000 + '</table>'",
    "a list of 200,000 items": "'<ul>' + '<li>x' * 200_000",
    "line breaks": "'<p>' + 'word<br><br>' * 200_000",
    "headlines": "''.join(f'<h1>Title of it {i} the one</h1>' for i in range(60_000)) + article",
    "teasers": "'<div><h3><a href=/x>Bakery wins the prize</a></h3><p>y</p></div>' * 50_000 + article",
    "nested clutter": "'<div class=related>' * 140 + article + '</div>' * 140 + article",
    "many names": "''.join(f'<div class=\"c{i} related{i}\">x</div>' for i in range(100_000)) + article",
    "one long name": "'<div class=\"' + 'related ' * 500_000 + '\">' + article",
    "dates": "'<span>May 14, 2024</span>' * 100_000 + article",
    "years in nested elements": "('<div>' * 100 + '<i>2024</i>' + '</div>' * 100) * 900 + article",
    "meta elements": "''.join(f'<meta name=a{i} content=b>' for i in range(100_000)) + article",
    "JSON-LD in many pieces": "'<script type=application/ld+json>{\"@type\":\"Article\"}</script>' * 60_000",
    "JSON-LD that cites itself": (
        "'<script type=application/ld+json>{\"@type\":\"Article\",\"author\":['"
        " + '{\"@id\":\"x\"},' * 30_000 + '{}]}</script>' + article"
    ),
    "commas and spaces in JSON-LD": "'<script type=application/ld+json>,' + ' ' * 480_000 + '</script>' + article",
    "open noscript elements": "'<noscript><div>' * 100_000 + article",
    "closed noscript elements": "'<noscript><div></noscript>' * 100_000 + article",
    "angle brackets": "'<' * 4_900_000",
    "attributes without a name": "'<a ' + '=' * 4_900_000",
    "places for late parts": (
        "'<template id=\"B:1\"></template>' * 50_000 + '<div hidden id=\"S:1\">x</div>' * 50_000 + article"
    ),
    "late parts in deep places": (
        "'<div>' * 800 + ''.join(f'<template id=\"B:{i}\"></template>' for i in range(500)) + '</div>' * 800"
        " + ''.join(f'<div hidden id=\"S:{i}\">x</div>' for i in range(500)) + article"
    ),
    "square brackets": "'<p>' + '[' * 1_000_000",
    "words of a paywall": "'<p>' + 'subscribe sign in ' * 250_000",
    "notes after the end": "article + '<p>Jane Doe writes about it and more of it.</p>' * 50_000",
    "names without an end": "article + '<p>' + 'Ab ' * 220 + '</p>' + '<p>' + 'A, b ' * 130 + '</p>'",
    "crossed formatting": "'<i><b><p></i></b>' * 15_000 + article",
    "emoji": "'<p>' + '😀' * 1_200_000",
}  # fmt: skip

PROGRAM = textwrap.dedent(
    """
    import json, resource, sys, time
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    from inforadar.stages.canonical import extract
    article = '{article}'
    page = ("<!doctype html><html><head><title>Pier closed</title></head><body>" + {body}).encode()[:5_000_000]
    memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before, start = memory(), time.process_time()
    extract(page, "https://example.com/news/story-1", "text/html; charset=utf-8")
    json.dump([time.process_time() - start, memory() - before], sys.stdout)
    """
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_costs_little(name: str) -> None:
    program = PROGRAM.format(article=ARTICLE, body=HOSTILE[name])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, timeout=200, check=False, env={"PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    seconds, megabytes = json.loads(done.stdout)
    assert seconds < MAX_CPU_SECONDS
    assert megabytes < MAX_GROWTH_MB
