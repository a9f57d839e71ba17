"""The blocks of an article body as HTML, in the manner of each template."""

from __future__ import annotations

from collections.abc import Callable

from site_source import Article, Block, cells, inline


def image(article: Article) -> str:
    """Address of the article's picture."""
    return "/static/" + article.get("image", "harbour.svg")


def modern_block(block: Block, article: Article) -> str:
    """A block of the HTML5 template."""
    items = [inline(item) for item in block.items]
    if block.kind == "heading":
        return f"<h2>{items[0]}</h2>"
    if block.kind == "list":
        return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"
    if block.kind == "table":
        head, *rows = [cells(item) for item in items]
        top = "".join(f"<th>{cell}</th>" for cell in head)
        body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    if block.kind == "quote":
        return "<blockquote>" + "".join(f"<p>{item}</p>" for item in items) + "</blockquote>"
    if block.kind == "caption":
        return f'<figure><img src="{image(article)}" alt="" width="640"><figcaption>{items[0]}</figcaption></figure>'
    return f"<p>{items[0]}</p>"


def portal_block(block: Block, article: Article) -> str:
    """A block of the old portal, paragraphs left open."""
    items = [inline(item) for item in block.items]
    if block.kind == "heading":
        return f"<p>　　<strong>{items[0]}</strong>"
    if block.kind == "list":
        return "<ul>\n" + "\n".join(f"<li>{item}" for item in items) + "\n</ul>"
    if block.kind == "table":
        rows = "\n".join("<tr>" + "".join(f"<td>{c}" for c in cells(item)) for item in items)
        return f'<table border="1" cellpadding="3" align="center">\n{rows}\n</table>'
    if block.kind == "caption":
        return f'<p align="center"><img src="{image(article)}" border="0"><br><font color="#666666">{items[0]}</font></p>'
    return "\n".join(f"<p>　　{item}" for item in items)


def blog_block(block: Block, article: Article) -> str:
    """A block of the weblog."""
    if block.kind == "heading":
        return f"<h3>{inline(block.items[0])}</h3>"
    if block.kind == "caption":
        return (
            f'<div class="wp-caption aligncenter"><img src="{image(article)}" alt="">'
            f'<p class="wp-caption-text">{inline(block.items[0])}</p></div>'
        )
    return modern_block(block, article)


def join(blocks: list[Block], article: Article, render: Callable[[Block, Article], str]) -> str:
    """Blocks one after the other."""
    return "\n".join(render(block, article) for block in blocks)


def spoil(content: str) -> str:
    """Spoil the markup: no end tags, overlapping and stray tags, bare ampersand entities."""
    for tag in ("</p>", "</li>", "</ul>", "</h3>"):
        content = content.replace(tag, "")
    content = content.replace("<p>", "<p><b><i>", 1)
    content = content.replace(". ", ".</b> ", 1).replace(". ", ".</i></span> ", 1)
    return content.replace("<p>", '<div class="wrap"><p><font size=2>', 2) + "</table></td>"
