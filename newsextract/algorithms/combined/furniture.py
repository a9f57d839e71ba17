"""What the markup of a page says is no text: dialogs, footers, navigations, boxes, captions, and what stands before the
headline.

The networks weigh all of this, too, but on sites that they do not know they often take a caption, a cookie banner or the
options of a product for text. So each rule here is bounded by the share of the text that it may remove: where it would be
most of the text, the page uses the markup for something else.

Cost: 0.2 of a plain lxml parse; the names of a class are looked up once for all pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborNode

from newsextract.model_files import data_table
from newsextract.page.dom import Dom

ARTICLE = "article"
"""The kind of a page that is judged as an article."""
SURE, SAID = 0.8, 5
"""Probability from which on a block is surely text; blocks that look like text, at most, in what is left out."""
_CONSENT_WORDS = re.compile("consent|gdpr|onetrust|didomi|usercentrics|borlabs|cookie")
_CONSENT_NAME = "*consent*"
"""Stands for all of them."""
_CONSENT = re.compile(
    r"consent|gdpr|onetrust|didomi|usercentrics|borlabs|cookie(?:bot|yes|s?[-_ ]?"
    r"(?:banner|notice|bar|popup|modal|overlay|policy|law|dialog|message|box|wall|info))",
    re.IGNORECASE,
)
_CONSENT_TEXT = re.compile(r"cookie|personal data|privacy|datenschutz|données|隐私|プライバシー", re.IGNORECASE)
_CONSENT_SAID, _CONSENT_SAID_ABROAD = (
    tuple(map(str.encode, words))
    for words in (
        ("cookie", "consent", "personal data", "your privacy", "datenschutz", "personenbezogene", "datos personales",
         "dati personali", "persoonsgegevens"),
        ("données personnelles", "donnÉes personnelles", "隐私", "隱私", "個人情報", "プライバシー"),
    )
)  # fmt: skip
"""The second ones hold letters beyond ASCII."""
_ANSWER = re.compile(
    r"\b(?:accept|reject|decline|allow (?:all|cookies)|deny|got it|i (?:agree|understand)|agree (?:and|&|to)|akzept|ablehn"
    r"|zustimm|einverstanden|refuse|acept|recha[zc]|accett|rifiut|weiger|aceit|rejeit|godkänn|avvis|akceptuj|odrzu|принять)"
    r"|接受|同意|拒绝|拒絕|拒否",
    re.IGNORECASE,
)
_BUTTONS = "button, a, input[type=button], input[type=submit], [role=button]"
_BANNER, _BANNER_STEPS, _BUTTON = 3_000, 6, 40
"""Characters of a cookie banner, elements around its text in which its buttons are looked for, and characters of a
button, at most."""
_SEARCHED = 30
"""Blocks of an element that are searched for that, texts about cookies, and buttons."""
_MOST_DIALOGS, _MOST_CONSENT, _MOST_HIDDEN = 0.5, 0.8, 0.9
"""Share of a page's characters that dialogs may have, cookie banners, and dialogs that are hidden."""
_DIALOG = frozenset(("modal", "popup", "dialog"))
_EDGE, _MOST_EDGE = 100, 3
"""Characters and number of the short lines in a footer above the text, at most."""
_BOX, _MOST_ASIDE, _MOST_MARKED = 400, 0.3, 0.5
"""Characters of a box that asks for a mail address, at most; share of the chosen ones in it, in a ``nav`` or in a marked
element, at most; share of them in all marked elements, at most."""
_MOST_ASIDE_ELSEWHERE, _MOST_POPUPS = 0.4, 0.8
_COPIED = 0.8
"""Share of the words of a hidden element that are in the rest of the text, too, from which on it is a copy."""
_MAIN, _ABOVE_FOOTER = frozenset(("article", "main")), 300
"""Elements with the text of a page; characters above the footer of the page, at least, for which it is left out whole."""
_POPUPS = frozenset(("modal", "popup", "lightbox"))
"""On other pages than articles: share of one element, at most; and of all dialogs, if all marked elements are too much: a
shop with a short description has whole lists in them. Hidden elements and filters are then the text itself."""
_OPENED = re.compile(
    r"accordion|collaps|panel|tab|content|faq|slide|toggle|answer|expand|more|step|wow|anim|fade|reveal|lazy"
)
"""What a click or an animation shows, by its class: a part of the text as often as not."""
_RELATED, _HEADLINE, _TEASER, _MOST_TEASERS = 60, 15, 4, 80
"""Characters of a heading above related stories, at most, and of a headline below it, at least; blocks of one teaser, and of
all of them, at most."""
_CAPTION, _CAPTION_BOXES = 250, frozenset(("div", "span"))
"""Characters of a caption, at most, and elements that hold it and its picture."""
_TAG, _BUTTON_TEXT = 40, 40
"""Characters of a linked tag or name below the headline, at most, and of a link like "Try it now" or "Back"."""
_BACK = re.compile(
    r"[←«‹↩↑]|(?:go )?back\b|return to|all (?:posts|articles|news)|zurück|retour|volver|torna|voltar|terug|tillbaka|tilbake"
    r"|tilbage|takaisin|powrót|zpět|vissza|înapoi|geri|назад|вернуться|返回|戻る|목록",
    re.IGNORECASE,
)
"""How a link begins that leads back to the list of all articles."""
_BACKWARDS, _BETWEEN = "«‹←", 4
"""How a line begins that links to the neighbours of a post, and its characters outside of links, at most."""
_CARD_STEPS = 4
"""Elements between a block and the link around it, at most."""
_BUTTON_BOXES = frozenset(("div", "aside", "section", "a"))
_SUBHEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
_MAX_HINT = 300
"""Characters of class and id that are read."""
_WORD = re.compile("[a-z]+")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
"""Their ids are made of their words."""


def without_dialogs(dom: Dom, probabilities: NDArray[np.float64], is_article: bool = True) -> NDArray[np.float64]:
    """The probabilities, with 0 for the blocks of dialogs (cookie banners and, on articles, all declared dialogs: products
    have sizes and materials there) and of teasers of related stories.

    Their text looks like prose, and on a page with a few sentences it is the longest. If dialogs are most of the page, the
    rule does not apply: some sites declare the whole page as one. Of the 2,691 pages of the benches, which the
    networks know from training, the rule makes nine texts better (.01 to .24) and three worse (.01 to .08).
    """
    held = dialogs(dom, is_article) | related_stories(dom)
    if is_article:
        held = held | footers(dom, probabilities)
    return np.where(held, 0.0, probabilities) if held.any() else probabilities


def footers(dom: Dom, probabilities: NDArray[np.float64]) -> NDArray[np.bool_]:
    """For each block whether it is in the page's footer, behind the last block that is surely text: on a page with a few
    sentences what a site says about itself looks like text, too. What holds more of it is no footer: where
    elements are not closed it is the rest of the page. If no block is surely text, a more probable one than all in the
    footer stands for it, and only a ``footer`` counts.
    """
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    sure = np.flatnonzero(probabilities >= SURE)
    last = int(sure[-1] if len(sure) else probabilities.argmax())
    for element in (*dom.by_tag.get("footer", ()), *(_named(dom, ("footer",)) if len(sure) else ())):
        start, end = dom.first_blocks[element], dom.end_blocks[element]
        if start > last and (len(sure) or probabilities[start:end].max(initial=0) < probabilities[last]):
            held[start:end] = True
    return held if (probabilities[held] >= 0.5).sum() <= SAID else np.zeros_like(held)


@lru_cache(maxsize=2)  # a page is asked for them for each network and each opinion
def dialogs(dom: Dom, declared: bool) -> NDArray[np.bool_]:
    """For each block whether it is in a dialog: a cookie banner, one that is declared, or one that is hidden and named so.
    If they hold too much of the page, they are not counted as dialogs.

    :param declared: whether all dialogs count, not only cookie banners.
    """
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    consent = [element for element in _named(dom, (_CONSENT_NAME,)) if _asks_for_consent(dom, element)]
    for elements, most in (([*consent, *_banners(dom)], _MOST_CONSENT), ([*dom.dialogs] if declared else [], _MOST_DIALOGS)):
        found = dom.covered(elements)
        if dom.sizes[found].sum() <= most * dom.sizes.sum():
            held |= found
    closed = [
        element
        for element in dom.hidden
        if declared and not _DIALOG.isdisjoint(_WORD.findall(dom.hints[element][:_MAX_HINT]))
    ]
    if declared and dom.nodes:  # training keeps no nodes
        closed += [element for element in dom.dialogs if _is_closed(dom.nodes[element])]
    if not closed:
        return held
    hidden = dom.covered(closed)
    return held | hidden if dom.sizes[hidden].sum() <= _MOST_HIDDEN * dom.sizes.sum() else held


def _is_closed(dialog: LexborNode) -> bool:
    """Whether a dialog waits to be opened: screen readers and the keyboard do not reach it."""
    attributes = dialog.attributes
    return attributes.get("aria-hidden") == "true" or "inert" in attributes


@lru_cache(maxsize=2)
def related_stories(dom: Dom) -> NDArray[np.bool_]:
    """For each block whether it is one of several teasers below a heading like "Related", which fill its element: linked
    headlines, and what stands right below one. Beside a text of one sentence they look like the text."""
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    is_link = dom.counted[0] == 0
    for element in dom.of(_SUBHEADINGS):
        start = dom.first_blocks[element]
        if dom.end_blocks[element] != start + 1 or not start or is_link[start]:
            continue
        text = dom.texts[start]
        if len(text) > _RELATED or not text.casefold().startswith(_related()):
            continue
        around = dom.parents[element]
        while around > 0 and dom.end_blocks[around] == start + 1:
            around = dom.parents[around]
        stop = min(dom.end_blocks[around], start + _MOST_TEASERS)
        links = np.flatnonzero(is_link[start + 1 : stop])
        gaps = np.diff(links, prepend=-1, append=stop - start - 1)
        headlines = int((dom.sizes[start + 1 : stop][links] >= _HEADLINE).sum())
        if headlines > 1 and gaps[0] == 1 and gaps.max() <= _TEASER:
            held[start:stop] = True
    return held


@cache
def _related() -> tuple[str, ...]:
    return tuple(data_table("data/furniture.toml")["related"]["headings"])


def _named(dom: Dom, names: Collection[str]) -> list[int]:
    """The elements whose class or id has one of some names, ascending."""
    return [element for element, found in _telling(dom) if not found.isdisjoint(names)]


@lru_cache(maxsize=2)
def _telling(dom: Dom) -> list[tuple[int, frozenset[str]]]:
    """The elements whose class or id has names that a rule asks for, and which; hardly any class has one."""
    told = {hint: names for hint in dom.distinct_hints if (names := _names_in(hint))}
    return [(element, told[hint]) for element, hint in enumerate(dom.hints) if hint in told] if told else []


@lru_cache(maxsize=20_000)
def _names_in(hint: str) -> frozenset[str]:
    """The names that a rule asks for; kept, because pages of a site share their classes."""
    found = _all_words().intersection(_WORD.findall(hint[:_MAX_HINT]))
    if "footer" in hint:
        found |= {"footer"}
    return found | {_CONSENT_NAME} if _CONSENT_WORDS.search(hint) else found


def _places_of(words: Iterable[bytes], texts: bytes) -> list[int]:
    """The numbers of the texts, which are joined by NUL, that contain one of some words, ascending."""
    found: set[int] = set()
    for word in words:
        number = counted = 0
        place = texts.find(word)
        while place >= 0:
            number, counted = number + texts.count(b"\0", counted, place), place
            found.add(number)
            place = texts.find(word, max(place + 1, texts.find(b"\0", place)))
    return sorted(found)


@lru_cache(maxsize=1)
def _banners(dom: Dom) -> tuple[int, ...]:
    """Elements with a text about cookies or personal data and a button that accepts or rejects, whatever their names."""
    if not dom.nodes:
        return ()  # training keeps none
    is_long = max(map(len, dom.texts), default=0) > _BANNER
    joined = "\0".join([text[:_BANNER] for text in dom.texts] if is_long else dom.texts)
    texts = joined.encode("utf-8", "replace").lower()  # of ASCII alone, which takes a tenth of the time
    found: list[int] = []
    seen: set[int] = set()
    words = _CONSENT_SAID if texts.isascii() else _CONSENT_SAID + _CONSENT_SAID_ABROAD
    for block in _places_of(words, texts)[:_SEARCHED]:
        element = dom.elements[block]
        for _ in range(_BANNER_STEPS):
            size = dom.sizes[dom.first_blocks[element] : dom.end_blocks[element]].sum()
            if element <= 0 or element in seen or size > _BANNER:
                break
            seen.add(element)
            if any(_is_answer(button) for button in dom.nodes[element].css(_BUTTONS)[:_SEARCHED]):
                found.append(element)
                break
            element = dom.parents[element]
    return tuple(found)


def _is_answer(button: LexborNode) -> bool:
    text = ((button.attributes.get("value") if button.tag == "input" else button.text()) or "").strip()
    return len(text) <= _BUTTON and _ANSWER.search(text) is not None


def _asks_for_consent(dom: Dom, element: int) -> bool:
    start, end = dom.first_blocks[element], dom.end_blocks[element]
    texts = dom.texts[start : min(end, start + _SEARCHED)]
    return _CONSENT.search(dom.hints[element]) is not None and any(map(_CONSENT_TEXT.search, texts))


def without_footers_above(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks without short ones in a ``footer`` that stands above the text: "Published … Filed under …"."""
    if "footer" not in dom.by_tag or len(chosen) < 2:
        return chosen
    first, place = chosen[:_MOST_EDGE].tolist(), 0
    in_footer = dom.covered(dom.by_tag["footer"])
    while place < len(first) and len(dom.texts[first[place]]) <= _EDGE and in_footer[first[place]]:
        place += 1
    is_above = place < len(chosen) and not in_footer[chosen[place]]
    return chosen[place:] if is_above else chosen


def without_asides(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks without tags and contents in ``nav`` elements, and without boxes that ask for a mail address.

    Such boxes (a heading, a sentence or two, a field, the small print) stand between the paragraphs, often in elements whose
    names say nothing. A box is the largest element around the form that has few characters and a small part of the text.
    """
    asides = dom.of(("nav", "form"))
    if not asides:
        return chosen
    sizes = np.zeros(len(dom.texts) + 1)
    sizes[chosen + 1] = dom.sizes[chosen]
    sums: list[float] = np.cumsum(sizes).tolist()
    most = _MOST_ASIDE * sums[-1]
    every = (dom.count_sums + dom.link_count_sums).tolist()
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    for element in asides:
        start, end = dom.first_blocks[element], dom.end_blocks[element]
        form = element if dom.tags[element] == "form" else -1
        while form >= 0 and (parent := dom.parents[element]) >= 0:
            first, stop = dom.first_blocks[parent], dom.end_blocks[parent]
            if every[stop] - every[first] > _BOX or sums[stop] - sums[first] > most:
                break
            element, start, end = parent, first, stop
        if 0 < sums[end] - sums[start] <= most and (form < 0 or _asks_for_mail(dom, form)):
            held[start:end] = True
    left = chosen[~held[chosen]]
    return left if sums[-1] - dom.sizes[left].sum() <= most else chosen


def _asks_for_mail(dom: Dom, form: int) -> bool:
    fields = (field.attrs for field in dom.nodes[form].css("input")) if dom.nodes else ()  # training keeps no nodes
    return any(
        (given.get("type") or "").lower() == "email" or "mail" in f"{given.get('name')} {given.get('placeholder')}".lower()
        for given in fields
    )


def without_marked(dom: Dom, chosen: NDArray[np.intp], kind: str = ARTICLE) -> NDArray[np.intp]:
    """The chosen blocks without the elements that ``data/furniture.toml`` names, declared ones and hidden ones: captions,
    pop-ups, buttons, navigations; on other pages than articles also signatures, dialogs, and the controls of forms.

    :param kind: of the page; see :func:`newsextract.algorithms.combined.choice.choose`.
    """
    elements = marked(dom, kind)
    if not len(elements) or not len(chosen):
        return chosen
    sizes = np.zeros(len(dom.texts) + 1)
    sizes[chosen + 1] = dom.sizes[chosen]
    sums = np.cumsum(sizes)
    first, end, _ = dom.bounds
    held = sums[end[elements]] - sums[first[elements]]
    most = _MOST_ASIDE if kind == ARTICLE else _MOST_ASIDE_ELSEWHERE
    large = elements[held > most * sums[-1]].tolist()
    never = [element for element in large if element in dom.hidden and _is_copy(dom, chosen, element)]
    if kind != ARTICLE:
        never += [
            element
            for element in large
            if _is_page_footer(dom, element) and sums[dom.first_blocks[element]] >= _ABOVE_FOOTER
        ]
    if never:
        return without_marked(dom, chosen[~dom.covered(never)[chosen]], kind)
    elements = elements[(held > 0) & (held <= most * sums[-1])]
    left = chosen[~dom.covered(elements.tolist())[chosen]]
    if dom.sizes[left].sum() >= (1 - _MOST_MARKED) * sums[-1]:
        return left
    if kind == ARTICLE:
        return chosen
    dialogs = elements[np.isin(elements, [*dom.dialogs, *_named(dom, _POPUPS)])]
    left = chosen[~dom.covered(dialogs.tolist())[chosen]]
    return left if dom.sizes[left].sum() >= (1 - _MOST_POPUPS) * sums[-1] else chosen


def _is_page_footer(dom: Dom, element: int) -> bool:
    """Whether an element is the footer of the page: shops keep their terms there, which open as dialogs."""
    around = dom.parents[element] if dom.tags[element] == "footer" else -1
    while around > 0 and dom.tags[around] not in _MAIN:
        around = dom.parents[around]
    return around == 0


def _is_copy(dom: Dom, chosen: NDArray[np.intp], element: int) -> bool:
    """Whether the chosen text of an element is in the rest of the text, too: the text in Markdown, hidden for programs."""
    within = dom.covered([element])[chosen]
    own, others = (
        Counter(_ALPHANUMERIC.findall(" ".join(dom.texts[block] for block in blocks.tolist())))
        for blocks in (chosen[within], chosen[~within])
    )
    return bool(own) and (own & others).total() >= _COPIED * own.total()


@lru_cache(maxsize=4)
def marked(dom: Dom, kind: str) -> NDArray[np.intp]:
    """Elements that say of themselves that they are no text, ascending."""
    words, tags = _marks(kind)
    found = {element for element in _named(dom, words) if dom.tags[element] not in _HEADINGS}
    found.update(dom.of(tags))
    found.update(element for element in dom.hidden if _OPENED.search(dom.hints[element]) is None)
    found.update(dom.asides)
    if kind != ARTICLE:
        found.update(dom.dialogs)
    return np.array(sorted(found), dtype=np.intp)


@cache
def _marks(kind: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of class and id, and tags."""
    data = data_table("data/furniture.toml")
    parts = [data[name] for name in ([ARTICLE] if kind == ARTICLE else ["other", kind]) if name in data]
    words, tags = ([name for part in parts for name in part.get(key, ())] for key in ("words", "tags"))
    return frozenset(words), frozenset(tags)


@cache
def _all_words() -> frozenset[str]:
    """Those of all kinds."""
    return frozenset(word for part in data_table("data/furniture.toml").values() for word in part.get("words", ()))


# --- headline -------------------------------------------------------------------------------------
# The title that a page's head gives, as the features read it: from the tree alone, whatever the title rules say; and what
# stands before the heading that repeats it.
#
# Cost: 0.02 of a plain lxml parse.

_SOCIAL = ("og:title", "twitter:title")
_MOST = 1_000
"""Elements and texts of the head, and headings, that are looked at."""
_LEAST_STORY = 100
"""Characters, at least, that are chosen below the headline and before the next story; a teaser has fewer."""
_LEAST_HEADLINE, _MOST_PREFACE, _MOST_MENUS = 4, 0.3, 0.7
"""Characters of a headline, at least; share of the text that may stand before it, and on products, where menus do."""
_SECTION = 60
"""Characters of a heading above other products, at most."""
_ALPHANUMERIC = re.compile(r"\w+")
_OWN_ADDRESS = ("data-url", "data-href", "data-uri", "data-path", "data-permalink")
"""Attributes in which a story that a script has appended keeps its address."""


@lru_cache(maxsize=2)
def stated_title(dom: Dom) -> str:
    """The social title, else that of ``title``; empty where the head has neither.

    :param dom: a page with its tree.
    """
    title = ""
    node = _head(dom)
    for _ in range(_MOST):
        if node is None:
            break
        tag = node.tag
        if tag == "title":
            title = title or (node.text() or "")
        elif tag == "meta":
            attributes = node.attributes
            if (attributes.get("property") or attributes.get("name")) in _SOCIAL and attributes.get("content"):
                title = attributes["content"] or ""
                break
        node = node.next
    return " ".join(title.split())


def without_other_products(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks without the sections whose heading names other products ("You may also like").

    On the products of folds 3 and 4 none of the text below such headings is in the truth.
    """
    if not dom.headings or len(chosen) < 2:
        return chosen
    kept, total = np.ones(len(chosen), dtype=np.bool_), dom.sizes[chosen].sum()
    headings = dom.headings[:_MOST]
    for number, heading in enumerate(headings):
        if len(heading.text) > _SECTION or not _names_other_products(heading.text) or heading.block <= chosen[0]:
            continue
        ends = (later.block for later in headings[number + 1 :] if later.level <= heading.level)
        first, end = np.searchsorted(chosen, (heading.block, next(ends, len(dom.texts)))).tolist()
        if dom.sizes[chosen[first:end]].sum() <= _MOST_MARKED * total:
            kept[first:end] = False
    return chosen[kept]


@lru_cache(maxsize=1_000)
def _names_other_products(heading: str) -> bool:
    folded = heading.casefold()
    return any(phrase in folded for phrase in data_table("data/furniture.toml")["product"]["others"])


def _head(dom: Dom) -> LexborNode | None:
    """The first node in the head."""
    node = dom.nodes[0].child if dom.nodes else None
    while node is not None and node.tag != "head":
        node = node.next
    return node.child if node is not None else None


def without_preface(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp], kind: str = ARTICLE
) -> NDArray[np.intp]:
    """The chosen blocks without those before the headline that are not surely text. The headline is the first heading of the
    first level that is in the stated title.
    """
    if not dom.headings or not len(chosen):  # training keeps no headings
        return chosen
    stated = "".join(_ALPHANUMERIC.findall(stated_title(dom).lower()))
    for heading in dom.headings[:_MOST]:
        shown = "".join(_ALPHANUMERIC.findall(heading.text.lower())) if heading.level == 1 else ""
        if len(shown) >= _LEAST_HEADLINE and shown in stated:
            before = (chosen < heading.block) & (probabilities[chosen] < SURE)
            most = _MOST_MENUS if kind == "product" else _MOST_PREFACE
            is_little = dom.sizes[chosen[before]].sum() <= most * dom.sizes[chosen].sum()
            return chosen[~before] if is_little else chosen
    return chosen


def without_next_stories(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks before the next story, which some sites append for those who read on: an ``article``, or an element
    with an address of its own, with another heading of the first level and without the headline; or such a heading that is
    a link.
    """
    own = -1
    stated = ""
    for heading in dom.headings[:_MOST] if dom.nodes and len(chosen) else ():
        if heading.level != 1:
            continue
        stated = stated or "".join(_ALPHANUMERIC.findall(stated_title(dom).lower()))
        shown = "".join(_ALPHANUMERIC.findall(heading.text.lower()))
        if len(shown) >= _LEAST_HEADLINE and shown in stated:
            own = heading.block if own < 0 else own
        elif own >= 0:
            story = dom.elements[heading.block]
            while dom.first_blocks[dom.parents[story]] > own:
                story = dom.parents[story]
            attributes = dom.nodes[story].attributes
            addresses = [attributes.get(name) or "" for name in _OWN_ADDRESS]
            link = dom.nodes[dom.elements[heading.block]].css_first("h1 > a")
            linked = link.attributes.get("href") or "" if link is not None else ""
            is_story = dom.tags[story] == ARTICLE or any(address.startswith(("/", "http")) for address in addresses)
            if is_story or linked.startswith(("/", "http")):
                before = chosen[chosen < (dom.first_blocks[story] if is_story else heading.block)]
                return before if dom.sizes[before[before > own]].sum() >= _LEAST_STORY else chosen
    return chosen


def without_links_around(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks without the last ones that are several links and nothing else, or a short one back: further articles
    side by side; without first ones that link to the neighbours ("« Older | Main | Newer »"); and without those that are
    short links and nothing else before its first long one, below a heading: tags, people.

    On the older pages of folds 1-4 the first rule makes three texts better and one worse, by .006; no modern article of the
    bench has any. The second makes two modern articles better, by .004 and .002.
    """
    start, end = 0, len(chosen)
    while end > 1 and not dom.counts[chosen[end - 1]]:
        text = dom.texts[chosen[end - 1]]
        if dom.links[chosen[end - 1]] < 2 and not (len(text) <= _BUTTON_TEXT and _BACK.match(text)):
            break
        end -= 1
    while start < end - 1 and dom.counts[chosen[start]] <= _BETWEEN and dom.texts[chosen[start]][0] in _BACKWARDS:
        start += 1
    left: list[int] = []
    if end and dom.headings and dom.headings[0].block < chosen[0]:
        while start < end - 1 and dom.sizes[chosen[start]] <= _TAG:
            left += [chosen[start]] if dom.counts[chosen[start]] or not dom.links[chosen[start]] else []
            start += 1
    return np.concatenate((np.array(left, dtype=np.intp), chosen[start:end]))


def without_buttons(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks without those that are one short link outside a paragraph, list, table or heading ("Try it now"),
    and without cards: paragraphs within a link, and several blocks within one.

    Of the blocks in such cards on articles of folds 1-3, 43 are not in the truth, and one is.
    """
    linked = [block for block in chosen.tolist() if not dom.counts[block]] if dom.nodes else []  # training keeps none
    cards = {block: card for block in linked if (card := _card(dom, block)) is not None}
    sizes = Counter(cards.values())
    left = [
        not (card is not None and (sizes[card] > 1 or tag == "p"))
        and (
            dom.counts[block] > 0
            or dom.links[block] != 1
            or len(dom.texts[block]) > _BUTTON_TEXT
            or tag not in _BUTTON_BOXES
        )
        for block in chosen.tolist()
        for card, tag in [(cards.get(block), dom.tags[dom.elements[block]])]
    ]
    return chosen[np.array(left, dtype=np.bool_)]


def _card(dom: Dom, block: int) -> int | None:
    """The link that the element of a block is in."""
    node = dom.nodes[dom.elements[block]].parent
    for _ in range(_CARD_STEPS):
        if node is None or node.tag == "a":
            break
        node = node.parent
    return node.mem_id if node is not None and node.tag == "a" else None


def without_captions(dom: Dom, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The chosen blocks without short ones that share a ``div`` with a picture and nothing else, if they are a small part.

    Networks that do not know the sites (folds 1-3): eleven articles become better, none worse; wcxb left out: four and one.
    """
    held = np.zeros(len(dom.texts), dtype=np.bool_)
    for block in chosen[dom.sizes[chosen] <= _CAPTION].tolist() if dom.nodes else ():
        box = dom.elements[block]
        for _ in range(2):
            if dom.tags[box] not in _CAPTION_BOXES or dom.end_blocks[box] - dom.first_blocks[box] > 1:
                break
            if dom.nodes[box].css_first("img, picture") is not None:
                held[block] = True
            box = dom.parents[box]
    is_small = dom.sizes[held].sum() <= _MOST_ASIDE * dom.sizes[chosen].sum()
    return chosen[~held[chosen]] if is_small else chosen
