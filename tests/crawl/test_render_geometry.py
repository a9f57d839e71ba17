"""A rendered crawl with ``node_attributes``: the boxes that the browser drew decide, not the order of the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from newsextract import extract

pytestmark = pytest.mark.crawl

Run = Callable[..., Any]

STYLE = "<style>.k7 { position: absolute; top: 300px; left: 1250px; width: 120px }</style>"
COLUMN = (
    "<div class=k7><p>Tickets for the night boat to the outer islands are sold at the old customs house every weekday.</p>"
    "<p>Whoever wants to see the lamp room of the lighthouse should ask the keeper on the evening before.</p></div>"
)
PATH = "/2025/05/06/story-of-the-harbour.html"


@pytest.mark.usefixtures("rendering")
@pytest.mark.parametrize("render", [True, False])
@pytest.mark.parametrize("geometry", ["auto", "position"])
def test_a_narrow_column_is_left_out_where_its_box_is_read(
    geometry: str, render: bool, run_crawl: Run, server: Any, address_file: Run, tmp_path: Path
) -> None:
    address = server.put(PATH, server.article(PATH, head=STYLE, lead=COLUMN))
    sites = tmp_path / "sites.toml"
    sites.write_text(
        f'[[site]]\nname = "made"\nstart = ["{server.url("/")}"]\ndelay = 0\nrender = {str(render).lower()}\n'
        f'algorithm = "node_attributes"\nparams = {{ geometry = "{geometry}" }}\n'
    )
    settings = {"EXTRACTION_WORKERS": 0}
    done = run_crawl(tmp_path / "news.jsonl", "-a", address_file(address), sites=sites, settings=settings).check()
    (record,) = done.records
    assert record["algorithm"] == "node_attributes"
    plain = extract(server.article(PATH, head=STYLE, lead=COLUMN), algorithm="node_attributes")
    assert "customs house" in plain.text
    story = [line for line in plain.text.split("\n") if "keeper of the books" in line]
    assert len(story) == 6
    assert all(line in record["text"] for line in story)
    boxes_are_read = render and geometry == "auto"
    assert ("customs house" not in record["text"]) == boxes_are_read
    assert ("lamp room" not in record["text"]) == boxes_are_read
