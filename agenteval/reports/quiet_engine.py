"""A papermill engine that writes the notebook twice, not twice a cell."""

from __future__ import annotations

from typing import Any

from papermill.engines import NBClientEngine, NotebookExecutionManager, papermill_engines

NAME = "agenteval"


class QuietEngine(NBClientEngine):  # type: ignore[misc] # papermill has no types
    """Executes as papermill's own engine does, but saves only before the first cell and after the last.

    Papermill writes the whole notebook when a cell starts and when it ends; with charts in it that
    is a tenth of a report's time. What came out is still written when a cell fails or a kernel dies.
    """

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, **options: Any
    ) -> Any:
        """Execute the notebook of a manager, whose file waits until this is over."""
        path, nb_man.output_path = nb_man.output_path, None
        try:
            return super().execute_managed_notebook(nb_man, kernel_name, **options)
        finally:
            nb_man.output_path = path


papermill_engines.register(NAME, QuietEngine)
