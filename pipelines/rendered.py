"""A page that a browser has rendered, on its way to the worker that reads it; see :mod:`newsextract.rendered_page`."""

from __future__ import annotations

from newsextract.rendered_page import Fetched, RenderedPage, opened

__all__ = ["Fetched", "RenderedPage", "opened"]
