import json

import pytest

from agenteval.errors import RecordError
from agenteval.records import SCHEMA_VERSION, read_manifest


def test_it_comes_back_as_it_was(tmp_path, manifest):
    path = tmp_path / "runs/r/run.json"
    manifest.write(path)
    assert read_manifest(path) == manifest
    assert json.loads(path.read_text())["schema_version"] == SCHEMA_VERSION
    assert [file.name for file in path.parent.iterdir()] == ["run.json"]


def changed(manifest, **changes) -> str:
    return json.dumps(json.loads(manifest.model_dump_json()) | changes)


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        (None, "cannot be read", "No such file"),
        ("", "cannot be read", "Expecting value"),
        ("{", "cannot be read", "line 1"),
        ("[" * 100_000, "cannot be read", "recursion"),
        ("[]", "no schema_version", ""),
        ("{}", "no schema_version", ""),
        ('{"schema_version": 1}', "is not valid", "field run"),
        ('{"schema_version": 0}', "version 0 cannot be read", ""),
        (f'{{"schema_version": {SCHEMA_VERSION + 1}}}', f"version {SCHEMA_VERSION + 1}", ""),
    ],
)
def test_what_is_wrong_is_named(tmp_path, text, what, where):
    path = tmp_path / "run.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(RecordError) as caught:
        read_manifest(path)
    assert what in caught.value.what
    assert caught.value.where.startswith(str(path))
    assert where in caught.value.where
    assert caught.value.fix


def test_a_wrong_field_is_named(tmp_path, manifest):
    path = tmp_path / "run.json"
    run = json.loads(manifest.model_dump_json())["run"]
    for changes, field in (
        ({"run": run | {"repeats": "many"}}, "run.repeats"),
        ({"arms": [{"run_id": "r"}]}, "arms.0.arm"),
        ({"novel": 1}, "novel"),
    ):
        path.write_text(changed(manifest, **changes))
        with pytest.raises(RecordError, match="is not valid") as caught:
            read_manifest(path)
        assert f"field {field}: " in caught.value.where


def test_half_a_manifest_is_never_seen(tmp_path, manifest):
    path = tmp_path / "run.json"
    manifest.write(path)
    data = path.read_bytes()
    for cut in range(0, len(data) - 2, 97):
        path.write_bytes(data[:cut])
        with pytest.raises(RecordError):
            read_manifest(path)
