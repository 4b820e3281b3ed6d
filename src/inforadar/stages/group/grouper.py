"""Decide which story an item belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice
from statistics import fmean

from inforadar.model.ids import ItemId, StoryId
from inforadar.stages.group.copies import differ, is_copy
from inforadar.stages.group.pair_score import PairScore, Weights, score_pair
from inforadar.stages.group.reasons import Reasons, explain
from inforadar.stages.group.vocabulary import Vocabulary
from inforadar.stages.group.window import Group, Member, Window, copy_keys, heavy_keys

NEAREST = 3
"""A story is as near as the mean of this many of its nearest members."""
MAX_LINKED = 6
"""How many members of each of two stories are compared before they are merged."""
NEAR = -1.5
"""A story at least this near is compared as a whole with the one that the item joined."""
HOPELESS = -3.0
"""A story none of whose likeliest members scores as much is not compared any further."""
MAX_NEAR = 4
ALIKE = -1.0
"""The mean score that two stories need without the item that brought them together."""
STICKY = 0.4
"""An item that is placed again leaves its story only for one that is nearer by this much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two stories that turned out to be one."""

    kept: StoryId
    gone: StoryId
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where an item belongs, and why."""

    story: StoryId
    is_new: bool
    copy_of: ItemId | None = None
    reasons: Reasons | None = None
    """None for the first item of a story."""
    merges: Sequence[Merge] = ()
    keys: Sequence[str] = ()
    """The keys under which the item is found from now on: heavy words, and what shows a copy."""


@dataclass(slots=True)
class Grouper:
    """Places items into the stories of a window, one after the other."""

    window: Window
    vocabulary: Vocabulary
    weights: Weights
    new_story: Callable[[], StoryId]
    _scores: dict[Member, dict[Member, PairScore]] = field(default_factory=dict)
    _screened: dict[Member, dict[Member, PairScore]] = field(default_factory=dict)
    """Scores of items that are to be placed."""

    def promising(self, member: Member, before: StoryId | None = None) -> list[Group]:
        """The stories that an item may come into, by those of their members that are at hand.

        Only these are looked at more closely; where the window has a part of each story, it needs the rest of these.
        """
        heavy = heavy_keys(member.weighed(self.vocabulary))
        if self._original(member, copy_keys(member.print, member.address)) is not None:
            return []
        self._scores = {}
        promising = [
            self.window.groups[story]
            for story, others in self._find(member, heavy, before).items()
            if story == before or max(self._score(member, other).value for other in others) >= HOPELESS
        ]
        self._screened[member] = self._scores.get(member, {})
        return promising

    def place(self, member: Member, *, before: StoryId | None = None) -> Placement:
        """Place an item and add it to the window. `before` is the story that it was in until now."""
        weighed = member.weighed(self.vocabulary)
        heavy = heavy_keys(weighed)
        same = copy_keys(member.print, member.address)
        original = self._original(member, same)
        if original is not None:
            member.story, member.copy_of = original.story, original.copy_of or original.id
            self._settle(member, (), same)
            reasons = explain(member, original, None, self.vocabulary)
            return Placement(
                story=member.story, is_new=False, copy_of=member.copy_of, reasons=reasons, keys=same
            )
        self._scores = {member: self._screened.pop(member, {})}
        words = [key for key, _ in heavy]
        keys = [*words, *same]
        ranked = self._rank(member, heavy, before)
        if ranked and ranked[0][0] >= 0:
            group = ranked[0][1]
            member.story = group.id
            nearest, score = self._nearest(member, group)
            reasons = explain(member, nearest, score, self.vocabulary)
            self._settle(member, words, same)
            merges = self._merge_near(group, [other for score, other in ranked[1:] if score >= NEAR], member)
            return Placement(story=member.story, is_new=False, reasons=reasons, merges=merges, keys=keys)
        member.story = self._own_story(before)
        self._settle(member, words, same)
        near = [other for score, other in ranked if score >= NEAR]
        merges = self._merge_near(self.window.groups[member.story], near, member) if near else []
        return Placement(story=member.story, is_new=not merges, merges=merges, keys=keys)

    def _own_story(self, before: StoryId | None) -> StoryId:
        """A new story; an item that was alone in its story keeps that."""
        if before is not None:
            group = self.window.groups.get(before)
            if group is None or group.size <= 0:
                return before
        return self.new_story()

    def _settle(self, member: Member, keys: Sequence[str], same: Sequence[str]) -> None:
        self.window.add(member, keys, same)
        group = self.window.groups[member.story]
        group.size += 1
        if member.copy_of is None or group.last_at is None:
            # A feed that repeats one text does not keep its story open forever.
            group.note(member.at)

    def _original(self, member: Member, keys: Sequence[str]) -> Member | None:
        """The item whose text this one repeats."""
        for other in self.window.same_text(keys):
            group = self.window.groups[other.story]
            same = is_copy(member.print, other.print) or (
                # Pages of one site may all name the front page as their address.
                member.address != ""
                and member.address == other.address
                and not differ(member.print, other.print)
            )
            if same and group.is_open(member.at):
                return other
        return None

    def _find(
        self, member: Member, heavy: Sequence[tuple[str, float]], before: StoryId | None
    ) -> Mapping[StoryId, list[Member]]:
        """The members that an item is compared with, by story."""
        by_story: defaultdict[StoryId, list[Member]] = defaultdict(list)
        own = self.window.groups.get(before) if before is not None else None
        apart = own.apart if own is not None else set()
        for other in self.window.candidates(heavy, member.signature.full_vector):
            if other.story not in apart and self.window.groups[other.story].is_open(member.at):
                by_story[other.story].append(other)
        if before is not None and before in self.window.groups and self.window.groups[before].members:
            by_story[before] += self.window.groups[before].members[-NEAREST:]
        return by_story

    def _rank(
        self, member: Member, heavy: Sequence[tuple[str, float]], before: StoryId | None
    ) -> list[tuple[float, Group]]:
        """The stories at hand, the nearest first."""
        ranked = []
        for story, found in self._find(member, heavy, before).items():
            group = self.window.groups[story]
            score = self._nearness(member, group, found)
            ranked.append((score + (STICKY if story == before else 0.0), group))
        # The larger story first where two are equally near, then the older one.
        ranked.sort(key=lambda pair: (-pair[0], -pair[1].size, pair[1].id.bytes))
        return ranked

    def _nearness(self, member: Member, group: Group, found: Sequence[Member]) -> float:
        scores = {other: self._score(member, other).value for other in found}
        if max(scores.values()) < HOPELESS:
            # The likeliest members are far away: the others would not bring the story near.
            return max(scores.values())
        if len(scores) < NEAREST and len(scores) < len(group.members):
            more = (other for other in group.members if other not in scores and other.copy_of is None)
            for other in list(islice(more, NEAREST - len(scores))):
                scores[other] = self._score(member, other).value
        return fmean(nlargest(NEAREST, _counting(member, scores)))

    def _nearest(self, member: Member, group: Group) -> tuple[Member, PairScore]:
        """The member of a story that scored best, the first of equals."""
        compared = [
            (other, score)
            for other, score in self._scores[member].items()
            if other.story == group.id and self.window.members.get(other.id) is other
        ]
        return min(compared, key=lambda pair: (-pair[1].value, pair[0].at, pair[0].id))

    def _score(self, one: Member, other: Member) -> PairScore:
        scores = self._scores.get(one)
        if scores is None:
            scores = self._scores[one] = {}
        found = scores.get(other) or self._scores.get(other, {}).get(one)
        if found is None:
            found = score_pair(one.weighed(self.vocabulary), other.weighed(self.vocabulary), self.weights)
            scores[other] = found
        return found

    def _merge_near(self, group: Group, others: Sequence[Group], bridge: Member) -> list[Merge]:
        """Merge the item's story with near ones, if all their members are alike and nobody objected.

        The members must be somewhat alike without the new item too: a text that repeats the words of two events must
        not make them one.
        """
        merges = []
        for other in others[:MAX_NEAR]:
            if other.id == group.id or other.id in group.apart or group.id in other.apart:
                continue
            score = self._linkage(group, other)
            if score < self.weights.merge or self._linkage(group, other, without=bridge) < ALIKE:
                continue
            kept, gone = (
                (group, other)
                if (group.size, -group.id.int) >= (other.size, -other.id.int)
                else (other, group)
            )
            self._absorb(kept, gone)
            merges.append(Merge(kept=kept.id, gone=gone.id, score=round(score, 3)))
            group = kept
        return merges

    def _linkage(self, one: Group, other: Group, without: Member | None = None) -> float:
        pairs = [
            self._score(a, b).value
            for a in _representatives(one)
            for b in _representatives(other)
            if a is not b and a is not without
        ]
        return fmean(pairs) if pairs else 0.0

    def _absorb(self, kept: Group, gone: Group) -> None:
        for member in gone.members:
            member.story = kept.id
        kept.members += gone.members
        kept.size += gone.size
        for at in (gone.began_at, gone.last_at):
            if at is not None:
                kept.note(at)
        kept.apart |= gone.apart
        for other in self.window.groups.values():
            if gone.id in other.apart:
                other.apart.add(kept.id)
        del self.window.groups[gone.id]


def _counting(member: Member, scores: dict[Member, float]) -> list[float]:
    """The scores that count: those in the item's own language; if there are none, the best one.

    Across languages a loaded telling is far from a plain one, even if both tell of one event.
    """
    language = member.signature.language
    own = [score for other, score in scores.items() if other.signature.language == language]
    return own or [max(scores.values())]


def _representatives(group: Group) -> list[Member]:
    """The first and the last members, without copies."""
    told = [member for member in group.members if member.copy_of is None]
    if len(told) <= MAX_LINKED:
        return told
    return told[: MAX_LINKED // 2] + told[-MAX_LINKED // 2 :]
