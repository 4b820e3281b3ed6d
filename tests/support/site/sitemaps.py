"""A site with a sitemap that tests edit between runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from tests.support.site.server import Site


@dataclass
class SitemapSite:
    """Pages under /news/, listed in files under /; each file has an ETag that changes with its content."""

    site: Site
    host: str | None = None
    files: dict[str, dict[str, str]] = field(default_factory=dict)
    """{path: {page: the other elements of its <url>}}."""
    _version: int = 0

    def page(self, name: str, title: str | None = None) -> str:
        words = "Apples are ripe, pears are not, and this year's harvest is large. " * 8
        shown = escape(title or name)
        head = f"<html><head><title>{shown}</title></head><body><article><h1>{shown}</h1>"
        text = f"{head}<p>{words}</p><p>{words}</p></article></body></html>"
        return self.site.page(f"/news/{name}", text, host=self.host)

    def publish(
        self, path: str, *names: str, lastmod: str | None = None, title: str | None = None, pages: bool = True
    ) -> str:
        inside = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
        if title:
            inside += f"<news:news><news:title>{escape(title)}</news:title></news:news>"
        for name in names:
            self.files.setdefault(path, {})[name] = inside
            if pages:
                self.page(name, f"Title of {name}")
        return self.serve(path)

    def withdraw(self, path: str, *names: str) -> None:
        for name in names:
            del self.files[path][name]
        self.serve(path)

    def serve(self, path: str, *, etag: bool = True) -> str:
        self._version += 1
        rows = "".join(
            f"<url><loc>{self.site.url(f'/news/{name}', self.host)}</loc>{inside}</url>"
            for name, inside in self.files.get(path, {}).items()
        )
        tag = f'"{self._version}"' if etag else None
        return self.site.sitemap(path, f"<urlset>{rows}</urlset>", etag=tag, host=self.host)

    def index(self, path: str, **children: str | None) -> str:
        """`index("/index.xml", a="2026-11-15", b=None)` lists /a.xml and /b.xml."""
        self._version += 1
        rows = "".join(
            f"<sitemap><loc>{self.site.url(f'/{name}.xml', self.host)}</loc>"
            + (f"<lastmod>{lastmod}</lastmod>" if lastmod else "")
            + "</sitemap>"
            for name, lastmod in children.items()
        )
        document = f"<sitemapindex>{rows}</sitemapindex>"
        return self.site.sitemap(path, document, etag=f'"{self._version}"', host=self.host)

    def asked(self) -> list[str]:
        """Return the paths that were requested since the last call."""
        paths = [request.path for request in self.site.requests]
        self.site.requests.clear()
        return paths
