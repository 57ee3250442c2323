"""Where trials run: threads of this process, or the workers of a dask cluster."""

from agenteval.engine.executors.dask import DaskTrials
from agenteval.engine.executors.protocol import Trials
from agenteval.engine.executors.threads import ThreadTrials

__all__ = ["DaskTrials", "ThreadTrials", "Trials"]
