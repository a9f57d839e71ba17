"""Massive collections through Apache Spark: ``newsextract spark extract`` and ``spark-submit``.

After H.-Y. Wang, P. Cao, "Information extraction from massive Web pages based on node property and text content" (Journal
on Communications 37(10), 2016), section 3.1: Map extracts each page completely, Sort and Partition order the answers by
key, Reduce merges them and writes one file for each range of keys.

The parts: ``inputs`` (what is read, in which splits), ``map_reduce`` (a split → rows → records), ``job`` (all of it),
``session``. Retries, speculation and the commit of what tasks write are Spark's own.
pyspark and pyarrow are imported where they are used only.
"""
