"""`agenteval compare`: is the candidate better than the baseline, and what makes one doubt it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import print_json, records_of, say
from agenteval.cli.sides import Sides, sides_of
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.comparison import HeadToHead

MODES = ("default", "strict")


def compare(
    baseline: Annotated[
        str, typer.Argument(help="Arm, run, RUN/ARM, or a file another tool exported.")
    ],
    candidate: Annotated[str, typer.Argument(help="The same, to be judged against the baseline.")],
    *,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            help="Run the arms are of; repeat it to pool several.",
            show_default="the newest with both arms",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="Column whose values the two names are: model, variant, agent_version ...",
            show_default=False,
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option("--margin", help="Difference that would matter, as a share.")
    ] = 0.05,
    min_effect: Annotated[
        float, typer.Option("--min-effect", help="A shown regression smaller than this passes.")
    ] = 0.0,
    level: Annotated[float, typer.Option("--level", help="Level of the intervals.")] = 0.95,
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            help="How trials count: default, errors-left-out, left-out-failed, left-out-against, left-out-in-favour, first-repeat, all-repeats, majority, any-repeat.",
        ),
    ] = "default",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="default: exit 1 on a regression only. strict: exit 3 unless shown to be no worse by the margin.",
        ),
    ] = "default",
    slices: Annotated[
        str | None,
        typer.Option(
            "--slices", help="Compare inside every value of this column too.", show_default=False
        ),
    ] = None,
    holdout: Annotated[
        bool, typer.Option("--holdout", help="Compare on the holdout tasks; the look is counted.")
    ] = False,
    format_: Annotated[
        str | None,
        typer.Option("--format", help="Format of files; all are tried.", show_default=False),
    ] = None,
    store: StoreOption = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write one self-contained page here.", show_default=False),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown for a pull request.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Compare two arms, runs or files: the difference, flips, parity, and a verdict.

    Exit codes: 0 nothing regressed, 1 a regression, 2 it could not be compared, 3 (strict) the data cannot tell.

    Example: agenteval compare scripted:chance:0.35 scripted:chance:0.75 --margin 0.1
    """
    import agenteval as ae

    if json and markdown:
        raise InvalidInput("There is one form on stdout", "--json, --markdown", "give one of them")
    if mode not in MODES:
        fix = f"use one of {', '.join(MODES)}"
        raise InvalidInput(f"There is no mode {mode!r}", "--mode", fix)
    sides = sides_of(
        baseline,
        candidate,
        store=store,
        runs=run or [],
        by=by,
        format_=format_,
        holdout=holdout,
    )
    trials = ae.comparison.recount(sides.trials, policy, candidate=sides.candidate, by=sides.by)
    found = ae.compare(
        trials,
        baseline=sides.baseline,
        candidate=sides.candidate,
        by=sides.by,
        level=level,
        margin=margin,
    )
    gate = found.gates(min_effect=min_effect)[0]
    code = gate.exit_code(mode="strict" if mode == "strict" else "default")
    if mode == "strict" and code == 0 and not found.parity.fair:
        code = 3
    parts = _parts(found, slices)
    if html is not None:
        _write_page(html, found, parts, _judgement(found, gate))
        say(f"wrote {html}")
    if json:
        print_json(_document(found, gate, parts, sides, policy, code))
    elif markdown:
        print(_markdown(found, parts, _judgement(found, gate)))
    else:
        say(f"{sides.source}{'' if policy == 'default' else f', policy {policy}'}")
        print("\n\n".join([str(found), *(str(part) for part in parts.values())]))
        print(f"\n{_judgement(found, gate)}")
    if code:
        raise typer.Exit(code)


def _parts(found: HeadToHead, slices: str | None) -> dict[str, Any]:
    from agenteval.comparison import flips

    parts: dict[str, Any] = {"flips": flips(found), "parity": found.parity}
    if slices is not None:
        parts["slices"] = found.slices(slices)
    return parts


def _judgement(found: HeadToHead, gate: Any) -> str:
    """The gate's verdict, with what this size could show at all."""
    words = {
        "regressed": "regressed: the whole 90 % interval is below zero",
        "improved": "improved: the whole 90 % interval is above zero",
        "equivalent": "equivalent: the 90 % interval stays within the margin on both sides",
        "non_inferior": "not worse by the margin: the 90 % interval stays above it",
        "inconclusive": "inconclusive: the 90 % interval reaches below the margin and above zero",
    }
    row = found.table.iloc[0]
    low, high = 100 * gate.difference.low, 100 * gate.difference.high
    text = f"Gate at a margin of {100 * gate.margin:g} points: {words[gate.verdict]} [{low:.1f}, {high:.1f}]."
    if gate.verdict == "inconclusive" and row["mde"] > gate.margin:
        text += f" This size detects {100 * row['mde']:.1f} points or more, which is above the margin: it can hardly decide; `agenteval plan` says what would."
    return text


def _document(
    found: HeadToHead, gate: Any, parts: dict[str, Any], sides: Sides, policy: str, code: int
) -> dict[str, Any]:
    return {
        "baseline": sides.baseline,
        "candidate": sides.candidate,
        "by": sides.by,
        "source": sides.source,
        "policy": policy,
        "verdict": found.table["verdict"].iloc[0],
        "sentence": found.verdict,
        "gate": {
            "verdict": gate.verdict,
            "margin": gate.margin,
            "min_effect": gate.min_effect,
            "low": gate.difference.low,
            "high": gate.difference.high,
            "failed": gate.failed,
        },
        "exit_code": code,
        "fair": found.parity.fair,
        "notes": list(found.notes),
        "comparison": records_of(found.table),
        **{name: records_of(part.table) for name, part in parts.items()},
    }


def _markdown(found: HeadToHead, parts: dict[str, Any], judgement: str) -> str:
    from html import escape

    from agenteval.reports.html_to_markdown import html_to_markdown

    shown = [result._repr_html_() for result in (found, *parts.values())]
    return "\n\n".join(map(html_to_markdown, [*shown, f"<p>{escape(judgement)}</p>"]))


def _write_page(path: Path, found: HeadToHead, parts: dict[str, Any], judgement: str) -> None:
    """Write tables and charts as one file that needs nothing else."""
    from html import escape

    from agenteval.charts import to_svg
    from agenteval.records import replace_file

    title = f"{found.candidate} against {found.baseline}"
    body = []
    for result in (found, *parts.values()):
        body.append(result._repr_html_())
        if result is not parts.get("parity"):
            body.append(f"<figure>{to_svg(result.plot().to_dict())}</figure>")
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        "<style>body{font:14px system-ui,sans-serif;max-width:72em;margin:2em auto;padding:0 1em}"
        "figure{margin:1em 0;overflow-x:auto}div{overflow-x:auto}</style></head>"
        f"<body><main><h1>{escape(title)}</h1><p><strong>{escape(judgement)}</strong></p>"
        f"{''.join(body)}</main></body></html>\n"
    )
    replace_file(path, page.encode("utf-8"))
