"""Tasks of other tools, made into task folders; what does not carry over is listed."""

from agenteval.suite.foreign.harbor_solution import solution_command
from agenteval.suite.foreign.importing import TASK_FORMATS, ImportedTasks, import_tasks

__all__ = ["import_tasks", "ImportedTasks", "solution_command", "TASK_FORMATS"]
