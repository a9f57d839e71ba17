"""What is left out before anything is counted: three rules, each a switch."""

from __future__ import annotations

import numpy as np
import pytest

from newsextract.page.dom import read_dom
from newsextract.page.pruning import marked, pruned

STORY = "<p>A paragraph of the story that is long enough to be more than half of all the text of this small page.</p>"


def left(markup: str, **switches: bool) -> list[str]:
    """The texts of the blocks that stay."""
    dom = read_dom(markup)
    mask = pruned(dom, **switches)
    assert mask.dtype == np.bool_
    assert len(mask) == len(dom.texts)
    return [text for text, gone in zip(dom.texts, mask, strict=True) if not gone]


@pytest.mark.parametrize(
    "how", ["hidden", 'style="display:none"', 'style="color: red; VISIBILITY : hidden"', "hidden=until-found"]
)
def test_hidden_elements(how: str) -> None:
    markup = f"{STORY}<div {how}><p>one</p><ul><li>two</ul></div><p>three</p>"
    assert left(markup, forms=False)[1:] == ["three"]
    assert left(markup, hidden=False, forms=False)[1:] == ["one", "two", "three"]


@pytest.mark.parametrize(
    "how", ["", "aria-hidden=true", 'style="display:block"', "class=hidden", 'data-style="display:none"']
)
def test_visible_elements(how: str) -> None:
    assert left(f"{STORY}<div {how}>one</div>")[1:] == ["one"]


def test_small_forms_are_widgets() -> None:
    markup = f"{STORY}<form><p>Search</p></form><p>three</p>"
    assert left(markup)[1:] == ["three"]
    assert left(markup, forms=False)[1:] == ["Search", "three"]


def test_a_form_around_the_page_is_a_container() -> None:
    markup = f"<form>{STORY}<p>more</p></form><p>three</p>"
    assert left(markup)[1:] == ["more", "three"]


def test_half_of_the_text_is_still_a_widget() -> None:
    assert left("<form>12345</form><p>67890</p>") == ["67890"]
    assert left("<form>123456</form><p>67890</p>") == ["123456", "67890"]


def test_links_do_not_make_a_container() -> None:
    """Only text outside links counts."""
    markup = f"{STORY}<form>x<a href=/>{'link ' * 100}</a></form>"
    assert len(left(markup)) == 1


@pytest.mark.parametrize(
    "markup", ["<nav>x</nav>", "<footer>x</footer>", "<aside><p>x</aside>", "<div class='a sidebar'>x</div>"]
)
def test_boilerplate_by_tag_and_name(markup: str) -> None:
    assert left(STORY + markup, boilerplate=True)[1:] == []
    assert left(STORY + markup)[1:] == ["x"], "only when asked for"


@pytest.mark.parametrize(
    "name",
    ["class=story", "class=unrelatedly", "id=badge", "class=download", "class=navigator2", "class=metal", "data-x=sidebar"],
)
def test_names_that_only_hold_a_word(name: str) -> None:
    assert left(f"{STORY}<div {name}>x</div>", boilerplate=True)[1:] == ["x"]


def test_body_and_html_are_never_boilerplate() -> None:
    assert left(f"<html class=sidebar><body id=comments>{STORY}<p>x</p>", boilerplate=True)[1:] == ["x"]


def test_boilerplate_that_holds_the_story_is_a_container() -> None:
    assert left(f"<div class=sidebar>{STORY}</div><p>x</p>", boilerplate=True)[1:] == ["x"]


def test_marked_elements() -> None:
    dom = read_dom("<nav>a</nav><p class=sidebar>b</p><p class=x>c</p>")
    assert [dom.tags[i] for i in marked(dom)] == ["nav", "p"]


@pytest.mark.parametrize("markup", ["<p hidden>one</p><p hidden>two</p>", "<div hidden><p>x</p></div>", "<body hidden>x"])
def test_never_the_whole_page(markup: str) -> None:
    assert left(markup) == read_dom(markup).texts


def test_a_page_without_text() -> None:
    assert left("") == []
    assert left("<form><input></form>", boilerplate=True) == []
