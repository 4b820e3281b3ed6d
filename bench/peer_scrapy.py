"""A typical spider for feeds: Scrapy fetches, feedparser parses, SQLite stores. Runs in the peers' environment.

python peer_scrapy.py URLS DATABASE
"""

import sqlite3
import sys
from pathlib import Path

import feedparser
import scrapy
from scrapy.crawler import CrawlerProcess

urls, database = sys.argv[1:]


class Keep:
    """Store one feed per transaction."""

    def open_spider(self, spider=None):
        self.connection = sqlite3.connect(database)
        self.connection.execute("PRAGMA journal_mode=wal")
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS entries "
            "(feed, id, title, link, author, published, content, PRIMARY KEY (feed, id))"
        )

    def process_item(self, item, spider=None):
        self.connection.executemany(
            "INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", item["rows"]
        )
        self.connection.commit()
        return item

    def close_spider(self, spider=None):
        self.connection.close()


class Feeds(scrapy.Spider):
    """Request every URL once, conditionally through the HTTP cache."""

    name = "feeds"

    async def start(self):
        for url in Path(urls).read_text().split():
            yield scrapy.Request(url, dont_filter=True, headers={"Cache-Control": "max-age=0"})

    def parse(self, response):
        if "cached" in response.flags:
            return
        entries = feedparser.parse(response.body).entries
        fields = ("id", "title", "link", "author", "published")
        yield {
            "rows": [
                (
                    response.url,
                    *(entry.get(name) for name in fields),
                    (entry.get("content") or [{}])[0].get("value"),
                )
                for entry in entries
            ]
        }


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "COOKIES_ENABLED": False,
        "ITEM_PIPELINES": {Keep: 1},
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_POLICY": "scrapy.extensions.httpcache.RFC2616Policy",
        "HTTPCACHE_STORAGE": "scrapy.extensions.httpcache.DbmCacheStorage",
        "HTTPCACHE_DIR": database + ".cache",
    }
)
process.crawl(Feeds)
process.start()
