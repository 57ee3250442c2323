"""`--with-user-config` on the real programs, through the command line: what reaches the model, and who says so."""

import json
from functools import partial

import pytest

from agenteval.agents import make_agent
from agenteval.cli import main
from agenteval.comparison import parity
from agenteval.gateway import read_recording
from agenteval.store import open_store

IN_CI = ("claude-code", "codex")
MEMORY, SETTING, KEY = "otters prefer teal", "herons prefer plum", "operators-key-31415"
# another provider of the operator's: nothing listens there, and inside of the box nothing could
ELSEWHERE = "http://127.0.0.1:9"
HOOK = {"hooks": [{"type": "command", "command": f"echo {SETTING}"}]}
CORP = {
    "npm": "@ai-sdk/openai-compatible",
    "options": {"baseURL": f"{ELSEWHERE}/v1", "apiKey": KEY},
    "models": {"x": {}},
}
# where each program keeps its memory, and a setting that its model gets to see
OWN = {
    "claude-code": {
        ".claude/CLAUDE.md": MEMORY,
        ".claude/settings.json": json.dumps(
            {
                "hooks": {"UserPromptSubmit": [HOOK]},
                "env": {
                    "ANTHROPIC_BASE_URL": ELSEWHERE,
                    "ANTHROPIC_AUTH_TOKEN": KEY,
                    "CLAUDE_CODE_USE_BEDROCK": "1",
                    "HTTPS_PROXY": ELSEWHERE,
                },
            }
        ),
        ".claude/.credentials.json": json.dumps({"key": KEY}),
    },
    "codex": {
        ".codex/AGENTS.md": MEMORY,
        ".codex/config.toml": f'model = "corp-1"\nmodel_provider = "corp"\ndeveloper_instructions = "{SETTING}"\n'
        f'[model_providers.corp]\nname = "corp"\nbase_url = "{ELSEWHERE}"\nexperimental_bearer_token = "{KEY}"\n',
        ".codex/auth.json": json.dumps({"OPENAI_API_KEY": KEY}),
    },
    "gemini": {
        ".gemini/GEMINI.md": f"{MEMORY}, {SETTING}",  # its settings stay the variant's
        ".gemini/settings.json": '{"security": {"auth": {"selectedType": "oauth-personal"}}}',
        ".gemini/oauth_creds.json": json.dumps({"access_token": KEY}),
    },
    "opencode": {
        ".config/opencode/AGENTS.md": MEMORY,
        ".config/opencode/opencode.json": json.dumps(
            {
                "model": "corp/x",
                "provider": {"corp": CORP},
                "agent": {"build": {"prompt": SETTING}},
            }
        ),
    },
}
TASK = 'id = "hello"\nprompt = "Say hello."\n[[checks]]\nkind = "answer-contains"\ntext = "Hello"\n'


@pytest.fixture(params=OWN)
def agent(request, program, tmp_path, monkeypatch):
    """A program that is here, an operator's HOME, and a suite of one task with a script for it."""
    name = request.param
    program(partial(make_agent, name), required=name in IN_CI)
    for path, text in OWN[name].items():
        (tmp_path / "home" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / path).write_text(f"{text}\n")
    (tmp_path / "evals/hello/repo").mkdir(parents=True)
    (tmp_path / "evals/hello/repo/app.txt").write_text("hello\n")
    (tmp_path / "evals/hello/task.toml").write_text(TASK)
    (tmp_path / "script.json").write_text('{"steps": [{"text": "Hello."}]}')
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return name


def test_the_operators_memory_reaches_the_model_only_when_it_is_asked_for(agent, tmp_path):
    received = {}
    for run_id, flags in (("plain", []), ("own", ["--with-user-config"])):
        with pytest.raises(SystemExit) as stop:
            main(
                ["run", "evals", "--agent", agent, "--model", "scripted:script.json", "--store", "store",
                 "--run-id", run_id, "--record", run_id, "--sandbox", "bwrap", *flags]
            )  # fmt: skip
        assert not stop.value.code
        (recording,) = (tmp_path / run_id).rglob("*.zst")
        received[run_id] = b"".join(one.request for one in read_recording(recording).exchanges)
    for text in (MEMORY, SETTING):
        assert text.encode() in received["own"]
        assert text.encode() not in received["plain"]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert KEY.encode() not in kept + received["own"]

    trials = open_store("store").trials().set_index("run_id")
    assert trials.status.to_dict() == {"plain": "pass", "own": "pass"}
    assert trials.variant.fillna("").to_dict() == {"plain": "", "own": "user-config"}
    assert trials.arm_digest.nunique() == 2
    found = parity(trials.reset_index(), baseline="plain", candidate="own", by="run_id")
    (row,) = found.table[found.table.property == "operator's configuration"].to_dict("records")
    assert (row["value_baseline"], row["value_candidate"]) == ("not used", "used")
    assert "own ran with the operator's own settings and memory" in found.verdict
