"""Rows to choose from by click or arrow key."""

from __future__ import annotations

from collections.abc import Sequence

import anywidget
import traitlets as T  # noqa: N812

_SCRIPT = """
function render({ model, el }) {
  const box = document.createElement("div");
  box.style.cssText = "max-height:22em;overflow:auto;border:1px solid #8886;border-radius:4px";
  el.appendChild(box);
  const draw = () => {
    const table = document.createElement("table");
    table.setAttribute("role", "grid");
    table.setAttribute("aria-label", model.get("label"));
    table.style.cssText = "border-collapse:collapse;width:100%;font-size:13px";
    const head = table.createTHead().insertRow();
    for (const name of model.get("heads")) {
      const cell = document.createElement("th");
      cell.textContent = name;
      cell.scope = "col";
      cell.style.cssText = "text-align:left;padding:3px 12px 3px 8px;border-bottom:1px solid #8886";
      head.appendChild(cell);
    }
    const body = table.createTBody();
    model.get("rows").forEach((texts, place) => {
      const row = body.insertRow();
      const chosen = place === model.get("chosen");
      row.tabIndex = chosen || (place === 0 && model.get("chosen") < 0) ? 0 : -1;
      row.setAttribute("aria-selected", chosen);
      row.style.cssText = "cursor:pointer;" + (chosen ? "background:#0b6fb833;outline:1px solid #0b6fb8" : "");
      for (const text of texts) {
        const cell = row.insertCell();
        cell.textContent = text;
        cell.style.cssText = "padding:2px 12px 2px 8px;white-space:nowrap";
      }
      row.onclick = () => choose(place);
      row.onkeydown = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step === undefined && event.key !== "Enter") return;
        event.preventDefault();
        event.stopPropagation();
        choose(Math.min(Math.max(place + (step || 0), 0), model.get("rows").length - 1));
      };
    });
    const held = box.contains(document.activeElement);
    box.replaceChildren(table);
    if (held) body.rows[model.get("chosen")]?.focus();
  };
  const choose = (place) => {
    model.set("chosen", place);
    model.save_changes();
  };
  model.on("change:rows", draw);
  model.on("change:chosen", draw);
  draw();
}
export default { render };
"""


class TrialList(anywidget.AnyWidget):
    """A table whose rows can be chosen.

    Attributes
    ----------
    heads, rows
        Column names, and texts row by row.
    chosen
        Place of the chosen row from 0; -1 when none is.
    label
        What the table is, for screen readers.
    """

    _esm = _SCRIPT
    heads = T.List(T.Unicode()).tag(sync=True)
    rows: T.List[list[str]] = T.List().tag(sync=True)
    chosen = T.Int(-1).tag(sync=True)
    label = T.Unicode("Trials").tag(sync=True)

    def show(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Replace what is listed; nothing is chosen then."""
        with self.hold_sync(), self.hold_trait_notifications():
            self.chosen = -1
            self.heads = list(heads)
            self.rows = [list(row) for row in rows]
