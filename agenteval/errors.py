"""Every error a caller may want to catch; each says what happened, where, and how to fix it.

AgentEvalError
├── InvalidInput       an argument, option or parameter cannot mean what was given
├── TaskError          a task folder or suite cannot be used
├── RecordError        a stored record cannot be read
├── StoreError         a store, run or trial cannot be found or opened
├── ForeignFormatError a result file of another tool cannot be imported
├── NotEnoughData      a statistic is undefined for this input
├── EngineError        a trial could not be carried out
│   ├── SandboxError       isolation asked for cannot be had
│   ├── Infrastructure     the machinery failed, not the agent (never a zero)
│   ├── RunLocked          another process is writing this run
│   └── DiskFull           there is no space to write, or too little for what is planned
├── ReportError        a report template or its parameters cannot be used
└── MissingProgram     a program or an optional extra is not installed
"""

from __future__ import annotations


class AgentEvalError(Exception):
    """Base of all errors raised on purpose.

    Parameters
    ----------
    what
        What happened, in one sentence without a final period.
    where
        The file, key, task, trial, run or argument it happened in.
    fix
        What the reader can do next, as an imperative.
    """

    def __init__(self, what: str, where: str = "", fix: str = "") -> None:
        super().__init__(what, where, fix)
        self.what, self.where, self.fix = what, where, fix

    def __str__(self) -> str:
        """Join the three parts, leaving out the empty ones."""
        parts = [f"{self.what}.", f"Where: {self.where}" if self.where else ""]
        return "\n".join(filter(None, [*parts, f"Fix: {self.fix}." if self.fix else ""]))


class InvalidInput(AgentEvalError, ValueError):
    """An argument, option or parameter cannot mean what was given."""


class TaskError(AgentEvalError):
    """A task folder or suite cannot be used."""


class RecordError(AgentEvalError):
    """A stored record cannot be read."""


class StoreError(AgentEvalError):
    """A store, run or trial cannot be found or opened."""


class ForeignFormatError(AgentEvalError):
    """A result file of another tool cannot be imported."""


class NotEnoughData(AgentEvalError):
    """A statistic is undefined for this input."""


class EngineError(AgentEvalError):
    """A trial could not be carried out."""


class SandboxError(EngineError):
    """Isolation that was asked for cannot be had."""


class Infrastructure(EngineError):
    """The machinery failed, not the agent: the trial is left out of the rate, never a zero.

    Parameters
    ----------
    error_class
        One of `agenteval.records.INFRASTRUCTURE_CLASSES`.
    """

    def __init__(
        self, what: str, where: str = "", fix: str = "", error_class: str = "sandbox_failed"
    ) -> None:
        super().__init__(what, where, fix)
        self.args = (what, where, fix, error_class)
        self.error_class = error_class


class RunLocked(EngineError):
    """Another process is writing this run."""


class DiskFull(EngineError):
    """There is no space to write, or too little for what is planned; nothing written is damaged."""


class ReportError(AgentEvalError):
    """A report template or its parameters cannot be used."""


class MissingProgram(AgentEvalError):
    """A program or an optional extra is not installed."""
