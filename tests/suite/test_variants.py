"""Variants: their files, and what an arm carries of them."""

import json

import pytest

from agenteval.errors import InvalidInput, TaskError
from agenteval.suite import load_variant, load_variants, with_present_plugins

WHOLE = """
description = "A plan first."
args = ["--effort", "high"]
plugin_dirs = ["kit"]
pass_env = ["API_KEY"]
files = { "CLAUDE.md" = "plan.md", ".claude/skills" = "skills" }

[env]
MAX_THINKING = "3"

[settings.promptStyle]
maxTurns = 3

[mcp.search]
command = "search-server"
env = { SEARCH_TOKEN = "${SEARCH_TOKEN}" }
"""


@pytest.fixture
def whole(bench):
    bench.write("variants/plan.toml", WHOLE)
    bench.write("variants/plan.md", "Plan first.\n")
    bench.write("variants/skills/review/SKILL.md", "# Review\n")
    bench.write("variants/kit/.claude-plugin/plugin.json", '{"name": "toolkit"}')
    bench.write("variants/kit/skills/deploy/SKILL.md", "# Deploy\n")
    return bench


def test_everything_that_an_arm_carries(whole):
    variant = load_variant("plan", whole.folder)
    overlay = variant.overlay
    assert (variant.name, variant.description) == ("plan", "A plan first.")
    assert overlay.args == ["--effort", "high"]
    assert overlay.env == {"MAX_THINKING": "3"}
    assert overlay.pass_env == ["API_KEY"]
    assert overlay.settings == {"promptStyle": {"maxTurns": 3}}
    assert overlay.files["CLAUDE.md"].data == b"Plan first.\n"
    assert overlay.plugin_dirs == [str(whole.folder / "variants/kit")]
    assert set(overlay.plugins) == {"toolkit"}
    assert overlay.mcp["search"]["command"] == "search-server"


def test_what_it_hands_over_is_read_off_plugins_skills_and_servers(whole):
    overlay = load_variant("plan", whole.folder).overlay
    assert overlay.hands == ["deploy", "review", "search", "toolkit"]


def test_json_as_it_is_written_elsewhere(bench):
    bench.write(
        "variants/v2.json",
        '{"name": "v2", "description": "x", "settings": {"prompt": {"version": "v2"}}}',
    )
    overlay = load_variant("v2", bench.folder).overlay
    assert overlay.settings == {"prompt": {"version": "v2"}}
    assert overlay.hands == []


def test_where_it_lies_is_not_part_of_the_digest(whole, new_bench):
    other = new_bench("elsewhere")
    for path in whole.folder.joinpath("variants").rglob("*"):
        if path.is_file():
            other.write(str(path.relative_to(whole.folder)), path.read_bytes())
    one, two = (load_variant("plan", b.folder).overlay for b in (whole, other))
    assert one.plugin_dirs != two.plugin_dirs
    assert one.digest == two.digest


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("variants/plan.md", "Another plan.\n"),
        ("variants/kit/skills/deploy/SKILL.md", "# Deploy twice\n"),
        ("variants/skills/review/notes.md", "new\n"),
    ],
)
def test_contents_of_what_it_lays_and_loads_are_part_of_the_digest(whole, path, text):
    before = load_variant("plan", whole.folder).overlay.digest
    whole.write(path, text)
    assert load_variant("plan", whole.folder).overlay.digest != before


def test_a_plugin_that_changed_or_went_shows_later_on(whole):
    overlay = load_variant("plan", whole.folder).overlay
    assert with_present_plugins(overlay).digest == overlay.digest
    whole.write("variants/kit/extra.md", "x")
    assert with_present_plugins(overlay).digest != overlay.digest
    gone = overlay.model_copy(update={"plugin_dirs": [str(whole.folder / "gone")]})
    with pytest.raises(InvalidInput, match="is not there"):
        with_present_plugins(gone)


def test_bytes_and_modes_are_kept(bench):
    path = bench.write("variants/tool", b"\x00\xff")
    path.chmod(0o755)
    bench.write("variants/v.toml", 'files = { "bin/tool" = "tool" }')
    file = load_variant("v", bench.folder).overlay.files["bin/tool"]
    assert (file.data, file.executable) == (b"\x00\xff", True)


@pytest.mark.parametrize(
    ("text", "what", "key"),
    [
        ("colour = 3", "`colour` is not a key of a variant", "colour"),
        ("name = 'other'", "The name 'other' differs from the file's name 'v'", "name"),
        ("env = { OPENAI_API_KEY = 'sk-123' }", "the value of a secret at env.OPENAI_API_KEY", ""),
        ("[settings.auth]\napiKey = 'abc'", "the value of a secret at settings.auth.apiKey", ""),
        ("[mcp.a]\nheaders = { Authorization = 'Bearer x1' }", "a secret at mcp.a.headers", ""),
        ("env = { AGENTEVAL_ANSWER = 'x' }", "sets AGENTEVAL_ANSWER", "env"),
        ("env = { '1A' = 'x' }", "env", "env"),
        ("files = { '../x' = 'a' }", "leaves the folder", "files"),
        ("files = { '.git/config' = 'a' }", "name a path outside of .git", "files"),
        ("files = { 'CLAUDE.md' = 'missing.md' }", "There is no file 'missing.md'", "files"),
        ("plugin_dirs = ['missing']", "There is no plugin folder 'missing'", "plugin_dirs"),
    ],
)
def test_what_is_refused(bench, text, what, key):
    bench.write("variants/v.toml", text)
    with pytest.raises(TaskError) as caught:
        load_variant("v", bench.folder)
    assert what in str(caught.value)
    assert key in caught.value.where
    assert caught.value.fix


def test_references_to_variables_are_no_secrets(bench):
    bench.write("variants/v.toml", '[mcp.a]\nheaders = { Authorization = "Bearer ${TOKEN}" }')
    assert load_variant("v", bench.folder).overlay.hands == ["a"]


def test_too_much_to_carry(bench):
    bench.write("variants/big.bin", b"\0" * (3 << 20))
    bench.write("variants/v.toml", 'files = { "big.bin" = "big.bin" }')
    with pytest.raises(TaskError, match="an arm carries at most"):
        load_variant("v", bench.folder)


def test_a_variant_that_is_not_there_names_those_that_are(bench):
    bench.write("variants/plan.toml", "")
    with pytest.raises(InvalidInput) as caught:
        load_variant("plna", bench.folder)
    assert "use plan" in caught.value.fix


def test_two_files_of_one_name(bench):
    bench.write("variants/v.toml", "")
    bench.write("variants/v.json", "{}")
    with pytest.raises(TaskError, match="Two variants have the name 'v'"):
        load_variants(bench.folder)


def test_all_of_a_suite_by_name(bench):
    assert load_variants(bench.folder) == []
    for name in ("b", "a"):
        bench.write(f"variants/{name}.json", json.dumps({"description": name}))
    assert [variant.name for variant in load_variants(bench.folder)] == ["a", "b"]
