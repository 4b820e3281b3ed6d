"""Warnings about entries that a fetch left out: lost, or left out on purpose."""

from __future__ import annotations

from inforadar.model.feed_warning import FeedWarning, left_out


def on_other_hosts(count: int) -> tuple[FeedWarning, ...]:
    return left_out(count, "on other hosts, which `feed edit --any-host` allows")


def over_the_limit(count: int, limit: int) -> tuple[FeedWarning, ...]:
    return left_out(count, f"older than the newest {limit:,}, which is the limit `FETCHER_MAX_ARTICLES`")


def below_the_cutoff(count: int) -> tuple[FeedWarning, ...]:
    return left_out(count, "older than the cutoff")


def without_a_date(count: int) -> tuple[FeedWarning, ...]:
    return left_out(count, "no date can be read", is_loss=True)
