"""Pages and crawls of stock software that nothing here was made with: 15 themes of a blog, 28 of documentation.

    python -m benchmarks.stock_software [DATA …] [--themes known|held-out] [--place DIR] [--posts 30]

Builds real sites with Hexo (npm), MkDocs and Sphinx (PyPI) into DIR (default: build/stock; 900 MB, kept). A blog's posts are
texts of DATA as Markdown, those of which `combined` reads nearly all from their own pages; a page of documentation is the
README of an npm package. So the text of each page is known to the word, and what a theme puts around it is its own.

- Articles and documentation: word F1 of the text, title, day, and kind of page, by theme.
- Crawls: each blog from its home page alone; how many posts are records, how many other pages, and their fields.

`--themes held-out` builds and crawls 24 blogs of other software and themes instead, also from their sitemaps: some posts are
one sentence, some are in other languages, and the others have headings, a list, a quotation, a picture and code.

Needs node and npm; held-out also Jekyll with its plugins `archives`, `feed`, `include-cache`, `paginate`, `seo-tag` and
`sitemap`, as Debian packages them. No model was trained on these pages, and no rule was made for them before the first
measurement.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import unicodedata
import venv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from lxml import html

from benchmarks.crawling import ENVIRONMENT, command
from benchmarks.server import ROOT
from newsextract import Page, extract, to_markdown
from newsextract.lab.datasets import load, read

SETS = [Path("../shared/bench/articles")]
NPM_INSTALL = "npm install --no-audit --no-fund --ignore-scripts --legacy-peer-deps".split()
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
WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff]+|[\u3040-\u30ff\u3400-\u9fff]")
"""A word, or a character of Chinese and Japanese."""
HELD_OUT = (
    "hexo: kira, hexo: aurora, pelican: bula, pelican: bulrush, pelican: jwk_theme, pelican: pelican_shiori,"
    " pelican: plumage, pelican: pelican/themes/reflex, pelican: pelican/themes/smallweb, pelican: pelican/themes/themeless,"
    " pelican: pelican/plugins/seafoam, pelican: pelican_engineering_theme/theme, jekyll: minima, jekyll: chirpy,"
    " marmite: own, baku: own, midas: own, oxie: own, stattic: own, mkdocs: simple-blog, logya: own,"
    " ablog: sphinx_book_theme, ablog: piccolo_theme, ablog: sphinx_material"
).split(", ")
"""Blogs of ``--themes held-out``: software and theme; Jekyll is Debian's."""
HELD_OUT_PACKAGES = (
    "pelican[markdown]==4.12.0 pelican-shiori==0.2.1 pelican-theme-reflex==4.0.1 pelican-theme-smallweb==2022.6.28"
    " pelican-themeless==0.1.2 seafoam==2.19.2 pelican-engineering-theme==0.1.0 marmite==0.4.2 mkdocs-simple-blog==0.6.1"
    " baku==1.2.0 midas-ssg==0.1.32 oxie==0.5.0 logya==6.1.0 ablog==0.11.13 myst-parser==5.2.0 sphinx-book-theme==1.4.0"
    " piccolo-theme==0.24.0 sphinx-material==0.0.36 bulrush==0.6.3 stattic==1.0.0"
).split()
HELD_OUT_THEMES = "bula==0.2.56 jwk-theme==0.3.0 plumage==5.0.0".split()
"""Without what they require: a Pelican of its own version, and compressors."""
HELD_OUT_MODULES = [
    f"hexo@{HEXO}", *(f"hexo-renderer-{name}" for name in RENDERERS),
    *(f"hexo-generator-{name}" for name in [*GENERATORS, "sitemap"]),
    *"hexo-theme-kira@1.4.9 hexo-theme-aurora@2.5.3 jekyll-theme-chirpy@5.3.21".split(),
]  # fmt: skip
OTHERS = {"de": 3, "zh": 2, "es": 1, "ja": 1}
"""Posts of a held-out blog in other languages."""
AUTHOR = "Anna Berg"
QUOTES = str.maketrans("‘’“”", "''\"\"")
"""Some software writes them in place of plain ones."""
THEME_SETTINGS: dict[str, dict[str, object]] = {
    "kira": {
        "avatar": "/me.png", "background": {"path": "/sea.jpg", "width": 16, "height": 9}, "gitalk": {}, "giscus": {},
        "menu": {}, "widgets": [], "sidebar": [], "social": {}, "favicon": {}, "iconlib": "", "cdn": {}, "maxTagcloud": 9,
        "customStyles": [],
    },
}  # fmt: skip
"""Of Hexo's themes whose package lacks the settings that they need."""
ABOUT = "I am a writer who lives by the sea. This is where I keep what I have learned about work, food and travel.\n"


class Post(NamedTuple):
    """A text that is published."""

    name: str
    title: str
    day: str
    markdown: str
    text: str
    section: str = ""
    tags: tuple[str, ...] = ()
    language: str = "en"


class Blog(NamedTuple):
    """A blog that is to be built."""

    place: Path
    theme: str
    folder: Path
    url: str
    title: str
    posts: Sequence[Post]


class Built(NamedTuple):
    """A page of a theme, and what it holds."""

    theme: str
    file: Path
    url: str
    post: Post
    site: Path
    """The folder of the whole site."""


def word_f1(found: str, truth: str) -> float:
    """F1 of the words of two texts, as bags."""
    ours, theirs = Counter(WORD.findall(found.lower())), Counter(WORD.findall(truth.lower()))
    return 2 * (ours & theirs).total() / max(1, ours.total() + theirs.total())


def posts(directories: Sequence[Path], count: int, draw: random.Random, language: str = "en") -> list[Post]:
    """Texts for blogs in a language."""
    pages = [page for page in load(directories) if page.text and page.lang == language and _is_headline(page.title)]
    draw.shuffle(pages)
    found: list[Post] = []
    for truth in pages:
        page = Page(read(truth), truth.url or "http://www.example.org/")
        article = extract(page, algorithm="combined")
        least = 200 if language in ("zh", "ja") else 800
        if article.text and word_f1(article.text, truth.text or "") >= READ_WHOLE and len(article.text) > least:
            day = f"20{draw.randint(19, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            markdown = to_markdown(page, article).replace("{{", "{ {").replace("{%", "{ %")  # no template
            name = re.sub(r"\W+", "-", truth.id)
            found.append(Post(name, truth.title or "", day, markdown, article.text, language=language))
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
        run([*NPM_INSTALL, *named], place)
    words = sorted({word for post in given for word in re.findall(r"[A-Za-z]{5,9}", post.text)})
    for number, theme in enumerate(THEMES):
        own = [given[(number * count + n) % len(given)] for n in range(count)]
        title = " ".join(draw.sample(words, 2)).title()
        own = [post._replace(section=draw.choice(words[:5]), tags=tuple(draw.sample(words, 3))) for post in own]
        yield from _built(Blog(place, theme, place / "blogs" / theme, f"http://{theme}.example", title, own), "hexo")


def _built(blog: Blog, software: str) -> Iterator[Built]:
    """Build a blog; its pages are those whose path has the name of a post."""
    shutil.rmtree(blog.folder, ignore_errors=True)
    blog.folder.mkdir(parents=True)
    site = SOFTWARE[software](blog)
    files = {unquote(str(file.relative_to(site))): file for file in site.rglob("*.html")}
    for post in blog.posts:
        path = min((path for path in files if post.name in path), key=len)
        address = f"{blog.url}/{quote(path.removesuffix('index.html'))}"
        yield Built(f"{software}: {blog.theme}", files[path], address, post, site)


def held_out(
    place: Path, english: Sequence[Post], other: Mapping[str, Sequence[Post]], draw: random.Random
) -> Iterator[Built]:
    """Build a blog of 24 posts with each of :data:`HELD_OUT`: 17 in English, four of them very short, and seven others."""
    programs = place / "venv/bin"
    if not (programs / "pelican").exists():
        venv.create(place / "venv", with_pip=True)
        run([programs / "pip", "install", "--quiet", *HELD_OUT_PACKAGES], place)
        run([programs / "pip", "install", "--quiet", "--no-deps", *HELD_OUT_THEMES], place)
    if not (place / "node_modules/jekyll-theme-chirpy").is_dir():
        (place / "package.json").write_text('{"private": true}', "utf-8")
        run([*NPM_INSTALL, *HELD_OUT_MODULES], place)
    words = sorted({word for post in english for word in re.findall(r"[A-Za-z]{5,9}", post.text)})
    sections = [word.title() for word in draw.sample(words, 4)]
    for number, name in enumerate(HELD_OUT):
        software, theme = name.split(": ")
        host = re.sub(r"[\W_]+", "-", name)
        own = [english[(number * 17 + n) % len(english)] for n in range(17)]
        own = [_short(post) if n < 4 else _adorned(post, english, draw) for n, post in enumerate(own)]
        for language, count in OTHERS.items():
            given = other[language]
            own += [given[(number * count + n) % len(given)] for n in range(count)]
        own = [
            post._replace(name=_slug(post), section=draw.choice(sections), tags=tuple(draw.sample(words, 3))) for post in own
        ]
        title = " ".join(draw.sample(words, 2)).title()
        yield from _built(Blog(place, theme, place / "blogs" / host, f"http://{host}.example", title, own), software)


def _slug(post: Post) -> str:
    plain = unicodedata.normalize("NFKD", post.title.lower()).encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "-", plain).strip("-")[:60].strip("-")
    return name if len(name) > 12 else f"note-{post.day}"


def _short(post: Post) -> Post:
    """The first sentence or two of a post."""
    text = re.match(r"(?s).{90,300}?[.!?](?=\s|$)", post.text)
    words = text[0] if text else post.text[:200]
    return post._replace(markdown=words, text=words)


def _adorned(post: Post, others: Sequence[Post], draw: random.Random) -> Post:
    """A post with two headings, a list, a quotation, a picture and code between its paragraphs."""
    other = draw.choice([other for other in others if other.title != post.title])
    sentences = [part.strip() for part in re.split(r"(?<=[.!?])\s+", other.text) if 30 < len(part) < 160]
    sentences = (sentences * 8 + ["It rains on the hills tonight, and nobody is there."] * 8)[:8]
    headings = [" ".join(sentence.split()[:4]).strip(",.;:") for sentence in sentences[:2]]
    code = f"for day in range({draw.randint(3, 90)}):\n    print(day)"
    parts = [
        f"## {headings[0]}", "\n".join(f"- {sentence}" for sentence in sentences[2:5]),
        f"> {sentences[5]} {sentences[6]}", "![Harbour](/harbour.png)", f"## {headings[1]}",
        f"```python\n{code}\n```", sentences[7],
    ]  # fmt: skip
    blocks = re.split(r"\n{2,}", post.markdown.strip())
    for place, part in enumerate(parts):
        blocks.insert(1 + round((place + 1) * (len(blocks) - place - 1) / (len(parts) + 1)), part)
    return post._replace(markdown="\n\n".join(blocks), text="\n".join((post.text, *headings, *sentences[2:], code)))


def _front(post: Post, **more: object) -> str:
    """A post with its data as JSON, which is YAML, too."""
    head = {"title": post.title, "date": f"{post.day} 12:30:00", "tags": post.tags, "categories": [post.section], **more}
    lines = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items())
    return f"---\n{lines}\n---\n\n{post.markdown}\n"


def _write(folder: Path, files: Mapping[str, str | Mapping[str, object]]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, indent=1), "utf-8")


def hexo(blog: Blog) -> Path:
    """Hexo."""
    modules = blog.place / "node_modules"
    (blog.folder / "node_modules").symlink_to(modules)
    plugins = {path.name: "*" for kind in ("renderer", "generator") for path in modules.glob(f"hexo-{kind}-*")}
    site = {
        "title": blog.title, "author": AUTHOR, "language": "en", "theme": blog.theme, "per_page": 8, "url": blog.url,
        "permalink": ":year/:month/:title/", "feed": {"type": "atom", "path": "atom.xml"},
    }  # fmt: skip
    _write(
        blog.folder,
        {
            "package.json": {"private": True, "hexo": {"version": HEXO}, "dependencies": plugins},
            "_config.yml": site,  # JSON is YAML, too
            f"_config.{blog.theme}.yml": THEME_SETTINGS.get(blog.theme, {}),
            **({} if blog.theme in THEMES else {"source/about/index.md": f"---\ntitle: About\n---\n\n{ABOUT}"}),
        },
    )
    _write(blog.folder / "source/_posts", {f"{post.name}.md": _front(post) for post in blog.posts})
    run(["node", modules / "hexo/bin/hexo", "generate", "--silent"], blog.folder)
    return blog.folder / "public"


def pelican(blog: Blog) -> Path:
    """Pelican: the theme is the package that holds it."""
    modules = next((blog.place / "venv/lib").glob("python*/site-packages"))
    settings = {
        "AUTHOR": AUTHOR, "SITENAME": blog.title, "SITEURL": blog.url, "TIMEZONE": "UTC", "PATH": "content",
        "THEME": str(modules / blog.theme), "FEED_ALL_ATOM": "feeds/all.atom.xml", "TAGS_SAVE_AS": "tags.html",
        "DEFAULT_LANG": "en", "DEFAULT_PAGINATION": 8,
    }  # fmt: skip
    texts = {
        f"content/{post.name}.md": f"Title: {post.title}\nDate: {post.day} 12:30\nCategory: {post.section}\n"
        f"Tags: {', '.join(post.tags)}\nSlug: {post.name}\n\n{post.markdown}\n"
        for post in blog.posts
    }
    texts["content/pages/about.md"] = f"Title: About\n\n{ABOUT}"
    _write(blog.folder, texts | {"pelicanconf.py": "\n".join(f"{name} = {value!r}" for name, value in settings.items())})
    run([blog.place / "venv/bin/pelican", "-s", "pelicanconf.py", "-o", "public"], blog.folder)
    return blog.folder / "public"


def jekyll(blog: Blog) -> Path:
    """Jekyll, of Debian: Minima, or a theme of npm, which is a whole site."""
    site = {
        "title": blog.title, "author": AUTHOR, "url": blog.url, "baseurl": "", "paginate": 8, "lang": "en",
        "plugins": ["jekyll-feed", "jekyll-seo-tag", "jekyll-sitemap", "jekyll-paginate"],
        "permalink": "/:categories/:title/", "theme": "minima",
    }  # fmt: skip
    files: dict[str, str | Mapping[str, object]] = {"index.md": "---\nlayout: home\n---\n"}
    if blog.theme != "minima":
        shutil.copytree(blog.place / f"node_modules/jekyll-theme-{blog.theme}", blog.folder, dirs_exist_ok=True)
        shutil.rmtree(blog.folder / "_posts")
        shutil.rmtree(blog.folder / "_plugins")
        (blog.folder / "Gemfile").unlink()
        (blog.folder / "_data/locales/tr-TR.yml").unlink()  # no valid YAML
        style = blog.folder / "assets/css/style.scss"
        style.write_text(style.read_text("utf-8").replace("{{ site.theme }}", f"jekyll-theme-{blog.theme}"), "utf-8")
        own = (blog.folder / "_config.yml").read_text("utf-8")
        files = {}
        del site["theme"], site["permalink"]
        own = "\n".join(line for line in own.splitlines() if line.partition(":")[0] not in {*site, "theme"})
        own = re.sub("(?m)^  name: .*", f"  name: {AUTHOR}", own)
        site["plugins"] = ["jekyll-paginate", "jekyll-seo-tag", "jekyll-archives", "jekyll-sitemap", "jekyll-include-cache"]
        files["_config.yml"] = own + "\n" + "\n".join(f"{name}: {json.dumps(value)}" for name, value in site.items())
    else:
        files["_config.yml"] = site
        files["about.md"] = f"---\nlayout: page\ntitle: About\n---\n\n{ABOUT}"
    _write(blog.folder, files)
    for post in blog.posts:
        text = _front(post, layout="post", author=AUTHOR)
        _write(blog.folder / "_posts", {f"{post.day}-{post.name}.md": text})
    run(["jekyll", "build", "--quiet", "-d", "public"], blog.folder)
    return blog.folder / "public"


def marmite(blog: Blog) -> Path:
    """Marmite."""
    _write(blog.folder, {"marmite.yaml": {"name": blog.title, "url": blog.url, "pagination": 8, "language": "en"}})
    posts = {f"{post.day}-{post.name}.md": _front(post, authors=[AUTHOR], slug=post.name) for post in blog.posts}
    _write(blog.folder / "content", {"about.md": f"# About\n\n{ABOUT}", **posts})
    run([blog.place / "venv/bin/marmite", ".", "public"], blog.folder)
    return blog.folder / "public"


def baku(blog: Blog) -> Path:
    """Baku: the first heading is the title."""
    program = blog.place / "venv/bin/baku"
    run([program, "--init"], blog.folder)
    text = f"title = {blog.title}\nauthor = {AUTHOR}\nurl = {blog.url}/\ndescription = Notes\nstyle = light.css\n"
    posts = {f"{post.day.replace('-', '/')}/{post.name}.md": f"# {post.title}\n\n{post.markdown}\n" for post in blog.posts}
    _write(blog.folder, {"blog.cfg": text, **posts})
    run([program, "--build"], blog.folder)
    return blog.folder / "html"


def stattic(blog: Blog) -> Path:
    """Stattic."""
    program = blog.place / "venv/bin/stattic"
    run([program, "--init", "yml"], blog.folder)
    for sample in (blog.folder / "content").glob("*/sample-*.md"):
        sample.unlink()
    more = {"author": 1, "categories": [1], "tags": [1]}
    for post in blog.posts:
        _write(blog.folder / "content/posts", {f"{post.name}.md": _front(post, date=post.day, custom_url=post.name, **more)})
    about = f'---\ntitle: "About"\ncustom_url: about\nauthor: 1\ndate: 2024-01-01\n---\n\n{ABOUT}'
    _write(blog.folder / "content", {"pages/about.md": about, "authors.yml": f'1: "{AUTHOR}"\n'})
    named = "--output", "public", "--site-url", blog.url, "--site-title", blog.title, "--posts-per-page", "8"
    run([program, *named], blog.folder)
    return blog.folder / "public"


def mkdocs(blog: Blog) -> Path:
    """MkDocs with a theme for blogs, whose home page is written by hand, as its guide says."""
    posts = {
        f"docs/{post.name}.md": f"---\ntitle: {json.dumps(post.title, ensure_ascii=False)}\ndate: {post.day}\n---\n\n"
        f"# {post.title}\n\n{post.markdown}"
        for post in blog.posts
    }
    home = "# Posts\n\n" + "\n".join(f"- {post.day} [{post.title}]({post.name}.md)" for post in blog.posts)
    site = {
        "site_name": blog.title, "site_url": blog.url, "site_author": AUTHOR, "theme": {"name": blog.theme},
        "nav": [{"Home": "index.md"}, {"About": "about.md"}],
    }  # fmt: skip
    _write(blog.folder, {"mkdocs.yml": site, "docs/index.md": home, "docs/about.md": f"# About\n\n{ABOUT}", **posts})
    run([blog.place / "venv/bin/mkdocs", "build", "--quiet", "-d", "public"], blog.folder)
    return blog.folder / "public"


def midas(blog: Blog) -> Path:
    """Midas: its home page is what its own command makes."""
    program = blog.place / "venv/bin/midas"
    run([program, "init", "site"], blog.folder)
    site = blog.folder / "site"
    for sample in (site / "site/p").glob("*.md"):
        sample.unlink()
    posts = {f"site/p/{post.name}.md": _front(post, date=post.day, type="post") for post in blog.posts}
    config = {"site": {"url": blog.url, "name": blog.title}, "collections": {"p": {"title": "Posts"}}}
    _write(site, {"midas.yaml": config, "site/about.md": f"---\ntitle: About\n---\n\n{ABOUT}", **posts})
    run([program, "build"], site)
    return site / "_dist"


def oxie(blog: Blog) -> Path:
    """Oxie, without its style."""
    run([blog.place / "venv/bin/oxie", "init", "site", "--title", blog.title, "--author", AUTHOR], blog.folder)
    site = blog.folder / "site"
    for sample in (site / "source/post").glob("*.md"):
        sample.unlink()
    build = (site / "build.py").read_text("utf-8")
    build = re.sub(r"css_build_command=\(.*?\),", "css_build_command=None,", build, flags=re.S)
    data = json.loads((site / "src/meta_data.json").read_text("utf-8"))
    _write(site, {"build.py": build, "src/meta_data.json": data | {"link": blog.url}})
    for post in blog.posts:
        own = {"Title": post.title, "Date": post.day, "Category": post.section, "Tags": post.tags, "Authors": AUTHOR}
        _write(site / "source/post", {f"{post.name}.md": _front(post, **own, Summary="Notes")})
    run([blog.place / "venv/bin/python", "build.py"], site)
    return site / "docs"


def logya(blog: Blog) -> Path:
    """Logya."""
    program = blog.place / "venv/bin/logya"
    run([program, "create", "site"], blog.folder)
    site = blog.folder / "site"
    config = (site / "site.yaml").read_text("utf-8").replace("http://localhost:8080", blog.url)
    config = config.replace("Author Name", AUTHOR).replace("Website Name", blog.title)
    _write(site, {"site.yaml": config})
    for post in blog.posts:
        text = _front(post, created=post.day, template="post.html", url=f"/{post.name}/")
        _write(site / "content", {f"{post.name}.md": text})
    run([program, "generate"], site)
    return site / "public"


def ablog(blog: Blog) -> Path:
    """ABlog with a theme of Sphinx, and its own boxes beside the posts."""
    boxes = [f"ablog/{name}.html" for name in ("postcard", "recentposts", "tagcloud", "categories", "archives")]
    settings = {
        "project": blog.title, "author": AUTHOR, "extensions": ["ablog", "myst_parser"], "html_theme": blog.theme,
        "blog_title": blog.title, "blog_baseurl": blog.url, "blog_authors": {"anna": (AUTHOR, None)},
        "blog_default_author": "anna", "html_sidebars": {"**": boxes},
    }  # fmt: skip
    posts = {
        f"docs/posts/{post.name}.md": f"---\nblogpost: true\ndate: {datetime.fromisoformat(post.day):%b %d, %Y}\n"
        f"author: anna\ncategory: {post.section}\ntags: {', '.join(post.tags)}\n---\n\n# {post.title}\n\n{post.markdown}\n"
        for post in blog.posts
    }
    texts = {"index": f"# {blog.title}\n\n```{{postlist}} 8\n:excerpts:\n```\n", "about": f"# About\n\n{ABOUT}"}
    conf = "\n".join(f"{name} = {value!r}" for name, value in settings.items())
    _write(blog.folder, {"docs/conf.py": conf, **posts, **{f"docs/{name}.md": text for name, text in texts.items()}})
    run([blog.place / "venv/bin/sphinx-build", "-Q", "-b", "dirhtml", "docs", "public"], blog.folder)
    return blog.folder / "public"


SOFTWARE = {
    function.__name__: function
    for function in (hexo, pelican, jekyll, marmite, baku, midas, oxie, stattic, mkdocs, logya, ablog)
}


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
                folder / "site",
            )


def _plain_markdown(text: str) -> str:
    """Without pictures, raw HTML and templates, of which each software makes something else."""
    text = re.sub(r"\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)|!\[[^\]]*\]\([^)]*\)|<[^>\n]{1,300}>", "", text)
    return text.replace("{{", "{ {").replace("{%", "{ %")


def measure(built: Sequence[Built]) -> None:
    """Extract each page, and print a row for each theme."""
    print(f"{'theme':32} pages  word F1  title   day  kinds")
    rows: dict[str, list[tuple[float, float, float, str]]] = defaultdict(list)
    for theme, file, url, post, _ in built:
        article = extract(file.read_bytes(), url)
        is_title, is_day = (article.title or "").split() == post.title.split(), (article.date or "")[:10] == post.day
        rows[theme].append((word_f1(article.text or "", post.text), is_title, is_day, article.kind or "none"))
    for theme, found in rows.items():
        f1, title, day = (sum(figures) / len(found) for figures in zip(*(row[:3] for row in found), strict=True))
        stated = f"{title:6.3f}{day:6.3f}" if not theme.startswith(("mkdocs", "sphinx")) else " " * 12
        print(f"{theme:32}{len(found):6}{f1:9.3f} {stated}  {dict(Counter(row[3] for row in found).most_common())}")


def crawl(place: Path, built: Sequence[Built], way: str) -> None:
    """Crawl the blogs from their home pages, or from the sitemaps of those that have one, and print a row for each."""
    sites: dict[str, list[Built]] = defaultdict(list)
    for page in built:
        sites[page.theme].append(page)
    feed, tables, hosts = place / f"{way}.jsonl", [], {}
    for left in place.glob(f"{way}.*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    for theme, pages in sites.items():
        host, folder = urlsplit(pages[0].url).netloc, pages[0].site
        maps = sorted(folder.glob("sitemap*.xml"))
        starts = {"home": f'start = ["http://{host}/"]', "sitemap": maps and f'sitemaps = ["http://{host}/{maps[0].name}"]'}
        if starts[way]:
            hosts[host.removesuffix(".example")] = theme
            name = host.removesuffix(".example")
            tables.append(f'[[site]]\nname = "{name}"\nserve = "{folder}"\n{starts[way]}\ndelay = 0\nconcurrency = 4\n')
    (place / f"{way}.toml").write_text("\n".join(tables), "utf-8")
    words = command("news", "-O", feed, SITES_FILE=place / f"{way}.toml", LOG_LEVEL="ERROR")
    subprocess.run(words, cwd=ROOT, env=ENVIRONMENT, capture_output=True, check=False)
    found = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    asked = [json.loads(line) for line in feed.with_suffix(".rejected.jsonl").read_text("utf-8").splitlines()]
    pages_of = Counter(site for site, _ in {(line["site"], line["url"]) for line in (*found, *asked)})
    print(f"\n{'from the ' + way:36} posts found other  word F1  title    day author section language  pages per post")
    rows = []
    for site, theme in hosts.items():
        truth = {_place(page.url): page.post for page in sites[theme]}
        records = {_place(line["url"]): line for line in found if line["site"] == site}
        pairs = [(record, truth[url]) for url, record in records.items() if url in truth]
        shares = [sum(part) / max(1, len(pairs)) for part in zip(*(_compared(*pair) for pair in pairs), strict=True)] or [
            0.0
        ] * 6
        rows.append((len(truth), len(pairs), len(records) - len(pairs), *shares, pages_of[site] / len(truth)))
        print(f"{theme:36}" + _row(rows[-1]))
    sums = [sum(column) for column in zip(*rows, strict=True)]
    means = [sum(row[1] * row[place] for row in rows) / max(1, sums[1]) for place in range(3, 9)]
    print(f"{'all':36}" + _row((*sums[:3], *means, sums[-1] / len(rows))))


def _row(figures: Sequence[float]) -> str:
    return "".join(f"{figure:6}" for figure in figures[:3]) + "".join(f"{figure:8.3f}" for figure in figures[3:])


def _place(url: str) -> str:
    """A page's address as it is compared."""
    return unquote(url).removesuffix("index.html").rstrip("/")


def _compared(record: Mapping[str, Any], post: Post) -> tuple[float, ...]:
    """Word F1; and whether title, day, author, section and language are right."""
    title = " ".join(record["title"].translate(QUOTES).split()) if record["title"] else ""
    return (
        word_f1(record["text"] or "", post.text),
        title == " ".join(post.title.translate(QUOTES).split()),
        (record["date"] or "")[:10] == post.day,
        record["authors"] == [AUTHOR],
        record["section"] == post.section,
        (record["language"] or "").startswith(post.language),
    )


def main() -> None:
    """Build, extract and crawl."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "data", nargs="*", type=Path, default=SETS, help="folders with truth.jsonl and pages/ (default: %(default)s)"
    )
    parser.add_argument("--place", type=Path, default=ROOT / "build/stock", help="where the sites are built")
    parser.add_argument("--posts", type=int, default=30, help="of each blog (default: %(default)s)")
    parser.add_argument(
        "--themes", choices=("known", "held-out"), default="known", help="which sites (default: %(default)s)"
    )
    arguments = parser.parse_args()
    if shutil.which("npm") is None:
        parser.error("npm is missing; install Node.js with it")
    arguments.place.mkdir(parents=True, exist_ok=True)
    place, draw = arguments.place.resolve(), random.Random(7)
    if arguments.themes == "held-out":
        place /= "held-out"
        place.mkdir(exist_ok=True)
        english = posts(arguments.data, 17 * len(HELD_OUT), draw)
        others = {language: posts(arguments.data, 40, draw, language) for language in OTHERS}
        written = list(held_out(place, english, others, draw))
        for way in ("home", "sitemap"):
            crawl(place, written, way)
        return
    texts = posts(arguments.data, arguments.posts * len(THEMES), draw)
    written = list(blogs(place, texts, arguments.posts, draw))
    documents = list(documentation(place, draw))
    measure(written + documents)
    crawl(place, written, "home")


if __name__ == "__main__":
    main()
