"""agenteval: the laboratory for coding agents.

    import agenteval as ae

Names are loaded when first used, so `import agenteval` is quick and loads no pandas.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_VERBS = {
    "compare": "agenteval.comparison",
    "diff": "agenteval.comparison",
    "judge_trust": "agenteval.comparison",
    "open_store": "agenteval.store",
    "plan": "agenteval.comparison",
    "run": "agenteval.lab",
    "scoreboard": "agenteval.comparison",
}
_NAMESPACES = (
    "charts",
    "comparison",
    "errors",
    "judge",
    "lab",
    "records",
    "reports",
    "stats",
    "store",
    "widgets",
)

__all__ = sorted([*_VERBS, *_NAMESPACES, "report"])


def __getattr__(name: str) -> Any:
    if name in _VERBS:
        return getattr(importlib.import_module(_VERBS[name]), name)
    if name == "report":
        return importlib.import_module("agenteval.reports").report
    if name in _NAMESPACES:
        return importlib.import_module(f"agenteval.{name}")
    raise AttributeError(f"module 'agenteval' has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """Do what `%load_ext agenteval` asks for: `%%ae_sql`, `%ae_store` and `%ae_schema`."""
    importlib.import_module("agenteval.widgets").load_ipython_extension(shell)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
