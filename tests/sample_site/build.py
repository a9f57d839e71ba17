"""Build the sample sites: ``source/`` becomes ``www/``, ``blog/``, ``forum/``, ``search/``, ``lists/``, ``wrapped/`` and the ``expected*.jsonl``.

Run without arguments to write the files, with ``--check`` to compare them with what is on disk.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path

from blog_pages import blog_files
from record_site import build_records
from site_articles import Context, render
from site_feeds import other_files
from site_pages import MISSING, Page, front_page, news_pages, plain_pages, section_pages, tag_pages
from site_source import BASE, Article, load

HERE = Path(__file__).resolve().parent
RELATED = 4
MOST_READ = 5
FOLDERS = ("www", "blog", "forum", "search", "lists", "wrapped")
"""Nothing but built files stands in them."""


def file_name(url: str) -> str:
    """The file inside ``www/`` which answers for an address path."""
    return url.lstrip("/") + ("index.html" if url.endswith("/") else "")


def context_for(article: Article, listed: list[Article], most_read: list[Article]) -> Context:
    """Choose the neighbours of an article: same language, same section first; none on the Big5 page."""
    if article.encoding == "big5":
        return Context([], [], None, None)
    others = [item for item in listed if item.url != article.url and not item.get("duplicate_of")]
    others.sort(key=lambda item: item.get("section") != article.get("section"))
    blog = [item for item in listed if item.template == "blog" and item.url != article.url]
    newer = [item for item in blog if item.moment > article.moment]
    older = [item for item in blog if item.moment <= article.moment]
    return Context(
        others[:RELATED],
        [item for item in most_read if item.url != article.url],
        newer[-1] if newer else None,
        older[0] if older else None,
    )


def expected_article(article: Article) -> dict[str, object]:
    """The line of ``expected.jsonl`` for an article."""
    duplicate = article.get("duplicate_of")
    line: dict[str, object] = {
        "url": BASE + article.url,
        "kind": article.kind,
        "title": article.title,
        "date": article.get("date") or None,
        "text": article.text(),
        "authors": article.words("authors"),
        "language": article.lang,
        "section": article.get("section"),
        "pages": len(article.pages),
        "duplicate_of": BASE + duplicate if duplicate else None,
        "note": article.get("note"),
        "found": sorted(article.found),
    }
    if hours := article.get("relative_hours"):
        line["relative_hours"] = int(hours)
    return line


def expected_others(articles: list[Article], pages: list[Page]) -> list[dict[str, object]]:
    """The lines for everything that must not become a record of its own."""
    rows = [(page.url, page.kind, page.note) for page in pages]
    for article in articles:
        rows += [
            (article.page_url(number), "other", f"page {number} of {article.url}, belongs to that record")
            for number in range(2, len(article.pages) + 1)
        ]
    rows += [(url, "missing", "a link leads here, the server answers 404") for url in MISSING]
    rows.append(("/en/search?q=harbour", "forbidden", "robots.txt disallows it (and it does not exist)"))
    return [{"url": BASE + url, "kind": kind, "note": note} for url, kind, note in rows]


def build(source: Path) -> dict[str, bytes]:
    """All files to be written, by path relative to this folder."""
    everything = load(source)
    articles = [item for item in everything if item.kind == "article"]
    listed = {lang: [a for a in articles if a.lang == lang and "listing" in a.found] for lang in ("en", "zh")}
    box = {
        lang: [item for item in items if not item.get("duplicate_of")][3::4][:MOST_READ] for lang, items in listed.items()
    }
    tags = sorted({tag for item in listed["en"] for tag in item.words("tags")})
    pages = [front_page(listed["en"], listed["zh"])]
    for lang, items in listed.items():
        pages += news_pages(lang, items, box[lang]) + section_pages(lang, items, box[lang])
    pages += tag_pages(listed["en"], box["en"], tags)
    pages += plain_pages(listed["en"], box["en"], box["zh"])

    files = {f"www/{path}": content for path, content in other_files(articles).items()}
    for page in pages:
        files[f"www/{file_name(page.url)}"] = page.html.encode(page.encoding)
    for article in everything:
        context = context_for(article, listed[article.lang], box[article.lang])
        for number in range(1, len(article.pages) + 1):
            files[f"www/{file_name(article.page_url(number))}"] = render(article, number, context)

    lines: list[dict[str, object]] = [expected_article(item) for item in reversed(everything)]
    lines += expected_others(everything, pages)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    files["expected.jsonl"] = text.encode()
    blog, truth = blog_files(articles)
    files |= {f"blog/{path}": content.encode() for path, content in blog.items()}
    files["expected_blog.jsonl"] = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in truth).encode()
    return files | build_records(source, articles, pages)


def _same(path: Path, content: bytes) -> bool:
    """Whether the file holds this content; gz files are compared unpacked, since zlib versions differ."""
    if not path.is_file():
        return False
    stored = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(stored) == gzip.decompress(content)
    return stored == content


def differences(root: Path, files: dict[str, bytes]) -> list[str]:
    """Paths that are missing, differ, or should not be there."""
    on_disk = {
        path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file()
    }
    wrong = [path for path, content in files.items() if not _same(root / path, content)]
    return sorted(wrong + [path for path in on_disk if path not in files])


def main(arguments: list[str]) -> int:
    """Write the site, or check it."""
    parser = argparse.ArgumentParser(description="Build the sample site.")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if files differ")
    options = parser.parse_args(arguments)
    files = build(HERE / "source")
    changed = differences(HERE, files)
    if options.check:
        for path in changed:
            print(f"differs: {path}")
        return 1 if changed else 0
    for path in changed:
        target = HERE / path
        if path in files:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(files[path])
        else:
            target.unlink()
    print(f"{len(files)} files, {len(changed)} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
