"""The article templates: ``modern``, ``portal``, ``blog`` and the bare ``print`` page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from html import escape

from site_blocks import blog_block, image, join, modern_block, portal_block, spoil
from site_frame import (
    blog_page,
    modern_page,
    portal_page,
    say,
    tag_url,
)
from site_source import BASE, Article

# the frame's simplified characters, for the page in Big5
TRADITIONAL = str.maketrans(
    "财经页关们录湾报记浏览设统计访问随时绝广楼双订从阅个邮权门号书许转载编闻读资库联动历"
    "户远庆场凭纸减导结现热点线专题为会员评论来责辑体气举务询当于码传区单实图选内税网种采",
    "財經頁關們錄灣報記瀏覽設統計訪問隨時絕廣樓雙訂從閱個郵權門號書許轉載編聞讀資庫聯動歷"
    "戶遠慶場憑紙減導結現熱點線專題為會員評論來責輯體氣舉務詢當於碼傳區單實圖選內稅網種採",
)
_NUMERALS = "〇一二三四五六七八九"


@dataclass(frozen=True)
class Context:
    """What stands around an article: further articles to link to."""

    related: list[Article]
    most_read: list[Article]
    newer: Article | None
    older: Article | None


def chinese_number(number: int) -> str:
    """A day or month in Chinese numerals."""
    tens, ones = divmod(number, 10)
    head = "" if tens == 0 else ("十" if tens == 1 else _NUMERALS[tens] + "十")
    return head + (_NUMERALS[ones] if ones or not tens else "")


def shown_date(article: Article) -> str:
    """The date as a reader of the page sees it."""
    shown = article.get("shown_date")
    moment = article.moment
    if shown == "numerals":
        year = "".join(_NUMERALS[int(digit)] for digit in str(moment.year))
        return f"{year}年{chinese_number(moment.month)}月{chinese_number(moment.day)}日"
    if shown == "slashes":
        return f"{moment:%d/%m/%Y}"
    if shown == "day-first":
        return f"{moment.day} {moment:%B %Y}"
    if shown:
        return shown
    if article.template == "blog":
        return f"{moment:%B} {moment.day}, {moment.year}"
    if article.template == "portal":
        return f"{moment.year}年{moment:%m}月{moment:%d}日 {moment:%H:%M}"
    if article.lang == "zh":
        return f"{moment.year}年{moment.month}月{moment.day}日 {moment:%H:%M}"
    return f"{moment.day} {moment:%B %Y}, {moment:%H:%M}"


def _pager(article: Article, number: int) -> str:
    total = len(article.pages)
    if total == 1:
        return ""
    links = [
        f"<b>{page}</b>" if page == number else f'<a href="{article.page_url(page)}">{page}</a>'
        for page in range(1, total + 1)
    ]
    if number < total:
        word = "下一页" if article.lang == "zh" else "Next"
        links.append(f'<a href="{article.page_url(number + 1)}">{word}</a>')
    return '<div class="pager">' + " ".join(links) + "</div>"


def _comments(article: Article) -> str:
    items = "\n".join(
        f'<div class="comment"><b class="comment-author">{escape(who)}</b> <p>{escape(said)}</p></div>'
        for who, said in article.comments
    )
    title = say(article.lang, "Comments", "网友评论")
    return f'<div id="comments" class="comments"><h3>{title}</h3>\n{items}\n</div>' if items else ""


def _json_ld(article: Article) -> str:
    stamp = article.moment
    data: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": article.head["date"],
        "dateModified": f"{stamp + timedelta(hours=26, minutes=10):%Y-%m-%dT%H:%M:%S}+08:00",
        "author": [{"@type": "Person", "name": name} for name in article.words("authors")],
        "articleSection": article.get("section"),
        "image": [BASE + image(article)],
        "publisher": {
            "@type": "NewsMediaOrganization",
            "name": say(article.lang, "Harbour Ledger", "港湾日报"),
        },
    }
    if "nocanonical" not in article.flags:
        data["mainEntityOfPage"] = BASE + article.url
    if "graph" in article.flags:
        data.pop("@context")
        data = {"@context": "https://schema.org", "@graph": [{"@type": "WebSite", "url": BASE + "/"}, data]}
    text = json.dumps(data, ensure_ascii=False, indent=1)
    return f'<script type="application/ld+json">\n{text}\n</script>'


def _modern_head(article: Article, number: int) -> str:
    lines = [
        f'<meta name="description" content="{escape(article.teaser())}">',
        '<meta property="og:type" content="article">',
        f'<meta property="og:title" content="{escape(article.title)}">',
        f'<meta property="og:image" content="{BASE}{image(article)}">',
        f'<meta property="article:published_time" content="{article.head["date"]}">',
        f'<meta property="article:section" content="{escape(article.get("section"))}">',
    ]
    if "nocanonical" not in article.flags:
        lines.append(f'<link rel="canonical" href="{BASE}{article.page_url(number)}">')
        lines.append(f'<meta property="og:url" content="{BASE}{article.page_url(number)}">')
    if number < len(article.pages):
        lines.append(f'<link rel="next" href="{BASE}{article.page_url(number + 1)}">')
    if number > 1:
        lines.append(f'<link rel="prev" href="{BASE}{article.page_url(number - 1)}">')
    if "nojsonld" not in article.flags:
        lines.append(_json_ld(article))
    return "\n".join(lines)


def _modern(article: Article, number: int, context: Context) -> str:
    lang = article.lang
    names = say(lang, " and ", "、").join(article.words("authors"))
    profile = "/en/author/mara-quill.html" if names == "Mara Quill" else f"/{lang}/about.html"
    share = "".join(f'<a href="#share-{net}">{net}</a> ' for net in ("Chirper", "Facepage", "Mail", "Copy link"))
    if address := article.get("print"):
        share += f'<a href="{address}">Print</a>'
    related = "\n".join(
        f'<li><a href="{item.url}">{escape(item.title)}</a><p>{escape(item.teaser())}</p></li>' for item in context.related
    )
    main = f"""<article class="story">
<header>
<h1>{escape(article.title)}</h1>
<p class="byline">{say(lang, "By", "记者")} <a rel="author" href="{profile}">{names}</a></p>
<time datetime="{article.head["date"]}">{shown_date(article)}</time>
<div class="share" aria-label="share">{share}</div>
</header>
<div class="story-body">
{join(article.pages[number - 1], article, modern_block)}
</div>
{_pager(article, number)}
<footer class="tags">{_tags(article)}</footer>
</article>
{_comments(article)}
<section class="related"><h3>{say(lang, "Related stories", "相关报道")}</h3><ul>
{related}
</ul></section>"""
    return modern_page(lang, article.title, main, context.most_read, _modern_head(article, number), article.get("section"))


def _tags(article: Article) -> str:
    if article.lang == "zh":
        return " ".join(f"<span>{tag}</span>" for tag in article.words("tags"))
    return " ".join(f'<a rel="tag" href="{tag_url(tag)}">{escape(tag)}</a>' for tag in article.words("tags"))


def _portal(article: Article, number: int, context: Context) -> str:
    related = "\n".join(f'<li><a href="{item.url}" target="_blank">{escape(item.title)}</a>' for item in context.related)
    source = f" 来源：{article.get('source')}" if article.get("source") else ""
    author = f" 作者：{' '.join(article.words('authors'))}" if article.get("authors") else ""
    editor = f'<div align="right">（责任编辑：{article.get("editor")}）</div>' if article.get("editor") else ""
    main = f"""<table width="660" border="0" cellspacing="0" cellpadding="0"><tr><td align="center">
<h1 class="bt">{escape(article.title)}</h1></td></tr>
<tr><td align="center" class="xx">{shown_date(article)}{source}{author} 【字体：大 中 小】</td></tr>
<tr><td><div id="zoom" class="nr">
{join(article.pages[number - 1], article, portal_block)}
</div>{_pager(article, number)}{editor}</td></tr></table>
<div class="xg"><b>相关新闻</b><ul>
{related}
</ul></div>
{_comments(article)}"""
    return portal_page(
        article.title,
        main,
        context.most_read,
        article.charset,
        article.get("section"),
        "aspnet" in article.flags,
    )


def _blog(article: Article, number: int, context: Context) -> str:
    names = " &amp; ".join(article.words("authors"))
    content = join(article.pages[number - 1], article, blog_block)
    if "broken" in article.flags:
        content = spoil(content)
    box = article.get("author_box")
    box_html = (
        f'<div class="author-box"><h4>About the author</h4><p>{escape(box)}</p>'
        '<a href="/en/author/mara-quill.html">All posts</a></div>'
        if box
        else ""
    )
    hops = "".join(
        f'<a rel="{rel}" href="{item.url}">{word} {escape(item.title)}</a>\n'
        for rel, word, item in (("prev", "&larr;", context.older), ("next", "&rarr;", context.newer))
        if item
    )
    main = f"""<div id="post-{1000 + len(article.title)}" class="post hentry">
<h1 class="entry-title">{escape(article.title)}</h1>
<div class="entry-meta">Posted on <span class="entry-date">{shown_date(article)}</span> by
<span class="author vcard">{names}</span> in <a href="/en/news/">{escape(article.get("section"))}</a></div>
<div class="entry-content">
{content}
<div class="sharedaddy"><span>Share this:</span> <a href="#c">Chirper</a> <a href="#f">Facepage</a></div>
</div>
{box_html}
<div class="entry-utility">Tagged {_tags(article)}. Bookmark the permalink.</div>
<div class="nav-below">{hops}</div>
</div>
{_comments(article)}"""
    page = blog_page(article.title, main, context.related, context.most_read)
    if "broken" in article.flags:
        page = page.replace("</body>", "").replace("</html>", "") + "<!-- statistics counter, please keep\n"
    return page


def _print(article: Article) -> str:
    return f"""<!DOCTYPE html>
<html lang="{article.lang}"><head><meta charset="utf-8"><title>{escape(article.title)} (print)</title>
<link rel="canonical" href="{BASE}{article.get("canonical")}"></head>
<body onload="window.print()">
<p>Harbour Ledger - print version - <a href="{article.get("canonical")}">back to the article</a></p>
<h1>{escape(article.title)}</h1>
<p class="byline">{shown_date(article)}, by {", ".join(article.words("authors"))}</p>
{join(article.pages[0], article, modern_block)}
<hr><p><small>Printed from www.harbour-ledger.example. For personal use only.</small></p>
</body></html>
"""


def render(article: Article, number: int, context: Context) -> bytes:
    """The bytes of page ``number`` of an article."""
    templates = {"modern": _modern, "portal": _portal, "blog": _blog}
    page = _print(article) if article.template == "print" else templates[article.template](article, number, context)
    if article.encoding == "big5":
        page = page.translate(TRADITIONAL)
    return page.encode(article.encoding)
