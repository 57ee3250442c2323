"""Widgets for a notebook: state in traitlets, nothing from the network, errors shown in place."""

from agenteval.widgets.comparer import ArmComparer, compare_arms
from agenteval.widgets.explorer import Explorer, explore
from agenteval.widgets.label_queue import LabelQueue, label
from agenteval.widgets.label_sample import label_sample
from agenteval.widgets.run_state import RunState, look_at
from agenteval.widgets.watch import Watch, watch

__all__ = [
    "ArmComparer",
    "compare_arms",
    "explore",
    "Explorer",
    "label",
    "label_sample",
    "LabelQueue",
    "look_at",
    "RunState",
    "watch",
    "Watch",
]
