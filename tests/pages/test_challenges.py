"""Bot walls are told from pages: by headers and by what stands in a short page, never by a word in an article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import extract
from newsextract.page.notices import MOST_TEXT, find_challenge
from newsextract.page.page import Page

ARTICLE = (
    b"<article><h1>How walls work</h1>" + b"<p>A wall asks its visitor for a proof, and few of them like that.</p>" * 40
)
HEADERS = [
    ("Cloudflare", {"CF-Mitigated": "challenge"}, 403),
    ("AWS WAF", {"x-amzn-waf-action": "challenge"}, 202),
    ("AWS WAF", {"x-amzn-waf-action": "captcha"}, 405),
    ("Vercel", {"X-Vercel-Mitigated": "challenge"}, 429),
    ("SiteGround", {"sg-captcha": "challenge"}, 202),
    ("DataDome", {"X-DataDome": "protected"}, 403),
    ("Kasada", {"x-kpsdk-ct": "0a1b"}, 429),
]
BODIES = [
    ("Cloudflare", b"<title>Just a moment...</title><script>window._cf_chl_opt = {cvId: '3'};</script>"),
    ("AWS WAF", b"<script>window.gokuProps = {'key': 'x'}</script><div id='challenge-container'></div>"),
    (
        "DataDome",
        b"<p>Please enable JS</p><script>var dd={'rt':'c'}</script><script src='https://ct.captcha-delivery.com/c.js'>",
    ),
    ("HUMAN", b"<script>window._pxAppId = 'PX1';</script><div id='px-captcha'></div>"),
    ("Akamai", b"<body onload='go()'><script>xhr.send(JSON.stringify({'bm-verify': 'AAQ'}))</script>"),
    ("Imperva", b"<iframe src='/_Incapsula_Resource?x=1'>Request unsuccessful. Incapsula incident ID: 1-2</iframe>"),
    ("Sucuri", b"<script>var sucuri_cloudproxy_js='';</script>"),
    ("Kasada", b"<script>window.KPSDK={};</script><script src='/149e/ips.js?x=1'></script>"),
    ("Anubis", b"<title>Making sure</title><script id='anubis_challenge' type='application/json'>{}</script><p>Loading</p>"),
    ("DDoS-Guard", b"<script src='/.well-known/ddos-guard/js-challenge/index.js'></script>"),
    ("SiteGround", b"<meta http-equiv='refresh' content='0;/.well-known/sgcaptcha/?r=%2F'>"),
    ("Vercel", b"<title>Vercel Security Checkpoint</title>"),
    ("F5", b"<script src='/TSPD/08?type=1'></script><noscript>Your support ID is: 1</noscript>"),
    ("Google", b"<form id='captcha-form' action='/sorry/index'>unusual traffic</form>"),
    ("DuckDuckGo", b"<div class='anomaly-modal__title'>bots use DuckDuckGo too</div>"),
    ("Baidu", "<title>百度安全验证</title><script src='https://wappass.baidu.com/static/captcha/x.js'>".encode()),
    ("Alibaba Cloud", b"<script>var arg1='4AA9';function setCookie(n,v){}setCookie('acw_sc__v2', x);</script>"),
    (
        "Alibaba Cloud",
        b"<meta name='aliyun_waf_aa' content='1'><textarea id='renderData' style='display:none'>{}</textarea>",
    ),
    ("Ruishu", b"<meta id='x9' content='{'><script>$_ts=window['$_ts'];if(!$_ts)$_ts={};$_ts.nsd=1;</script>"),
    ("Tencent EdgeOne", b"<script>document.cookie='__tst_status='+a+'#;';document.cookie='EO_Bot_Ssid='+b;</script>"),
    ("a page", b"<title>Robot Check</title><p>Type the characters</p><img src='/captcha/1.jpg'>"),
    ("a page", "<title>安全验证</title><div class='h-captcha'></div>".encode()),
]


@pytest.mark.parametrize(("wall", "headers", "code"), HEADERS)
def test_headers(wall: str, headers: dict[str, str], code: int) -> None:
    assert (find_challenge(b"", headers, code) or "").startswith(wall)


@pytest.mark.parametrize(("wall", "body"), BODIES)
def test_bodies(wall: str, body: bytes) -> None:
    assert (find_challenge(body) or "").startswith(wall)
    article = extract(body + b"<p>A few words for those who wait.</p>")
    assert (article.status, article.text) == ("challenged", "")
    assert wall in (article.reason or "")


@pytest.mark.parametrize(("wall", "body"), BODIES)
def test_a_sign_in_an_article_is_none(wall: str, body: bytes) -> None:
    """A site's own script of the wall, or an article that quotes its markup."""
    assert len(ARTICLE) > MOST_TEXT
    assert find_challenge(ARTICLE + body) is None
    assert extract(ARTICLE + body).status != "challenged"


def test_headers_say_it_of_a_long_page_too() -> None:
    body = b"<h1>How walls work</h1>" + b"".join(
        b"<p>Wall number %d asks its visitor for a proof.</p>" % n for n in range(60)
    )
    assert len(extract(body).text) > MOST_TEXT
    assert extract(Page(body, headers={"cf-mitigated": "challenge"})).status == "challenged"


@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (
            b"<script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script><p>A short page.",
            {"server": "cloudflare"},
            200,
        ),
        (b"<p>A short page.", {"x-datadome": "protected"}, 200),
        (b"<script>window._pxAppId='PX1'</script><p>A short page.", {}, 200),
        (b"<script src='/_Incapsula_Resource?SWJIYLWA=1'></script><p>A short page.", {}, 200),
        (b"<title>Are you a robot? A quiz</title><p>Ten questions for those who wonder.", {}, 200),
        (b"<h1>403 Forbidden</h1>", {"server": "nginx"}, 403),
        (b"<form><div class='g-recaptcha'></div></form><p>Write to us.", {}, 200),
    ],
)
def test_what_stands_on_ordinary_pages(body: bytes, headers: dict[str, str], code: int) -> None:
    assert find_challenge(body, headers, code) is None


@given(st.binary(max_size=400), st.sampled_from(BODIES))
def test_anything_around_a_sign(more: bytes, wall: tuple[str, bytes]) -> None:
    for body in (more, more + wall[1], wall[1] + more):
        found = find_challenge(body)
        assert found is None or found == find_challenge(body)
