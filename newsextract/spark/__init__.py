"""Massive collections through Apache Spark: ``newsextract spark extract`` and ``spark-submit``.

After H.-Y. Wang, P. Cao, "Information extraction from massive Web pages based on node property and text content" (Journal
on Communications 37(10), 2016), section 3.1: Map extracts each page completely, Sort and Partition order the answers by
key, Reduce merges them and writes one file for each range of keys.

The parts: ``splits`` (what is read, in which pieces), ``mapping`` (one piece → lines), ``reducing`` and ``duplicates``
(lines → records), ``job`` (all of it, and how a killed run is gone on with), ``session``, ``storage``, ``standalone``.
pyspark is imported where it is used only.
"""
