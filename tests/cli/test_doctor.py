"""What `agenteval doctor` says of this machine, and of the models that can be asked."""

import os

import pytest

from agenteval.gateway import EXTRA, KNOWN_UPSTREAMS, missing_for


def test_doctor_names_isolation_and_limits(cli):
    report = cli("doctor", "--json").json
    assert {"isolation", "limits", "git"} <= {row["what"] for row in report["checks"]}


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"])
def test_doctor_says_which_models_can_be_asked_and_no_key(cli, monkeypatch, name):
    def told() -> str:
        rows = cli("doctor", "--json").json["checks"]
        states = {row["what"]: f"{row['state']} {row['detail']}" for row in rows}
        assert {f"models of {upstream.name}" for upstream in KNOWN_UPSTREAMS} <= set(states)
        return states["models of anthropic"]

    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("CLAUDE_CODE_OAUTH_TOKEN", raising=False)
    assert told().startswith("absent")
    assert name in told()
    monkeypatch.setenv(name, "planted-value")
    assert told().startswith("ok")
    assert f"key from {name}" in told()
    assert "planted-value" not in told()


CLOUDS = [
    ("bedrock", "bedrock", ("AWS_PROFILE", "AWS_ACCESS_KEY_ID"), "AWS_REGION"),
    ("vertex", "vertex_ai", ("GOOGLE_APPLICATION_CREDENTIALS",), "VERTEXAI_LOCATION"),
]


@pytest.mark.parametrize(("cloud", "provider", "names", "place"), CLOUDS)
def test_doctor_says_of_the_clouds_what_can_be_seen(
    cli, monkeypatch, cloud, provider, names, place
):
    def row() -> dict:
        report = cli("doctor", "--json")
        assert "planted-value" not in report.out
        return {row["what"]: row for row in report.json["checks"]}[f"models of {cloud}"]

    for name in [*os.environ]:
        if name.startswith(("AWS_", "GOOGLE_", "VERTEXAI_")):
            monkeypatch.delenv(name)
    if missing_for(provider):
        assert row()["state"] == "absent"
        assert EXTRA in row()["detail"]
        return
    monkeypatch.setenv(place, "planted-value")  # a region is no credential
    assert row()["state"] == "unknown"
    for name in names:
        monkeypatch.setenv(name, "planted-value")
        assert row()["state"] == "ok"
        assert name in row()["detail"]


def test_doctor_knows_the_upstreams_of_the_environment(cli, monkeypatch, tmp_path):
    file = tmp_path / "up.toml"
    monkeypatch.setenv("AGENTEVAL_UPSTREAMS", str(file))
    monkeypatch.delenv("LOCAL_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "planted-value")
    file.write_text(
        '[local]\nbase_url = "http://127.0.0.1:8000/v1"\n'
        '[proxy]\nbase_url = "http://127.0.0.1:4000"\nkey_env = "LOCAL_KEY"\n'
        "[openai]\nconcurrency = 2\n"
    )
    rows = cli("doctor", "--json").json["checks"]
    states = {row["what"]: (row["state"], row["detail"]) for row in rows}
    assert len(states) == len(rows)
    state, detail = states["models of local"]
    assert state == "ok"
    assert "http://127.0.0.1:8000/v1" in detail
    assert states["models of proxy"] == ("absent", "--model proxy/NAME: set LOCAL_KEY")
    assert states["models of openai"][0] == "ok"


def test_doctor_says_what_is_wrong_with_the_upstreams(cli, monkeypatch, tmp_path):
    file = tmp_path / "up.toml"
    file.write_text("[openai]\nconcurrency = 0\n")
    monkeypatch.setenv("AGENTEVAL_UPSTREAMS", str(file))
    done = cli("doctor", "--json")
    assert done.code == 0
    rows = {row["what"]: row for row in done.json["checks"]}
    assert rows["AGENTEVAL_UPSTREAMS"]["state"] == "missing"
    for part in ("concurrency", f"{file}, table [openai]", "a whole number from 1"):
        assert part in rows["AGENTEVAL_UPSTREAMS"]["detail"]
    assert {f"models of {upstream.name}" for upstream in KNOWN_UPSTREAMS} <= set(rows)
    assert cli("doctor", "--strict").code == 1
