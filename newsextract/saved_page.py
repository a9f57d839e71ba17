"""A saved page and the files beside it, as a server would give them to a browser that has no network.

The page gets the address that it came from, so that its links keep their meaning; whatever has an address below the
page's own folder there is looked for below its folder on disk, and nothing else is found.
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from newsextract.decoding import decode
from newsextract.errors import DataError

MAX_PAGE = 10_000_000
"""Bytes of a saved page; as for all pages."""
MAX_RESOURCE = 20_000_000
"""Bytes of a picture or style sheet."""
_NOWHERE = "http://saved.invalid/"
"""Address of a page without one; the domain is reserved, so no request for it can reach anybody."""


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A file that was read."""

    html: str
    folder: Path
    url: str
    """Under which the browser sees it, without fragment."""

    @classmethod
    def read(cls, path: Path, url: str | None = None) -> SavedPage:
        """Read a file; text is decoded as for extraction without a browser.

        :param url: the address that it came from, if known.
        :raises DataError: it cannot be read, or is over the cap.
        """
        try:
            with path.open("rb") as file:
                body = file.read(MAX_PAGE + 1)
            folder = path.resolve().parent
        except (OSError, ValueError, RuntimeError) as error:  # a null byte in the name; a loop of links
            raise DataError(
                f"{path}: {getattr(error, 'strerror', None) or error}; expected a file or an http(s) address"
            ) from error
        if len(body) > MAX_PAGE:
            raise DataError(f"{path}: more than {MAX_PAGE:,} bytes, which is the cap for a page")
        named = url is not None and urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname
        shown = urldefrag(str(url)).url if named else _NOWHERE + quote(path.name, errors="replace")
        return cls(decode(body, None).text, folder, shown)

    def resource(self, url: str) -> tuple[bytes, str] | None:
        """Content and media type of what an address means; None: nothing that this page may load."""
        wanted = urldefrag(url).url
        if wanted == self.url:
            return self.html.encode("utf-8", "replace"), "text/html; charset=utf-8"
        base = urljoin(self.url, ".").partition("?")[0]
        below = wanted.partition("?")[0].removeprefix(base)
        if not wanted.startswith(base) or not below:
            return None
        try:
            file = (self.folder / unquote(below).lstrip("/\\")).resolve()
            if not file.is_relative_to(self.folder) or not file.is_file() or file.stat().st_size > MAX_RESOURCE:
                return None
            return file.read_bytes(), mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        except (OSError, ValueError, RuntimeError):
            return None  # reason: no such file, in whatever way; the page goes without it, as in any browser
