"""Text written for programs, and lists of links with the line that introduces them, are no part of an article."""

from __future__ import annotations

import pytest

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract

PROSE = "".join(
    f"<p>The harbour council voted on Tuesday evening to close pier {number} for {number} years.</p>"
    for number in range(2, 12)
)


def text_of(*parts: str) -> str:
    page = f"<!doctype html><html lang=en><title>Pier closed</title><body><article>{''.join(parts)}</article>"
    found = extract(page.encode(), "https://quay.example/news/pier")
    assert isinstance(found, Extracted), found
    return found.clean_text


@pytest.mark.parametrize(
    "machine",
    [
        '{"layoutMobile":2,"layoutDesktop":{"columns":3},"items":[1,2]}',
        "//cdn.quay.example/widgets/embed.js?v=3",
        "{{ article.related | json }}",
        "{% include teaser.html %}",
        "window.dataLayer.push({event: 'view'});",
        "[gallery ids=1,2,3 columns=2]",
    ],
)
def test_text_for_programs_is_dropped(machine: str) -> None:
    assert text_of(PROSE, f"<p>{machine}</p>", PROSE.replace("pier", "quay")) == text_of(
        PROSE, PROSE.replace("pier", "quay")
    )


@pytest.mark.parametrize(
    "prose", ["The window was broken: nobody saw it happen that night.", "[Editor's note] He was 40."]
)
def test_prose_that_resembles_it_stays(prose: str) -> None:
    assert prose in text_of(PROSE, f"<p>{prose}</p>", PROSE.replace("pier", "quay"))


def test_a_list_of_links_takes_its_introduction_along() -> None:
    links = "".join(f"<li><a href='/{number}'>Another story of the sea</a></li>" for number in range(4))
    text = text_of(PROSE, "<p>Read more on this:</p>", f"<ul>{links}</ul>", PROSE.replace("pier", "quay"))
    assert "Another story" not in text
    assert "Read more" not in text
    assert "Three reasons were given:" in text_of(
        PROSE,
        "<p>Three reasons were given:</p><ul><li>Cost and time</li><li>The tide of the year</li></ul>",
        PROSE,
    )
