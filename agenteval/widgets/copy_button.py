"""A button that puts a text on the clipboard."""

from __future__ import annotations

import anywidget
import traitlets as T  # noqa: N812

_SCRIPT = """
function render({ model, el }) {
  const button = document.createElement("button");
  button.className = "jupyter-button widget-button";
  button.style.width = "auto";
  const name = () => { button.textContent = model.get("label"); };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(model.get("text"));
      button.textContent = "Copied";
    } catch (refused) {
      button.textContent = "The browser refused: copy it from below";
    }
  };
  model.on("change:text", name);
  name();
  el.appendChild(button);
}
export default { render };
"""


class CopyButton(anywidget.AnyWidget):
    """Copies `text` when it is clicked; `label` stands on it."""

    _esm = _SCRIPT
    text = T.Unicode("").tag(sync=True)
    label = T.Unicode("Copy as code").tag(sync=True)
