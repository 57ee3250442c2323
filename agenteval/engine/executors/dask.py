"""Trials on the workers of a dask cluster: `--executor dask`."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agenteval.engine.executors.parcel import Parcel, pack
from agenteval.engine.executors.remote import Conditions, lost_worker, run_remotely
from agenteval.engine.model_access import ModelAccess
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.errors import Infrastructure, InvalidInput, MissingProgram

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
CONNECT_TIMEOUT_S = 20


class DaskTrials:
    """Runs trials on the workers of a cluster.

    Tasks travel with their files, each once to a worker that needs it; results come back as
    records and artifacts. An attempt whose worker dies is reported as lost, and never run again
    under the same number.

    Parameters
    ----------
    address
        Of a running scheduler, as in tcp://host:8786; `local` starts workers on this machine.
    concurrency
        Trials at one time at most; never more than the workers have threads.
    sandbox
        Mode of the isolation on the workers.
    hidden, passed
        As in `Surroundings`.
    models
        How agents reach their models; each worker has a gateway of its own, and keys in its own
        environment.

    Raises
    ------
    MissingProgram
        Without the extra `dask`.
    InvalidInput
        When no scheduler answers.
    """

    def __init__(
        self,
        address: str,
        concurrency: int,
        sandbox: str,
        *,
        hidden: tuple[Path, ...] = (),
        passed: Mapping[str, str] | None = None,
        models: ModelAccess | None = None,
    ) -> None:
        self.most = concurrency
        self.client, self._cluster = _connected(address, concurrency)
        self.conditions = Conditions(
            secrets.token_hex(6), sandbox, hidden, dict(passed or {}), models or ModelAccess()
        )
        self._pool = self.client.get_executor(pure=False, retries=0)
        self._parcels: dict[str, Any] = {}

    @property
    def concurrency(self) -> int:
        """Trials at one time: what is allowed and the workers have threads for, at least 1."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        return max(1, min(self.most, sum(worker["nthreads"] for worker in workers)))

    def submit(self, spec: TrialSpec) -> Future[TrialResult]:
        """Send one attempt out; an agent's failure is a result, a lost worker an exception."""
        sent: Future[TrialResult] = self._pool.submit(
            _on_worker, spec, self._parcel(spec), self.conditions
        )
        future: Future[TrialResult] = Future()
        sent.add_done_callback(lambda done: self._settle(spec, done, future))
        return future

    def _settle(
        self, spec: TrialSpec, done: Future[TrialResult], future: Future[TrialResult]
    ) -> None:
        error = done.exception() if not done.cancelled() else lost_worker(spec)
        if error is None:
            future.set_result(done.result())
        elif isinstance(error, Infrastructure) or not _is_loss(error):
            future.set_exception(error)
        else:
            future.set_exception(lost_worker(spec))

    def _parcel(self, spec: TrialSpec) -> Any:
        key = f"{spec.task.task.id}-{spec.task.digest}"
        if key not in self._parcels:
            with warnings.catch_warnings():
                # as a task, and not as scattered data, which is lost with the worker that has it
                warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
                self._parcels[key] = self.client.submit(
                    _parcel, pack(spec.task), key=f"agenteval-{self.conditions.engine}-{key}"
                )
        return self._parcels[key]

    def cancel(self) -> None:
        """Tell all workers to stop what runs of this engine."""
        from distributed import Event

        Event(self.conditions.stop, client=self.client).set()

    def close(self) -> None:
        """Wait for what runs, and leave the cluster; one that was started here ends."""
        self._pool.shutdown()
        self.cancel()  # nothing runs any more: it only lets the workers clear up
        self.client.close()
        if self._cluster is not None:
            self._cluster.close()


def _parcel(parcel: Parcel) -> Parcel:
    return parcel


def _on_worker(spec: TrialSpec, parcel: Parcel, conditions: Conditions) -> TrialResult:
    from distributed import Event, get_client

    client = get_client()
    return run_remotely(spec, parcel, conditions, lambda name: Event(name, client=client))


def _is_loss(error: BaseException) -> bool:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    return isinstance(error, (KilledWorker, CommClosedError, CancelledError, TimeoutError))


def _connected(address: str, concurrency: int) -> tuple[Client, Any]:
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise MissingProgram(
            "Running on a dask cluster needs distributed, which is not installed",
            "--executor dask",
            "pip install 'agenteval[dask]'",
        ) from error
    if address == LOCAL:
        cluster = LocalCluster(
            n_workers=concurrency,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
        )
        return Client(cluster), cluster
    try:
        return Client(address, timeout=CONNECT_TIMEOUT_S), None
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"No dask scheduler answers: {error}",
            f"--dask-address {address}",
            "start one (`dask scheduler`), or leave the address out for workers on this machine",
        ) from error
