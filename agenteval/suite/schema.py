"""JSON schemas of task and suite files, for editors that complete and check keys."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from agenteval.errors import InvalidInput
from agenteval.records import Experiment, Suite, Task, Variant
from agenteval.suite.keys import camel_key
from agenteval.suite.problems import one_of

_MODELS: dict[str, type[BaseModel]] = {
    "experiment": Experiment,
    "suite": Suite,
    "task": Task,
    "variant": Variant,
}
_TITLES = {
    "experiment": "agenteval experiment (experiment.toml)",
    "suite": "agenteval suite (suite.toml)",
    "task": "agenteval task (task.toml, task.json)",
    "variant": "agenteval variant (variants/NAME.toml, .json)",
}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a file that authors write.

    Both spellings of every key are in it: `timeout_s` and, in milliseconds, `timeoutMs`.

    Parameters
    ----------
    name
        `task`, `suite`, `variant` or `experiment`.

    Raises
    ------
    InvalidInput
        For another name.

    Examples
    --------
    >>> schema("task")["properties"]["timeoutMs"]["exclusiveMinimum"]
    0
    """
    if name not in _MODELS:
        raise InvalidInput(
            f"There is no schema {name!r}", "agenteval schema", f"ask for {one_of(sorted(_MODELS))}"
        )
    made = _MODELS[name].model_json_schema()
    for table in (made, *made.get("$defs", {}).values()):
        _finish(table)
    made["properties"]["$schema"] = {
        "type": "string",
        "description": "For editors; agenteval does not read it.",
    }
    if name == "task":
        made["required"] = [key for key in made.get("required", []) if key != "id"]
        made["properties"]["id"]["description"] = "The folder's name, and that when left out."
    return (
        {"$schema": "https://json-schema.org/draft/2020-12/schema"}
        | made
        | {"title": _TITLES[name]}
    )


def _finish(table: dict[str, Any]) -> None:
    properties = table.get("properties", {})
    for key in list(properties):
        if (camel := camel_key(key)) != key:
            unit = ", in milliseconds" if camel.endswith("Ms") else ""
            properties[camel] = properties[key] | {
                "description": f"`{key}`{unit}.",
                "default": None,
            }
            del properties[camel]["default"]
    if "const" in properties.get("kind", {}):
        table["required"] = sorted({*table.get("required", []), "kind"})
