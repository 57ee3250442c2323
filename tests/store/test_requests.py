"""The table `requests`: what the engine writes of a trial's traffic, read back."""

from dataclasses import replace

import pytest

from agenteval.engine.metering import metered_columns, traffic_artifact
from agenteval.gateway import Exchange, Traffic
from agenteval.gateway.wire.protocol import ToolCall, Usage
from agenteval.records import RequestRow
from agenteval.store import open_store, seal

FIRST = Exchange(
    seq=1, started=1000.0, wire="anthropic", kind="side", model="small", usage=Usage(10, 0, 0, 5),
    cost_usd=0.001, stop_reason="end_turn", status=200, complete=True, latency_s=0.5, first_byte_s=0.25,
)  # fmt: skip
SECOND = Exchange(
    seq=2, started=1000.75, wire="anthropic", kind="main", model="large", usage=Usage(100, 7, 3, 20),
    cost_usd=0.02, stop_reason="tool_use", offered=("Bash", "Read"), status=200, complete=True,
    calls=(ToolCall("Bash", "t1", {"command": "ls"}), ToolCall("Read", "t2", {"path": "a"})),
    latency_s=2.0, first_byte_s=1.0, rate_limited_s=0.5, retries=2,
)  # fmt: skip
THIRD = Exchange(
    seq=3, started=1003.0, wire="anthropic", kind="main", model="large", results=2, failed_results=1,
    status=502, error="here cannot be reached", provider_error=True, offered=("Bash", "Read"),
)  # fmt: skip
REFUSED = Exchange(
    seq=4, started=1004.0, wire="anthropic", kind="main", model="large", status=402, refused="cost_limit"
)  # fmt: skip


@pytest.fixture
def traffic(build):
    """A run of one trial with such traffic, and the traffic."""
    run, attempt = build.run(), build.attempt()
    build.write(run, attempt)
    folder = run.attempt(attempt.trial_id, attempt.attempt)
    folder.mkdir(parents=True)
    told = Traffic(exchanges=(FIRST, SECOND, THIRD, REFUSED), price_table="2026-11")
    for name, data in traffic_artifact(told, only_way=True).items():
        (folder / name).write_bytes(data)
    return told


@pytest.mark.parametrize("sealed", [False, True])
def test_each_request_is_a_row(build, traffic, sealed):
    if sealed:
        seal(build.path)
    store = open_store(build.path)
    rows = store.requests()
    assert list(rows.columns) == list(RequestRow.model_fields)
    assert rows["kind"].tolist() == ["side", "main", "main", "main"]
    assert rows["start_s"].tolist() == [0.0, 0.75, 3.0, 4.0]
    second = rows.iloc[1]
    assert second[["latency_s", "first_byte_s", "rate_limited_s"]].tolist() == [2.0, 1.0, 0.5]
    assert (second["retries"], second["http_status"], second["complete"]) == (2, 200, True)
    assert list(second["tools_called"]) == ["Bash", "Read"]
    assert (second["tools_offered"], second["stop_reason"]) == (2, "tool_use")
    third = rows.iloc[2]
    assert (third["tool_results"], third["tool_errors"]) == (2, 1)
    assert (third["provider_error"], third["error"]) == (True, "here cannot be reached")
    assert third[["input_tokens", "output_tokens", "cost_usd"]].isna().all()  # unknown, not 0
    assert rows["refused"].fillna("").tolist() == ["", "", "", "cost_limit"]
    trial = rows["trial_id"].iloc[0]
    assert store.trial(trial).requests.equals(rows)


def test_they_add_up_to_the_trials_own_columns(build, traffic):
    whole = replace(traffic, exchanges=(FIRST, SECOND))
    columns = metered_columns(whole, only_way=True)
    (told,) = (
        open_store(build.path)
        .sql(
            """select count(*) as requests, sum(input_tokens) as input_tokens,
                sum(output_tokens) as output_tokens, sum(cost_usd) as cost_usd,
                sum(len(tools_called)) as tool_calls,
                sum(rate_limited_s) as rate_limited_s
            from requests where http_status = 200"""
        )
        .to_dict("records")
    )
    assert told == pytest.approx({name: columns[name] for name in told})


def test_lines_that_are_no_requests_are_left_out(build, traffic):
    (path,) = build.path.rglob("traffic.jsonl")
    path.write_bytes(
        path.read_bytes()
        + b'nonsense\n[]\n{"seq": 5}\n{"started": "x", "seq": 6, "kind": "main", "wire": "chat"}\n'
        + b'{"started": 1, "seq": 7, "kind": "main", "wire": "chat", "calls": 3}\n\xff\n{"torn": '
    )
    assert open_store(build.path).requests()["seq"].tolist() == [1, 2, 3, 4]


def test_a_trial_without_a_gateway_has_none(build):
    build.filled()
    requests = open_store(build.path).requests()
    assert requests.empty
    assert list(requests.columns) == list(RequestRow.model_fields)
