"""Readers of other tools' results, one file a format."""

from agenteval.store.importers.drafts import Skipped
from agenteval.store.importers.importing import FORMATS, ImportReport, import_results

__all__ = ["FORMATS", "import_results", "ImportReport", "Skipped"]
