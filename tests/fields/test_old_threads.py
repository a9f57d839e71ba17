"""Threads in tables of old software: panels of authors beside the posts, and a row with buttons below each."""

from __future__ import annotations

import pytest

from newsextract import extract_posts

NAMES = ("Zbyszek", "Hania", "marta77", "Old Tom")
TEXTS = (
    "The swing bridge is closed again and nobody can tell us for how long this time.",
    "I rang the office this morning and they say that the parts come by barge.",
    "Last year it took them eleven weeks, so I have moved my boat.",
    "Does anybody know whether the towpath is open on the north side?",
)
WORDS = {
    "en": ("Back to top", "Joined", "Posted", "Post subject", "Posts", "profile"),
    "de": ("Nach oben", "Anmeldungsdatum", "Verfasst am", "Titel", "Beiträge", "Profil"),
    "fr": ("Revenir en haut de page", "Inscrit le", "Posté le", "Sujet du message", "Messages", "profil"),
    "nl": ("Terug naar boven", "Geregistreerd op", "Geplaatst", "Onderwerp", "Berichten", "profiel"),
    "zh": ("返回页首", "注册时间", "发表于", "文章主题", "帖子", "资料"),
}


def rows(language: str, subject: str, *, named: bool, top: str = "#top") -> str:
    up, joined, posted, title, count, profile = WORDS[language]
    classes = "name postdetails postbody" if named else "x y z"
    name_class, details, body = classes.split()
    return "".join(
        f"<tr><td><span class={name_class}><a name={n}></a><b>{name}</b></span><br><span class={details}>{joined}: 0{n}.01.2009<br>"
        f"{count}: {n}7</span></td><td><table><tr><td><span class={details}>{posted}: 1{n}.03.2010 8:1{n} {title}: {subject}</span></td>"
        f"</tr><tr><td><hr></td></tr><tr><td><span class={body}>{text}</span></td></tr></table></td></tr>"
        f"<tr><td><a href='{top}'>{up}</a></td><td><a href=/profile.php?mode=viewprofile&u={n}>{profile}</a></td></tr>"
        for n, (name, text) in enumerate(zip(NAMES, TEXTS, strict=True), 1)
    )


def read(body: str, language: str) -> list[tuple[str | None, str | None, str]]:
    page = f"<html lang={language}><title>Swing bridge</title><body><h1>Swing bridge</h1><table>{body}</table></body></html>"
    found = extract_posts(page, "https://canal.example/viewtopic.php?t=5")
    return [(post.author, post.date.value if post.date else None, post.body) for post in found]


@pytest.mark.parametrize(
    "subject", ["Re: Bridge", "Re: The swing bridge at the old harbour and the towpath on its north side"]
)
@pytest.mark.parametrize(
    "head", ["<tr><th>Author</th><th>Message</th></tr>", "<tr><td>Author</td><td>Message</td></tr>", ""]
)
@pytest.mark.parametrize(("top", "named"), [("#top", True), ("#", False)])
@pytest.mark.parametrize("language", WORDS)
def test_posts_have_their_own_names_and_days(language: str, named: bool, top: str, head: str, subject: str) -> None:
    expected = [(name, f"2010-03-1{n}T08:1{n}", text) for n, (name, text) in enumerate(zip(NAMES, TEXTS, strict=True), 1)]
    assert read(head + rows(language, subject, named=named, top=top), language) == expected


@pytest.mark.parametrize(
    "joined", ["Joined", "Anmeldungsdatum", "Iscritto il", "Geregistreerd", "Зарегистрирован", "注册时间"]
)
def test_the_day_of_joining_is_no_posts_day(joined: str) -> None:
    posts = "".join(
        f"<tr><td><b class=username>{name}</b><br>{joined}: 0{n}.01.2009</td><td class=postbody>{text}</td></tr>"
        for n, (name, text) in enumerate(zip(NAMES, TEXTS, strict=True), 1)
    )
    assert read(posts, "en") == [(name, None, text) for name, text in zip(NAMES, TEXTS, strict=True)]
