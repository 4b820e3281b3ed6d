"""An article of a newsroom that its outlet changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inforadar.model.article import Extracted
from inforadar.model.ids import ItemId
from inforadar.model.revision import Revision
from inforadar.pipeline.revise.compare import snapshot_of
from inforadar.stages.revise.judge import judge_look
from inforadar.store.revisions.claims import claim_look
from inforadar.store.revisions.save import LookEnding, NewVersion, save_look
from inforadar.urls import uid
from tests.support.faces.newsroom import Newsroom

URL = "https://one.example/ferry"
OTHER_URL = "https://two.example/ferry"
FIRST_TEXT = (
    "A ferry ran aground in thick fog off Halden on Tuesday, leaving 40 people injured, the coast guard said.\n\n"
    "The Northern Star was carrying 312 passengers when it struck a sandbank near the harbour.\n\n"
    "Police closed the eastern pier for the night.\n\nThe harbour office expects the ship to be towed on Thursday.\n\n"
    "A spokeswoman said that <b>divers</b> were checking the hull."
)
SECOND_TEXT = FIRST_TEXT.replace(", leaving 40 people injured,", ",")
OTHER_TEXT = (
    "The ferry that ran aground off Halden left 40 people injured, the coast guard said on Tuesday evening."
)


def extracted(text: str, title: str) -> Extracted:
    html = "".join(f"<p>{part}</p>" for part in text.replace("<", "&lt;").split("\n\n"))
    return Extracted(clean_text=text, markdown=text, html=html, title=title, language="en")


async def add_changed_article(newsroom: Newsroom) -> ItemId:
    """An article whose outlet dropped a number and changed the headline, silently; another outlet still has it."""
    one = await newsroom.add_feed("https://one.example/feed", source="One", topic="world")
    item = await newsroom.add_item(one, URL, title="Ferry aground: 40 <injured>")
    two = await newsroom.add_feed("https://two.example/feed", source="Two", topic="world")
    await newsroom.add_item(two, OTHER_URL, title="Ferry aground off Halden: 40 injured")
    await newsroom.finish_articles(
        {
            URL: extracted(FIRST_TEXT, "Ferry aground: 40 <injured>"),
            OTHER_URL: extracted(OTHER_TEXT, "Ferry aground off Halden: 40 injured"),
        }
    )
    await change_article(newsroom, extracted(SECOND_TEXT, "Ferry aground off Halden"))
    return item.id


async def change_article(newsroom: Newsroom, new: Extracted) -> None:
    job = await newsroom.database.write(claim_look, uid(URL))
    assert job is not None
    revision = judge_look(job.snapshot, snapshot_of(new, URL))
    assert isinstance(revision, Revision)
    now = datetime.now(UTC)
    ending = LookEnding(
        job=job,
        at=now,
        due_at=now + timedelta(hours=1),
        new=NewVersion(extracted=new, revision=revision, headers={"etag": '"2"'}),
    )
    assert await newsroom.database.write(save_look, ending, max_versions=30)
