"""A Rust project: Cargo.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from agenteval.suite.project.found import Project, present, text_of


def detect(folder: Path) -> Project | None:
    """Return a Rust project's usual commands; None without Cargo.toml."""
    if not present(folder, "Cargo.toml"):
        return None
    evidence = [
        "rust: Cargo.toml",
        "test: cargo test comes with Rust",
        "lint: cargo clippy comes with Rust",
    ]
    try:
        depends = "dependencies" in tomllib.loads(text_of(folder / "Cargo.toml"))
    except tomllib.TOMLDecodeError as error:
        evidence.append(f"Cargo.toml is not valid TOML and was not used: {error}")
        depends = False
    if depends:
        evidence.append("setup: Cargo.toml has dependencies")
    return Project(
        folder,
        "rust",
        "CARGO_HOME=.cargo-home cargo fetch" if depends else "",
        f"{'CARGO_HOME=.cargo-home ' if depends else ''}cargo test",
        f"{'CARGO_HOME=.cargo-home ' if depends else ''}cargo clippy -- -D warnings",
        ("tests/**",),
        tuple(present(folder, "Cargo.toml", "Cargo.lock")) if depends else (),
        tuple(evidence),
    )
