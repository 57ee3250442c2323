"""What was recorded of a program can be replayed: it is started as it was then, and does the same."""

from dataclasses import replace

import pytest

from agenteval.engine import ModelAccess

FIX = {"calls": [{"run": "sed -i s/broken/fixed/ app.txt"}]}
DONE = {"text": "All done, the greeting is mended."}
# several files, which a program may take up in any order
NAMES = ("app.txt", *(f"{name}.txt" for name in ("fern", "moss", "oak", "reed", "yew")))
CHANGE = """diff --git a/{name} b/{name}
--- a/{name}
+++ b/{name}
@@ -1 +1 @@
-broken
+fixed
"""


@pytest.mark.parametrize("source", ["provider", "script"])
def test_a_recording_is_replayed_without_the_provider(proving, tmp_path, source):
    """Programs choose prompts, tools, edit formats and wire formats by the model that they are told."""
    proving.task()
    model = "scripted:reference"
    if source == "script":
        for name in NAMES:
            (proving.suite / "one/repo" / name).write_text("broken\n")
        changes = "".join(CHANGE.format(name=name) for name in NAMES)
        (proving.suite / "one/solution.patch").write_text(changes)
    else:
        model = proving.other_model
        proving.serve(FIX, DONE, name=model.partition("/")[0])
    keeping = replace(proving.access, record=tmp_path / "kept")
    before = proving.one(model, plain=True, models=keeping)
    assert (before.status, before.ended_by) == ("pass", "agent"), proving.told(before)
    proving.access = ModelAccess()
    after = proving.one(f"replay:{tmp_path / 'kept'}", plain=True, run_id="again")
    assert (after.status, after.ended_by) == ("pass", "agent"), proving.told(after)
    counts = ("requests", "turns", "tool_calls", "input_tokens", "output_tokens")
    for column in counts:
        assert getattr(after, column) == getattr(before, column), column
    patch = proving.artifact(before, "patch.diff")
    assert patch
    assert proving.artifact(after, "patch.diff") == patch
