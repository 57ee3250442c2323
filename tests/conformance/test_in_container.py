"""A real agent program in a task's own image: mounted from this machine, its model through the gateway."""

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from agenteval.sandbox import containers_work, find_runtime, image_id

IMAGE = "localhost/agenteval/test-busybox-perl:1"
PERL = Path("/usr/bin/perl")


def need(problem: str | None) -> None:
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem


@pytest.fixture(scope="module")
def image() -> str:
    """Busybox, and Perl for the way to the gateway; no C library of its own beside that."""
    need(containers_work())
    busybox = shutil.which("busybox")
    need(None if busybox else "busybox-static is not installed")
    need(None if PERL.exists() else "perl is not installed")
    runtime = find_runtime()
    if image_id(runtime, IMAGE) is not None:
        return IMAGE
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.add(busybox, "bin/busybox")
        names = subprocess.run([busybox, "--list"], capture_output=True, text=True).stdout
        for name in sorted({*names.split()} - {"busybox"}):
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            archive.addfile(link)
        for path in [PERL, *libraries_of(PERL), *modules_of(PERL)]:
            archive.add(path.resolve(), str(path).lstrip("/"))
    assert runtime.call("import", "-", IMAGE, stdin=data.getvalue()).exit_code == 0
    return IMAGE


def libraries_of(program: Path) -> list[Path]:
    told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [Path(word) for word in told.split() if word.startswith("/")]


def modules_of(program: Path) -> list[Path]:
    """Folders of the modules that come with Perl itself."""
    told = subprocess.run([program, "-e", 'print join "\\n", @INC'], capture_output=True, text=True)
    folders = [Path(line) for line in told.stdout.splitlines() if line.endswith("perl-base")]
    assert folders
    return folders


@pytest.mark.parametrize("proving", ["codex"], indirect=True)
def test_a_program_of_this_machine_works_in_the_image_of_a_task(proving, image):
    proving.task(keys=f'image = "{image}"')
    row = proving.one(
        proving.script({"calls": [{"run": "sed -i s/broken/fixed/ app.txt"}]}, {"text": "Done."})
    )
    assert (row.status, row.ended_by) == ("pass", "agent"), proving.told(row)
    assert row.sandbox.startswith("container")
    assert (row.requests, row.turns, row.files_changed) == (2, 2, 1)
