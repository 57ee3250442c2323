"""What adapters of installed programs have in common: one program, an endpoint, a variant."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from agenteval.agents.programs import Distribution, Program, find_agent_program, in_image
from agenteval.agents.protocol import Endpoint, Job
from agenteval.errors import InvalidInput
from agenteval.records import Overlay, OverlayKey

IMAGE = "image"


class InstalledAgent:
    """An agent program on this machine, or with the argument `image` in the task's own image.

    Parameters
    ----------
    argument
        Nothing, or `image`.
    program
        The program, where it was found already.
    """

    name: str
    distribution: ClassVar[Distribution]
    needs_model: ClassVar[bool] = True
    applies: ClassVar[frozenset[OverlayKey]]
    passes_on: ClassVar[frozenset[str]] = frozenset()
    wire_formats: ClassVar[tuple[str, ...]] = ()
    user_config: ClassVar[tuple[str, ...]] = ()
    with_user_config: bool = False

    def __init__(self, argument: str = "", program: Program | None = None) -> None:
        if argument not in ("", IMAGE):
            raise InvalidInput(
                f"The agent {self.name} takes no argument {argument!r}",
                f"--agent {self.name}:{argument}",
                f"leave it out, or write {self.name}:{IMAGE} for the program in the task's image",
            )
        self._image, self._found = argument == IMAGE, program

    @cached_property
    def program(self) -> Program:
        """The program.

        Raises
        ------
        MissingProgram
            When it is not installed.
        """
        if self._found is not None:
            return self._found
        return (in_image if self._image else find_agent_program)(self.distribution)

    def version(self) -> str | None:
        """Version as the program says itself; None for the one in an image."""
        return self.program.version

    def inputs(self) -> dict[str, str]:
        """Nothing of the operator's."""
        return {}

    def _endpoint(self, job: Job) -> Endpoint:
        if job.endpoint is None:
            raise InvalidInput(
                f"The agent {self.name} needs a model",
                f"--agent {job.arm.agent_spec}",
                "give one with --model provider/name, or --model scripted:reference to use none",
            )
        return job.endpoint

    @staticmethod
    def _overlay(job: Job) -> Overlay:
        return job.arm.overlay or Overlay()
