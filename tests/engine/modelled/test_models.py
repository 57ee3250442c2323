"""Agents and their models: measured from outside, held to limits, played back."""

import json
import threading
import time
from collections import Counter
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    Limits,
    ModelAccess,
    Progress,
    Retries,
    check_models,
    open_models,
    regrade_run,
)
from agenteval.errors import InvalidInput
from agenteval.gateway import Pace, Upstream, read_recording
from agenteval.records import LaidFile, Overlay, read_journal, read_manifest
from agenteval.store import open_store

PRICED = "claude-sonnet-4-5"
FIX = {"calls": [{"run": "sed -i s/broken/fixed/ app.txt"}]}
USAGE = {
    "input_tokens": 1000,
    "cache_read_tokens": 200,
    "cache_write_tokens": 30,
    "output_tokens": 50,
}
CHECKS = """[[checks]]
kind = "command"
name = "fixed"
run = "grep -q fixed app.txt"

[[checks]]
kind = "tool-used"
tool = "Bash sed"

[[checks]]
kind = "max-turns"
max = 3
"""
SOLVED = {"app.txt": "fixed\n"}
LOCAL = f"local/{PRICED}"


class TestScripted:
    def test_any_program_is_driven_through_its_own_tools(self, lab):
        lab.bench.task(solution=SOLVED)
        row = lab.one("scripted:reference")
        assert (row.status, row.ended_by, row.turns, row.tool_calls) == ("pass", "agent", 2, 1)
        assert (row.model, row.model_used) == ("scripted:reference", "scripted:reference")
        assert lab.one("scripted:noop", run_id="n").status == "fail"

    def test_wrong_solutions_and_chance(self, lab):
        lab.bench.task(solution=SOLVED, wrong={"half": {"app.txt": "almost\n"}})
        row = lab.one("scripted:wrong:half")
        assert (row.status, row.files_changed) == ("fail", 1)
        rows = lab.run("scripted:chance:0.5", run_id="c", repeats=8)
        assert {"pass", "fail"} == {str(row.status) for row in rows}

    def test_a_file_of_steps(self, lab):
        lab.bench.task()
        model = lab.script(
            {"text": "I look.", "calls": [{"run": "cat app.txt"}]}, FIX, {"text": "Done."}
        )
        row = lab.one(model)
        assert (row.status, row.turns, row.tool_calls) == ("pass", 3, 2), lab.artifact(
            row, "stderr.txt"
        )
        assert lab.artifact(row, "answer.md").decode().strip() == "Done."

    def test_another_file_is_another_arm(self, lab):
        first = make_arm(lab.agent, model=lab.script(FIX))
        second = make_arm(lab.agent, model=lab.script({"text": "no"}))
        assert (first.model, first.digest) != (second.model, second.digest)
        assert first.digest != second.digest


class TestMetered:
    def test_numbers_are_the_providers_and_the_price_tables(self, lab):
        lab.bench.task(checks=CHECKS)
        lab.serve({**FIX, "usage": USAGE}, {"text": "Done.", "usage": USAGE})
        row = lab.one(LOCAL)
        assert row.status == "pass"
        buckets = (
            row.input_tokens,
            row.cache_read_tokens,
            row.cache_write_tokens,
            row.output_tokens,
        )
        assert buckets == (2000, 400, 60, 100)
        assert row.first_cache_read_tokens == 200
        assert (row.requests, row.turns, row.tool_calls) == (2, 2, 1)
        assert (row.model_used, row.cost_source) == (PRICED, "metered")
        assert row.cost_usd == pytest.approx((2000 * 3 + 400 * 0.3 + 60 * 3.75 + 100 * 15) / 1e6)
        assert row.price_table.startswith("bundled-")
        assert row.agent_s > row.model_s > 0
        assert row.tool_s > 0

    def test_an_unknown_price_is_an_unknown_cost(self, lab):
        lab.bench.task()
        lab.serve(FIX, {"text": "Done."})
        row = lab.one("local/nobody-sells-this")
        assert (row.cost_usd, row.cost_source, row.price_table) == (None, "unknown", None)
        assert row.output_tokens == 40

    def test_no_request_is_no_cost_where_there_is_no_other_way(self, lab):
        lab.bench.task()
        lab.serve(FIX)
        row = lab.one(LOCAL, agent="command:sed -i s/broken/fixed/ app.txt")
        assert (row.status, row.requests, row.cost_usd) == ("pass", 0, 0.0)

    def test_checks_on_effort_hold_again_when_it_is_graded_again(self, lab):
        lab.bench.task(checks=CHECKS)
        lab.serve({**FIX, "usage": USAGE}, {"text": "Done.", "usage": USAGE})
        row = lab.one(LOCAL)
        before = {
            c.name: c.passed for c in read_journal(lab.store.run("r").journal).blocks[0].checks
        }
        assert list(before.values()) == [True, True, True]
        result = regrade_run(lab.store.run("r"), sandbox=lab.bench.sandbox)
        (again,) = result.regraded
        assert {c.name: c.passed for c in again.after.checks} == before
        assert row.passed

    def test_the_way_is_written_into_the_manifest_and_holds_no_key(self, lab):
        lab.bench.task()
        lab.serve(FIX, {"text": "Done."})
        limits = {"concurrency": 2, "requests_per_minute": 6000, "silence_s": 60}
        own = lab.access.upstreams[0].model_copy(update=limits)
        access = ModelAccess((own,), pace=lab.access.pace)
        row = lab.one(LOCAL, access=access)
        told = read_manifest(lab.store.run("r").manifest).models
        assert ModelAccess.of(told) == access
        for path in lab.store.path.rglob("*"):
            if path.is_file():
                assert b"the-operators-real-key" not in path.read_bytes(), path
        assert row.status == "pass"

    def test_the_agent_gets_no_key(self, lab):
        lab.bench.task()
        lab.serve({"calls": [{"run": "env > env.txt"}]}, {"text": "Done."})
        patch = lab.artifact(lab.one(LOCAL), "patch.diff")
        assert b"AGENTEVAL_MODEL_KEY" in patch
        assert b"real-key" not in patch


class TestLimits:
    @pytest.mark.parametrize(
        ("key", "ended_by"),
        [
            ("max_turns = 2", "turn_limit"),
            ("max_requests = 2", "request_limit"),
            ("max_tokens = 2000", "token_limit"),
            ("max_cost_usd = 0.007", "cost_limit"),
        ],
    )
    def test_a_limit_ends_the_trial_and_the_work_is_graded(self, lab, key, ended_by):
        lab.bench.task(keys=key)
        on = [{"calls": [{"run": f"echo {n} >> log.txt"}], "usage": USAGE} for n in range(50)]
        lab.serve({**FIX, "usage": USAGE}, *on)
        row = lab.one(LOCAL)
        assert (row.ended_by, row.status) == (ended_by, "pass"), "whoever ended it, the work counts"
        assert row.requests <= 3

    def test_a_limit_that_a_trial_failed_by_says_how_far_it_went(self, lab):
        lab.bench.task(keys="max_turns = 2")
        on = [{"calls": [{"run": f"echo {n} >> log.txt"}], "usage": USAGE} for n in range(50)]
        lab.serve(*on)
        row = lab.one(LOCAL)
        assert (row.ended_by, row.error_class) == ("turn_limit", "turn_limit")
        assert row.error_message.endswith("the limit of this trial is reached: 2 of 2 turns used")

    def test_the_requests_add_up_to_the_trial(self, lab):
        lab.bench.task()
        lab.serve({**FIX, "usage": USAGE}, {"text": "Done.", "usage": USAGE})
        row = lab.one(LOCAL)
        requests = open_store(lab.store.path).requests()
        assert row.requests == len(requests) == 2
        for name in ("input_tokens", "output_tokens", "cost_usd", "rate_limited_s"):
            assert getattr(row, name) == pytest.approx(requests[name].sum())
        assert row.tool_calls == requests["tools_called"].str.len().sum() == 1

    def test_a_budget_of_the_run_is_held_by_what_was_metered(self, lab):
        for name in ("a", "b", "c", "d"):
            lab.bench.task(name, keys="max_cost_usd = 0.02")
        lab.serve({**FIX, "usage": USAGE}, {"text": "Done.", "usage": USAGE}, after_end="repeat")
        rows = lab.run(LOCAL, limits=Limits(cost_usd=0.08))
        assert Counter(str(row.status) for row in rows) == {"pass": 4}
        assert sum(row.cost_usd for row in rows) < 0.08


class TestProviderFails:
    def test_a_provider_that_is_down_is_no_failure_of_the_agent(self, lab):
        lab.bench.task()
        lab.serve({"error": {"status": 500, "message": "Internal"}})
        rows = lab.run(LOCAL, retries=Retries(1, first_wait_s=0.01))
        assert [(r.status, r.error_class, r.passed) for r in rows] == [
            ("error", "provider_down", None)
        ] * 2
        assert all(row.ended_by == "infrastructure" for row in rows)

    def test_too_often_is_waited_for_at_the_gateway(self, lab):
        lab.bench.task()
        trouble = {"status": 429, "message": "slow down", "times": 2, "retry_after_s": 0.05}
        lab.serve({**FIX, "error": trouble}, {"text": "Done."})
        row = lab.one(LOCAL)
        assert (row.status, row.requests) == ("pass", 2), lab.artifact(row, "stderr.txt")
        assert row.rate_limited_s >= 0.05
        events = [json.loads(line) for line in lab.artifact(row, "events.jsonl").splitlines()]
        assert any("further tries" in (event["text"] or "") for event in events)

    def test_faults_planted_on_purpose_are_no_infrastructure(self, lab):
        lab.bench.task()
        lab.serve(FIX, {"text": "Done."})
        overlay = Overlay.model_validate({"faults": {"500": 1.0}})
        row = lab.one(LOCAL, overlay=overlay, variant="stormy")
        assert (row.status, row.ended_by, row.passed) == ("error", "crash", False)
        events = lab.artifact(row, "events.jsonl").decode()
        assert "planted fault: 500" in events

    def test_faults_are_drawn_anew_for_each_task(self, lab):
        """Else a rate of 0.5 would be all or nothing, over however many tasks."""
        names = [f"task-{number}" for number in range(8)]
        for name in names:
            lab.bench.task(name)
        overlay = Overlay.model_validate({"faults": {"500": 0.5}})
        rows = lab.run(lab.script({"text": "Done."}), overlay=overlay, variant="stormy")
        assert {row.ended_by for row in rows} == {"agent", "crash"}
        assert len(rows) == 8


class TestReplay:
    def test_each_variant_finds_its_own_recording(self, lab, tmp_path):
        lab.bench.task()
        overlays = {
            name: Overlay.model_validate(
                {"files": {"laid.txt": LaidFile.of(name.encode(), executable=False)}}
            )
            for name in ("old", "new")
        }
        for name, overlay in overlays.items():
            lab.serve({"calls": [{"run": "cat laid.txt"}]}, FIX, {"text": "Done."})
            access = ModelAccess(
                lab.access.upstreams, record=tmp_path / "kept", pace=lab.access.pace
            )
            lab.one(LOCAL, access=access, run_id=name, overlay=overlay, variant=name)
        for name, overlay in overlays.items():
            row = lab.one(
                f"replay:{tmp_path / 'kept'}",
                access=ModelAccess(),
                run_id=f"{name}-again",
                overlay=overlay,
                variant=name,
            )
            assert row.status == "pass", row.error_message

    def test_a_recording_gives_the_same_patch_without_any_provider(self, lab, tmp_path):
        lab.bench.task()
        steps = [{"calls": [{"run": "cat app.txt; date"}]}, FIX, {"text": "Done."}]
        lab.serve(*steps)
        access = ModelAccess(lab.access.upstreams, record=tmp_path / "kept", pace=lab.access.pace)
        before = lab.one(LOCAL, access=access)
        assert b"the-operators-real-key" not in b"".join(
            path.read_bytes() for path in (tmp_path / "kept").rglob("*.zst")
        )
        after = lab.one(f"replay:{tmp_path / 'kept'}", run_id="again", access=ModelAccess())
        assert (after.status, after.turns) == (before.status, before.turns) == ("pass", 3)
        assert lab.artifact(after, "patch.diff") == lab.artifact(before, "patch.diff")
        assert after.model_used == PRICED

    def test_another_agent_diverges_and_says_where(self, lab, tmp_path):
        lab.bench.task()
        lab.serve({"calls": [{"run": "cat app.txt"}]}, FIX, {"text": "Done."})
        access = ModelAccess(lab.access.upstreams, record=tmp_path / "kept", pace=lab.access.pace)
        lab.one(LOCAL, access=access)
        (tmp_path / "suite/one/repo/app.txt").write_text("broken, and otherwise\n")
        row = lab.one(f"replay:{tmp_path / 'kept'}", run_id="again", access=ModelAccess())
        assert (row.status, row.error_class, row.passed) == ("error", "replay_diverged", None)
        assert "otherwise" in row.error_message

    @pytest.mark.parametrize("scripted", [False, True])
    def test_an_agent_is_started_for_the_model_of_the_recording(self, lab, tmp_path, scripted):
        """Also where the replay was recorded in its turn."""
        lab.bench.task()
        agent = f"command:printenv AGENTEVAL_MODEL > told.txt; {lab.agent.partition(':')[2]}"
        if not scripted:
            lab.serve(FIX, {"text": "Done."})
        model = lab.script(FIX, {"text": "Done."}) if scripted else LOCAL
        patches = []
        for number, asked in enumerate([model, *(f"replay:{tmp_path / n}" for n in "01")]):
            access = replace(lab.access, record=tmp_path / str(number))
            row = lab.one(asked, agent=agent, access=access, run_id=f"r{number}")
            assert (row.status, row.model) == ("pass", asked), row.error_message
            patches.append(lab.artifact(row, "patch.diff"))
            (kept,) = (tmp_path / str(number)).rglob("*.zst")
            assert read_recording(kept).model == model
        assert f"+{model}\n".encode() in patches[0]
        assert patches[1:] == patches[:1] * 2

    def test_no_recording_of_a_trial_is_said(self, lab, tmp_path):
        lab.bench.task()
        (tmp_path / "kept").mkdir()
        with pytest.raises(InvalidInput, match="no recording of task one"):
            lab.run(f"replay:{tmp_path / 'kept'}")
        assert not lab.store.run("r").journal.exists()


class TestRefused:
    @pytest.mark.parametrize(
        ("model", "match"),
        [
            ("scripted:nothing.json", "There is no nothing.json"),
            ("scripted:chance:7", "not a probability"),
            ("replay:nowhere", "There is no nowhere"),
        ],
    )
    def test_before_anything_is_spent(self, lab, model, match):
        lab.bench.task()
        with pytest.raises(InvalidInput, match=match):
            lab.run(model)
        assert not lab.store.run("r").journal.exists()

    def test_a_provider_without_its_key(self, lab, monkeypatch):
        lab.bench.task()
        lab.serve(FIX)
        monkeypatch.delenv("LOCAL_KEY")
        with pytest.raises(InvalidInput, match="no key for local"):
            lab.run(LOCAL)

    def test_a_provider_of_another_format(self, tmp_path, monkeypatch):
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        program = tmp_path / "agent.py"
        program.write_text(NEEDY.format(more="wire_formats = ('responses', 'chat')"))
        arm = make_arm(f"module:{program}", model="anthropic/claude-sonnet-4-5")
        with pytest.raises(
            InvalidInput, match="speaks responses and chat, and anthropic anthropic"
        ):
            check_models([arm], ModelAccess())


NEEDY = """
class Needy:
    name, needs_model = "needy", True
    {more}
    def version(self): return None
    def inputs(self): return {{}}
    def launch(self, job, view): raise NotImplementedError
    def report(self, job, output): raise NotImplementedError
agent = Needy()
"""
IMPATIENT = Pace(longest_wait_s=0.1)


class Exhausted(BaseHTTPRequestHandler):
    """Says once that a subscription's quota is there again in a second, then answers."""

    asked = 0

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        type(self).asked += 1
        first = type(self).asked == 1
        self.send_response(429 if first else 200)
        if first:
            self.send_header("anthropic-ratelimit-unified-status", "rejected")
            self.send_header("anthropic-ratelimit-unified-reset", str(time.time() + 1))
        command = {"command": "sed -i s/broken/fixed/ app.txt"}
        call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": command}
        done = {"type": "text", "text": "Done."}
        told = {"error": {"type": "rate_limit_error", "message": "used up"}, "type": "error"}
        if not first:
            told = {"type": "message", "role": "assistant", "model": body["model"], "id": "m"}
            told |= {"content": [call if len(body["messages"]) == 1 else done]}
            told |= {"stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 2}}
        data = json.dumps(told).encode()
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture
def exhausted():
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Fresh", (Exhausted,), {"asked": 0}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_quota_that_is_used_up_pauses_the_arm_and_costs_no_retry(lab, exhausted):
    """The provider names a time; the trial runs again then, and its first attempt stays on record."""
    lab.bench.task()
    access = ModelAccess((Upstream(name="local", base_url=exhausted),), pace=IMPATIENT)
    notes = []
    rows = lab.run(LOCAL, access=access, progress=Progress(note=notes.append))
    assert [(r.attempt, r.status, r.error_class) for r in rows] == [
        (1, "skipped", "quota_used_up"),
        (2, "pass", None),
    ]
    assert any("is paused until" in note for note in notes)


def test_a_quota_that_outlasts_the_run_stops_it_short(lab, exhausted, monkeypatch):
    lab.bench.task(keys="timeout_s = 59.5")
    access = ModelAccess((Upstream(name="local", base_url=exhausted),), pace=IMPATIENT)
    rows = lab.run(LOCAL, access=access, limits=Limits(minutes=1))
    assert [(r.status, r.error_class) for r in rows] == [("skipped", "quota_used_up")]


def test_without_isolation_the_port_is_reached_directly(lab, plain_bench):
    lab.bench = plain_bench
    plain_bench.task(solution=SOLVED)
    row = lab.one("scripted:reference")
    assert (row.status, row.sandbox, row.requests) == ("pass", "plain", 2)


def test_workers_of_a_cluster_have_gateways_of_their_own(lab):
    for name in ("a", "b"):
        lab.bench.task(name, solution=SOLVED)
    rows = lab.run("scripted:reference", cluster="local", concurrency=2)
    told = [(row.status, row.ended_by, row.requests) for row in rows]
    assert told == [("pass", "agent", 2)] * 2, [lab.artifact(row, "stderr.txt") for row in rows]


def test_only_arms_with_a_model_open_the_gateway(lab, tmp_path):
    plain, modelled = make_arm("command:true"), make_arm(lab.agent, model="scripted:noop")
    with open_models([plain], ModelAccess(), tmp_path) as nothing:
        assert nothing is None
    with open_models([plain, modelled], ModelAccess(), tmp_path) as models:
        assert models.gateway.alive
    assert not models.gateway.alive


def test_an_agent_program_without_a_model_is_refused(tmp_path):
    program = tmp_path / "agent.py"
    program.write_text(NEEDY.format(more=""))
    with pytest.raises(InvalidInput, match="needy needs a model"):
        check_models([make_arm(f"module:{program}")], ModelAccess())
    check_models([make_arm(f"module:{program}", model="scripted:noop")], ModelAccess())
