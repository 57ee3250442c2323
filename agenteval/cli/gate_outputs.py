"""A gate's report for other readers: JSON, Markdown for a pull request, JUnit for CI systems."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from agenteval.cli.output import records_of, say

if TYPE_CHECKING:
    from agenteval.comparison import GateReport

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
# what XML 1.0 cannot hold
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def outcome_of(report: GateReport) -> str:
    """The whole in a word or two; what passes without being decided says so."""
    if report.exit_code:
        return {1: "fails", 3: "cannot tell"}[report.exit_code]
    return "passes, undecided" if report.undecided else "passes"


def document(report: GateReport, *, run: str, baseline: str) -> dict[str, Any]:
    """The report as one JSON document."""
    return {
        "outcome": outcome_of(report),
        "exit_code": report.exit_code,
        "verdict": report.verdict,
        "mode": report.mode,
        "margin": report.margin,
        "run": run,
        "baseline": baseline,
        "failures": list(report.failures),
        "undecided": list(report.undecided),
        "dimensions": records_of(report.table),
        "regressions": records_of(report.regressions),
        "fixes": records_of(report.fixes),
        "flaky": records_of(report.flaky),
        "added": list(report.added),
        "removed": list(report.removed),
        "changed": list(report.changed),
        "notes": list(report.notes),
    }


def markdown(report: GateReport, *, run: str, baseline: str) -> str:
    """The report as a comment on a pull request."""
    from agenteval.comparison.gate_report import task_text

    sheet = report.sheet()
    none = report.table["verdict"] == "no_evidence"
    shown = [row for row, blank in zip(sheet.rows, none, strict=True) if not blank]
    rule = ["---", "---", *["---:" for _ in sheet.columns[2:]]]
    parts = [
        f"### Gate {outcome_of(report)}: {_plain(run)} against {_plain(baseline)}",
        _plain(report.verdict),
        "\n".join(map(_line, [list(sheet.columns), rule, *map(list, shown)])),
    ]
    for title, tasks in (
        ("Regressed", report.regressions),
        ("Fixed", report.fixes),
        ("Flaky", report.flaky),
    ):
        if len(tasks):
            lines = [f"- {_plain(task_text(row))}" for row in tasks.to_dict("records")]
            parts.append("\n".join([f"**{title}**", "", *lines]))
    blank = sorted(set(report.table.loc[none, "dimension"]))
    notes = [*report.notes, *([f"No evidence on {', '.join(blank)}."] if blank else [])]
    if notes:
        parts.append("\n".join(f"- {_plain(note)}" for note in notes))
    parts.append(f"Mode `{report.mode}`, margin {report.margin:g}; intervals at 90 %.")
    return "\n\n".join(parts) + "\n"


def junit(report: GateReport, *, run: str, baseline: str) -> bytes:
    """The report as JUnit XML: a case a dimension, and one for all that is not a dimension."""
    cases: list[tuple[str, str, str, str]] = []
    for row in report.table.to_dict("records"):
        about = str(row["reason"])
        way = "passed"
        if row["failed"]:
            way, about = "failure", f"regressed: {row['before']} -> {row['after']} {about}"
        elif row["undecided"] and report.mode == "strict":
            way = "failure"
        elif row["undecided"] or row["verdict"] == "no_evidence":
            way = "skipped"
        cases.append((str(row["arm"]), str(row["dimension"]), way, about))
    named = tuple(f"{row['dimension']} regressed" for row in report.table.to_dict("records"))
    others = [text for text in report.failures if not any(name in text for name in named)]
    if report.mode == "strict":
        told = report.table.loc[report.table["undecided"], ["dimension", "reason"]]
        rows = tuple(f"{name}: {why}" for name, why in told.itertuples(index=False))
        others += [text for text in report.undecided if not text.endswith(rows)]
    cases.append(("gate", "limits", "failure" if others else "passed", "; ".join(others)))
    suite = ET.Element("testsuite", name=_xml(f"agenteval gate: {run} against {baseline}"))
    suite.set("tests", str(len(cases)))
    for word, key in (("failure", "failures"), ("skipped", "skipped")):
        suite.set(key, str(sum(case[2] == word for case in cases)))
    suite.set("errors", "0")
    for arm, name, way, about in cases:
        case = ET.SubElement(suite, "testcase", classname=_xml(arm), name=name, time="0")
        if way != "passed":
            ET.SubElement(case, way, message=_xml(about))
    told = ET.SubElement(suite, "system-out")
    told.text = _xml(str(report))
    return ET.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n"


def add_step_summary(text: str) -> None:
    """Append Markdown to the summary of a GitHub Actions step, where there is one."""
    path = os.environ.get(STEP_SUMMARY)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except OSError as error:
        say(f"note: the step summary was not written: {error}")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cell if set(cell) <= {'-', ':'} else _plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([|<>`*_\\\[\]])", r"\\\1", " ".join(str(text).split()))


def _xml(text: str) -> str:
    return _NO_XML.sub("?", text)
