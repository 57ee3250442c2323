"""Variants: reading variants/NAME.toml or .json beside a suite's tasks."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agenteval.errors import InvalidInput, TaskError
from agenteval.records import LaidFile, Overlay, Variant, digest
from agenteval.records.variant import VARIANT_NAME
from agenteval.suite.problems import Problems, nearest, shown
from agenteval.suite.reading import read_model
from agenteval.suite.tree import read_tree

FOLDER, ENDINGS = "variants", (".toml", ".json")
CONTROL = "none"
LARGEST_BYTES = 2 << 20
SKILL = "SKILL.md"


@dataclass(frozen=True)
class LoadedVariant:
    """A variant that was read.

    Attributes
    ----------
    name, description
        As its file says.
    path
        Its file.
    overlay
        What an arm carries of it.
    """

    name: str
    description: str
    path: Path
    overlay: Overlay


def variant_files(suite: Path) -> dict[str, Path]:
    """Name to file of every variant of a suite's folder.

    Raises
    ------
    TaskError
        When two files have the same name.
    """
    folder = suite / FOLDER
    found: dict[str, Path] = {}
    if not folder.is_dir():
        return found
    for path in sorted(folder.iterdir()):
        if path.suffix not in ENDINGS or path.name.startswith("."):
            continue
        if path.stem in found:
            raise TaskError(
                f"Two variants have the name {path.stem!r}",
                f"{shown(found[path.stem])} and {shown(path)}",
                "keep one of the two",
            )
        found[path.stem] = path
    return found


def load_variants(suite: Path) -> list[LoadedVariant]:
    """Read every variant of a suite's folder."""
    return [load_variant(name, suite) for name in variant_files(suite)]


def load_variant(name: str, suite: Path) -> LoadedVariant:
    """Read one variant, with the contents of what it lays into the workspace.

    Parameters
    ----------
    suite
        Folder of the suite; variants are in its `variants`.

    Raises
    ------
    InvalidInput
        When there is no such variant.
    TaskError
        With everything that is wrong with its file.
    """
    files = variant_files(suite)
    if name not in files:
        near = nearest(name, [*files, CONTROL])
        known = ", ".join([*files, CONTROL])
        raise InvalidInput(
            f"There is no variant {name!r}",
            f"--variant {name}, looked for in {shown(suite / FOLDER)}",
            f"use {near}" if near else f"use one of: {known}",
        )
    path, problems = files[name], Problems()
    variant = read_model(path, Variant, problems)
    overlay = Overlay()
    if variant is not None:
        if variant.name not in ("", name):
            problems.add(
                f"The name {variant.name!r} differs from the file's name {name!r}",
                f"{shown(path)}, key name",
                f"write name = {name!r}, or leave it out",
            )
        overlay = _overlay(variant, path, problems)
    problems.raise_if_any(path)
    assert variant is not None  # else it has left a problem
    return LoadedVariant(name, variant.description, path, overlay)


def plugin_variant(name: str, folders: Sequence[Path]) -> LoadedVariant:
    """A variant that is nothing but plugins, named on a command line; without any the control.

    Raises
    ------
    TaskError
        When a folder is not there, or two plugins have the same name.
    """
    problems, where = Problems(), Path("--plugin-dir")
    variant = Variant(name=name, plugin_dirs=[str(folder.absolute()) for folder in folders])
    overlay = _overlay(variant, where, problems)
    problems.raise_if_any(where)
    return LoadedVariant(name, "", where, overlay)


def files_variant(name: str, source: str, files: Mapping[str, LaidFile]) -> LoadedVariant:
    """A variant that is nothing but files, whose contents were read already.

    Parameters
    ----------
    name
        Its name.
    source
        Where they are from, for people.
    files
        Path in the workspace to contents.

    Raises
    ------
    InvalidInput
        For a name that is none, or more than an arm carries.
    """
    where = f"--variant {name}={source}"
    if not re.fullmatch(VARIANT_NAME, name) or name == CONTROL:
        raise InvalidInput(
            f"A variant cannot be named {name!r}",
            where,
            f"use letters, digits, dots, dashes and underscores; {CONTROL} is the arm without one",
        )
    size = sum(len(file.data) for file in files.values())
    if size > LARGEST_BYTES:
        raise InvalidInput(
            f"The variant lays {size >> 10} kB into the workspace; an arm carries at most {LARGEST_BYTES >> 10} kB",
            where,
            "name a smaller folder",
        )
    overlay = Overlay(files=dict(files), hands=sorted(_skill_names(files)))
    return LoadedVariant(name, source, Path(source), overlay)


def with_present_plugins(overlay: Overlay) -> Overlay:
    """The overlay with the plugins as they are on disk now.

    Raises
    ------
    InvalidInput
        When one of them is gone.
    """
    gone = next((path for path in overlay.plugin_dirs if not Path(path).is_dir()), None)
    if gone is not None:
        raise InvalidInput(
            "A plugin of the variant is not there", gone, "put it back, or make a new run"
        )
    found = {plugin_name(Path(path)): _tree_digest(Path(path)) for path in overlay.plugin_dirs}
    return overlay.model_copy(update={"plugins": found})


def _overlay(variant: Variant, path: Path, problems: Problems) -> Overlay:
    folders = _plugin_folders(variant, path, problems)
    files = _files(variant, path, problems)
    size = sum(len(file.data) for file in files.values())
    if size > LARGEST_BYTES:
        problems.add(
            f"The variant lays {size >> 10} kB into the workspace; an arm carries at most {LARGEST_BYTES >> 10} kB",
            f"{shown(path)}, key files",
            "lay fewer files, or make them by `setup` of the tasks",
        )
    hands = {plugin_name(folder) for folder in folders} | {*variant.mcp}
    hands |= {name for folder in folders for name in _skills(folder)}
    hands |= _skill_names(files)
    return Overlay(
        settings=variant.settings,
        env=variant.env,
        pass_env=variant.pass_env,
        args=variant.args,
        files=files,
        plugin_dirs=[str(folder) for folder in folders],
        plugins={plugin_name(folder): _tree_digest(folder) for folder in folders},
        mcp=variant.mcp,
        faults=variant.faults,
        hands=sorted(hands),
    )


def _plugin_folders(variant: Variant, path: Path, problems: Problems) -> list[Path]:
    folders = []
    for name in variant.plugin_dirs:
        folder = (path.parent / name).resolve()
        if not folder.is_dir():
            problems.add(
                f"There is no plugin folder {name!r}",
                f"{shown(path)}, key plugin_dirs",
                "give a folder relative to the variant's file",
            )
        else:
            folders.append(folder)
    names = [plugin_name(folder) for folder in folders]
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        problems.add(
            f"Two plugins have the name {double!r}",
            f"{shown(path)}, key plugin_dirs",
            "keep one of the two",
        )
    return folders


def _files(variant: Variant, path: Path, problems: Problems) -> dict[str, LaidFile]:
    found: dict[str, LaidFile] = {}
    for target, source in variant.files.items():
        real = path.parent / source
        if not real.exists():
            problems.add(
                f"There is no file {source!r} to lay at {target!r}",
                f"{shown(path)}, key files",
                "give a file or folder relative to the variant's file",
            )
            continue
        for name, file in _below(real, target, problems):
            found[name] = file
    return found


def _below(real: Path, target: str, problems: Problems) -> list[tuple[str, LaidFile]]:
    if real.is_file():
        return [(os.path.normpath(target), _laid(real))]
    entries = read_tree(real, problems)
    link = next((entry for entry in entries if entry.mode == "link"), None)
    if link is not None:
        problems.add(
            "A variant lays a symbolic link, which is not done",
            shown(real / link.path),
            "replace it by a copy",
        )
        return []
    return [(os.path.normpath(f"{target}/{e.path}"), _laid(real / e.path)) for e in entries]


def _laid(path: Path) -> LaidFile:
    return LaidFile.of(path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))


def plugin_name(folder: Path) -> str:
    """Name of a plugin: as its manifest says, else its folder's."""
    for place in (".claude-plugin/plugin.json", "plugin.json"):
        try:
            told = json.loads((folder / place).read_text("utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(told, dict) and isinstance(told.get("name"), str) and told["name"]:
            return str(told["name"])
    return folder.name


def _skill_names(files: Iterable[str]) -> set[str]:
    paths = map(PurePosixPath, files)
    return {path.parent.name for path in paths if path.name == SKILL}


def _skills(folder: Path) -> list[str]:
    return sorted(path.parent.name for path in folder.glob(f"skills/*/{SKILL}") if path.is_file())


def _tree_digest(folder: Path) -> str:
    problems = Problems()
    parts: list[str | bytes] = []
    for entry in read_tree(folder, problems):
        parts += [os.fsencode(entry.path), entry.mode, entry.sha256]
    problems.raise_if_any(folder)
    return digest("plugin-1", *parts)
