"""Stories as JSON, the same for the API and the commands. Pure functions."""

from __future__ import annotations

from typing import Any

from inforadar.views.stories import ShownStory, StoryView, Told
from inforadar.views.story_facts import Fact, Kind


def story_document(story: ShownStory) -> dict[str, Any]:
    """A story as JSON, in lists."""
    return {
        "id": str(story.id),
        "headline": story.headline,
        "headline_source": story.headline_source,
        "headline_is_neutral": story.headline_is_neutral,
        "url": story.url,
        "began_at": story.began_at.isoformat(),
        "last_at": story.last_at.isoformat(),
        "updated_at": story.updated_at.isoformat(),
        "item_count": story.items,
        "source_count": len(story.sources),
        "sources": list(story.sources),
        "languages": list(story.languages),
        "topics": list(story.topics),
        "scores": {"min": story.min_score, "max": story.max_score},
        "summary": story.summary,
    }


def view_document(view: StoryView, *, with_text: bool = True) -> dict[str, Any]:
    """A story in full as JSON; sentences of the articles only `with_text`."""
    return story_document(view.story) | {
        "items": [_told_document(told) for told in view.story.told],
        "facts": [
            _fact_document(fact, with_text=with_text)
            for fact in view.facts
            if with_text or fact.kind is not Kind.QUOTATION
        ],
        "timeline": [
            {
                "at": entry.at.isoformat(),
                "kind": entry.kind,
                "text": entry.text,
                "item_id": str(entry.item_id) if entry.item_id else None,
            }
            for entry in view.timeline
        ],
    }


def _told_document(told: Told) -> dict[str, Any]:
    return {
        "id": str(told.item_id),
        "url": told.url,
        "source": told.outlet,
        "at": told.at.isoformat(),
        "language": told.language or None,
        "title": told.title,
        "neutral_title": told.neutral_title,
        "score": told.score,
        "score_label": told.label or None,
        "copies": [str(copy.item_id) for copy in told.copies],
        "joined_because": told.because,
        "reasons": dict(told.reasons) if told.reasons else None,
    }


def _fact_document(fact: Fact, *, with_text: bool) -> dict[str, Any]:
    return {
        "kind": fact.kind.value,
        "label": fact.label,
        "first_said_by": fact.first_said_by,
        "first_said_at": fact.first_said_at.isoformat(),
        "conflict": fact.is_conflict,
        "cells": [
            {
                "source": cell.outlet,
                "state": cell.state.value,
                "value": cell.value or None,
                "sentence": (cell.sentence or None) if with_text else None,
                "item_id": str(cell.item_id) if cell.item_id else None,
            }
            for cell in fact.cells
        ],
    }
