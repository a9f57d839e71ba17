"""``newsextract train WHAT``: train thresholds or a model on pages or labels. One module per WHAT."""

from __future__ import annotations

import argparse
from typing import Any

from newsextract.commands.common import add_group
from newsextract.commands.train import combined, kinds, node_attributes, thresholds, value_filter, visual_blocks

_MODULES = (thresholds, node_attributes, value_filter, combined, kinds, visual_blocks)

_EXAMPLES = """\
examples:
  newsextract train thresholds pages/*.html -o site.toml
  newsextract train node-attributes DATA -o thresholds.toml
  newsextract train value-filter labelled.jsonl -o model.json
  newsextract train combined DATA DATA-ZH -o model.npz
  newsextract train kinds DATA MODERN --records RECORDS -o kinds.npz
  newsextract train visual-blocks RECORDS --snapshots SNAPSHOTS -o model.npz
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Declare the command ``train`` and what can be trained."""
    trainable = add_group(
        subparsers, "train", help="train thresholds or a model on pages or labels", epilog=_EXAMPLES, metavar="WHAT",
        description="Train thresholds or a model on pages or labels.",
    )  # fmt: skip
    for module in _MODULES:
        module.add_parser(trainable)
