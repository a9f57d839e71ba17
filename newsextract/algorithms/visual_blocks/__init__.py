"""`visual_blocks` (VBIE, Wang, Liang & Min 2019): records from rendered pages, or from their source alone.

The paper's four layers, to be read beside it (preset ``published``): :mod:`.parse`, :mod:`.features` with :mod:`.blocks` and
:mod:`.indicators`, :mod:`.processing`, :mod:`.extraction`; :mod:`.focus` strings them together.

The default preset: :mod:`.candidates` → :mod:`.candidate_features` and :mod:`.appearance` → :mod:`.trees` of the
:mod:`.model` → :mod:`.record_features`; :mod:`.search` strings them together, :mod:`.training` fits the model.
"""
