"""`--with-user-config`: what of the operator's goes along, and what never does."""

import io
import json
import subprocess
import tarfile

import pytest

from agenteval.agents import Job, Launch, agent_of, make_arm
from agenteval.agents.opencode import Opencode
from agenteval.agents.programs import Program
from agenteval.agents.user_config import packed, read_user_config, with_user_config
from agenteval.errors import InvalidInput
from agenteval.records import Arm
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")
KEY = "sk-ant-REAL-31415"
LEADING_AWAY = {
    "ANTHROPIC_BASE_URL": "http://x",
    "CLAUDE_CODE_USE_VERTEX": "1",
    "https_proxy": "http://x",
}


@pytest.fixture
def home(tmp_path):
    files = {
        ".claude/CLAUDE.md": "Be brief.\n",
        ".claude/settings.json": json.dumps(
            {"model": "opus", "env": {"ANTHROPIC_API_KEY": KEY, "X": "1", **LEADING_AWAY}, "apiKeyHelper": KEY,
             "maxTokens": 5}
        ),
        ".claude/skills/review/SKILL.md": "# Review\n",
        ".claude/.credentials.json": KEY,
        ".claude/history.jsonl": KEY,
        ".claude/projects/x/session.json": KEY,
        ".claude/statsig/x.json": KEY,
        ".claude/blob.bin": KEY,
        ".claude/broken.json": "{" + KEY,
        ".claude.json": json.dumps({"oauthAccount": KEY, "numStartups": 3, "mcpServers": {"s": {"command": "x"}}}),
        ".codex/config.toml": f'model = "x"\napi_key = "{KEY}"\n[mcp]\nbearer_token = "{KEY}"\n',
        ".codex/auth.json": KEY,
        ".config/opencode/AGENTS.md": "Plan first.\n",
    }  # fmt: skip
    folder = tmp_path / "home"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / ".claude/link.md").symlink_to(folder / ".claude/history.jsonl")
    return folder


def test_settings_and_memory_go_along_and_no_key_does(home):
    found = read_user_config((".claude", ".claude.json", ".codex"), home)
    assert sorted(found) == [
        ".claude.json", ".claude/CLAUDE.md", ".claude/settings.json", ".claude/skills/review/SKILL.md",
        ".codex/config.toml",
    ]  # fmt: skip
    assert json.loads(found[".claude/settings.json"]) == {
        "model": "opus", "env": {"X": "1"}, "maxTokens": 5,
    }  # fmt: skip
    assert json.loads(found[".claude.json"]) == {"mcpServers": {"s": {"command": "x"}}}
    assert found[".codex/config.toml"] == b'model = "x"\n[mcp]\n'
    assert KEY.encode() not in b"".join(found.values())


def test_it_is_laid_into_the_private_home(home, make_task, tmp_path):
    agent = with_user_config(Opencode("", Program(("/opt/opencode",))), "opencode", home)
    inner = Launch(["cat", ".config/opencode/AGENTS.md"])
    agent.inner.launch = lambda job, view: inner
    launch = agent.launch(Job(make_task(), 1, 0, Arm(agent_spec="opencode")), VIEW)
    (tmp_path / "user_config.tar").write_bytes(launch.files["user_config.tar"])
    private = tmp_path / "private"
    private.mkdir()
    argv = [word.replace("/agent/", f"{tmp_path}/") for word in launch.argv]
    done = subprocess.run(
        argv, cwd=private, env={"HOME": str(private), "PATH": "/usr/bin:/bin"}, capture_output=True
    )
    assert done.stdout == b"Plan first.\n"
    assert agent.launch(Job(make_task("two"), 1, 0, Arm(agent_spec="x"), turn=2), VIEW) is inner


def test_the_same_files_are_the_same_archive():
    one, two = packed({"b": b"2", "a": b"1"}), packed({"a": b"1", "b": b"2"})
    assert one == two
    with tarfile.open(fileobj=io.BytesIO(one)) as archive:
        assert [(entry.name, entry.mode) for entry in archive] == [("a", 0o600), ("b", 0o600)]


def test_an_agent_without_any_is_refused(home):
    with pytest.raises(InvalidInput, match="takes no configuration"):
        make_arm("scripted:noop", user_config=True)


def test_nothing_there_is_told(tmp_path):
    with pytest.raises(InvalidInput, match="There is no configuration of opencode"):
        with_user_config(Opencode("", Program(("x",))), "opencode", tmp_path)


def test_links_are_followed_to_what_may_go_along(home, tmp_path):
    """Many keep their settings elsewhere, and one memory for several programs."""
    (home / ".codex/AGENTS.md").symlink_to(home / ".claude/CLAUDE.md")
    elsewhere = tmp_path / "dotfiles/rules"
    elsewhere.mkdir(parents=True)
    (elsewhere / "style.md").write_text("Short lines.\n")
    (home / ".codex/rules").symlink_to(elsewhere)
    (elsewhere / "again").symlink_to(elsewhere)
    (elsewhere / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (home / ".codex/more.md").symlink_to(home / ".codex/auth.json")
    found = read_user_config((".codex",), home)
    assert sorted(found) == [".codex/AGENTS.md", ".codex/config.toml", ".codex/rules/style.md"]
    assert found[".codex/AGENTS.md"] == b"Be brief.\n"


@pytest.fixture
def installed(home, tmp_path, monkeypatch):
    """A program by that name, and this HOME."""
    program = tmp_path / "programs/bin/opencode"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 1.2.3\n")
    program.chmod(0o755)
    monkeypatch.setenv("AGENTEVAL_AGENTS_DIR", str(tmp_path / "programs"))
    monkeypatch.setenv("HOME", str(home))
    return home


def test_the_arm_says_so_and_its_digest_holds_the_contents(installed):
    read_user_config.cache_clear()
    plain, own = make_arm("opencode"), make_arm("opencode", user_config=True)
    assert (plain.variant, own.variant) == (None, "user-config")
    assert plain.digest != own.digest
    assert own.full_label == "opencode+user-config"
    assert make_arm("opencode", variant="v2", user_config=True).variant == "v2+user-config"
    (installed / ".config/opencode/AGENTS.md").write_text("Test first.\n")
    read_user_config.cache_clear()
    assert make_arm("opencode", user_config=True).digest != own.digest
    assert agent_of(own).with_user_config is True
    assert agent_of(plain).with_user_config is False
