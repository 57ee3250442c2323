"""A field that takes single keys once it is clicked."""

from __future__ import annotations

import anywidget
import traitlets as T  # noqa: N812

_SCRIPT = """
function render({ model, el }) {
  const field = document.createElement("div");
  field.tabIndex = 0;
  field.setAttribute("role", "application");
  field.setAttribute("aria-label", model.get("label"));
  field.textContent = model.get("label");
  field.style.cssText = "border:1px dashed #888;border-radius:4px;padding:.3em .8em;display:inline-block";
  field.onfocus = () => { field.style.outline = "2px solid #0b6fb8"; };
  field.onblur = () => { field.style.outline = ""; };
  field.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!model.get("taken").includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    model.send({ key: event.key });
  };
  el.appendChild(field);
}
export default { render };
"""


class KeyCatcher(anywidget.AnyWidget):
    """Sends `{"key": ...}` for each of the `taken` keys that is pressed while it has the focus."""

    _esm = _SCRIPT
    taken = T.List(T.Unicode()).tag(sync=True)
    label = T.Unicode("").tag(sync=True)
