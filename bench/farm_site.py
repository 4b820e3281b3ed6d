"""A farm of made-up feeds on many loopback hosts, and the nginx that serves it.

Feed `n` is on host `n mod hosts`; even ones are RSS, odd ones Atom. Everything about an entry follows from its feed and
number, so a farm is always the same and its contents can be counted.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol

FIRST_HOST = "127.1.0.1"
LOOPBACK = "127.0.0.0/8"
_OLDEST = datetime(2026, 1, 1, tzinfo=UTC)
_WORDS = re.findall(
    r"\w+",
    "harbour council vote winter ferry museum budget storm railway engine orchard science bridge market "
    "teacher signal river festival archive energy Zürich café naïve straße новости порт вечер 东京 新闻 港口",
)
_SECTIONS = ("Politics", "Science", "Arts & Letters", "Harbour", "Weather", "Sport")


class Farm:
    """The documents in `folder`, and how many entries they have ever had."""

    def __init__(
        self,
        folder: Path,
        *,
        feeds: int,
        entries: int,
        hosts: int,
        port: int,
        first_host: str = FIRST_HOST,
    ) -> None:
        self.folder = folder
        self.feeds = feeds
        self.entries = entries
        self.port = port
        self._hosts = [str(IPv4Address(first_host) + number) for number in range(hosts)]
        self._newest = [entries] * feeds
        self._touches = 0
        folder.mkdir(parents=True)
        for feed in range(feeds):
            # Older than any later change, so that Last-Modified shows the change.
            self._write(feed, modified_s=_OLDEST.timestamp())

    @property
    def expected(self) -> int:
        """The number of items in a store that has missed nothing."""
        return sum(self._newest)

    @property
    def bytes_a_feed(self) -> int:
        return sum(path.stat().st_size for path in self.folder.glob("*.xml")) // self.feeds

    def urls(self) -> list[str]:
        return [f"{self._base(feed)}/f{feed:06d}.xml" for feed in range(self.feeds)]

    def touch(self, share: float, new: int) -> int:
        """Add new entries at the top of a share of the feeds; the oldest drop out. Return the number of feeds."""
        step = round(1 / share)
        chosen = range(self._touches % step, self.feeds, step)
        self._touches += 1
        for feed in chosen:
            self._newest[feed] += new
            self._write(feed, modified_s=None)
        return len(chosen)

    def _base(self, feed: int) -> str:
        return f"http://{self._hosts[feed % len(self._hosts)]}:{self.port}"

    def _write(self, feed: int, modified_s: float | None) -> None:
        path = self.folder / f"f{feed:06d}.xml"
        beside = path.with_suffix(".new")
        numbers = range(self._newest[feed] - 1, self._newest[feed] - self.entries - 1, -1)
        beside.write_text((_atom if feed % 2 else _rss)(feed, numbers, self._base(feed)), encoding="utf-8")
        if modified_s is not None:
            os.utime(beside, (modified_s, modified_s))
        beside.replace(path)


def words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(_WORDS, k=count))


class _Entry:
    def __init__(self, feed: int, number: int, base: str) -> None:
        dice = random.Random(f"{feed}/{number}")
        self.title = f"{words(dice, 8).capitalize()} & {number}"
        self.link = f"{base}/news/{feed}/{number}-{dice.getrandbits(32):08x}.html"
        self.guid = f"tag:farm.test,2026:{feed}/{number}"
        self.at = _OLDEST + timedelta(hours=number, seconds=feed % 3600)
        self.author = words(dice, 2).title()
        self.sections = dice.sample(_SECTIONS, dice.randint(1, 3))
        self.summary = words(dice, 20)
        self.html = (
            f'<p>{words(dice, 30)}, <a href="{base}/about/{number}">{words(dice, 2)}</a>.</p>'
            f'<figure><img src="{base}/pictures/{feed}-{number}.jpg" alt="{words(dice, 3)}"></figure>'
            f"<p>{words(dice, 25)} &amp; {words(dice, 6)}.</p>"
        )


def _rss(feed: int, numbers: range, base: str) -> str:
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<channel>\n<title>Gazette {feed}</title>\n<link>{base}/site/{feed}/</link>\n"
        f"<description>News of site {feed}</description>\n<language>en</language>\n"
    ]
    for entry in (_Entry(feed, number, base) for number in numbers):
        sections = "".join(f"<category>{escape(name)}</category>\n" for name in entry.sections)
        parts.append(
            f"<item>\n<title>{escape(entry.title)}</title>\n<link>{entry.link}</link>\n"
            f'<guid isPermaLink="false">{entry.guid}</guid>\n'
            f"<pubDate>{format_datetime(entry.at, usegmt=True)}</pubDate>\n"
            f"<dc:creator>{entry.author}</dc:creator>\n{sections}"
            f"<description>{entry.summary}</description>\n"
            f"<content:encoded><![CDATA[{entry.html}]]></content:encoded>\n</item>\n"
        )
    return "".join((*parts, "</channel></rss>\n"))


def _atom(feed: int, numbers: range, base: str) -> str:
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">\n'
        f'<title>Gazette {feed}</title>\n<link href="{base}/site/{feed}/"/>\n'
        f"<id>tag:farm.test,2026:{feed}</id>\n<updated>{_OLDEST.isoformat()}</updated>\n"
    ]
    for entry in (_Entry(feed, number, base) for number in numbers):
        sections = "".join(f'<category term="{escape(name)}"/>\n' for name in entry.sections)
        parts.append(
            f'<entry>\n<title>{escape(entry.title)}</title>\n<link rel="alternate" href="{entry.link}"/>\n'
            f"<id>{entry.guid}</id>\n<published>{entry.at.isoformat()}</published>\n"
            f"<updated>{entry.at.isoformat()}</updated>\n<author><name>{entry.author}</name></author>\n{sections}"
            f"<summary>{entry.summary}</summary>\n"
            f'<content type="html">{escape(entry.html)}</content>\n</entry>\n'
        )
    return "".join((*parts, "</feed>\n"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Served(Protocol):
    """Files for a server to serve."""

    @property
    def folder(self) -> Path: ...

    @property
    def port(self) -> int: ...


class Server:
    """A running nginx."""

    def __init__(self, port: int, log: Path) -> None:
        self._port = port
        self._log = log
        self._asked = 0

    def requests(self) -> int:
        """The number of requests answered so far, not counting those for this number."""
        with socket.create_connection(("127.0.0.1", self._port), timeout=5) as connection:
            connection.sendall(b"GET /status HTTP/1.0\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        _, _, body = answer.partition(b"\r\n\r\n")
        self._asked += 1
        return int(re.findall(rb"\d+", body)[3]) - self._asked

    def least_gap_s(self) -> float:
        """The shortest time between two requests to one host since the last `forget`."""
        last: dict[str, float] = {}
        least = float("inf")
        for line in self._log.read_text().splitlines():
            at, host, *_ = line.split()
            if host in last:
                least = min(least, float(at) - last[host])
            last[host] = float(at)
        return least

    def answers(self) -> Counter[str]:
        """Requests by status since the last `forget`, and the number of requests for robots.txt."""
        seen: Counter[str] = Counter()
        for line in self._log.read_text().splitlines():
            _, _, status, path = line.split(maxsplit=3)
            seen[status] += 1
            seen["robots.txt"] += path == "/robots.txt"
        return seen

    def forget(self) -> None:
        os.truncate(self._log, 0)


@contextmanager
def serve(farm: Served, folder: Path, *, with_log: bool, clients: str = LOOPBACK) -> Iterator[Server]:
    """Serve the files on their port, to loopback only; the server always ends with the block."""
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(binary).exists():
        raise SystemExit("The farm is served by nginx, which is not installed here.")
    folder.mkdir()
    log = folder / "access.log"
    log.touch()
    config = folder / "nginx.conf"
    config.write_text(_configuration(farm, folder, log if with_log else None, clients))
    process = subprocess.Popen(
        [binary, "-p", str(folder), "-c", str(config), "-e", str(folder / "error.log")]
    )
    try:
        _wait_for(farm.port, process, folder / "error.log")
        yield Server(farm.port, log)
    finally:
        process.terminate()
        process.wait(timeout=10)


def _configuration(farm: Served, folder: Path, log: Path | None, clients: str) -> str:
    temporary = "".join(
        f"  {name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    # As root, nginx would run its workers as another user, who may not read a temporary folder.
    user = "user root;" if os.geteuid() == 0 else ""
    return f"""
{user} daemon off; worker_processes 1; pid {folder}/nginx.pid; worker_rlimit_nofile 65536;
events {{ worker_connections 16384; }}
http {{
  log_format host '$msec $server_addr $status $request_uri';
  access_log {f"{log} host" if log else "off"};
{temporary}  sendfile on; tcp_nopush on; etag on; if_modified_since exact;
  keepalive_timeout 60; keepalive_requests 100000;
  open_file_cache max=20000; open_file_cache_valid 1s;
  types {{ application/xml xml; text/html html; }}
  server {{
    listen 0.0.0.0:{farm.port} backlog=4096;
    root {farm.folder};
    allow {LOOPBACK}; allow {clients}; deny all;
    location = /status {{ stub_status; access_log off; }}
    location /news/ {{ try_files /article.html =404; }}
  }}
}}
"""


def _wait_for(port: int, process: subprocess.Popen[bytes], errors: Path) -> None:
    for _ in range(100):
        if process.poll() is not None:
            raise SystemExit(f"nginx did not start: {errors.read_text()[-500:]}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("nginx did not start within 5 seconds.")
