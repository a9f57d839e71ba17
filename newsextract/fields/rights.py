"""What a page says of the use that may be made of it, and of who may read all of it.

*Reserved*: `noai`, `noimageai`, `noindex` and `none` of ``X-Robots-Tag`` and of ``<meta name=robots>``, and the reservation
of text and data mining (TDM Reservation Protocol, W3C community group, 2024) by header or meta element; what a host's
``/.well-known/tdmrep.json`` says reaches this module as a header (:mod:`spiders.reservations`). Any one of them counts. What
a page says to one named robot alone does not.

*Access*: ``isAccessibleForFree`` and ``wordCount`` of JSON-LD (schema.org), ``article:content_tier``, and the words with
which publishers end the part that everybody may read. ``cut`` says that the text stops short of the article.

Cost: none to speak of; what is read is in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from newsextract.page.metadata import Metadata
from newsextract.results import Found, Surroundings

# --- reserved -------------------------------------------------------------------------------------

RESERVING = ("noai", "noimageai", "noindex", "none")
TDM, POLICY = "tdm-reservation", "tdm-policy"
"""Names of header and meta element."""
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
"""Directives that are written with a colon; else a name stands before it, of the robot that is meant."""


def reservation(metadata: Metadata, headers: Mapping[str, str]) -> str | None:
    """What the page reserves and where it says so, or None.

    :param headers: HTTP headers; names in any case.
    :returns: for example ``noai, noimageai (meta robots); tdm-reservation (header), policy https://example.org/policy``.
    """
    named = {name.lower(): value for name, value in headers.items()}
    told = [
        _told(_directives([named.get("x-robots-tag", "")]), "X-Robots-Tag"),
        _told(_directives(metadata.meta.get("robots", ())), "meta robots"),
        _mining(named.get(TDM), named.get(POLICY), "header"),
        _mining(metadata.first(TDM), metadata.first(POLICY), "meta"),
    ]
    return "; ".join(filter(None, told)) or None


def _directives(contents: Iterable[str]) -> list[str]:
    """The reserving directives that hold for every robot."""
    found: dict[str, None] = {}
    for content in contents:
        for part in content.lower().split(","):
            name, colon, _ = part.partition(":")
            if colon and name.strip() not in _VALUED:
                break  # the rest is for one robot
            found |= dict.fromkeys(word for word in name.split() if word in RESERVING)
    return [*found]


def _told(words: list[str], where: str) -> str | None:
    return f"{', '.join(words)} ({where})" if words else None


def _mining(value: str | None, policy: str | None, where: str) -> str | None:
    """What one place says of text and data mining."""
    if not (value or "").strip().startswith("1"):
        return None
    where = "/.well-known/tdmrep.json" if (value or "").strip() == FROM_FILE else where
    return f"{TDM} ({where})" + (f", policy {policy.strip()[:300]}" if policy and policy.strip() else "")


FROM_FILE = "1 tdmrep.json"
"""Value of the header that stands for the host's file."""

# --- access ---------------------------------------------------------------------------------------

_ENOUGH, _MOST_LEFT = 0.4, 0.8
"""Share of the declared words below which a text is cut; the second one where the page says that it is not free. On the 97
pages of the bench that declare a count, the true texts have .93 to 1.02 of it (quartiles), 4 of them under .4."""
_LEAST_WORDS = 150
"""Declared words; of less an extraction may well miss a part."""
_SAME = 0.1
"""Some sites declare characters: then the text has as many, within a tenth (``fundus-ccd035da82``: 6,838 of 7,090)."""
_TIERS = {"free": "free", "metered": "limited", "locked": "limited"}
_LINES = 4
"""At the end of a text, and blocks after it, that are looked at."""
_LONGEST = 300
"""Characters of such a line; what is longer is a paragraph."""
_WIDE = re.compile("[぀-ヿ一-鿿가-힯]")
_STOPS = re.compile(
    r"(?:subscribe|register|sign up|log ?in|sign in|become a (?:member|subscriber)|pay) (?:now |today |here )?to "
    r"(?:continue|keep reading|read|unlock|access)\b"
    r"|\bto (?:continue reading|keep reading|read the (?:full|whole|rest|entire)|unlock this|access this)\b"
    r"[^.]{0,80}\b(?:subscri|log ?in|sign|register|member|pay)"
    r"|\b(?:this|the rest of this|the full) (?:article|story|content|post|piece) is (?:only |exclusively )?(?:available )?"
    r"(?:for|to|reserved for|exclusive to) (?:\w+ ){0,3}(?:subscribers|members|subscription)"
    r"|\b(?:subscriber|member|premium)s?[- ]only (?:article|story|content)|already a subscriber\?"
    r"|\bthis (?:post|article) is for (?:paid|paying) (?:subscribers|members)"
    r"|(?:jetzt|hier) (?:abonnieren|registrieren|anmelden) und weiterlesen|weiterlesen mit (?:\w+ ){0,3}(?:\+|plus|abo)"
    r"|(?:dieser|den ganzen|den vollständigen) (?:artikel|beitrag|inhalt)[^.]{0,40}(?:abonnent|abo\b|plus-mitglied)"
    r"|sie haben bereits ein (?:\w+[- ]?)?abo|bereits abonnent\?"
    r"|(?:article|contenu|suite) (?:est )?réservée?s? (?:à nos |aux )?abonné|(?:déjà|deja) abonné ?\?"
    r"|il vous reste \d{1,3} ?% de (?:cet|ce)"
    r"|(?:contenido|artículo|noticia) (?:exclusiv[oa]|sólo|solo) para (?:suscriptores|socios)"
    r"|suscríbete para (?:seguir|continuar) leyendo"
    r"|(?:conteúdo|matéria|reportagem) exclusiv[oa] para assinantes|assine para (?:continuar|ler)"
    r"|(?:contenuto|articolo) riservato agli abbonati|abbonati per (?:continuare|leggere)"
    r"|(?:alleen|exclusief) voor abonnees|(?:kun|for) abonnenter|artikeln är låst|endast för prenumeranter"
    r"|dalsza część (?:artykułu )?(?:jest )?dostępna"
    r"|(?:treść|artykuł) dostępn[ya] (?:tylko |wyłącznie )?dla (?:subskrybentów|prenumeratorów)"
    r"|(?:материал|статья) доступ\w+ (?:только )?(?:по подписке|подписчикам)"
    r"|(?:订阅|訂閱|登录|登錄|付费|付費)后?後?(?:继续|繼續|即可|可|才能)?(?:阅读|閱讀)(?:全文|更多)"
    r"|(?:剩余|剩餘|余下)(?:内容|內容|全文)[^。]{0,12}(?:付费|付費|订阅|訂閱)"
    r"|残り\d{1,5}文字|(?:この記事は)?(?:有料)?会員(?:限定|の方)(?:記事|のみ)",
    re.IGNORECASE,
)
_STOPPING = (
    "to continue", "to keep reading", "to read", "to unlock", "to access", "subscribers", "members", "subscription",
    "only article", "only story", "only content", "already a subscriber", "weiterlesen", "dieser artikel", "dieser beitrag",
    "dieser inhalt", "den ganzen ", "den vollständigen ", "sie haben bereits", "abonn", "il vous reste", "para suscriptores",
    "para socios", "suscríbete para", "para assinantes", "assine para", "abbonati", "är låst", "prenumeranter",
    "dalsza część", "dla subskrybentów", "dla prenumeratorów", "по подписке", "подписчикам", "阅读", "閱讀", "剩余", "剩餘",
    "余下", "残り", "会員",
)  # fmt: skip
"""Whatever :data:`_STOPS` finds holds one of these, which are looked up in a fiftieth of its time."""


def access(metadata: Metadata, text: str, surroundings: Surroundings) -> Found | None:
    """Who may read the article: ``free``, ``limited`` (not everybody may read all of it) or ``cut`` (the text stops short).

    :param text: the main text.
    :param surroundings: what stands behind it.
    :returns: the value, where it is said, and the words; None where the page says nothing.
    """
    declared, words = _declared(metadata)
    if text and (declared is None or declared.value != "free"):
        lines = text[-_LINES * _LONGEST :].split("\n")[-_LINES:]
        for line in (*lines, *surroundings.after[:_LINES]):
            if len(line) <= _LONGEST and _may_stop(line) and (said := _STOPS.search(line)) is not None:
                return Found("cut", "text", line[max(0, said.start() - 20) :][:120])
    if text and words >= _LEAST_WORDS:
        count = len(text.split()) + len(_WIDE.findall(text))
        share = _ENOUGH if declared is None or declared.value == "free" else _MOST_LEFT
        if count < share * words and abs(len(text) - words) > _SAME * words:
            return Found("cut", "json-ld:wordCount", f"{count} of {words} words")
    return declared


def _may_stop(line: str) -> bool:
    folded = line.casefold()
    return any(words in folded for words in _STOPPING)


def _declared(metadata: Metadata) -> tuple[Found | None, int]:
    """What the page declares, and how many words it says the article has (0: it does not)."""
    found: Found | None = None
    words = 0
    for item in metadata.json_ld[:20]:
        said = str(item.get("isAccessibleForFree", "")).lower().rpartition("/")[2]
        if said in ("true", "false") and (found is None or said == "false"):
            found = Found("free" if said == "true" else "limited", "json-ld:isAccessibleForFree", said)
        count = str(item.get("wordCount", "")).strip()
        if not words and count.isdecimal() and len(count) <= 6:
            words = int(count)
    tier = (metadata.first("article:content_tier", "og:article:content_tier") or "").strip().lower()
    if found is None and tier in _TIERS:
        found = Found(_TIERS[tier], "meta:article:content_tier", tier)
    return found, words
