"""Spark's Java process: started without what it says of itself, and not disturbed by Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

from newsextract.errors import DataError

_KEPT = 200
"""Lines of what Java says: enough for why it does not start."""
_LAST_WORDS = 2.0
"""Seconds for reading what a process that has ended has left in the pipe."""
_AGAIN = 0.02
"""Seconds until Ctrl-C is looked at again."""


def start(settings: Mapping[str, str]) -> None:
    """Start Java for Spark; what it says goes nowhere, but its end says why it did not start.

    Nothing to do where it runs already.

    :raises DataError: it does not start.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:  # no public way: pyspark starts Java with our own standard error
        return
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    said: deque[str] = deque(maxlen=_KEPT)
    end, other_end = os.pipe()
    listener = threading.Thread(target=_listen, args=(end, said), daemon=True)
    listener.start()
    try:
        try:
            gateway = launch_gateway(conf, {"stdout": other_end, "stderr": other_end})
        finally:
            os.close(other_end)  # Java has its own: the listener ends with Java
    except PySparkRuntimeError as error:
        listener.join(_LAST_WORDS)
        raise DataError(f"Spark does not start: {reason(list(said))}") from error
    SparkContext._ensure_initialized(gateway=gateway)


def _listen(end: int, said: deque[str]) -> None:
    with open(end, encoding="utf-8", errors="replace") as lines:
        said.extend(line.rstrip() for line in lines)


def reason(said: list[str]) -> str:
    """Why Java did not start, in a line, of what it has said."""
    lines = [line.strip() for line in said if line.strip() and not line.lstrip().startswith("at ")]
    at = next((at for at, line in enumerate(lines) if "Error" in line or "Exception" in line), max(0, len(lines) - 2))
    return "; ".join(lines[at : at + 2])[:300] or "its Java process has ended without a word"


def opened(builder: Any) -> Any:
    """A session; after that Ctrl-C is a ``KeyboardInterrupt`` as ever, but never in the midst of a call of Java.

    pyspark's own handler, which it sets in the main thread only, calls Java, and that fails where Ctrl-C comes in the midst
    of another call. And a call that is broken off leaves its answer to the next one, so ours waits for its end.
    """
    with ThreadPoolExecutor(1) as pool:
        session = pool.submit(builder.getOrCreate).result()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupted)
    return session


def release_interrupts() -> None:
    """Ctrl-C as Python has it."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupted(number: int, frame: FrameType | None) -> None:
    inner = frame
    while inner is not None:
        if str(inner.f_globals.get("__name__")).partition(".")[0] == "py4j":
            again = threading.Timer(_AGAIN, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        inner = inner.f_back
    signal.default_int_handler(number, frame)
