"""Where trials run: threads of this process now, other machines later.

An executor is anything with the `submit` and `shutdown` of `concurrent.futures.Executor`.
"""

from agenteval.engine.executors.threads import thread_executor

__all__ = ["thread_executor"]
