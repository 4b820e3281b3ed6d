"""From items to documents: pure renderers for RSS, Atom and JSON Feed, and the fair mix of several feeds.

A channel and its entries go in, a document comes out. Nothing is read or stored here, so a document can be
built for the cache, for one request or for a test alike.
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
