"""The model gateway: between every agent and its model. Meters, holds limits, records, replays."""

from agenteval.gateway.faults import FaultPlan
from agenteval.gateway.litellm_library import EXTRA, missing_for
from agenteval.gateway.normalising import Normaliser, read_rules
from agenteval.gateway.pacing import Pace
from agenteval.gateway.prices import PriceTable
from agenteval.gateway.reach import Reach
from agenteval.gateway.recording import Recorded, Recording, read_recording, recording_of
from agenteval.gateway.script_file import load_script, parse_script
from agenteval.gateway.scripting import Script, script_of
from agenteval.gateway.server import Gateway
from agenteval.gateway.session import Session
from agenteval.gateway.terms import Caps, Terms
from agenteval.gateway.tools import NoUsableTool
from agenteval.gateway.traffic import Exchange, Traffic
from agenteval.gateway.upstreams import KNOWN_UPSTREAMS, Upstream, read_upstreams, upstream_of

__all__ = [
    "Caps",
    "Exchange",
    "EXTRA",
    "FaultPlan",
    "Gateway",
    "KNOWN_UPSTREAMS",
    "load_script",
    "missing_for",
    "Normaliser",
    "NoUsableTool",
    "Pace",
    "parse_script",
    "PriceTable",
    "Reach",
    "read_recording",
    "read_rules",
    "read_upstreams",
    "Recorded",
    "Recording",
    "recording_of",
    "Script",
    "script_of",
    "Session",
    "Terms",
    "Traffic",
    "Upstream",
    "upstream_of",
]
