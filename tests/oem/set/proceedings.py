"""Four lists of proceedings in the markup of the nineties: the first four rows of Table 2."""

from __future__ import annotations

from html import escape

from tests.oem.set.objects import Expected, link, text, within
from tests.oem.set.words import TOPICS, Words

_INDEX = (
    '<a href="../index.html">Home</a> | <a href="../conferences.html">Conferences</a> | <a href="../search.html">Search</a>'
)


def aaai(url: str) -> tuple[str, Expected]:
    """Headings of three sizes and lists, as the paper's section 1.3 describes the page."""
    words = Words("aaai")
    source = [
        "<html><head><title>AAAI-97: Papers</title></head>\n<body bgcolor=#ffffff>\n"
        f"<p>{_INDEX}</p>\n<h1>14th Assembly on Artificial Inference, Harbourton 1997</h1>\n"
    ]
    chapters: list[Expected] = []
    page = 3
    for chapter, parts in (("Technical Papers", 9), ("Student Abstracts", 4), ("Invited Talks", 0)):
        source.append(f"<h2>{chapter}</h2>\n")
        objects: list[Expected] = []
        for topic in words.random.sample(TOPICS, parts):
            source.append(f"<h3>{topic}</h3>\n")
            kinds: list[Expected] = []
            for kind in words.random.sample(("Foundations", "Methods", "Systems", "Applications"), 3):
                source.append(f"<h4>{topic}: {kind}</h4>\n<ul>\n")
                papers = []
                for _ in range(words.random.randint(5, 7)):
                    page, paper, written = _aaai_paper(words, page)
                    source.append(written)
                    papers.append(paper)
                source.append("</ul>\n")
                kinds.append(within(f"{topic}: {kind}", *papers))
            objects.append(within(topic, *kinds))
        if not parts:
            source.append("<ul>\n")
            for _ in range(5):
                page, paper, written = _aaai_paper(words, page)
                source.append(written)
                objects.append(paper)
            source.append("</ul>\n")
        chapters.append(within(chapter, *objects))
    source.append('<hr>DBLP: [<a href="../index.html">Home</a> | <a href="../search.html">Search</a>]\n')
    source.append("<address>Copyright 1997 the editors</address>\n</body></html>\n")
    return "".join(source), within("root", *chapters)


def _aaai_paper(words: Words, page: int) -> tuple[int, Expected, str]:
    authors, title = words.people(), words.title()
    pages, following = words.pages(page)
    written = f"<li>{_authors(authors)}:<br>\n<b>{escape(title)}.</b> {pages}\n"
    objects = within(
        "Section", *(text("author", name) for name in authors), text("title", f"{title}."), text("pages", pages)
    )
    return following, objects, written


def _authors(names: list[str]) -> str:
    return ", ".join(
        f'<a href="../../indices/a-tree/{name.split()[1][0].lower()}/{name.split()[1]}:{name.split()[0]}.html">{name}</a>'
        for name in names
    )


def vldb(url: str) -> tuple[str, Expected]:
    """Headings of two sizes; the title is a link to the paper, the authors are links to their pages."""
    words = Words("vldb")
    source = [
        "<html>\n<head><title>VDS 1998</title></head>\n<body>\n"
        '<table border=0 width="100%"><tr><td><a href="../../index.html"><img src="logo.gif" alt="Library"></a>'
        '<td align=right><ul><li><a href="../../conf.html">Conferences</a><li><a href="../../journals.html">Journals</a>'
        '<li><a href="../../people.html">People</a></ul></table>\n'
        "<h1>24. Vast Data Stores 1998, New Esker</h1>\n<p>Edited by Olga Norden and Leo Quast\n"
    ]
    tracks: list[Expected] = []
    page = 1
    for track, sessions in (("Research Track", 9), ("Industrial Track", 4)):
        source.append(f"<h2>{track}</h2>\n")
        objects = []
        for number, topic in enumerate(words.random.sample(TOPICS, sessions), 1):
            source.append(f"<h3>Session {number}: {topic}</h3>\n<ul>\n")
            papers = []
            for _ in range(words.random.randint(8, 11)):
                authors, title = words.people(3), words.title()
                pages, following = words.pages(page)
                source.append(f'<li>{_authors(authors)}:\n<a href="p{page:03}.pdf">{escape(title)}</a>. {pages}\n')
                papers.append(
                    within("paper", *(text("author", name) for name in authors), link("link", url, f"p{page:03}.pdf"),
                           text("title", title), text("pages", pages))
                )  # fmt: skip
                page = following
            source.append("</ul>\n")
            objects.append(within(f"Session {number}: {topic}", *papers))
        tracks.append(within(track, *objects))
    source.append(
        '<hr>\n<p>Copyright 1998 by the endowment. <a href="mailto:web@library.example">Comments</a>\n</body></html>\n'
    )
    return "".join(source), within("root", *tracks)


def sigmod(url: str) -> tuple[str, Expected]:
    """Definition lists in capital tags: title and pages, then the authors in italics."""
    words = Words("sigmod")
    source = [
        '<HTML><HEAD><TITLE>MOD 1997</TITLE></HEAD>\n<BODY BGCOLOR="#FFFFFF" TEXT="#000000">\n'
        f"<CENTER><H1>Proceedings of the 1997 Conference<BR>on the Management of Data</H1></CENTER>\n<P>{_INDEX.upper()}\n<HR>\n"
    ]
    sessions: list[Expected] = []
    page = 1
    for topic in words.random.sample(TOPICS, 19):
        source.append(f"<H3>{topic}</H3>\n<DL>\n")
        papers = []
        for _ in range(words.random.randint(10, 13)):
            authors, title = words.people(5), words.title()
            pages, following = words.pages(page)
            names = ", ".join(f"<I>{name}</I>" for name in authors)
            source.append(f'<DT><A HREF="pdf/{page}.pdf"><B>{escape(title)}</B></A>, {pages}\n<DD>{names}\n')
            papers.append(
                within("paper", link("link", url, f"pdf/{page}.pdf"), text("title", title), text("pages", pages),
                       *(text("author", name) for name in authors))
            )  # fmt: skip
            page = following
        source.append("</DL>\n")
        sessions.append(within(topic, *papers))
    source.append(
        '<HR>\n<ADDRESS>Last change: 12 June 1997, <A HREF="mailto:info@mod.example">info@mod.example</A></ADDRESS>\n</BODY></HTML>\n'
    )
    return "".join(source), within("root", *sessions)


def pods(url: str) -> tuple[str, Expected]:
    """Titles in bold and in a larger font, a paragraph a paper with line breaks in it."""
    words = Words("pods")
    source = [
        "<html><head><title>PODS 1998</title></head>\n<body>\n<p align=center><font size=6><b>Principles of Data Systems</b></font>\n"
        "<p align=center>Rivermouth, June 1-3, 1998\n<hr noshade>\n"
    ]
    sessions: list[Expected] = []
    page = 1
    for number, topic in enumerate(words.random.sample(TOPICS, 12), 1):
        source.append(f"<p><font size=4><b>Session {number}: {topic}</b></font>\n")
        papers = []
        for _ in range(words.random.randint(7, 9)):
            authors, title = words.people(3), words.title()
            pages, following = words.pages(page)
            source.append(f'<p><a href="papers/{page}.ps">{escape(title)}</a><br>\n{", ".join(authors)}<br>\npp. {pages}\n')
            papers.append(
                within("paper", link("link", url, f"papers/{page}.ps"), text("title", title),
                       text("authors", ", ".join(authors)), text("pages", pages))
            )  # fmt: skip
            page = following
        sessions.append(within(f"Session {number}: {topic}", *papers))
    source.append(
        '<hr noshade>\n<p><font size=2>Maintained by <a href="mailto:www@pods.example">the secretary</a></font>\n</body></html>\n'
    )
    return "".join(source), within("root", *sessions)
