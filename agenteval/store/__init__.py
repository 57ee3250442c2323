"""The store: a folder of runs, readable as one DuckDB database while runs are written."""

from agenteval.store.importers import FORMATS, ImportReport, Skipped, import_results
from agenteval.store.judgments import add_judgments
from agenteval.store.quarantine import quarantine
from agenteval.store.run import RunView
from agenteval.store.seal import SealReport, seal
from agenteval.store.store import Store, open_store
from agenteval.store.trial import TrialView
from agenteval.store.trial_index import TrialFilter, TrialIndex
from agenteval.store.voiding import take_over_voids, void

__all__ = [
    "add_judgments",
    "FORMATS",
    "import_results",
    "ImportReport",
    "open_store",
    "quarantine",
    "RunView",
    "seal",
    "SealReport",
    "Skipped",
    "Store",
    "take_over_voids",
    "TrialFilter",
    "TrialIndex",
    "TrialView",
    "void",
]
