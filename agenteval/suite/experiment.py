"""Reading experiment.toml."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agenteval.records import Experiment, ExperimentArm
from agenteval.suite.problems import Problems
from agenteval.suite.reading import read_model


@dataclass(frozen=True)
class LoadedExperiment:
    """An experiment and where its file lies.

    Attributes
    ----------
    path
        Of the file; the paths in it are relative to its folder.
    experiment
        What it says.
    """

    path: Path
    experiment: Experiment

    def at(self, path: str) -> Path:
        """A path of the file as seen from here."""
        return self.path.parent / path

    @property
    def suite(self) -> str:
        """The suite, as `agenteval run` takes it."""
        told = self.experiment.suite
        return told if told == "bundled" and not self.at(told).exists() else str(self.at(told))

    @property
    def caps(self) -> dict[str, float]:
        """Limits for every trial, by the names of a task's limits."""
        return self.experiment.limits.model_dump(exclude_none=True)

    def files_of(self, arm: ExperimentArm) -> tuple[Path, ...]:
        """Files that an arm needs."""
        return tuple(self.at(file) for file in arm.files)

    def options(self) -> list[str]:
        """The options of `agenteval run` that say the same; arms one by one are not among them.

        >>> Experiment(suite="evals", agents=["scripted:noop"], repeats=3).repeats
        3
        """
        return [word for name, value in self._options() for word in (f"--{name}", str(value))]

    def _options(self) -> Iterator[tuple[str, object]]:
        told = self.experiment
        single = {
            "tasks": told.tasks,
            "repeat": told.repeats,
            "seed": told.seed,
            "concurrency": told.concurrency,
            "retries": told.retries,
            "until": told.until,
            "sandbox": told.sandbox,
            "max-cost": told.budget.max_cost_usd,
            "max-minutes": told.budget.max_minutes,
        }
        yield from ((name, value) for name, value in single.items() if value is not None)
        for name in ("upstreams", "prices", "record"):
            path = getattr(told, name)
            if path is not None:
                yield name, self.at(path)
        crossed = {
            "agent": told.agents,
            "model": told.models,
            "variant": told.variants,
            "pass-env": told.pass_env,
        }
        for name, values in crossed.items():
            yield from ((name, value) for value in values)


def load_experiment(path: Path) -> LoadedExperiment:
    """Read an experiment.

    Raises
    ------
    TaskError
        With everything that is wrong in the file.
    """
    problems = Problems()
    experiment = read_model(path, Experiment, problems)
    problems.raise_if_any(path)
    assert experiment is not None  # it could not be read only with a problem
    return LoadedExperiment(path.absolute(), experiment)
