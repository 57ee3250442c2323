"""A Go project: go.mod."""

from __future__ import annotations

from pathlib import Path

from agenteval.suite.project.found import Project, present, text_of


def detect(folder: Path) -> Project | None:
    """Return a Go project's usual commands; None without go.mod."""
    if not present(folder, "go.mod"):
        return None
    golangci = present(folder, ".golangci.yml", ".golangci.yaml", ".golangci.toml")
    requires = "require" in text_of(folder / "go.mod")
    evidence = ["go: go.mod", "test: go test comes with Go"]
    evidence += ["setup: go.mod requires modules"] if requires else []
    evidence.append(f"lint: {golangci[0]}" if golangci else "lint: go vet comes with Go")
    return Project(
        folder,
        "go",
        "GOFLAGS=-modcacherw go mod vendor" if requires else "",
        "go test ./...",
        "golangci-lint run" if golangci else "go vet ./...",
        ("**/*_test.go",),
        tuple(present(folder, "go.mod", "go.sum")) if requires else (),
        tuple(evidence),
    )
