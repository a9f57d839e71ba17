"""Elements by how the tree construction of the HTML standard treats them, as :mod:`newsextract.defusing` follows it."""

from __future__ import annotations

VOID = frozenset(
    b"area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr".split()
)
CLOSED = frozenset(  # by the next of their kind, or there is only one
    b"p li dd dt tr td th tbody thead tfoot colgroup caption html head body a nobr option".split()
)
OPAQUE = frozenset(  # with other rules inside, and no text of the page
    b"script style title textarea iframe noframes noembed xmp svg math select template object applet button".split()
)
SPECIAL = frozenset(
    b"address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form frameset"
    b" h1 h2 h3 h4 h5 h6 header hgroup listing main marquee menu nav noscript ol optgroup pre search section summary table"
    b" ul".split()
)
SCOPES = (b"table", b"marquee")
"""What is open outside cannot be closed inside."""
ITEMS = {b"li": 1, b"dd": 2, b"dt": 2}
"""One that follows one of the other kind nests in it."""
RUBY = frozenset((b"rb", b"rp", b"rt", b"rtc"))
"""The next closes them, but in ``ruby`` only."""
LISTS = frozenset((b"ul", b"ol", b"dl", b"menu", b"dir"))
HEADINGS = frozenset((b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"))
RAW = frozenset((b"--", b"script", b"style", b"title", b"textarea", b"iframe", b"noframes", b"noembed", b"xmp"))
"""Left open, it holds all the rest of the page."""
