"""`oem`: declarative wrappers. A few lines of format turn a page of known structure into nested objects.

Huang, Qi & Zhang 2000, "Extracting semi-structured information from the Web". The way of the data: :mod:`.format` reads the
lines, :mod:`.pattern` their parts; :mod:`.matching` finds these in a page's source; :mod:`.interpreter` gives the
hierarchy of titles and items and makes the objects of :mod:`.objects`. :mod:`.draft` proposes a wrapper for a page,
:mod:`.learn` learns one from examples, and :mod:`.drift` detects a changed layout.
"""

from newsextract.wrappers.format import Format, FormatError, load_format, parse_format
from newsextract.wrappers.interpreter import run
from newsextract.wrappers.objects import Fetch, LineFit, OEMObject, Result, Unavailable, from_json, to_json

__all__ = [
    "Fetch", "Format", "FormatError", "LineFit", "OEMObject", "Result", "Unavailable", "from_json", "load_format",
    "parse_format", "run", "to_json",
]  # fmt: skip
