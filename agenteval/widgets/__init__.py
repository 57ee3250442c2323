"""Widgets for a notebook: state in traitlets, nothing from the network, errors shown in place."""

from agenteval.widgets.comparer import ArmComparer, compare_arms
from agenteval.widgets.explorer import Explorer, explore
from agenteval.widgets.label_queue import LabelQueue, label
from agenteval.widgets.label_sample import label_sample
from agenteval.widgets.run_state import RunState, look_at
from agenteval.widgets.sql_console import SqlConsole, sql_console
from agenteval.widgets.sql_magic import StoreMagics, load_ipython_extension, schema_of
from agenteval.widgets.watch import Watch, watch

__all__ = [
    "ArmComparer",
    "compare_arms",
    "explore",
    "Explorer",
    "label",
    "label_sample",
    "LabelQueue",
    "load_ipython_extension",
    "look_at",
    "RunState",
    "schema_of",
    "sql_console",
    "SqlConsole",
    "StoreMagics",
    "watch",
    "Watch",
]
