"""The store: a folder of runs, readable as one DuckDB database while runs are written."""

from agenteval.store.seal import SealReport, seal
from agenteval.store.store import Store, open_store
from agenteval.store.trial import TrialView

__all__ = ["open_store", "seal", "SealReport", "Store", "TrialView"]
