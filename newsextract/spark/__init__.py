"""Massive collections through Apache Spark: ``newsextract spark extract`` and ``spark-submit``.

After H.-Y. Wang, P. Cao, "Information extraction from massive Web pages based on node property and text content" (Journal
on Communications 37(10), 2016), section 3.1: Map extracts each page completely, Sort and Partition order the answers by
key, Reduce merges them and writes one file for each range of keys.

The parts: ``splits`` and ``index`` (what is read, in which pieces), ``reading`` and ``rows`` (one piece → pages),
``mapping`` (→ lines), ``reducing`` and ``duplicates`` (lines → records), ``job`` (all of it), ``work`` (how a killed run is
gone on with), ``claim`` (one driver at a time), ``session``, ``storage``, ``java_errors``, ``standalone``.
pyspark and pyarrow are imported where they are used only.
"""
