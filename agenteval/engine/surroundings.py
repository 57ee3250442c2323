"""What trials of one engine share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.engine.base import Bases
from agenteval.engine.isolation import Images, sandbox_for
from agenteval.engine.model_access import Models
from agenteval.engine.secrets import secrets_of
from agenteval.sandbox import Masked, Sandbox
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class Surroundings:
    """What trials of one engine share.

    Attributes
    ----------
    sandbox
        Isolation for setup, agent and checks of tasks without an image of their own.
    bases
        Starting points of tasks.
    scratch
        Folder for workspaces.
    hidden
        Folders that no command may see, such as the store.
    cancel
        Stops whatever runs when set.
    on_output
        Sees the agent's output as it comes.
    keep
        Leave workspaces in `scratch`.
    passed
        Variables of the operator's that agents get, by name. Secret values are masked in all
        that is stored, not in workspaces that are left.
    images
        Images of tasks that were had already.
    judge_cache
        Folder of replies of judges; None keeps none.
    models
        The gateway to models; None where no arm needs it.
    """

    sandbox: Sandbox
    bases: Bases
    scratch: Path
    hidden: tuple[Path, ...] = ()
    cancel: threading.Event | None = None
    on_output: Callable[[str, bytes], None] | None = None
    keep: bool = False
    passed: Mapping[str, str] = field(default_factory=dict)
    images: Images = field(default_factory=Images)
    judge_cache: Path | None = None
    models: Models | None = None

    def sandbox_of(self, task: LoadedTask) -> Sandbox:
        """Where everything of a task runs; what is printed there holds no secret.

        Raises
        ------
        Infrastructure
            When the task's image cannot be had.
        """
        sandbox = sandbox_for(task, self.sandbox, self.images, self.cancel)
        secrets = secrets_of(self.passed)
        return Masked(sandbox, secrets) if secrets else sandbox
