"""Turn untrusted text and markup into safe HTML for our pages and feeds. Pure; everything passes through `nh3`.

    an article's HTML ───────────────────────────────────┐
    an older article's Markdown ──► markdown-it (no HTML) ┼──► nh3 ──► images as the setting says ──► marked words
    a listing's raw HTML ──► refused if too complex ──────┘

`nh3` is quadratic in nested blocks and in the attributes of a tag, so such input never reaches it
(`stages/canonical/document/limits.py`). A text that is too long is cut between tags: a cut tag would hide its
attributes from that check.

Steps after `nh3` work on whole tags only (`WHOLE_TAG`), also the last one, which marks words (`marks.py`).
Searching its output for anything smaller would treat text and attribute values as markup, and cutting there would turn
them into markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from itertools import islice
from typing import Literal
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markupsafe import Markup

from inforadar.stages.canonical.content.picture_sources import is_tracker, picture_key
from inforadar.stages.canonical.content.safe_html import cleaned_html, plain_html_or_none
from inforadar.stages.canonical.document.limits import MAX_OPEN_FORMATTING, TooComplexError, make_parseable
from inforadar.stages.canonical.document.tags import Tag, read_tags
from inforadar.stages.publish.text import clean, clean_markup
from inforadar.views.reading import plain_text

Images = Literal["direct", "click", "never", "plain"] | Callable[[str], str]
"""The settings of the page; `plain` is for feeds, whose validators know only the oldest attributes. A function says
under which address of ours a picture is loaded."""

MAX_CHARACTERS = 400_000
"""Longer than any real article; longer texts are cut."""
MAX_MARKDOWN_SIGNS = 1500
"""Each sign of Markdown, and each line, costs up to 50 µs; what comes after that many is shown without marks."""
MAX_TAGS = 10_000
"""Each tag costs up to 5 µs; what comes after that many is shown as plain text."""
MAX_PICTURES = 500
"""How many pictures of a text are shown."""
MAX_PLAIN_PARAGRAPHS = 5000
"""Further paragraphs are shown as one."""
MAX_TRACKER_PIXELS = 3
"""A picture with a side this short is there to be counted, not to be seen."""
MAX_MARKS = 400
MAX_MARK_STEPS = 1_000_000
"""Marking tries each word at each character, at up to 30 ns; a text beyond that many steps is shown without marks."""


@dataclass(slots=True)
class Budget:
    """The work left for showing an item: its texts share it, so that two cost no more than one."""

    characters: int = MAX_CHARACTERS
    tags: int = MAX_TAGS
    marks: int = MAX_MARKS
    mark_steps: int = MAX_MARK_STEPS

    @property
    def markdown_signs(self) -> int:
        return self.tags * MAX_MARKDOWN_SIGNS // MAX_TAGS

    def spend(self, *, characters: int = 0, tags: int = 0, markdown_signs: int = 0) -> None:
        self.characters -= characters
        self.tags -= tags + -(-markdown_signs * MAX_TAGS // MAX_MARKDOWN_SIGNS)


# nh3 writes attributes in double quotes, escapes quotes inside them, and escapes "<" in text. So this matches exactly
# the tags, each from beginning to end.
WHOLE_TAG = re.compile(r"""(</?[a-z][a-z0-9]*(?:\s+[a-z-]+="[^"]*")*\s*/?>)""")
_PLAIN_IMG = re.compile("<img [^<>]*>")
_ATTRIBUTE = re.compile(r"""([a-z-]+)="([^"]*)\"""")
_LIST_ITEM = re.compile(r"\s*<li>")
_LINE_END = re.compile(r"<br>|</tr>|</dt>|</dd>")
_BLOCK_END = re.compile(r"</(?:p|h[2-6]|ul|ol|dl|blockquote|pre|figure|table)>|<hr>")
_BLANK_LINES = re.compile(r"\n{3,}")
_H1 = re.compile(r"(?m)^# ")
_MARKDOWN_SIGN = re.compile(r"[\[\]*_`<!~\\|\n]")
_ESCAPED_SIGN = re.compile(r"\\([!-/:-@\[-`{-~])")
PICTURE_SIGN = "▣"
"""Stands for a picture where only text can be shown."""
_PLAIN_PICTURE = re.compile(r'<img src="([^"]*)" alt="([^"]*)">')
_ANGLE = re.compile("<")
_OPEN_TAG = re.compile(r"<[a-zA-Z/!?]")
# Possessive, so that nothing is tried twice.
_SIMPLE = re.compile(
    r"""[^<]*+(?:</?+[a-zA-Z][a-zA-Z0-9]*+(?:[ \n]++[a-zA-Z-]++="[^"<>]*+"){0,20}+[ \n]*+/?+>[^<]*+)*+"""
)
_PICTURE = re.compile(r'<(?:img [^>]*?src|a class="picture" href)="([^"]*)"')


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "maxNesting": 40}).enable(["table", "strikethrough"])


def kept_html(html: str, images: Images, budget: Budget | None = None) -> Markup:
    """An article's HTML as it is kept, checked once more: a database may be older, or come from somebody else."""
    return _checked(html, images, "", budget or Budget()) or Markup()


def article_html(markdown: str, images: Images, budget: Budget | None = None) -> Markup:
    """Render the Markdown of an article that has no HTML. Its headings start one level below ours."""
    budget = budget or Budget()
    text = _H1.sub("## ", _cut_at_line(clean(markdown), budget))
    end = _end_of_markdown(text, budget)
    shown = _finish(_markdown().render(text[:end]), images)
    rest = _ESCAPED_SIGN.sub(r"\1", text[end:]).split("\n\n", MAX_PLAIN_PARAGRAPHS)
    return shown + plain_html([one for one in rest if one.strip()])


def _end_of_markdown(text: str, budget: Budget) -> int:
    """How far a text is rendered: to its end, or to the end of a paragraph or line before there are too many signs."""
    signs = [found.start() for found in islice(_MARKDOWN_SIGN.finditer(text), budget.markdown_signs + 1)]
    beyond = signs[-1] if len(signs) > budget.markdown_signs else None
    budget.spend(markdown_signs=min(len(signs), budget.markdown_signs))
    if beyond is None:
        return len(text)
    end = text.rfind("\n\n", 0, beyond)
    return max(0, end if end > 0 else text.rfind("\n", 0, beyond))


def plain_html(paragraphs: Iterable[str]) -> Markup:
    """Render plain text, a paragraph each."""
    return Markup("\n".join(f"<p>{escape(one)}</p>" for one in paragraphs))  # noqa: S704 - escaped


def listing_html(html: str, images: Images, base: str = "", budget: Budget | None = None) -> Markup | None:
    """Sanitize the content from the feed; `None` if it is empty or too complex to parse.

    Links are relative to `base`: the entry's page.
    """
    return _checked(html, images, base, budget or Budget()) or None


def _checked(html: str, images: Images, base: str, budget: Budget) -> Markup | None:
    text = clean_markup(html)[: budget.characters]
    budget.spend(characters=len(text))
    if (plain := _plain_or_none(text, budget)) is not None:
        return _plain(plain, images)
    if _is_simple(text, budget):
        return _cleaned(text, images, base)
    end = _end_of_markup(text, budget)
    try:
        safe = make_parseable(*_whole_tags(text[:end]))
    except TooComplexError:
        return None
    shown = _finish(safe, images, base)
    rest = plain_text(text[end:]) if end < len(text) else ""
    return shown + plain_html([rest]) if rest else shown


def _plain_or_none(html: str, budget: Budget) -> str | None:
    """A text that needs no cleaning, as most need none; None for others, and if it has many tags."""
    tags = html.count("<")
    if tags > min(MAX_OPEN_FORMATTING, budget.tags) or (plain := plain_html_or_none(html)) is None:
        return None
    budget.spend(tags=tags)
    return plain


def _is_simple(html: str, budget: Budget) -> bool:
    """Whether a text has few tags, all of them complete and plainly written: it reaches no limit."""
    tags = html.count("<")
    if tags > min(MAX_OPEN_FORMATTING, budget.tags) or _SIMPLE.fullmatch(html) is None:
        return False
    budget.spend(tags=tags)
    return True


def _end_of_markup(html: str, budget: Budget) -> int:
    """How far a text is shown with its markup: to its end, or to where it has too many tags."""
    angles = [found.start() for found in islice(_ANGLE.finditer(html), budget.tags + 1)]
    beyond = angles[-1] if len(angles) > budget.tags else None
    budget.spend(tags=min(len(angles), budget.tags))
    return len(html) if beyond is None else beyond


def _whole_tags(html: str) -> tuple[str, list[Tag]]:
    """Leave out a tag at the end that is not complete; also return the tags."""
    tags = list(read_tags(html))
    cut = _OPEN_TAG.search(html, tags[-1][2] if tags else 0)
    return (html[: cut.start()] if cut else html), tags


def _cut_at_line(text: str, budget: Budget) -> str:
    """Cut a text that is too long after a line, so that no mark loses its other half."""
    if len(text) > budget.characters:
        end = text.rfind("\n", 0, budget.characters)
        text = text[: end if end > 0 else budget.characters]
    budget.spend(characters=len(text))
    return text


def listing_text(html: str, base: str = "") -> str:
    """The content from the feed as plain text, blocks separated by a blank line; empty if there is none."""
    safe = listing_html(html, "plain", base)
    if safe is None:
        return ""
    safe = Markup(_PLAIN_PICTURE.sub(_picture_line, safe))  # noqa: S704 - only to be read as text
    marked = _LINE_END.sub("\n", _BLOCK_END.sub("\n\n", _LIST_ITEM.sub("\n• ", str(safe))))
    text = unescape(WHOLE_TAG.sub("", marked))
    return _BLANK_LINES.sub("\n\n", "\n".join(line.strip() for line in text.split("\n"))).strip()


def _picture_line(found: re.Match[str]) -> str:
    return f"\n\n{PICTURE_SIGN} {found[2] or 'Picture'}: {found[1]}\n\n"


def lead_html(address: str | None, text: Markup, images: Images) -> Markup:
    """The lead image, to stand above a text; empty if the text starts with a picture or has this one."""
    if not address or text.startswith("<figure") or not address.startswith(("http://", "https://")):
        return Markup()
    shown = (unescape(one) for one in _PICTURE.findall(text))
    originals = (unquote(one.partition("?url=")[2]) for one in shown) if callable(images) else shown
    if picture_key(address) in map(picture_key, originals):
        return Markup()
    image = _image(f'<img src="{escape(address)}" alt="">', images)
    return Markup(f'<figure class="lead">{image}</figure>') if image else Markup()  # noqa: S704 - escaped above


def thumbnail_html(address: str | None, images: Images) -> Markup:
    """A small lead image for lists; empty unless images are loaded without asking."""
    if (
        not address
        or not (images == "direct" or callable(images))
        or not address.startswith(("http://", "https://"))
    ):
        return Markup()
    return Markup(_image(f'<img src="{escape(address)}" alt="" width="96" height="72">', images))  # noqa: S704 - escaped


def _finish(html: str, images: Images, base: str = "") -> Markup:
    plain = plain_html_or_none(html)
    return _cleaned(html, images, base) if plain is None else _plain(plain, images)


def _cleaned(html: str, images: Images, base: str) -> Markup:
    return _with_pictures(cleaned_html(html, base), WHOLE_TAG, images)


def _plain(plain: str, images: Images) -> Markup:
    """Finish what needs no cleaning. Nothing in it looks like a picture and is none, so only pictures are searched."""
    return _with_pictures(plain, _PLAIN_IMG, images)


def _with_pictures(safe: str, tag_pattern: re.Pattern[str], images: Images) -> Markup:
    if "<img" not in safe:
        return Markup(safe)  # noqa: S704 - nh3 wrote it, or would have
    pictures = 0

    def written(found: re.Match[str]) -> str:
        nonlocal pictures
        tag = found[0]
        if not tag.startswith("<img"):
            return tag
        pictures += 1
        return _image(tag, images) if pictures <= MAX_PICTURES else ""

    return Markup(tag_pattern.sub(written, safe))  # noqa: S704 - as above


def _image(tag: str, images: Images) -> str:
    """Write a picture as the setting says: the one place where the address of a picture becomes what is loaded."""
    # Escape again: a value that is safe in an attribute may not be safe as the text of a link.
    given = dict(_ATTRIBUTE.findall(tag))
    if "&" in tag or "'" in tag or tag.find("<", 1) > 0 or tag.find(">") < len(tag) - 1:
        given = {name: escape(unescape(value)) for name, value in given.items()}
    source, alt = given.get("src", ""), given.get("alt", "").strip()
    sides = [given[name] for name in ("width", "height") if name in given]
    if not source or images == "never" or is_tracker(unescape(source)):
        return ""
    if sides and min(map(int, sides)) <= MAX_TRACKER_PIXELS:
        return ""
    if images == "plain":
        return f'<img src="{source}" alt="{alt}">'
    if images == "click":
        label = f"Show the picture: {alt}" if alt else "Show the picture"
        return (
            f'<a class="picture" href="{source}" data-picture="" data-alt="{alt}" '
            f'rel="noopener noreferrer nofollow">{label}</a>'
        )
    if callable(images):
        source = escape(images(unescape(source)))
    size = f' width="{sides[0]}" height="{sides[1]}"' if len(sides) == 2 else ""
    return (
        f'<img src="{source}" alt="{alt}"{size} loading="lazy" decoding="async" referrerpolicy="no-referrer">'
    )
