"""Decide which story items belong to: read them, load what they may belong to, compare, save.

Apart from the stage, which imports this when there is something to place.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from inforadar.errors import InfoRadarError
from inforadar.model.ids import ItemId, StoryId, new_uuid
from inforadar.model.item import shares_its_page
from inforadar.pipeline.group.vectors import VectorIndex
from inforadar.semantic import encoder
from inforadar.stages.group.copies import TextPrint, make_print
from inforadar.stages.group.grouper import Grouper, Placement
from inforadar.stages.group.pair_score import load_weights
from inforadar.stages.group.signature import Casing, Signature, Vector, make_signature, vector_texts
from inforadar.stages.group.stored import vectors_to_text, weighed_from_json, weighed_to_json
from inforadar.stages.group.vocabulary import Vocabulary, add_counts, casing_keys, keys_of, make_vocabulary
from inforadar.stages.group.window import (
    MAX_CANDIDATES,
    MAX_PER_KEY,
    WINDOW,
    Group,
    Member,
    Window,
    copy_keys,
    is_copy_key,
    searched_keys,
)
from inforadar.store.database import Database
from inforadar.store.stories.claims import GroupJob
from inforadar.store.stories.save import StoredPlacement, save_placements
from inforadar.store.stories.window import (
    Neighbours,
    StoredMember,
    load_counts,
    load_ends,
    load_neighbours,
)
from inforadar.urls import normalized_or_none
from inforadar.views.reading import TextOrigin, choose_origin, plain_text

COPY_WEIGHT = 1e6
MAX_TRIES = 20
MAX_KNOWN_WORDS = 60_000
"""How many words a worker remembers the counts of: some twenty megabytes."""

Encode = Callable[[Callable[[Sequence[str]], Vector], Sequence[str]], Awaitable[Vector]]
"""Runs the encoder on texts, in a thread or a process, and returns a row for each."""


@dataclass(frozen=True, slots=True)
class ReadJob:
    """An item, read: what it is compared by."""

    job: GroupJob
    signature: Signature
    casing: Casing
    print: TextPrint
    address: str
    vectors: str | None


@dataclass(slots=True)
class Loaded:
    """The part of the window that a batch needs, at one version."""

    version: int
    vocabulary: Vocabulary
    neighbours: Neighbours


@dataclass(frozen=True, slots=True)
class Known:
    """Counts of words as of a version: valid as long as no other worker and no person changes the grouping."""

    version: int
    vocabulary: Vocabulary


@dataclass(slots=True, kw_only=True)
class Placer:
    """Places batches of items, and remembers what the next one needs, too."""

    database: Database
    now: Callable[[], datetime]
    use_vectors: bool
    encode: Encode | None
    _index: VectorIndex | None = None
    _known: Known | None = None

    async def place(self, jobs: Sequence[GroupJob]) -> None:
        """Place the items of a batch into stories."""
        has_vectors = self.use_vectors and encoder.available()
        read = await self._read(jobs, with_vectors=has_vectors)
        for _ in range(MAX_TRIES):
            like = await self._find_like(read) if has_vectors else {}
            loaded = await self._load(read, like)
            placements, counts = await self._decide(read, loaded)
            saved = await self.database.write(save_placements, loaded.version, placements, counts, len(read))
            if saved is not None:
                self._remember(saved, loaded)
                return
        raise InfoRadarError("Other workers keep changing the stories; these items are tried again later.")

    async def _read(self, jobs: Sequence[GroupJob], *, with_vectors: bool) -> list[ReadJob]:
        texts = await asyncio.to_thread(_texts_of, jobs)
        vectors = None
        if with_vectors:
            pairs = [vector_texts(job.title, text) for job, text in zip(jobs, texts, strict=True)]
            # The titles, then the titles with their texts.
            asked = [title for title, _ in pairs] + [full for _, full in pairs]
            vectors = await (self.encode or _encode_in_thread)(encoder.vectors, asked)
        return await asyncio.to_thread(_read_jobs, jobs, texts, vectors)

    async def _decide(self, read: Sequence[ReadJob], loaded: Loaded) -> tuple[list[StoredPlacement], Counts]:
        """Place the items. Most stories that share words with one tell of another event: they are not loaded."""
        batch = await asyncio.to_thread(_screen, read, loaded)
        if batch.promising:
            known = batch.grouper.window.members.keys()
            more = await self.database.read(load_ends, batch.promising, known)
            batch.grouper.window.complete([_member_of(stored) for stored in more])
        return await asyncio.to_thread(_place_all, batch), batch.counts

    async def _load(self, read: Sequence[ReadJob], like: Mapping[ItemId, list[ItemId]]) -> Loaded:
        """Load what the items are compared with. The version is read first: a change after it is noticed at the end."""
        keys = {key for one in read for key in keys_of(one.signature)}
        keys |= {key for one in read for key in casing_keys(one.casing, one.signature.capitals)}
        version, vocabulary = await self._load_vocabulary(keys)
        wanted = {one.job.item_id: _heavy(one, vocabulary) for one in read}
        low = min(one.job.at for one in read) - WINDOW
        high = max(one.job.at for one in read) + WINDOW
        limits = {"most": MAX_CANDIDATES, "most_per_key": MAX_PER_KEY}
        neighbours = await self.database.read(load_neighbours, wanted, like, low, high, **limits)
        return Loaded(version, vocabulary, neighbours)

    async def _load_vocabulary(self, keys: set[str]) -> tuple[int, Vocabulary]:
        """Load the counts of words that are not known, or of all of them if the grouping has changed."""
        # What is decided now changes the counts; they are known again when it is saved.
        known, self._known = self._known, None
        if known is None:
            version, counted, counts = await self.database.read(load_counts, keys)
            return version, make_vocabulary(counted, counts, keys)
        words = known.vocabulary.counts.keys()
        version, counted, counts = await self.database.read(load_counts, keys, known.version, words)
        if version != known.version:
            return version, make_vocabulary(counted, counts, keys)
        add_counts(known.vocabulary, counts, keys - words)
        return version, known.vocabulary

    def _remember(self, version: int, loaded: Loaded) -> None:
        is_saved = version != loaded.version
        if is_saved and len(loaded.vocabulary.counts) <= MAX_KNOWN_WORDS:
            self._known = Known(version, loaded.vocabulary)

    async def _find_like(self, read: Sequence[ReadJob]) -> dict[ItemId, list[ItemId]]:
        if self._index is None:
            self._index = VectorIndex(self.database)
        await self._index.refresh(self.now())
        vectors = [one.signature.full_vector for one in read]
        found = await asyncio.to_thread(
            self._index.like,
            [vector for vector in vectors if vector is not None],
            [one.job.at for one in read],
        )
        return {one.job.item_id: ids for one, ids in zip(read, found, strict=True)}


async def _encode_in_thread(work: Callable[[Sequence[str]], Vector], texts: Sequence[str]) -> Vector:
    return await asyncio.to_thread(work, texts)


def _texts_of(jobs: Sequence[GroupJob]) -> list[str]:
    return [_text_of(job) for job in jobs]


def _read_jobs(jobs: Sequence[GroupJob], texts: Sequence[str], vectors: Vector | None) -> list[ReadJob]:
    read = []
    for number, (job, text) in enumerate(zip(jobs, texts, strict=True)):
        signature, casing = make_signature(job.title, text, job.language)
        stored = None
        if vectors is not None:
            title, full = vectors[number], vectors[len(jobs) + number]
            stored = vectors_to_text(title, full)
            signature = replace(signature, title_vector=title, full_vector=full)
        read.append(ReadJob(job, signature, casing, make_print(job.title, text), _address_of(job), stored))
    return read


def _text_of(job: GroupJob) -> str:
    own = plain_text(job.content) or plain_text(job.snippet)
    origin = choose_origin(job.content, len(job.clean_text), shares_page=shares_its_page(job.url))
    return job.clean_text if origin is TextOrigin.PAGE else own


def _address_of(job: GroupJob) -> str:
    """The address that the page calls its own, unless that is a front page; else its URL."""
    if shares_its_page(job.url):
        return job.url
    address = normalized_or_none(job.canonical_url) or job.url
    return address if address.count("/") > 3 or not address.endswith("/") else job.url


def _heavy(one: ReadJob, vocabulary: Vocabulary) -> list[tuple[str, float]]:
    """The keys under which an item's neighbours are found; what shows a copy counts more than any word."""
    words = searched_keys(one.signature, vocabulary)
    return [*words, *((key, COPY_WEIGHT) for key in copy_keys(one.print, one.address))]


Counts = dict[str, tuple[int, int, int]]
"""Words: items that have it, with a capital letter, without."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Items that are ready to be placed."""

    jobs: Sequence[ReadJob]
    members: Sequence[Member]
    grouper: Grouper
    promising: Collection[StoryId]
    """Stories that an item may come into, and whose members are not all loaded."""
    counts: Counts


def _screen(read: Sequence[ReadJob], loaded: Loaded) -> Batch:
    """Count and weigh the items, and find the stories that they may come into."""
    window, vocabulary = _fill_window(loaded.neighbours), loaded.vocabulary
    grouper = Grouper(window, vocabulary, load_weights(), lambda: StoryId(new_uuid()))
    learned: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    small: Counter[str] = Counter()
    members, promising = [], set()
    for one in read:
        vocabulary.learn(one.signature, one.casing)
        learned.update(keys_of(one.signature))
        capital.update({f"^{word}": number for word, number in one.casing.capital.items()})
        small.update({f"^{word}": number for word, number in one.casing.small.items()})
        before = one.job.story_id
        member = Member(
            id=one.job.item_id,
            at=one.job.at,
            signature=one.signature,
            print=one.print,
            address=one.address,
            story=before or StoryId(new_uuid()),
        )
        members.append(member)
        near = grouper.promising(member, before)
        promising.update([group.id for group in near if group.size > len(group.members)])
    every = learned.keys() | capital.keys() | small.keys()
    counts = {key: (learned[key], capital[key], small[key]) for key in every}
    return Batch(read, members, grouper, promising, counts)


def _place_all(batch: Batch) -> list[StoredPlacement]:
    window, vocabulary = batch.grouper.window, batch.grouper.vocabulary
    placements = []
    for one, member in zip(batch.jobs, batch.members, strict=True):
        before = one.job.story_id
        if (known := window.members.get(member.id)) is not None:
            window.remove(known)
        elif before is not None and before in window.groups:
            window.groups[before].size -= 1
        placement = batch.grouper.place(member, before=before)
        placements.append(_stored(one, member, placement, vocabulary))
    # A later item of the batch may have merged an earlier one's story away.
    return [replace(one, story_id=window.members[one.job.item_id].story) for one in placements]


def _fill_window(loaded: Neighbours) -> Window:
    """The part of the window that was loaded, under the keys by which it was found."""
    window = Window()
    for story in loaded.stories:
        window.groups[story.id] = Group(
            story.id, size=story.items, began_at=story.began_at, last_at=story.last_at, apart=set(story.apart)
        )
    for stored in loaded.members:
        keys = loaded.keys.get(stored.item_id, ())
        same = [key for key in keys if is_copy_key(key)]
        window.add(_member_of(stored), [key for key in keys if not is_copy_key(key)], same)
    return window


def _member_of(stored: StoredMember) -> Member:
    weighed, text, address = weighed_from_json(stored.signature, stored.vectors)
    member = Member(
        id=stored.item_id,
        at=stored.at,
        signature=weighed.signature,
        print=text,
        address=address,
        story=stored.story_id,
        copy_of=stored.copy_of,
        is_pinned=stored.is_pinned,
    )
    member.freeze(weighed)
    return member


def _stored(one: ReadJob, member: Member, placement: Placement, vocabulary: Vocabulary) -> StoredPlacement:
    return StoredPlacement(
        job=one.job,
        story_id=placement.story,
        copy_of=placement.copy_of,
        reasons=None if placement.reasons is None else msgspec.to_builtins(placement.reasons),
        signature=weighed_to_json(member.weighed(vocabulary), one.print, one.address),
        vectors=one.vectors,
        keys=placement.keys,
        merges=[(merge.kept, merge.gone, merge.score) for merge in placement.merges],
    )
