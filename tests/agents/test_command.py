"""Any shell command as an agent."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.agents import Job, Output, make_agent, make_arm
from agenteval.errors import InvalidInput
from agenteval.records import Arm, LaidFile, Overlay
from agenteval.sandbox import View

NASTY = """He said "fix" & 'mend' it; $HOME `id` $(id) \\n \\\\ !x *
second line\t{workspace} {prompt} ${prompt} %s \\1 end"""
VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")


@pytest.mark.parametrize(
    "quoted",
    [
        "{prompt}",
        '"{prompt}"',
        "'{prompt}'",
        "pre'{prompt}'post",
        '"a {prompt} z"',
        '\\"{prompt}\\"',
    ],
)
def test_a_prompt_reaches_the_program_as_it_is_however_it_is_quoted(make_task, carry_out, quoted):
    task = make_task(prompt=NASTY)
    seen = carry_out(make_agent(f"command:printf %s {quoted}"), task).output.stdout.decode()
    assert seen == quoted.replace('\\"', "QQ").replace('"', "").replace("'", "").replace(
        "QQ", '"'
    ).replace("{prompt}", NASTY)


TEXT = st.characters(blacklist_categories=("Cs",), blacklist_characters="\0")


def test_any_text_survives_bare_and_in_both_quotes(make_task, carry_out):
    task = make_task()
    agent = make_agent("command:printf '%s\\0' {prompt} \"{prompt}\" '{prompt}'")

    @settings(max_examples=25, deadline=None, derandomize=True)
    @given(prompt=st.text(TEXT, min_size=1))
    def check(prompt: str) -> None:
        carried = carry_out(agent, replace(task, prompt=prompt))
        assert carried.output.stdout == (prompt.encode() + b"\0") * 3

    check()


def test_the_prompt_file_and_the_workspace(make_task, carry_out):
    carried = carry_out(
        make_agent(
            'command:cat {prompt_file}; cmp {prompt_file} "$AGENTEVAL_PROMPT_FILE" && cd / && echo fixed > {workspace}/app.txt'
        ),
        make_task(prompt="Read me."),
    )
    assert carried.output.stdout == b"Read me."
    assert carried.text == "fixed\n"


def test_braces_of_the_shell_are_left_alone(make_task, carry_out):
    carried = carry_out(
        make_agent("command:x=1; echo ${x} ${prompt:-none} ${prompt_file}"), make_task()
    )
    assert carried.output.stdout == b"1 none\n"


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("command:", "no command"),
        ("command:  ", "no command"),
        ("command:run {promt}", "{promt}"),
        ("command:echo 'open", "split"),
    ],
)
def test_bad_commands_are_three_part_errors(spec, what):
    with pytest.raises(InvalidInput) as caught:
        make_agent(spec)
    assert what in caught.value.what
    assert caught.value.where.startswith("--agent command:")
    assert caught.value.fix


class TestAnswer:
    def test_the_answer_file_wins(self, make_task, carry_out):
        carried = carry_out(
            make_agent('command:echo chatter; echo "the answer" > "$AGENTEVAL_ANSWER"'), make_task()
        )
        assert carried.report.answer == "the answer\n"

    def test_an_empty_answer_file_is_an_empty_answer(self, make_task, carry_out):
        assert (
            carry_out(
                make_agent('command:echo chatter; : > "$AGENTEVAL_ANSWER"'), make_task()
            ).report.answer
            == ""
        )

    def test_else_the_tail_of_stdout(self, make_task, carry_out):
        carried = carry_out(make_agent("command:seq 100000; echo last; echo err >&2"), make_task())
        assert carried.report.answer.endswith("\n100000\nlast\n")
        assert len(carried.report.answer) == 20_000

    def test_bytes_that_are_no_text_are_replaced(self):
        report = make_agent("command:x").report(Job.__new__(Job), Output(0, b"a\xffb", b"", None))
        assert report.answer == "a�b"

    @pytest.mark.parametrize(
        ("code", "finished"), [(0, True), (1, False), (-9, False), (143, False)]
    )
    def test_only_exit_code_0_is_an_end_of_its_own(self, code, finished):
        assert (
            make_agent("command:x").report(Job.__new__(Job), Output(code, b"", b"", b"x")).finished
            is finished
        )


class TestInputs:
    @pytest.fixture
    def here(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        return tmp_path

    def test_a_local_program_is_a_declared_input_at_its_own_path(self, here, make_task):
        (here / "agent.sh").write_text("echo hi")
        agent = make_agent("command:sh ./agent.sh {prompt}")
        launch = agent.launch(Job(make_task(), 1, 0, Arm(agent_spec="x")), VIEW)
        assert launch.argv[-1] == f"sh {here}/agent.sh 'Fix it.'"
        assert launch.read_only == (here / "agent.sh",)

    def test_a_name_with_blanks_in_quotes(self, here, make_task, carry_out):
        (here / "my agent's.sh").write_text("echo hi from $1")
        carried = carry_out(make_agent('command:sh "./my agent\'s.sh" you'), make_task())
        assert carried.output.stdout == b"hi from you\n"

    def test_a_bare_name_with_an_ending_is_a_local_file(self, here, make_task, carry_out):
        (here / "ag.sh").write_text("echo hi from $1; cat conf.toml")
        (here / "conf.toml").write_text("quick = 1\n")
        agent = make_agent("command:sh ag.sh you; cat conf.toml")
        launch = agent.launch(Job(make_task("other"), 1, 0, Arm(agent_spec="x")), VIEW)
        assert launch.argv[-1] == f"sh {here}/ag.sh you; cat {here}/conf.toml"
        assert launch.read_only == (here / "ag.sh", here / "conf.toml")
        assert set(agent.inputs()) == {"ag.sh", "conf.toml"}
        carried = carry_out(make_agent("command:sh ag.sh you"), make_task())
        assert carried.output.stdout == b"hi from you\n"

    def test_a_bare_names_other_content_is_another_arm(self, here):
        digests = set()
        for text in ("1", "2"):
            (here / "ag.py").write_text(text)
            digests.add(make_arm("command:python3 'ag.py'").digest)
        assert len(digests) == 2

    def test_the_workspaces_own_file_of_a_bare_name_wins(self, here, make_task, carry_out):
        (here / "app.txt").write_text("the operator's\n")
        carried = carry_out(make_agent("command:cat app.txt; echo fixed > app.txt"), make_task())
        assert (carried.output.stdout, carried.text) == (b"broken\n", "fixed\n")

    def test_so_does_one_that_a_variant_lays(self, here, make_task):
        (here / "plan.md").write_text("mine")
        agent = make_agent("command:cat plan.md")
        overlay = Overlay(files={"plan.md": LaidFile(text="the variant's")})
        for laid, command in ((None, f"cat {here}/plan.md"), (overlay, "cat plan.md")):
            arm = Arm(agent_spec="x", overlay=laid)
            task = make_task("with" if laid else "without")
            assert agent.launch(Job(task, 1, 0, arm), VIEW).argv[-1] == command

    @pytest.mark.parametrize(
        "command",
        [
            "echo hi > out.txt",
            "echo hi >>out.txt; cat out.txt",
            "echo hi >| 'out.txt'",
            "cat noending",  # also a common word
            "cat gone.txt",
            "on_path.sh out",
            "echo {workspace}/out.txt",
        ],
    )
    def test_a_bare_name_that_is_meant_otherwise_stays(self, here, monkeypatch, command):
        for name in ("out.txt", "noending", "on_path.sh"):
            (here / name).write_text("#!/bin/sh\n")
        (here / "bin").mkdir()
        (here / "bin/on_path.sh").write_text("#!/bin/sh\n")
        (here / "bin/on_path.sh").chmod(0o755)
        monkeypatch.setenv("PATH", f"{here}/bin:/usr/bin:/bin")
        assert make_agent(f"command:{command}").inputs() == {}

    def test_programs_of_the_system_are_none(self, here):
        assert make_agent("command:/bin/sh -c true /usr/bin/env").inputs() == {}

    def test_another_content_is_another_arm(self, here):
        program = here / "agent.sh"
        program.write_text("version 1")
        first = make_arm("command:./agent.sh")
        program.write_text("version 2")
        second = make_arm("command:./agent.sh")
        program.write_text("version 1")
        assert first.digest != second.digest
        assert first.digest == make_arm("command:./agent.sh").digest

    def test_declared_files_and_folders_count_too(self, here):
        (here / "lib/deep").mkdir(parents=True)
        (here / "lib/deep/a.py").write_text("1")
        one = make_arm("command:run", files=(here / "lib",))
        (here / "lib/deep/a.py").write_text("2")
        two = make_arm("command:run", files=(here / "lib",))
        (here / "lib/deep/a.py").rename(here / "lib/deep/b.py")
        three = make_arm("command:run", files=(here / "lib",))
        assert len({one.digest, two.digest, three.digest, make_arm("command:run").digest}) == 4
        assert one.files == (str(here / "lib"),)

    def test_two_files_of_one_name_both_count(self, here):
        for folder in ("a", "b"):
            (here / folder).mkdir()
            (here / folder / "run.sh").write_text("same")
        spec = "command:./a/run.sh && ./b/run.sh"
        before = make_arm(spec).digest
        (here / "a/run.sh").write_text("changed")
        changed_a = make_arm(spec).digest
        (here / "a/run.sh").write_text("same")
        (here / "b/run.sh").write_text("changed")
        assert len({before, changed_a, make_arm(spec).digest}) == 3

    def test_where_the_checkout_lies_does_not_matter(self, here, monkeypatch):
        digests = set()
        for folder in ("here", "there"):
            (here / folder).mkdir()
            (here / folder / "agent.sh").write_text("same")
            monkeypatch.chdir(here / folder)
            digests.add(make_arm("command:./agent.sh {prompt}").digest)
        assert len(digests) == 1

    def test_a_missing_declared_file_is_a_mistake(self, here):
        with pytest.raises(InvalidInput, match="does not exist"):
            make_arm("command:run", files=(here / "gone",))


def test_braces_of_other_languages_are_left_alone():
    make_agent("command:awk '{print}' app.txt")
    make_agent("command:python3 -c 'd = 1; print(f\"{d}\")'")
