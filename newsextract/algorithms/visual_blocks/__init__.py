"""`visual_blocks` (VBIE, Wang, Liang & Min 2019): records from rendered pages, or from their source alone.

The paper's four layers, to be read beside it (preset ``published``): :mod:`.features`, :mod:`.features` with
:mod:`.features` and
:mod:`.features`, :mod:`.processing`, :mod:`.focus`; :mod:`.focus` strings them together.

The default preset: :mod:`.candidates` → :mod:`.candidate_features` and :mod:`.candidate_features` → :mod:`.algorithm` of the
:mod:`.algorithm` → :mod:`.candidate_features`; :mod:`.algorithm` strings them together,
:mod:`newsextract.lab.train_visual_blocks` fits the model.
"""
