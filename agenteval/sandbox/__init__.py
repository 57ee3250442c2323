"""Processes, isolation and limits: the only layer that starts a program."""

from agenteval.sandbox.bounds import MAX_PROCESSES, Bounds, Finished
from agenteval.sandbox.box import Box, Command, Sandbox, View, base_environment, run_in
from agenteval.sandbox.bwrap import Bubblewrap, bwrap_works
from agenteval.sandbox.choose import choose_sandbox
from agenteval.sandbox.container import Container
from agenteval.sandbox.image import build_image, fetch_image, image_id
from agenteval.sandbox.leftovers import sweep_containers
from agenteval.sandbox.limits import limits_in_force
from agenteval.sandbox.masked import Masked
from agenteval.sandbox.masking import is_secret, mask, mask_strings, mask_text
from agenteval.sandbox.overlayfs import (
    make_whiteout,
    mount_overlay,
    overlay_problem,
    unmount_below,
    unmount_leftovers,
)
from agenteval.sandbox.plain import Plain
from agenteval.sandbox.process import run_attached, run_process
from agenteval.sandbox.programs import find_program, program_folders
from agenteval.sandbox.regular import read_regular
from agenteval.sandbox.runtime import containers_work, find_runtime

__all__ = [
    "base_environment",
    "Bounds",
    "Box",
    "Bubblewrap",
    "build_image",
    "bwrap_works",
    "choose_sandbox",
    "Command",
    "Container",
    "containers_work",
    "fetch_image",
    "find_program",
    "find_runtime",
    "Finished",
    "image_id",
    "is_secret",
    "limits_in_force",
    "make_whiteout",
    "mask",
    "mask_strings",
    "mask_text",
    "Masked",
    "MAX_PROCESSES",
    "mount_overlay",
    "overlay_problem",
    "Plain",
    "program_folders",
    "read_regular",
    "run_attached",
    "run_in",
    "run_process",
    "Sandbox",
    "sweep_containers",
    "unmount_below",
    "unmount_leftovers",
    "View",
]
