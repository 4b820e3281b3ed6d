"""Whatever the order of runs, crashes, edits and clean-up: published once when new, once for each advance, never lost.

A publication and the mark that says so are one transaction, as they are in the program; everything else may be cut
off between two transactions.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import create_engine

from inforadar.model.sitemap import SitemapEntry, UrlState
from inforadar.store.schema.sitemaps import site_states, url_states
from inforadar.store.sitemaps.prune import prune_urls
from inforadar.store.sitemaps.queries import load_open_urls
from inforadar.store.sitemaps.record import mark_urls, note_left, record_entries, save_site

FILES = (UUID(int=1), UUID(int=2))
NAMES = st.sampled_from(["a", "b"])
FILE = st.sampled_from([0, 1])


class Publishing(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.engine = create_engine("sqlite://")
        self.connection = self.engine.connect()
        site_states.create(self.connection)
        url_states.create(self.connection)
        self.at = datetime(2026, 11, 15, tzinfo=UTC)
        self.files: list[dict[str, datetime]] = [{}, {}]
        self.published: dict[str, list[datetime]] = {}
        """What was published with which lastmod: what the test is about."""
        self.known: dict[str, datetime] = {}
        """Noted as listed, with the latest lastmod: what must be published, sooner or later."""
        self.left_at: dict[str, datetime] = {}
        save_site(self.connection, "site", at=self.at)
        self.connection.commit()

    def teardown(self) -> None:
        if hasattr(self, "connection"):
            self.connection.close()
            self.engine.dispose()

    @rule(name=NAMES, file=FILE)
    def write_an_article(self, name: str, file: int) -> None:
        self.files[file].setdefault(name, self.at)

    @rule(name=NAMES, file=FILE)
    def change_an_article(self, name: str, file: int) -> None:
        if name in self.files[file]:
            self.files[file][name] = self.at

    @rule(name=NAMES, file=FILE)
    def take_an_article_out(self, name: str, file: int) -> None:
        self.files[file].pop(name, None)

    @rule(name=NAMES, file=FILE)
    def take_one_out_for_a_run(self, name: str, file: int) -> None:
        if name in self.files[file]:
            lastmod = self.files[file].pop(name)
            self.read_a_file(file, "not at all", 0)
            self.files[file][name] = lastmod

    @rule(hours=st.sampled_from([1, 24, 31 * 24]))
    def let_time_pass(self, hours: int) -> None:
        self.at += timedelta(hours=hours)

    @rule(
        file=FILE,
        crash=st.sampled_from(["not at all", "before the end", "while publishing"]),
        done=st.integers(0, 3),
    )
    def read_a_file(self, file: int, crash: str, done: int) -> None:
        """The other file is not asked, or says 304: what it lists is still listed."""
        self.at += timedelta(minutes=1)
        listed = self.files[file]
        entries = [SitemapEntry(name, lastmod) for name, lastmod in listed.items()]
        found = record_entries(self.connection, "site", entries, at=self.at, file_id=FILES[file])
        self.connection.commit()
        for name, lastmod in listed.items():
            self.known[name] = max(lastmod, self.known.get(name, lastmod))
            self.left_at.pop(name, None)
        assert len(found) == len({one.url for one in found})
        if crash == "before the end":
            return
        note_left(self.connection, "site", self.at, file_id=FILES[file])
        self.connection.commit()
        self.publish(done if crash == "while publishing" else None)

    @rule()
    def take_up_what_is_open(self) -> None:
        self.publish(None)

    def publish(self, at_most: int | None) -> None:
        for name, lastmod, _ in load_open_urls(self.connection, "site")[:at_most]:
            self.published.setdefault(name, []).append(lastmod)
            mark_urls(self.connection, "site", [name], UrlState.PROCESSED)
            self.connection.commit()

    @rule()
    def clean_up(self) -> None:
        prune_urls(self.connection, at=self.at, days=30, most=1)
        self.connection.commit()
        rows = self.connection.execute(url_states.select()).all()
        self.connection.commit()
        remembered = {row.url for row in rows}
        still_listed = set(self.known) & (set(self.files[0]) | set(self.files[1]))
        # What the sitemap lists and was read there is never forgotten.
        assert still_listed <= remembered, still_listed - remembered
        for name in set(self.known) - remembered:
            # It may come back as new, because it was gone; that begins anew.
            del self.known[name]
            self.published.pop(name, None)

    @invariant()
    def nothing_is_published_twice(self) -> None:
        for name, versions in getattr(self, "published", {}).items():
            assert versions == sorted(set(versions)), (name, versions)
            assert versions[-1] <= self.known[name]

    @rule()
    def nothing_is_lost(self) -> None:
        """A run to the end publishes the latest version of everything that is listed."""
        for file in (0, 1):
            self.read_a_file(file, "not at all", 0)
        for name in set(self.files[0]) | set(self.files[1]):
            assert self.published[name][-1] == self.known[name]
        self.at += timedelta(days=31)
        self.clean_up()


Publishing.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestPublishing = Publishing.TestCase
