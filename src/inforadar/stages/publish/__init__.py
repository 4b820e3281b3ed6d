"""Renders items as documents: RSS, Atom and JSON Feed, and the fair mix of several feeds.

A channel and its entries (`entry.py`) go in, a document comes out. Nothing is read or stored here, so a document
can be built the same way for the cache, for one request or for a test.

Start with `formats.py`, the dict of formats that the web serves, and `rss.py`, which the pipeline builds and
stores; `atom.py` and `jsonfeed.py` are its siblings. All three take the texts to show from `visible_text.py` and
our extension from `deframe.py`, and write values with `text.py`, `dates.py`, `languages.py`, `files.py` and
`addresses.py`. `shape.py` leaves out what a reader does not want, and what would make a document too large.
`mix.py` interleaves several feeds for `/api/site`.
"""

from inforadar.stages.publish.atom import render_atom
from inforadar.stages.publish.deframe import NAMESPACE
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.jsonfeed import render_json_feed
from inforadar.stages.publish.mix import mix
from inforadar.stages.publish.rss import RssDocument, render_rss

__all__ = [
    "NAMESPACE",
    "ChannelInfo",
    "Entry",
    "RssDocument",
    "mix",
    "render_atom",
    "render_json_feed",
    "render_rss",
]
