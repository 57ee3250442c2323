"""Trials in threads of this process: they wait for processes, so threads are all it takes."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor


def thread_executor(concurrency: int) -> Executor:
    """Make an executor for `concurrency` trials at one time."""
    return ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="trial")
