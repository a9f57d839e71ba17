"""One Spark for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from newsextract.spark import close_session, open_session
from newsextract.spark.inputs import Storage
from tests.spark.running import need_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def session() -> Iterator[SparkSession]:
    """Two cores of this machine."""
    need_spark()
    opened = open_session("local[2]", {"spark.sql.shuffle.partitions": "2"})
    yield opened
    close_session(opened)


@pytest.fixture(scope="module")
def storage(session: SparkSession) -> Storage:
    return Storage(session.sparkContext)
