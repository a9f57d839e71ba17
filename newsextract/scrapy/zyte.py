"""Results of newsextract to and from zyte-common-items (extra ``zyte``): articles, threads, result pages, lists.

The tables name the fields that both sides have under other names; what only one side has is left out. Dates stay as precise
as the page is (``2025-05``), where zyte-common-items suggests seconds. Authors of posts are left out, because its items hold
no names there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from newsextract.discovery.threads import ForumPage, thread_id
from newsextract.errors import MissingExtra
from newsextract.feed.record_lines import NewsRecord
from newsextract.fields.hits import HitFields
from newsextract.fields.posts import PostFields
from newsextract.fields.teasers import TeaserFields
from newsextract.record_pages import FoundRecords, ListPage, ResultPage, ThreadPage
from newsextract.results import Article, Precision, ReportDate

try:
    import zyte_common_items as zyte
except ImportError as error:
    raise MissingExtra("zyte-common-items", "zyte", "newsextract.scrapy.zyte") from error

ARTICLE = {
    "url": "url",
    "canonical_url": "canonicalUrl",
    "title": "headline",
    "date": "datePublished",
    "text": "articleBody",
    "language": "inLanguage",
}
"""Ours → theirs; ``authors``, ``image``, ``confidence`` and ``fetched_at`` are nested on their side."""
POST = {"body": "text"}
"""Beside ``permalink`` (``url``) and ``date`` (``datePublished``)."""
HIT = {"title": "name", "address": "url", "snippet": "description"}
"""Their ``rank`` is the order of ours."""
TEASER = {"title": "headline", "address": "url", "snippet": "articleBody"}
"""Beside ``author``, ``image`` and ``date``. Of a list their ``articleBody`` is what the list shows."""
ALGORITHM = "zyte-common-items"
"""The algorithm of results that come from their items."""


# --- articles -------------------------------------------------------------------------------------


def to_article(article: Article | NewsRecord | Mapping[str, Any]) -> zyte.Article:
    """Their item of an article, a record or a line of a feed.

    :raises ValueError: it has no URL, which their item must have.
    """
    values: Mapping[str, Any] = (
        article if isinstance(article, Mapping) else {name: getattr(article, name) for name in type(article).__slots__}
    )
    if not values.get("url"):
        raise ValueError("zyte_common_items.Article needs a url; pass it to newsextract.extract with the page")
    return zyte.Article(
        **_theirs(ARTICLE, values),
        authors=[zyte.Author(name=name) for name in values["authors"]] or None,
        mainImage=_image(values["image"]),
        metadata=zyte.ArticleMetadata(
            probability=values["confidence"], dateDownloaded=_downloaded(values.get("fetched_at"))
        ),
    )


def from_article(item: zyte.Article) -> Article:
    """The article of their item."""
    values = {ours: getattr(item, theirs) for ours, theirs in ARTICLE.items()}
    text = values.pop("text") or ""
    return Article(
        **values,
        text=text,
        authors=tuple(author.name for author in item.authors or () if author.name),
        image=item.mainImage.url if item.mainImage else None,
        section=None,
        algorithm=ALGORITHM,
        confidence=_probability(item.metadata),
        status="ok" if text else "empty",
        reason=None if text else "the item has no articleBody",
        date_source=_date(values["date"]),
    )


# --- pages of many records ------------------------------------------------------------------------


def to_forum_thread(thread: ThreadPage, url: str) -> zyte.ForumThread:
    """Their item of a page of a thread."""
    return zyte.ForumThread(
        url=url,
        threadId=thread_id(url),
        topic=zyte.Topic(name=thread.title) if thread.title else None,
        posts=[
            zyte.SocialMediaPost(url=post.permalink or url, datePublished=_value(post.date), **_theirs(POST, post))
            for post in thread
        ],
        metadata=zyte.ForumThreadMetadata(dateDownloaded=_fetched(thread.found)),
    )


def from_forum_thread(item: zyte.ForumThread) -> ThreadPage:
    """The page of their item; a post whose URL is that of the page has no permalink."""
    posts = tuple(
        PostFields(
            author=None,
            date=_date(post.datePublished),
            body=post.text or "",
            permalink=None if post.url == item.url else post.url,
        )
        for post in item.posts or ()
    )
    return ThreadPage(ForumPage("thread"), item.topic.name if item.topic else None, posts, _found(posts, item.metadata))


def to_serp(page: ResultPage, url: str, *, query: str | None = None, number: int | None = None) -> zyte.Serp:
    """Their item of a page of results."""
    return zyte.Serp(
        url=url,
        pageNumber=number,
        organicResults=[zyte.SerpOrganicResult(rank=rank, **_theirs(HIT, hit)) for rank, hit in enumerate(page, 1)],
        metadata=zyte.SerpMetadata(searchedQuery=query, dateDownloaded=_fetched(page.found)),
    )


def from_serp(item: zyte.Serp) -> ResultPage:
    """The page of their item, by rank; results without a name or URL are left out."""
    ranked = sorted(item.organicResults or (), key=lambda result: result.rank or 0)
    hits = tuple(
        HitFields(title=result.name, address=result.url, snippet=result.description or "", date=None)
        for result in ranked
        if result.name and result.url
    )
    return ResultPage(hits, None, _found(hits, item.metadata))


def to_article_list(page: ListPage, url: str) -> zyte.ArticleList:
    """Their item of a list of articles."""
    return zyte.ArticleList(
        url=url,
        articles=[
            zyte.ArticleFromList(
                **_theirs(TEASER, teaser),
                authors=[zyte.Author(name=teaser.author)] if teaser.author else None,
                mainImage=_image(teaser.image),
                datePublished=_value(teaser.date),
            )
            for teaser in page
        ],
        metadata=zyte.ArticleListMetadata(dateDownloaded=_fetched(page.found)),
    )


def from_article_list(item: zyte.ArticleList) -> ListPage:
    """The page of their item; entries without a headline or URL are left out. Of several authors the first is taken."""
    teasers = tuple(
        TeaserFields(
            title=one.headline,
            address=one.url,
            snippet=one.articleBody or "",
            author=next((author.name for author in one.authors or () if author.name), None),
            image=one.mainImage.url if one.mainImage else None,
            date=_date(one.datePublished),
        )
        for one in item.articles or ()
        if one.headline and one.url
    )
    return ListPage(teasers, None, (), None, _found(teasers, item.metadata))


# --- values ---------------------------------------------------------------------------------------


def _theirs(table: dict[str, str], values: Any) -> dict[str, Any]:
    """The fields of a table under their names; an empty text is none."""
    read = values.get if isinstance(values, Mapping) else lambda name: getattr(values, name)
    return {theirs: read(ours) or None for ours, theirs in table.items()}


def _image(url: str | None) -> zyte.Image | None:
    return zyte.Image(url=url) if url else None


def _value(date: ReportDate | None) -> str | None:
    return date.value if date else None


def _date(value: str | None) -> ReportDate | None:
    """A date with its precision, which is in its length."""
    if not value:
        return None
    precisions: dict[int, Precision] = {4: "year", 7: "month", 10: "day", 16: "minute"}
    return ReportDate(value, precisions.get(len(value.removesuffix("Z")), "second"), ALGORITHM)


def _downloaded(fetched_at: str | None) -> str | None:
    """A time as they write it: UTC, with a Z."""
    if not fetched_at:
        return None
    return datetime.fromisoformat(fetched_at).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _fetched(found: FoundRecords | None) -> str | None:
    return _downloaded(found.fetched_at) if found else None


def _found(records: tuple[Any, ...], metadata: Any) -> FoundRecords:
    status: Literal["ok", "empty"] = "ok" if records else "empty"
    downloaded = getattr(metadata, "dateDownloaded", None)
    at = datetime.fromisoformat(downloaded).isoformat() if downloaded else datetime.now(UTC).isoformat(timespec="seconds")
    return FoundRecords(status, None if records else "the item has no records", _probability(metadata), at)


def _probability(metadata: Any) -> float:
    """Their certainty; 1 where they name none, as their items do."""
    found = getattr(metadata, "probability", None)
    return 1.0 if found is None else float(found)
