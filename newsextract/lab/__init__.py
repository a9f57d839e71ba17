"""Measuring: data sets with truth, measures, a runner over pages, a report.

The flow is ``datasets`` (truth) → ``runner`` (predictions) → ``metrics`` (scores) → ``report`` (table, JSON).
"""
