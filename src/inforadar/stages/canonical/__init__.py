"""From a page to the article a person came for, or the reason why there is none.

`extract` is pure, and made to run in a pool of processes that can be killed: bytes in, a value out.
"""

from __future__ import annotations

from datetime import UTC, datetime

import trafilatura

from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.stages.canonical.encoding import parse_text
from inforadar.stages.canonical.limits import TooComplexError, parseable

MIN_CHARACTERS = 200
ABSTRACT_OVER = 40

__all__ = ["extract"]


def extract(html: bytes, url: str, content_type: str = "") -> Extracted | NotExtracted:
    """The article of a page as it was downloaded."""
    text = parse_text(html, content_type)
    if len(text) <= MIN_CHARACTERS:
        return NotExtracted(code=FailureCode.BAD_HTML, detail=f"{len(text)} characters of HTML")
    if "<" not in text:
        return NotExtracted(code=FailureCode.BAD_HTML, detail="not HTML")
    try:
        page = parseable(text)
    except TooComplexError as problem:
        return NotExtracted(code=FailureCode.BAD_HTML, detail=str(problem))
    found = trafilatura.bare_extraction(page, url=url, with_metadata=True, include_comments=False)
    if found is None or not found.text:
        return NotExtracted(code=FailureCode.EMPTY, detail="no text of its own")
    markdown = trafilatura.extract(
        page, url=url, include_comments=False, output_format="markdown", include_formatting=True
    )
    paragraphs = [line.strip() for line in found.text.splitlines() if line.strip()]
    return Extracted(
        clean_text="\n\n".join(paragraphs),
        markdown=markdown or "",
        abstract=next((p for p in paragraphs if len(p) > ABSTRACT_OVER), None),
        title=found.title,
        author=found.author,
        published_at=datetime.fromisoformat(found.date).replace(tzinfo=UTC) if found.date else None,
        language=found.language,
        site_name=found.sitename,
        image=found.image,
        canonical_url=found.url,
        raw_len=len(text),
    )
