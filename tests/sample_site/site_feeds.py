"""``robots.txt``, the sitemaps, the RSS and Atom feeds and the pictures."""

from __future__ import annotations

import gzip
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from html import escape

from site_source import BASE, Article

ZONE = timezone(timedelta(hours=8))
_SITEMAP = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
NEWS_ITEMS = 12

ROBOTS = f"""User-agent: *
Disallow: /private/
Disallow: /en/search

Sitemap: {BASE}/sitemap_index.xml
Sitemap: {BASE}/sitemap-news.xml
"""


def _stamp(article: Article) -> datetime:
    """Publication time with zone; nine o'clock where the page tells only the day."""
    moment = article.moment
    if "T" not in article.get("date"):
        moment = moment.replace(hour=9)
    return moment.replace(tzinfo=ZONE)


def _urlset(articles: list[Article]) -> str:
    rows = "\n".join(
        f"<url><loc>{BASE}{item.url}</loc><lastmod>{_stamp(item):%Y-%m-%d}</lastmod></url>" for item in articles
    )
    return f"{_XML}<urlset {_SITEMAP}>\n{rows}\n</urlset>\n"


def _news_sitemap(articles: list[Article]) -> str:
    rows = "\n".join(
        f"""<url><loc>{BASE}{item.url}</loc>
<news:news><news:publication><news:name>Harbour Ledger</news:name><news:language>{item.lang}</news:language>
</news:publication><news:publication_date>{_stamp(item).isoformat()}</news:publication_date>
<news:title>{escape(item.title)}</news:title></news:news></url>"""
        for item in articles
    )
    return f"{_XML}<urlset {_SITEMAP} {_NEWS}>\n{rows}\n</urlset>\n"


def _sitemap_index() -> str:
    rows = "\n".join(
        f"<sitemap><loc>{BASE}/{name}</loc></sitemap>"
        for name in ("sitemap-en.xml.gz", "sitemap-zh.xml", "sitemap-news.xml")
    )
    return f"{_XML}<sitemapindex {_SITEMAP}>\n{rows}\n</sitemapindex>\n"


def _rss(articles: list[Article]) -> str:
    items = "\n".join(
        f"""<item><title>{escape(item.title)}</title><link>{BASE}{item.url}?utm_source=rss</link>
<guid isPermaLink="true">{BASE}{item.url}</guid><pubDate>{format_datetime(_stamp(item))}</pubDate>
<category>{item.get("section")}</category><description>{escape(item.teaser())}</description></item>"""
        for item in articles
    )
    return f"""{_XML}<rss version="2.0"><channel><title>Harbour Ledger</title><link>{BASE}/en/news/</link>
<description>News from Port Merrow</description><language>en</language>
{items}
</channel></rss>
"""


def _atom(articles: list[Article]) -> str:
    entries = "\n".join(
        f"""<entry><title>{escape(item.title)}</title><link rel="alternate" href="{BASE}{item.url}"/>
<id>{BASE}{item.url}</id><published>{_stamp(item).isoformat()}</published>
<updated>{_stamp(item).isoformat()}</updated><summary>{escape(item.teaser())}</summary></entry>"""
        for item in articles
    )
    newest = _stamp(articles[0]).isoformat()
    return f"""{_XML}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="zh"><title>港湾日报</title>
<id>{BASE}/zh/</id><updated>{newest}</updated><link rel="self" href="{BASE}/zh/atom.xml"/>
<author><name>港湾日报</name></author>
{entries}
</feed>
"""


def _svg(body: str, size: str = "640 360") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">{body}</svg>\n'


_SEA = '<rect width="640" height="360" fill="#cde"/><rect y="230" width="640" height="130" fill="#47a"/>'
IMAGES = {
    "static/harbour.svg": _svg(f'{_SEA}<path d="M220 230h200l-30 40h-140zM315 230v-120l70 90z" fill="#a43"/>'),
    "static/crane.svg": _svg(f'{_SEA}<path d="M260 230v-150h240v12h-225v138zM320 80v99h24v-99z" fill="#333"/>'),
    "static/favicon.svg": _svg(
        '<circle cx="16" cy="16" r="15" fill="#47a"/><path d="M9 9h4v10h10v4h-14z" fill="#fff"/>', "32 32"
    ),
}


def feed_items(articles: list[Article], lang: str) -> list[Article]:
    """Articles of a feed: those marked ``feed`` and the six newest of the sitemap."""
    mine = [item for item in articles if item.lang == lang]
    newest = [item for item in mine if "sitemap" in item.found][:6]
    return [item for item in mine if "feed" in item.found or item in newest]


def other_files(articles: list[Article]) -> dict[str, bytes]:
    """All files of the site that are not HTML."""
    mapped = [item for item in articles if "sitemap" in item.found]
    english = _urlset([item for item in mapped if item.lang == "en"])
    texts = {
        "robots.txt": ROBOTS,
        "sitemap_index.xml": _sitemap_index(),
        "sitemap-zh.xml": _urlset([item for item in mapped if item.lang == "zh"]),
        "sitemap-news.xml": _news_sitemap(mapped[:NEWS_ITEMS]),
        "en/feed.xml": _rss(feed_items(articles, "en")),
        "zh/atom.xml": _atom(feed_items(articles, "zh")),
        **IMAGES,
    }
    files = {path: text.encode() for path, text in texts.items()}
    files["sitemap-en.xml.gz"] = gzip.compress(english.encode(), mtime=0)
    return files
