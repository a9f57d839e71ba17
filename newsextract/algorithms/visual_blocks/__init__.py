"""`visual_blocks` (VBIE, Wang, Liang & Min 2019): records from rendered pages, or from their source alone.

The paper's four layers are the preset ``published``: :mod:`.features` (§4, with the visual blocks and their indicators)
and :mod:`.processing` (§5, and the extraction of §6, which runs the layers in order).

The default preset searches all levels of the tree: :mod:`.candidates` proposes record sets, :mod:`.candidate_features`
describes them, and boosted trees in :mod:`.algorithm` score them. :mod:`newsextract.lab.train_pages` fits the trees.
"""
