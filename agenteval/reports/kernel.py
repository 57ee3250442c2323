"""The kernel of a report: this interpreter, in a private folder, whatever kernels are installed."""

from __future__ import annotations

import os
import site
import sys
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from agenteval.charts.render import PICTURES_LATER

_SOCKET_PATH_BYTES = 90
_SAID, _TAIL_BYTES = "kernel.txt", 4_000


def kernel_manager(folder: Path, cwd: Path) -> type[AsyncKernelManager]:
    """Make a kernel manager class for one execution.

    Kernel specifications on disk are ignored, so a report runs with the package that renders
    it. The kernel talks over sockets in `folder` (two kernels never meet, and no port is open)
    and reads no start-up files of the user's IPython. Charts come out of it without their pictures.
    What its process prints goes into a file there, for `last_words`, and not to the terminal.

    Parameters
    ----------
    folder
        Private, empty folder of this execution; the caller removes it.
    cwd
        Working folder of the notebook.
    """
    sockets = folder / "k"
    private = {
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": os.pathsep.join(_import_paths()),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        PICTURES_LATER: "1",
    }
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = KernelSpec(argv=argv, display_name="agenteval", language="python", env=private)

    class ThisInterpreter(AsyncKernelManager):
        def __init__(self, **options: object) -> None:
            options["connection_file"] = str(folder / "kernel.json")
            if len(os.fsencode(sockets)) < _SOCKET_PATH_BYTES:
                options |= {"transport": "ipc", "ip": str(sockets)}
            super().__init__(**options)

        @property
        def kernel_spec(self) -> KernelSpec:
            return spec

        async def _async_pre_start_kernel(self, **launch: Any) -> tuple[list[str], dict[str, Any]]:
            return await super()._async_pre_start_kernel(**(launch | {"cwd": str(cwd)}))

        async def _async_launch_kernel(self, kernel_cmd: list[str], **launch: Any) -> None:
            with (folder / _SAID).open("ab") as said:
                await super()._async_launch_kernel(kernel_cmd, **launch, stdout=said, stderr=said)

    return ThisInterpreter


def last_words(folder: Path) -> list[str]:
    """Read the last lines that a kernel's process printed.

    Parameters
    ----------
    folder
        The folder that `kernel_manager` was given.
    """
    path = folder / _SAID
    said = path.read_bytes()[-_TAIL_BYTES:] if path.exists() else b""
    return said.decode(errors="replace").strip().splitlines()


def _import_paths() -> list[str]:
    """PYTHONPATH made absolute, with the folder that holds this package where it is needed."""
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    paths = [str(Path(entry).resolve()) for entry in given]
    package = str(Path(__file__).resolve().parents[2])
    installed = {
        str(Path(entry).resolve())
        for entry in [*site.getsitepackages(), site.getusersitepackages()]
    }
    if package not in installed and package not in paths:
        paths.append(package)
    return paths
