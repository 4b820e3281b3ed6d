"""Title, author, date and lead picture, compared so that another server's way to write them is no change.

A detail counts only if both versions have it: servers leave out what they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from urllib.parse import parse_qsl, unquote, urlsplit

from inforadar.model.revision import ChangeKind, Snapshot
from inforadar.stages.revise.difference import Edit, ParagraphDiff, ParagraphState, compare_texts
from inforadar.stages.revise.normalize import split_words
from inforadar.stages.revise.significance import words_kinds

MIN_DATE_STEP = timedelta(minutes=1)
MAX_SITE_WORDS = 6

_SITE_SUFFIX = re.compile(r"\s+[|\-–—·»:]\s+(?=[^|–—·»]{2,60}\Z)")
_COUNTER_PREFIX = re.compile(r"\A\s*(?:\(\d+\+?\)|\[\d+\]|[•●▶►🔴]+)\s*")
_BY = re.compile(r"\A\W*(?:by|von|par|por|di|от|автор|текст|autor|文|作者|记者)\b[:\s]*", re.IGNORECASE)
_SIZE = re.compile(
    r"[-_.@]?(?:\d{2,4}x\d{2,4}|\d{2,4}w|w\d{2,4}|[whqc]_[\d.:a-z]+|@?[23]x|scaled|large|medium|small|thumb(?:nail)?|crop\w*)\b"
    r"(?=[-_.,/]|\Z)",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"(?:image|img|photo|picture|lead|hero|main|cover|og|share|default|\d{1,5}|original|master|index)",
    re.IGNORECASE,
)


def compare_details(old: Snapshot, new: Snapshot) -> Iterator[tuple[str, ChangeKind, str, str]]:
    """The details that changed: (field, kind, old, new)."""
    if old.title and new.title and (kind := title_kind(old.title, new.title, new.language)):
        yield "title", kind, old.title.strip(), new.title.strip()
    if old.author and new.author and not _is_same_author(old.author, new.author):
        yield "author", ChangeKind.AUTHOR, old.author.strip(), new.author.strip()
    if old.published_at and new.published_at and not _is_same_time(old.published_at, new.published_at):
        yield "date", ChangeKind.DATE, old.published_at.isoformat(), new.published_at.isoformat()
    if old.image and new.image and picture_key(old.image) != picture_key(new.image):
        yield "picture", ChangeKind.PICTURE, old.image, new.image


def title_kind(old: str, new: str, language: str | None = None) -> ChangeKind | None:
    """TITLE, TYPO, or None if the titles say the same."""
    one, other = _own_title(old), _own_title(new)
    before, after = split_words(one), split_words(other)
    if [word.key for word in before] == [word.key for word in after]:
        return None
    shorter, longer = sorted((one, other), key=len)
    rest = longer[len(shorter) :]
    if (
        longer.startswith(shorter)
        and re.match(r"\s*[|\-–—·»:]\s", rest)
        and len(rest.split()) <= MAX_SITE_WORDS + 1
    ):
        return None
    diffs = compare_texts(one, other)
    if len(diffs) == 1 and diffs[0].state is ParagraphState.CHANGED:
        diff = diffs[0]
    else:
        edit = Edit(tuple(before), tuple(after))
        diff = ParagraphDiff(ParagraphState.CHANGED, edit.old, edit.new, (edit,))
    return ChangeKind.TYPO if words_kinds(diff, language) <= {ChangeKind.TYPO} else ChangeKind.TITLE


def _own_title(title: str) -> str:
    """A title without a counter before it and the site's name after it."""
    own = _COUNTER_PREFIX.sub("", " ".join(title.split()))
    parts = _SITE_SUFFIX.split(own)
    if len(parts) > 1 and len(parts[-1].split()) <= 3 and len(own) - len(parts[-1]) > len(parts[-1]):
        return own[: own.rindex(parts[-1])].rstrip(" |-–—·»:")
    return own


def _is_same_author(old: str, new: str) -> bool:
    one, other = _author_words(old), _author_words(new)
    return not one or not other or one <= other or other <= one


def _author_words(author: str) -> frozenset[str]:
    return frozenset(word.key.casefold() for word in split_words(_BY.sub("", author)) if word.is_word)


def _is_same_time(old: datetime, new: datetime) -> bool:
    if abs(old - new) < MIN_DATE_STEP:
        return True
    # One of them tells only the day.
    has_no_clock = any((at.hour, at.minute, at.second) == (0, 0, 0) for at in (old, new))
    return has_no_clock and abs(old - new) < timedelta(days=1)


def picture_key(url: str) -> str:
    """The same for one picture in another size or from another server."""
    try:
        parts = urlsplit(url.strip())
        for _, value in parse_qsl(parts.query)[:20]:
            if value.startswith(("http://", "https://")) and len(value) < len(url):
                return picture_key(value)
        path = unquote(parts.path)
    except ValueError:
        return url
    nested = max(path.rfind("http://"), path.rfind("https://"))
    if nested > 0:
        return picture_key(path[nested:])
    segments = [segment for segment in path.split("/") if segment and not _is_size(segment)]
    name = _plain_name(segments[-1]) if segments else ""
    if name and not _GENERIC.fullmatch(name):
        return name
    return "/".join([*segments[:-1], name]).lower()


def _is_size(segment: str) -> bool:
    return bool(
        re.fullmatch(
            r"\d{1,4}(?:x\d{1,4})?|(?:[\w-]{1,12}[_=:][\w.:-]{1,12},?)+|\d+_\d+_\d+_\d+|w\d+|\d+w", segment
        )
    )


def _plain_name(segment: str) -> str:
    stem = re.sub(r"\.(?:jpe?g|png|webp|avif|gif|svg)(?:\.(?:webp|avif))?\Z", "", segment.lower())
    return _SIZE.sub("", stem).strip("-_.")
