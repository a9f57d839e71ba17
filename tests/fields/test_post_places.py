"""Names and texts that only the other posts of a page tell from buttons, ranks and separators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from newsextract.extraction import find_records
from newsextract.fields.posts import PostFields, thread_posts
from newsextract.page.page import Page

FETCHED = datetime(2024, 3, 10, 12, 0, tzinfo=UTC)
LINES = {
    "en": "The tide came in at seven and took the ladder and the dinner of the crew of pier {n} with it.",
    "de": "Um sieben kam die Flut und nahm die Leiter und das Essen der Leute von Steg {n} mit hinaus.",
}
RANKS = {"en": ("Senior Member", "Posts", "Joined", "Reply"), "de": ("Mitglied", "Beiträge", "Registriert", "Antworten")}


def read(body: str, lang: str = "en") -> tuple[PostFields, ...]:
    html = f"<html lang={lang}><head><meta charset=utf-8><title>Pier</title></head><body>{body}</body></html>"
    page = Page(html.encode(), "https://quay.example/x/7", {"content-type": "text/html; charset=utf-8"}, FETCHED)
    return thread_posts(page, find_records(page)).posts


def panel(number: int, name: str, text: str, lang: str) -> str:
    rank, posts, joined, reply = RANKS[lang]
    return (
        f"<div class='post row{number % 2}' id=p{number}><dl class=profile><dt><a href=/members/{number}>{name}</a></dt>"
        f"<dd>{rank}</dd><dd>{posts}: 4{number}4</dd><dd>{joined}: 2011-05-0{number}</dd></dl>"
        f"<div class=right><p class=date>2024-03-0{number} 10:2{number}</p><div class=postmsg><p>{text}</p></div>"
        f"<ul class=tools><li><a href=/r/{number}>{reply}</a></li></ul></div></div>"
    )


def card(number: int, name: str, text: str, lang: str) -> str:
    rank, posts, _, reply = RANKS[lang]
    return (
        f"<article class=message id=m-{number}><a class=avatar href=/members/{number}>{name[0]}</a>"
        f"<h4 class=message-name><a class=username href=/members/{number}><span>{name}</span></a></h4>"
        f"<h5>{rank}</h5><dl><dt>{posts}</dt><dd>1{number}4</dd></dl>"
        f"<time datetime='2024-03-0{number}T10:2{number}:00Z'>0{number}.03.2024</time>"
        f"<div class=message-body><div class=bbWrapper>{text}</div></div>"
        f"<aside class=message-signature><div class=bbWrapper>Fair winds</div></aside>"
        f"<footer><a href=/r/{number}>{reply}</a></footer></article>"
    )


def line(number: int, name: str, text: str, lang: str) -> str:
    reply = RANKS[lang][3]
    return (
        f"<div class=comment id=c{number}><p class=tagline><a href=#c{number}>[–]</a> "
        f"<a class=author href=/user/{number}>{name}</a> <time datetime='2024-03-0{number}T10:2{number}:00Z'>x</time></p>"
        f"<div class=md><p>{text}</p></div><p><a href=/r/{number}>{reply}</a></p></div>"
    )


FORMS = [panel, card, line]


def thread(form: Callable[[int, str, str, str], str], lang: str, name: str = "", text: str = "") -> tuple[PostFields, ...]:
    """Six posts; the fourth has a name or text of its own."""
    names = ["mara", "Ole", "Ida K.", name or "Bosun", "mara", "Nils"]
    texts = [LINES[lang].format(n=n) for n in range(1, 7)]
    texts[3] = text or texts[3]
    return read("".join(form(n, who, said, lang) for n, (who, said) in enumerate(zip(names, texts, strict=True), 1)), lang)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("lang", "name"),
    [
        *(
            ("en", name)
            for name in ("Guest", "Moderator", "Quote", "Edit", "Posts", "Reply", "Today", "2001", "Unregistered")
        ),
        *(("de", name) for name in ("Antworten", "Zitieren", "Heute", "1999")),
    ],
)
def test_a_refused_word_is_the_author_where_other_posts_have_theirs(
    form: Callable[[int, str, str, str], str], lang: str, name: str
) -> None:
    found = thread(form, lang, name)
    assert [post.author for post in found] == ["mara", "Ole", "Ida K.", name, "mara", "Nils"]
    assert [post.body for post in found] == [LINES[lang].format(n=n) for n in range(1, 7)]
    assert [post.date and post.date.value[:10] for post in found] == [f"2024-03-0{n}" for n in range(1, 7)]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_guest_without_a_link_has_the_name_where_members_have_theirs(lang: str) -> None:
    posts = [panel(n, f"crew{n}", LINES[lang].format(n=n), lang) for n in range(1, 6)]
    posts[2] = posts[2].replace("<a href=/members/3>crew3</a>", "Guest")
    assert [post.author for post in read("".join(posts), lang)] == ["crew1", "crew2", "Guest", "crew4", "crew5"]


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_button_where_a_name_is_lacking_is_no_author(lang: str) -> None:
    posts = [line(n, f"crew{n}", LINES[lang].format(n=n), lang) for n in range(1, 6)]
    posts[2] = posts[2].replace("<a class=author href=/user/3>crew3</a> ", "")
    found = read("".join(posts), lang)
    assert [post.author for post in found if post.body == LINES[lang].format(n=3)] in ([], [None])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("text", ["👍", "?", "…", "❤️❤️"])
def test_a_text_without_a_word_is_the_text_of_a_post(
    form: Callable[[int, str, str, str], str], lang: str, text: str
) -> None:
    found = thread(form, lang, text=text)
    assert [post.body for post in found] == [text if n == 4 else LINES[lang].format(n=n) for n in range(1, 7)]
    assert found[3].author == "Bosun"


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_picture_with_its_attachment_box_is_a_post_without_text(lang: str) -> None:
    box = (
        "<section class=message-attachments><h4>Attachments</h4><ul class=attachmentList><li><a href=/a/1.jpg>"
        "<img src=/a/1.jpg alt=pier.jpg></a><span class=file-name>pier.jpg</span><div>1.2 MB · Views: 43</div></li></ul></section>"
    )
    picture = "<img src=/a/1.jpg alt=pier.jpg>"
    posts = [card(n, f"crew{n}", picture if n == 3 else LINES[lang].format(n=n), lang) for n in range(1, 6)]
    posts[2] = posts[2].replace("</div></div><aside", f"</div>{box}</div><aside")
    found = read("".join(posts), lang)
    assert [post.body for post in found] == ["" if n == 3 else LINES[lang].format(n=n) for n in range(1, 6)]
    assert found[2].author == "crew3"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_picture_alone_is_a_post_without_text(form: Callable[[int, str, str, str], str], lang: str) -> None:
    found = thread(form, lang, text="<img src=/a/1.jpg alt=''>")
    assert [post.body for post in found] == ["" if n == 4 else LINES[lang].format(n=n) for n in range(1, 7)]
    assert found[3].author == "Bosun"


def test_a_short_text_that_is_built_otherwise_is_kept() -> None:
    posts = [panel(n, f"crew{n}", LINES["en"].format(n=n), "en") for n in range(1, 6)]
    posts[2] = posts[2].replace(f"<p>{LINES['en'].format(n=3)}</p>", "<p>…</p><ul><li>Bring rope</li></ul>")
    posts[3] = posts[3].replace(f"<p>{LINES['en'].format(n=4)}</p>", "<p></p>Bring more rope")
    assert [post.body for post in read("".join(posts))][2:4] == ["…\nBring rope", "Bring more rope"]


def test_a_rank_is_no_text_although_the_text_is_shorter() -> None:
    """Old boards in tables: the author's panel is a cell beside the rows of a post."""
    said = [LINES["en"].format(n=1), "Bump."]
    rows = "".join(
        f"<tr class=row><td rowspan=3><font class=mediumtxt><b><a href=/member.php?u={n}>crew{n}</a></b></font><br><div class=smalltxt>{rank}<br>"
        f"Posts: {n}<br>Location: Ohio<br>Member Is Offline</div></td><td class=smalltxt>posted on 3-{n}-2024 at 10:2{n} AM</td></tr>"
        f"<tr class=row><td><font class=subject><b></b></font><br><font class=mediumtxt>{text}</font></td></tr>"
        f"<tr class=row><td><a href=/member.php?u={n}>Profile</a></td></tr>"
        for n, (rank, text) in enumerate(zip(["Regular", "New Member"], said, strict=True), 1)
    )
    assert [post.body for post in read(f"<table>{rows}</table>")] == said


def test_the_place_of_texts_is_not_that_of_titles_which_repeat_their_first_words() -> None:
    said = ["Beer.", "Thanks a lot.", "<img src=/a/1.jpg alt=''>", "No ducks here.", "Only in spring.", "Get a pond."]
    found = read(
        "".join(
            f"<article class=comment id=c{n}><footer><a class=username href=/user/{n}>crew{n}</a> <p>2024-03-0{n} 10:2{n}</p></footer>"
            f"<div class=comment__content><h3><a class=permalink href=/c/{n}#c{n}>{'The long ladder of the pier' if '<' in text else text}</a></h3>"
            f"<div class=field--name-comment-body><p>{text}</p></div></div></article>"
            for n, text in enumerate(said, 1)
        )
    )
    assert [(post.author, post.body) for post in found] == [
        (f"crew{n}", "" if "<" in text else text) for n, text in enumerate(said, 1)
    ]


# --- markup that names nothing --------------------------------------------------------------------

CREW = ["Ana Lucía", "nora", "Old Salt", "nora", "k_ono", "Ana Lucía"]
RANK = ["Mate", "Captain", "Mate", "Captain", "Mate", "Mate"]


def column(number: int, name: str, rank: str, text: str) -> str:
    return (
        f"<div class=css-a1b><div class='css-0fn8pq css-p'><div class=css-k7>{name}</div><div class=css-m2>{rank}</div>"
        f"<div class=css-u3>Crates seen: 1{number}</div></div><div class=css-w4><div class=css-e5>2024-03-0{number} 10:2{number}</div>"
        f"<div class=css-z6><p>{text}</p></div></div></div>"
    )


def control(number: int, name: str, rank: str, text: str) -> str:
    return (
        f"<div class=css-a1b><div class=css-k7><img src=a.png alt=''><button class=css-m2>{name}</button>"
        f"<a class=css-e5 href=#c-{number}>2024-03-0{number} 10:2{number}</a> <span><button>Up</button><span>{number} votes</span></span></div>"
        f"<div class=css-z6><p>{text}</p></div></div>"
    )


def initial(number: int, name: str, rank: str, text: str) -> str:
    return (
        f"<div class=css-a1b><h3 class=css-k7><a href=/u/m{number}><span class=css-m2>{name[0].upper()}</span><span>{name}</span></a></h3>"
        f"<time datetime='2024-03-0{number}T10:2{number}:00Z'>x</time><div class=css-z6><p>{text}</p></div></div>"
    )


def verb(number: int, name: str, rank: str, text: str) -> str:
    return (
        f"<div class=css-a1b><div class=css-k7>{name} commented "
        f"<a href=#c-{number}>2024-03-0{number} 10:2{number}</a></div><div class=css-m2>{rank}</div><div class=css-z6><p>{text}</p></div></div>"
    )


@pytest.mark.parametrize("form", [column, control, initial, verb], ids=["panel", "button", "initial", "verb"])
def test_names_are_found_where_class_names_are_made_by_a_program(form: Callable[[int, str, str, str], str]) -> None:
    texts = [LINES["en"].format(n=n) for n in range(1, 7)]
    posts = [form(n, *given) for n, given in enumerate(zip(CREW, RANK, texts, strict=True), 1)]
    assert [(post.author, post.body) for post in read("".join(posts))] == list(zip(CREW, texts, strict=True))


def test_one_line_that_all_posts_have_is_no_name() -> None:
    posts = [column(n, "Workshop", "Harbour", LINES["en"].format(n=n)) for n in range(1, 7)]
    assert {post.author for post in read("".join(posts))} == {None}


def test_what_a_post_repeats_of_another_below_its_name_is_a_quotation() -> None:
    texts = [LINES["en"].format(n=n) for n in range(1, 7)]
    drawn = [
        *texts[:3],
        f"<b>nora:</b><br>{texts[1]}<br>{texts[3]}",
        f"<b>Old Salt:</b></p><p>{texts[2]}</p><p>{texts[4]}",
        texts[5],
    ]
    posts = [column(n, *given) for n, given in enumerate(zip(CREW, RANK, drawn, strict=True), 1)]
    found = read("".join(posts))
    assert [post.body for post in found] == texts
    assert [[(quote.author, quote.text) for quote in post.quotes] for post in found[2:5]] == [
        [],
        [("nora", texts[1])],
        [("Old Salt", texts[2])],
    ]


def test_a_vote_below_the_head_of_a_post_is_its_text() -> None:
    names = ["nora", "mara", "ida", "jon"]
    comments = "".join(
        f"<div class='timeline-item comment' id=issuecomment-{n}><div class=comment-header><a class=author href=/{name}>{name}</a> commented "
        f"<relative-time datetime='2024-03-0{n}T10:20:00Z'>2024-03-0{n} 10:20:00 +00:00</relative-time><div class=label>Owner</div></div>"
        f"<div class=comment-body><div class=markup><p>{'+1' if n == 4 else LINES['en'].format(n=n)}</p></div></div></div>"
        + (
            "<div class='timeline-item event' id=issuecomment-9><span><a class=author href=/ole>ole</a> added the <b>bug</b> label "
            "<relative-time datetime='2024-03-02T11:20:00Z'>2024-03-02 11:20:00 +00:00</relative-time></span></div>"
            if n == 2
            else ""
        )
        for n, name in enumerate(names, 1)
    )
    found = read(f"<h1>Pier</h1><div class=timeline>{comments}</div>")
    assert [(post.author, post.body) for post in found] == [
        (name, "+1" if n == 4 else LINES["en"].format(n=n)) for n, name in enumerate(names, 1)
    ]


def test_a_section_that_few_posts_differ_in_is_no_name() -> None:
    posts = [column(n, "Harbour" if n == 3 else "Workshop", "", LINES["en"].format(n=n)) for n in range(1, 10)]
    assert {post.author for post in read("".join(posts))} == {None}


def test_titles_that_lead_elsewhere_are_no_names() -> None:
    posts = [column(n, f"<a href=/w/{n}>Crate {'abcdef'[n - 1]}</a>", "", LINES["en"].format(n=n)) for n in range(1, 7)]
    assert {post.author for post in read("".join(posts))} <= {None}


def test_counters_and_ranks_around_the_texts_of_all_posts_are_no_part_of_them() -> None:
    texts = [LINES["en"].format(n=n) for n in range(1, 7)]
    posts = "".join(
        f"<div class=css-a1b><a href=/u/{name}>{name}</a> <time datetime='2024-03-0{n}T10:2{n}:00Z'>x</time><div class=css-z6>"
        f"<div>[message #48{n}1]</div><div>{'Junior' if n % 2 else 'Senior'} Member</div><p>{text}</p><div>{n} vote{'s' * (n > 1)}</div></div></div>"
        for n, (name, text) in enumerate(zip(["mara", "nora", "ida", "jon", "ole", "eva"], texts, strict=True), 1)
    )
    assert [post.body for post in read(posts)] == texts


def test_numbers_in_the_texts_of_some_posts_stay() -> None:
    texts = [
        "1 boat\nNot more than that.",
        "No boats.\nI have looked twice.",
        "3 boats\nAnd a raft.",
        "I saw none.\nIt was dark.",
    ]
    posts = "".join(
        f"<div class=post><a class=author href=/u/{n}>crew{n}</a> <time datetime='2024-03-0{n}T10:2{n}:00Z'>x</time>"
        f"<div class=post-body>{'<br>'.join(text.splitlines())}</div></div>"
        for n, text in enumerate(texts, 1)
    )
    assert [post.body for post in read(posts)] == texts


def test_a_name_before_the_address_of_an_account_and_a_day_is_the_author() -> None:
    posts = "".join(
        f"<div class=css-a1b><div class=css-m2>{name[0].upper()}</div><div><span>{name}</span><span>@{name.lower().replace(' ', '_')}@quay.example</span> "
        f"<a href=#c{n}>2024-03-0{n}</a></div><div class=css-z6><p>{LINES['en'].format(n=n)}</p></div></div>"
        for n, name in enumerate(["Old Salt", "nora", "Jon Feld", "nora"], 1)
    )
    assert [post.author for post in read(posts)] == ["Old Salt", "nora", "Jon Feld", "nora"]


PEOPLE = ("mira", "Old Tom", "kestrel", "mira", "juno9", "Old Tom")
WRITTEN = (
    "Has anybody here replaced the ladder of the second pier since the storm took the old one away?",
    "The harbour office promised a new one for May, but nobody has seen so much as a screw of it yet.",
    "I went there on Sunday and measured the steps, so we could well build one of oak ourselves.",
    "Oak is too heavy for the crane. Pine does it, if somebody paints it every other spring.",
    "My uncle has a whole shed of pine and asks for nothing but a ride around the lighthouse.",
    "Then let us meet on Saturday at nine, with gloves, and with something warm to drink.",
)


def nameless(number: int, names: str) -> str:
    """A post in elements that only their place tells apart."""
    name, text = PEOPLE[number], WRITTEN[number]
    panel = f"<b>{name}</b><br>Rank of {name}<br>Hails from the home of {name}"
    below = f"<div{names.format('e')}>May {name} never run dry</div>"
    return (
        f"<div{names.format('a')}><div{names.format('b')}>{panel}</div><div{names.format('c')}><span>{number + 1} March 2024, "
        f"10:2{number}</span></div><div{names.format('d')}>{text}<p>So much from pier {number}.</p></div>{below}</div>"
    )


@pytest.mark.parametrize("names", ["", " class=css-{0}3f1"])
def test_the_box_of_a_name_and_that_of_a_signature_are_told_from_the_text_by_place(names: str) -> None:
    posts = read(f"<div>{''.join(nameless(number, names) for number in range(6))}</div>")
    assert [post.author for post in posts] == list(PEOPLE)
    assert [post.body for post in posts] == [f"{text}\nSo much from pier {n}." for n, text in enumerate(WRITTEN)]
    assert [post.date.value[:10] if post.date else None for post in posts] == [f"2024-03-0{n + 1}" for n in range(6)]


def test_quotations_that_are_all_of_each_post_are_its_text() -> None:
    rows = "".join(
        f"<li id=p{n}><div><a href=/members/{n}>{name}</a> <span>{n + 1} March 2024</span></div><div>Harbour crew</div>"
        f"<blockquote class=css-77ab>{text}</blockquote></li>"
        for n, (name, text) in enumerate(zip(PEOPLE, WRITTEN, strict=True))
    )
    menu = "".join(f"<p>The harbour office is closed on day {n} of this month, as on the others.</p>" for n in range(9))
    posts = read(f"<div>{menu}</div><ol>{rows}</ol>")
    assert [(post.author, post.body) for post in posts] == list(zip(PEOPLE, WRITTEN, strict=True))
    assert not any(post.quotes for post in posts)


def test_linked_names_of_portraits_are_authors() -> None:
    rows = "".join(
        f"<div><a href=/x{n}><img src=/{n}.png alt={name}></a><h4><a href=/x{n}>{name}</a></h4><div>Crew</div><div>{text}</div>"
        f"<div><span>{n + 1} March 2024</span></div></div>"
        for n, (name, text) in enumerate(zip(("mira", "tom", "kestrel", "ada", "juno", "rolf"), WRITTEN, strict=True))
    )
    posts = read(f"<div>{rows}</div>")
    assert [post.author for post in posts] == ["mira", "tom", "kestrel", "ada", "juno", "rolf"]
    assert [post.body for post in posts] == list(WRITTEN)
