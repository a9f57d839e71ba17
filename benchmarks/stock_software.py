"""Pages and crawls of stock software that nothing here was made with: 15 themes of a blog, 28 of documentation.

    python -m benchmarks.stock_software [DATA …] [--place DIR] [--posts 30]

Builds real sites with Hexo (npm), MkDocs and Sphinx (PyPI) into DIR (default: build/stock; 900 MB, kept). A blog's posts are
texts of DATA as Markdown, those of which `combined` reads nearly all from their own pages; a page of documentation is the
README of an npm package. So the text of each page is known to the word, and what a theme puts around it is its own.

- Articles and documentation: word F1 of the text, title, day, and kind of page, by theme.
- Crawls: each blog from its home page alone; how many posts are records, and how many other pages.

Needs node and npm. No model was trained on these pages, and no rule was made for them before the first measurement.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import venv
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lxml import html

from benchmarks.crawling import command
from benchmarks.server import ROOT
from newsextract import Page, extract, to_markdown
from newsextract.lab.datasets import load, read

SETS = [Path("../shared/bench/articles")]
HEXO = "8.1.2"
RENDERERS = "marked ejs pug stylus inferno less dartsass".split()
GENERATORS = "archive index category tag search feed".split()
THEMES = dict(
    pair.split("@")
    for pair in (
        "a4@2.0.1 anzhiyu@1.7.0 async@2.2.7 butterfly@5.7.0 fluid@1.9.9 icarus@6.1.1 keep@4.3.0 kratos-rebirth@3.0.1"
        " landscape@1.1.0 next@8.29.0 redefine@2.9.0 reimu@1.12.6 solitude@4.0.0 stellar@1.44.0 yun@1.10.11"
    ).split()
)
MKDOCS = "bootstrap cinder dracula gitbook ivory material mkdocs readthedocs rtd-dropdown shadcn terminal windmill".split()
SPHINX = (
    "furo pydata_sphinx_theme sphinx_book_theme sphinx_rtd_theme piccolo_theme sphinx_material alabaster classic nature"
    " bizstyle agogo haiku pyramid scrolls sphinxdoc sphinxawesome_theme"
).split()
PACKAGES = (
    "mkdocs==1.6.1 mkdocs-material mkdocs-bootstrap mkdocs-cinder mkdocs-windmill mkdocs-ivory mkdocs-gitbook mkdocs-shadcn"
    " mkdocs-terminal mkdocs-dracula-theme mkdocs-rtd-dropdown sphinx myst-parser furo pydata-sphinx-theme sphinx-book-theme"
    " sphinx-rtd-theme piccolo-theme sphinx-material sphinxawesome-theme markdown"
).split()
PAGES_OF_DOCUMENTATION = 10
"""Of each theme."""
READ_WHOLE = 0.97
"""Word F1 from which a text of DATA becomes a post."""
WORD = re.compile(r"\w+")


class Post(NamedTuple):
    """A text that is published."""

    name: str
    title: str
    day: str
    markdown: str
    text: str


class Built(NamedTuple):
    """A page of a theme, and what it holds."""

    theme: str
    file: Path
    url: str
    post: Post


def word_f1(found: str, truth: str) -> float:
    """F1 of the words of two texts, as bags."""
    ours, theirs = Counter(WORD.findall(found.lower())), Counter(WORD.findall(truth.lower()))
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


def posts(directories: Sequence[Path], count: int, draw: random.Random) -> list[Post]:
    """Texts for blogs, in English."""
    pages = [page for page in load(directories) if page.text and page.lang == "en" and _is_headline(page.title)]
    draw.shuffle(pages)
    found: list[Post] = []
    for truth in pages:
        page = Page(read(truth), truth.url or "http://www.example.org/")
        article = extract(page, algorithm="combined")
        if article.text and word_f1(article.text, truth.text or "") >= READ_WHOLE and len(article.text) > 800:
            day = f"20{draw.randint(19, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            markdown = to_markdown(page, article).replace("{{", "{ {").replace("{%", "{ %")  # no template
            found.append(Post(re.sub(r"\W+", "-", truth.id), truth.title or "", day, markdown, article.text))
        if len(found) == count:
            break
    return found


def _is_headline(title: str | None) -> bool:
    """Whether a title is no day, and not that of a whole site: truths of old blogs have both."""
    return bool(title) and re.search(r"\b(?:19|20)\d\d\b|\|", title or "") is None


def run(command: Sequence[str | Path], folder: Path) -> None:
    """Run a program; its last words are the error.

    :raises RuntimeError: it failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed in {folder}: {(done.stdout + done.stderr)[-1500:]}")


def blogs(place: Path, given: Sequence[Post], count: int, draw: random.Random) -> Iterator[Built]:
    """Build a blog with each theme."""
    modules = place / "node_modules"
    if not all((modules / f"hexo-theme-{theme}").is_dir() for theme in THEMES):
        (place / "package.json").write_text('{"private": true}', "utf-8")
        named = [
            f"hexo@{HEXO}",
            *(f"hexo-renderer-{name}" for name in RENDERERS),
            *(f"hexo-generator-{name}" for name in GENERATORS),
        ]
        named += ["hexo-component-inferno", "hexo-pagination", *(f"hexo-theme-{name}@{of}" for name, of in THEMES.items())]
        run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", *named], place)
    plugins = {
        f"hexo-{kind}-{name}": "*" for kind, names in (("renderer", RENDERERS), ("generator", GENERATORS)) for name in names
    }
    words = sorted({word for post in given for word in re.findall(r"[A-Za-z]{5,9}", post.text)})
    for number, theme in enumerate(THEMES):
        folder = place / "blogs" / theme
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "source/_posts").mkdir(parents=True)
        (folder / "node_modules").symlink_to(modules)
        (folder / "package.json").write_text(
            json.dumps({"private": True, "hexo": {"version": HEXO}, "dependencies": plugins}), "utf-8"
        )
        site = {
            "title": " ".join(draw.sample(words, 2)).title(), "author": "Anna Berg", "language": "en", "theme": theme,
            "per_page": 8, "url": f"http://{theme}.example", "permalink": ":year/:month/:title/",
            "feed": {"type": "atom", "path": "atom.xml"},
        }  # fmt: skip
        (folder / "_config.yml").write_text(json.dumps(site), "utf-8")  # JSON is YAML, too
        own = [given[(number * count + n) % len(given)] for n in range(count)]
        for post in own:
            head = {
                "title": post.title,
                "date": f"{post.day} 12:30:00",
                "categories": [draw.choice(words[:5])],
                "tags": draw.sample(words, 3),
            }
            text = f"{json.dumps(head)[1:-1]}\n;;;\n\n{post.markdown}\n"
            (folder / "source/_posts" / f"{post.name}.md").write_text(text, "utf-8")
        run(["node", modules / "hexo/bin/hexo", "generate", "--silent"], folder)
        for post in own:
            year, month, _ = post.day.split("-")
            path = f"{year}/{month}/{post.name}/"
            yield Built(theme, folder / "public" / path / "index.html", f"http://{theme}.example/{path}", post)


def documentation(place: Path, draw: random.Random) -> Iterator[Built]:
    """Build documents with each theme of MkDocs and Sphinx."""
    programs = place / "venv/bin"
    if not (programs / "sphinx-build").exists():
        venv.create(place / "venv", with_pip=True)
        run([programs / "pip", "install", "--quiet", *PACKAGES], place)
    files = sorted(
        path
        for path in (place / "node_modules").glob("*/[Rr][Ee][Aa][Dd][Mm][Ee].md")
        if 2500 < path.stat().st_size < 30_000
    )
    texts = [
        (path.parent.name, _plain_markdown(path.read_text("utf-8", "replace"))) for path in files if "theme" not in str(path)
    ]
    draw.shuffle(texts)
    themes = [(theme, "mkdocs") for theme in MKDOCS] + [(theme, "sphinx") for theme in SPHINX]
    for number, (theme, software) in enumerate(themes):
        folder = place / software / theme
        shutil.rmtree(folder, ignore_errors=True)
        source = folder / "docs"
        source.mkdir(parents=True)
        own = [texts[(number * PAGES_OF_DOCUMENTATION + n) % len(texts)] for n in range(PAGES_OF_DOCUMENTATION)]
        for name, text in own:
            (source / f"{name}.md").write_text(text, "utf-8")
        names = "\n".join(name for name, _ in own)
        if software == "mkdocs":
            (source / "index.md").write_text("# Handbook\n", "utf-8")
            (folder / "mkdocs.yml").write_text(json.dumps({"site_name": "Handbook", "theme": {"name": theme}}), "utf-8")
            run([programs / "mkdocs", "build", "--quiet"], folder)
        else:
            (source / "index.md").write_text(f"# Handbook\n\n```{{toctree}}\n{names}\n```\n", "utf-8")
            (source / "conf.py").write_text(
                f"project = 'Handbook'\nextensions = ['myst_parser']\nhtml_theme = {theme!r}\n", "utf-8"
            )
            run([programs / "sphinx-build", "-Q", "-b", "html", "docs", "site"], folder)
        for name, text in own:
            plain = subprocess.run(
                [programs / "markdown_py", "-x", "tables", "-x", "fenced_code"],
                input=text,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            path = f"{name}/index.html" if software == "mkdocs" else f"{name}.html"
            words = " ".join(html.fromstring(f"<div>{plain}</div>").itertext())
            yield Built(
                f"{software}: {theme}",
                folder / "site" / path,
                f"http://docs.example/{path}",
                Post(name, "", "", text, words),
            )


def _plain_markdown(text: str) -> str:
    """Without pictures, raw HTML and templates, of which each software makes something else."""
    text = re.sub(r"\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\]\([^)]*\)|<[^>\n]{1,300}>", "", text)
    return text.replace("{{", "{ {").replace("{%", "{ %")


def measure(built: Sequence[Built]) -> None:
    """Extract each page, and print a row for each theme."""
    print(f"{'theme':32} pages  word F1  title   day  kinds")
    rows: dict[str, list[tuple[float, float, float, str]]] = defaultdict(list)
    for theme, file, url, post in built:
        article = extract(file.read_bytes(), url)
        is_title, is_day = (article.title or "").split() == post.title.split(), (article.date or "")[:10] == post.day
        rows[theme].append((word_f1(article.text or "", post.text), is_title, is_day, article.kind or "none"))
    for theme, found in rows.items():
        f1, title, day = (sum(figures) / len(found) for figures in zip(*(row[:3] for row in found), strict=True))
        stated = f"{title:6.3f}{day:6.3f}" if not theme.startswith(("mkdocs", "sphinx")) else " " * 12
        print(f"{theme:32}{len(found):6}{f1:9.3f} {stated}  {dict(Counter(row[3] for row in found).most_common())}")


def crawl(place: Path, built: Sequence[Built]) -> None:
    """Crawl the blogs from their home pages, and print what became a record."""
    feed, sites = place / "news.jsonl", place / "sites.toml"
    for left in place.glob("news.*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    tables = (
        f'[[site]]\nname = "{theme}"\nserve = "{place / "blogs" / theme / "public"}"\nstart = ["http://{theme}.example/"]\n'
        "delay = 0\nconcurrency = 4\n"
        for theme in THEMES
    )
    sites.write_text("\n".join(tables), "utf-8")
    words = command("news", "-o", feed, SITES_FILE=sites, LOG_LEVEL="ERROR")
    subprocess.run(words, cwd=ROOT, capture_output=True, check=False)
    truth = {page.url.removesuffix("/"): page.theme for page in built}
    found = [
        json.loads(line)["url"].removesuffix("index.html").removesuffix("/") for line in feed.read_text("utf-8").splitlines()
    ]
    records = Counter(truth[url] for url in found if url in truth)
    other = sum(url not in truth for url in found)
    print(f"\ncrawls: {records.total()} of {len(truth)} posts are records; {other} other records")
    for theme, expected in Counter(truth.values()).items():
        if records[theme] < expected:
            print(f"  {theme}: {records[theme]} of {expected}")


def main() -> None:
    """Build, extract and crawl."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "data", nargs="*", type=Path, default=SETS, help="folders with truth.jsonl and pages/ (default: %(default)s)"
    )
    parser.add_argument("--place", type=Path, default=ROOT / "build/stock", help="where the sites are built")
    parser.add_argument("--posts", type=int, default=30, help="of each blog (default: %(default)s)")
    arguments = parser.parse_args()
    if shutil.which("npm") is None:
        parser.error("npm is missing; install Node.js with it")
    arguments.place.mkdir(parents=True, exist_ok=True)
    place, draw = arguments.place.resolve(), random.Random(7)
    texts = posts(arguments.data, arguments.posts * len(THEMES), draw)
    written = list(blogs(place, texts, arguments.posts, draw))
    documents = list(documentation(place, draw))
    measure(written + documents)
    crawl(place, written)


if __name__ == "__main__":
    main()
