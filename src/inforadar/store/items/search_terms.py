"""The terms of a query as conditions on items: phrases, fields, exclusions, and words without the index."""

from __future__ import annotations

from datetime import datetime
from typing import Any, assert_never

from sqlalchemy import ColumnElement, FromClause, Text, and_, false, func, literal, not_, or_, select, true
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.clock import utc_now
from inforadar.model.person import PersonId
from inforadar.model.search_tree import (
    After,
    All,
    AnyOf,
    Before,
    Changed,
    HasLabel,
    HasMark,
    InStory,
    InTitle,
    Language,
    Node,
    Not,
    Phrase,
    ScoreRange,
    Source,
    StorySize,
    Topic,
    Word,
)
from inforadar.store.feeds.label_match import is_named
from inforadar.store.items.change_terms import has_changed
from inforadar.store.items.search import (
    AllWords,
    Search,
    WordTree,
    has_words,
    has_words_unindexed,
    read_search,
)
from inforadar.store.items.search_words import phrase_pattern, query_words
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import mark_labels, marks
from inforadar.store.schema.search import item_search
from inforadar.store.schema.stories import stories, story_items


class _SpacedWords(FunctionElement[str]):
    """A text as `search_words.spaced_words` writes it: folded words between spaces."""

    type = Text()
    name = "spaced_words"
    inherit_cache = True


@compiles(_SpacedWords, "sqlite")
def _sqlite_spaced_words(element: _SpacedWords, compiler: SQLCompiler, **kw: Any) -> str:
    return f"spaced_words({compiler.process(element.clauses, **kw)})"


# What separates words: ASCII punctuation, and the blocks of signs, punctuation and pictures of Unicode.
_SEPARATORS = (
    r"[\x01-/:-@\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf"
    r"\u2190-\u245f\u2500-\u2bff\u3000-\u3004\u3008-\u3020\u3030\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff0f"
    r"\uff1a-\uff20\U0001f000-\U0001faff]+"
)


@compiles(_SpacedWords)
def _default_spaced_words(element: _SpacedWords, compiler: SQLCompiler, **kw: Any) -> str:
    text = f"lower(normalize(left({compiler.process(element.clauses, **kw)}, 100000), NFKD))"
    text = rf"normalize(regexp_replace({text}, E'[\u0300-\u036f]+', '', 'g'), NFC)"
    text = f"translate(replace({text}, 'ß', 'ss'), 'łđøıς_', 'ldoiσ ')"
    separators = _SEPARATORS.replace(r"\[", r"\\[")
    return f"(' ' || regexp_replace({text}, E'{separators}', ' ', 'g') || ' ')"


def search_conditions(
    search: Search, table: FromClause, person_id: PersonId | None, *, with_index: bool
) -> list[ColumnElement[bool]]:
    """Conditions on a row of `items` or of an alias of it."""
    if search.is_empty:
        return [false()]
    conditions: list[ColumnElement[bool]] = []
    if search.words is not None:
        if with_index:
            found = select(item_search.c.item_id).where(has_words(search.words))
            conditions.append(table.c.id.in_(found))
        else:
            conditions.append(_has_words(search.words, table))
    now = utc_now()
    return [*conditions, *(_condition(node, table, person_id, now) for node in search.rest)]


def item_matches(query: str, person_id: PersonId | None) -> ColumnElement[bool]:
    """Condition on a row of `items`: it matches the query."""
    return and_(true(), *search_conditions(read_search(query), items, person_id, with_index=True))


def _has_words(words: WordTree, table: FromClause) -> ColumnElement[bool]:
    own = item_search.c.item_id == table.c.id
    return (
        select(literal(1)).select_from(item_search).where(own, has_words_unindexed(words)).correlate(table)
    ).exists()


def _condition(node: Node, t: FromClause, person_id: PersonId | None, now: datetime) -> ColumnElement[bool]:  # noqa: PLR0911, PLR0912
    match node:
        case All(nodes):
            return and_(true(), *(_condition(one, t, person_id, now) for one in nodes))
        case AnyOf(nodes):
            return or_(false(), *(_condition(one, t, person_id, now) for one in nodes))
        case Not(inner):
            return not_(func.coalesce(_condition(inner, t, person_id, now), false()))
        case Word(text):
            return _has_words(AllWords(query_words(text)), t)
        case Phrase(text):
            return _has_phrase(text, t)
        case InTitle(text):
            return _has_in_title(text, t)
        case Source(name):
            return t.c.feed_id.in_(select(feeds.c.id).where(_is_called(feeds.c.source, name)))
        case Topic(name):
            return t.c.feed_id.in_(select(feeds.c.id).where(_is_called(feeds.c.topic, name)))
        case Language(code):
            language = func.lower(func.replace(_language(t), "_", "-"))
            return or_(language == code, language.like(f"{_like(code)}-%", escape="\\"))
        case Before(moment):
            return t.c.pub_date < moment.resolve(now)
        case After(moment):
            return t.c.pub_date >= moment.resolve(now)
        case ScoreRange():
            low = t.c.score >= node.low if node.has_low else t.c.score > node.low
            high = t.c.score <= node.high if node.has_high else t.c.score < node.high
            return and_(low, high)
        case StorySize(low, high):
            return _story_has(t, low, high)
        case InStory(id_):
            kept = select(stories.c.merged_into).where(stories.c.id == id_).scalar_subquery()
            inside = or_(story_items.c.story_id == id_, story_items.c.story_id == kept)
            return t.c.id.in_(select(story_items.c.item_id).where(inside))
        case Changed():
            return has_changed(node, t, now)
        case HasMark(mark):
            if mark == "unread":
                return ~_marked(t, person_id, "read")
            return _marked(t, person_id, mark)
        case HasLabel(label):
            own = (mark_labels.c.person_id == person_id, mark_labels.c.hash == t.c.hash)
            named = func.lower(mark_labels.c.label) == label.lower()
            found = select(literal(1)).select_from(mark_labels).where(*own, named)
            return found.correlate(t).exists() if person_id else false()
        case _:
            assert_never(node)


def _like(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _is_called(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    named = is_named(column, [name])
    # The index ignores the case of ASCII letters only.
    return named if name.isascii() else or_(named, func.lower(column) == name.lower())


def _marked(t: FromClause, person_id: PersonId | None, mark: str) -> ColumnElement[bool]:
    if person_id is None:
        return false()
    own = (marks.c.person_id == person_id, marks.c.hash == t.c.hash, marks.c[f"{mark}_at"].is_not(None))
    return select(literal(1)).select_from(marks).where(*own).correlate(t).exists()


def _language(t: FromClause) -> ColumnElement[str]:
    of_article = select(articles.c.language).where(articles.c.uid == t.c.uid, articles.c.url == t.c.url)
    of_feed = select(feeds.c.language).where(feeds.c.id == t.c.feed_id)
    return func.coalesce(
        of_article.correlate(t).scalar_subquery(),
        t.c.language,
        t.c.analyzer_result["language"].as_string(),
        of_feed.correlate(t).scalar_subquery(),
    )


def _story_has(t: FromClause, low: int, high: int | None) -> ColumnElement[bool]:
    """Number of sources of its story; an item that is in none has one."""
    own = select(stories.c.source_count).join_from(
        stories, story_items, story_items.c.story_id == stories.c.id
    )
    size = func.coalesce(own.where(story_items.c.item_id == t.c.id).correlate(t).scalar_subquery(), 1)
    return size >= low if high is None else size.between(low, high)


def _has_in_title(text: str, t: FromClause) -> ColumnElement[bool]:
    pattern = phrase_pattern(text)
    return or_(
        func.coalesce(_SpacedWords(t.c.title).like(pattern), false()),
        func.coalesce(_SpacedWords(t.c.analyzer_result["title"].as_string()).like(pattern), false()),
    )


def _has_phrase(text: str, t: FromClause) -> ColumnElement[bool]:
    pattern = phrase_pattern(text)
    own = (articles.c.uid == t.c.uid, articles.c.url == t.c.url)
    in_text = _SpacedWords(articles.c.clean_text).like(pattern)
    return or_(
        _has_in_title(text, t),
        func.coalesce(_SpacedWords(t.c.snippet).like(pattern), false()),
        select(literal(1)).select_from(articles).where(*own, in_text).correlate(t).exists(),
    )
