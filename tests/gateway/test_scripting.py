"""A scripted model plays its script in any format, to any agent, as often as it is asked."""

import base64
import json
import pickle
import subprocess

import pytest

from agenteval.errors import InvalidInput
from agenteval.gateway import NoUsableTool, load_script, parse_script, script_of
from agenteval.gateway.deeds import Change, Delete, Edit, Literally, Read, Run, Write
from agenteval.gateway.scripting import Script, Step, Trouble, turns_of
from agenteval.gateway.tools import FINISH
from agenteval.gateway.wire import WIRES
from agenteval.gateway.wire.protocol import Asked, Tool, Usage

WIRE = {wire.name: wire for wire in WIRES}


def tool(name, *properties):
    return Tool(name, {"properties": {key: {"type": "string"} for key in properties}})


SHELL = (tool("Bash", "command", "description"), tool("Write", "file_path", "content"))
WRITER = (tool("write_file", "file_path", "content"), tool("read_file", "file_path"))
MINI = (tool("bash", "command"),)
PATCH = b"""diff --git a/old.txt b/old.txt
--- a/old.txt
+++ b/old.txt
@@ -1 +1 @@
-helo
+hello
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+new
"""
FILES = {"old.txt": b"hello\n", "new.txt": b"new\n"}


def play(player, asked, wire="chat"):
    reply = player.reply(WIRE[wire], asked)
    reader = WIRE[wire].reader(asked, reply.status)
    reader.feed(b"".join(reply.chunks))
    return reply, reader.answered()


def asked(depth=0, tools=SHELL, **more):
    return Asked("generate", "m-1", tools=tools, opening="o", depth=depth, **more)


@pytest.mark.parametrize("wire", WIRE)
@pytest.mark.parametrize("stream", [False, True])
def test_a_solution_is_played_in_every_format(wire, stream):
    player = script_of(PATCH, FILES, "I mended it.").player()
    _, first = play(player, asked(0, stream=stream), wire)
    assert [call.name for call in first.calls] == ["Bash"]
    assert "git apply" in first.calls[0].input["command"]
    _, again = play(player, asked(0, stream=stream), wire)
    assert again == first, "a request that is repeated gets the same step"
    _, last = play(player, asked(1, stream=stream), wire)
    assert (last.text, last.calls, last.model) == ("I mended it.", (), "m-1")
    assert last.usage == Usage(100, 0, 0, 20, last.usage.long_cache_write_tokens)
    assert play(player, asked(2, stream=stream), wire)[1].text == "I mended it."


def test_the_patch_that_is_played_applies(tmp_path):
    (tmp_path / "old.txt").write_text("helo\n")
    for _, turn in turns_of(script_of(PATCH, FILES, None), SHELL):
        for call in turn.calls:
            subprocess.run(call.input["command"], shell=True, cwd=tmp_path, check=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == FILES


def test_a_long_patch_takes_several_turns_one_call_each():
    turns = turns_of(script_of(b"x" * 125_000, {}, None), SHELL)
    assert [len(turn.calls) for _, turn in turns] == [1, 1, 1, 1, 1, 0]


def test_without_a_shell_files_are_read_and_written():
    turns = [turn for _, turn in turns_of(script_of(PATCH, FILES, "Mended."), WRITER)]
    assert [(c.name, c.input["file_path"]) for c in turns[0].calls] == [("read_file", "old.txt")]
    assert [(c.name, c.input) for c in turns[1].calls] == [
        ("write_file", {"file_path": path, "content": data.decode()})
        for path, data in FILES.items()
    ]
    assert turns[2].text == "Mended."


@pytest.mark.parametrize(
    ("script", "what"),
    [
        (script_of(PATCH, {}, None), "apply a patch"),
        (script_of(PATCH, {"gone": None}, None), "delete gone"),
        (script_of(PATCH, {"image": b"\x00\xff"}, None), "write image"),
        (Script((Step(deeds=(Run("ls"),)),)), "run a command"),
    ],
)
def test_what_no_tool_can_do_is_said(script, what):
    with pytest.raises(NoUsableTool, match=what) as refused:
        script.player().reply(WIRE["chat"], asked(tools=WRITER))
    assert "write_file" in str(refused.value)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_an_agent_that_ends_by_a_command_is_given_its_answer_in_one():
    (_, turn), (_, last) = turns_of(script_of(PATCH, FILES, "It's done."), MINI)
    assert turn.calls[0].name == "bash"
    told = subprocess.run(
        last.calls[0].input["command"], shell=True, capture_output=True, text=True
    )
    assert told.stdout == f"{FINISH}\nIt's done."
    (_, cut), *_ = turns_of(Script((Step("and so", length=True),)), MINI)
    assert cut.calls == ()


def test_an_agent_without_tools_is_told_whole_files():
    player = script_of(PATCH, FILES, "Mended.", toolless=True).player()
    _, answer = play(player, asked(tools=()))
    assert answer.text == "old.txt\n```\nhello\n```\n\nnew.txt\n```\nnew\n```\n\nMended."
    for files in ({"gone": None}, {"doc.md": b"```\n"}, {"image": b"\x00"}, {}):
        with pytest.raises(NoUsableTool):
            play(script_of(PATCH, files, None, toolless=True).player(), asked(tools=()))


def test_requests_beside_the_work_get_an_answer_of_their_own():
    player = Script((Step("one"), Step("two")), side=Step("A title")).player()
    assert play(player, asked(0, tools=()))[1].text == "A title"
    assert play(player, asked(0))[1].text == "one"
    assert play(player, asked(3, tools=()))[1].text == "A title"
    assert play(player, asked(1))[1].text == "two"
    count = player.reply(WIRE["anthropic"], Asked("count"))
    assert json.loads(count.chunks[0]) == {"input_tokens": 100}


def test_an_agent_may_open_with_a_turn_of_the_models():
    player = Script((Step("one"), Step("two"))).player()
    assert play(player, asked(1))[1].text == "one"
    assert play(player, asked(2))[1].text == "two"
    assert play(player, asked(0))[1].text == "one", "it shortened its history"


def test_two_trials_do_not_see_each_other():
    script = Script((Step("one", error=Trouble(500, times=1)), Step("two")))
    first, second = script.player(), script.player()
    assert play(first, asked(0))[0].status == 500
    assert play(first, asked(0))[1].text == "one"
    assert play(second, asked(0))[0].status == 500


@pytest.mark.parametrize("wire", WIRE)
def test_errors_come_so_many_times(wire):
    error = Trouble(429, "slow down", times=2, retry_after_s=1.5)
    player = Script((Step("one", error=error, delay_s=0.5, gap_s=0.25),)).player()
    for _ in range(2):
        reply, answer = play(player, asked(), wire)
        assert (reply.status, answer.error) == (429, "slow down")
        assert reply.headers["retry-after"] == "1.5"
    reply, answer = play(player, asked(), wire)
    assert (reply.status, answer.text) == (200, "one")
    assert (reply.delay_s, reply.gap_s) == (0.5, 0.25)
    forever = Script((Step(error=Trouble(400)),)).player()
    assert [play(forever, asked(), wire)[0].status for _ in range(4)] == [400] * 4


def test_after_the_end_there_may_be_an_error():
    player = Script((Step("one"),), after_end="error").player()
    assert play(player, asked(0))[1].text == "one"
    assert play(player, asked(1))[1].error == "the script is over"
    assert play(Script().player(), asked(0))[1].text == "Done."


FULL = {
    "steps": [
        {
            "text": "Let me look.",
            "calls": [
                {"run": "ls"},
                {"read": "a.txt"},
                {"edit": "a.txt", "old": "a", "new": "b"},
                {"write": "b.txt", "text": "ü"},
                {"write": "c.bin", "base64": base64.b64encode(b"\0\1").decode()},
                {"delete": "d.txt"},
                {"tool": "WebSearch", "input": {"query": "x"}},
            ],
            "usage": {"input_tokens": 7, "cache_read_tokens": 5},
        },
        {"calls": [{"apply": "diff"}], "delay_s": 1, "gap_s": 0.5},
        {"text": "and so", "length": True},
        {"error": {"status": 529, "message": "busy", "times": 2, "retry_after_s": 3}},
    ],
    "side": {"text": "A title"},
    "toolless": False,
    "after_end": "error",
}


def test_every_key_of_a_script_is_read():
    script = parse_script(json.dumps(FULL))
    assert script == Script(
        steps=(
            Step(
                "Let me look.",
                (
                    Run("ls"),
                    Read("a.txt"),
                    Edit("a.txt", "a", "b"),
                    Write("b.txt", "ü".encode()),
                    Write("c.bin", b"\0\1"),
                    Delete("d.txt"),
                    Literally("WebSearch", {"query": "x"}),
                ),
                Usage(7, 5, 0, 20),
            ),
            Step(deeds=(Change(b"diff"),), delay_s=1.0, gap_s=0.5),
            Step("and so", length=True),
            Step(error=Trouble(529, "busy", 2, 3.0)),
        ),
        side=Step("A title"),
        after_end="error",
    )


def test_what_a_step_does_runs_in_a_plain_shell(tmp_path):
    (tmp_path / "a.txt").write_text("it's a\n")
    (tmp_path / "d.txt").write_text("bye\n")
    steps = [{"calls": [call for call in FULL["steps"][0]["calls"] if "tool" not in call]}]
    (_, turn), *_ = turns_of(parse_script(json.dumps({"steps": steps})), MINI)
    for call in turn.calls:
        subprocess.run(call.input["command"], shell=True, cwd=tmp_path, check=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "a.txt": b"it's b\n",
        "b.txt": "ü".encode(),
        "c.bin": b"\0\1",
    }


@pytest.mark.parametrize(
    ("script", "what", "where", "fix"),
    [
        ("{", "no JSON", "s.json", "one JSON object"),
        ([], "no meaning", "s.json", "steps"),
        ({}, "'steps' is missing", "s.json", "add 'steps'"),
        ({"step": []}, "no key 'step'", "s.json", "use 'steps'"),
        ({"steps": 3}, "no meaning", "s.json: steps", "a list"),
        ({"steps": [{"txt": "x"}]}, "no key 'txt'", "steps[0]", "use 'text'"),
        ({"steps": [{"text": 3}]}, "3 has no meaning", "steps[0]: text", "a text"),
        ({"steps": [{"calls": [{"walk": "x"}]}]}, "no meaning", "calls[0]", "run, write"),
        ({"steps": [{"calls": [{"run": "x", "cwd": "y"}]}]}, "no key 'cwd'", "calls[0]", "use run"),
        ({"steps": [{"calls": [{"edit": "x", "old": "y"}]}]}, "'new' is missing", "calls[0]", "add"),
        ({"steps": [{"calls": [{"write": "x"}]}]}, "no meaning", "calls[0]", "text or base64"),
        ({"steps": [{"calls": [{"write": "x", "base64": "%"}]}]}, "no meaning", "base64", "base64"),
        ({"steps": [{"usage": {"output_tokens": -1}}]}, "no meaning", "output_tokens", "from 0"),
        ({"steps": [{"delay_s": "1"}]}, "no meaning", "delay_s", "seconds"),
        ({"steps": [{"length": 1}]}, "no meaning", "length", "true or false"),
        ({"steps": [{"error": {}}]}, "'status' is missing", "error", "status"),
        ({"steps": [{"error": {"status": 200}}]}, "no meaning", "status", "400 to 599"),
        ({"steps": [{"error": {"status": 500, "times": 0}}]}, "no meaning", "times", "from 1"),
        ({"steps": [], "after_end": "stop"}, "no meaning", "after_end", "repeat"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(script, what, where, fix):
    text = script if isinstance(script, str) else json.dumps(script)
    with pytest.raises(InvalidInput) as refused:
        parse_script(text, "s.json")
    assert what in refused.value.what
    assert where in refused.value.where
    assert fix in refused.value.fix


def test_a_script_on_disk(tmp_path):
    path = tmp_path / "s.json"
    with pytest.raises(InvalidInput, match="No such file"):
        load_script(path)
    path.write_text(json.dumps(FULL))
    assert load_script(path) == parse_script(json.dumps(FULL))


def test_an_agent_with_a_shell_alone_that_ends_by_a_word_is_not_kept_going():
    """Told to end by a command as mini-swe-agent is, it would run that command for ever."""
    player = script_of(None, {}, "Nothing to do.").player()
    _, first = play(player, asked(0, tools=MINI))
    assert FINISH in first.calls[0].input["command"]
    _, then = play(player, asked(1, tools=MINI))
    assert (then.calls, then.text) == ((), "Nothing to do.")


def test_an_agent_without_tools_may_add_turns_of_its_own_to_the_history():
    """Aider tells itself in the model's name what came of an edit."""
    player = Script((Step("one"), Step("two"), Step("three")), toolless=True).player()
    said = [play(player, asked(depth, tools=()))[1].text for depth in (0, 2, 2, 4)]
    assert said == ["one", "two", "two", "three"]
