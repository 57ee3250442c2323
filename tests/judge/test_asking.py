"""Asking over real HTTP: what is sent, what fails and is tried again, what is kept."""

import json
import threading

import pytest

from agenteval.errors import InvalidInput, MissingProgram
from agenteval.judge import ProviderFailed, Work, check_judges, judge_work
from agenteval.records import JudgeProvider, JudgeSettings

WORK = Work("Say it is done.", "done", tools=("Bash",))


@pytest.fixture
def ask(serve, asking, question):
    """Have WORK judged by a server that plays the steps; gives the verdict and the server."""

    def judge(*steps, work=WORK, on_judge_error="zero", candidate=None, asks=None, **settings):
        server = serve(*steps)
        made = asking(server, **settings)
        judged = judge_work(
            work, question(**asks or {}), made, on_judge_error=on_judge_error, candidate=candidate
        )
        return judged, server

    return judge


@pytest.mark.parametrize(
    ("api", "path", "header"),
    [
        ("openai", "/v1/chat/completions", ("authorization", "Bearer sk-test-12345")),
        ("anthropic", "/v1/messages", ("x-api-key", "sk-test-12345")),
    ],
)
def test_both_apis_are_spoken(ask, scripted, monkeypatch, api, path, header):
    monkeypatch.setenv("JUDGE_KEY", "sk-test-12345")
    judged, server = ask(
        scripted.says(0.9) | {"model": "m-2025"}, api=api, key_env="JUDGE_KEY", prices=(1.0, 10.0)
    )
    [sample] = judged.samples
    assert (judged.passed, judged.score, sample.used) == (True, 0.9, "m-2025")
    assert (sample.input_tokens, sample.output_tokens) == (100, 10)
    assert judged.cost_usd == pytest.approx(100 / 1e6 + 100 / 1e6)
    [seen] = server.seen
    assert (seen["path"], seen["model"]) == (path, "m")
    assert seen["headers"][header[0]] == header[1]
    assert "Say it is done." in seen["user"]


def test_without_a_key_none_is_sent_and_without_prices_the_cost_is_unknown(ask, scripted):
    judged, server = ask(scripted.says(1))
    assert not {"authorization", "x-api-key"} & set(server.seen[0]["headers"])
    assert judged.cost_usd is None


def test_options_are_sent_only_when_they_are_set(ask, scripted):
    _, plain = ask(scripted.says(1))
    _, warm = ask(scripted.says(1), temperature=0.5, max_output_tokens=77)
    assert "temperature" not in plain.seen[0]["body"]
    assert (warm.seen[0]["body"]["temperature"], warm.seen[0]["body"]["max_tokens"]) == (0.5, 77)


def test_a_reply_by_schema_is_asked_for_where_the_provider_can(serve, scripted, question):
    from agenteval.judge import Asking

    server = serve(scripted.says(1))
    provider = JudgeProvider(base_url=server.url, structured=True)
    judge_work(WORK, question(), Asking(JudgeSettings(providers={"local": provider})))
    assert server.seen[0]["body"]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        ({"status": 500}, "http_500"),
        ({"status": 503}, "http_503"),
        ({"status": 429}, "http_429"),
        ({"raw": b"<html>not a model</html>"}, "garbage"),
        ({"raw": b"[]"}, "garbage"),
        ({"raw": b'{"choices": []}'}, "garbage"),
        ({"raw": b'{"choices": [{"message": {"content": 5}}]}'}, "garbage"),
        ({"raw": b"{" * 100_000}, "garbage"),
    ],
)
def test_a_provider_that_fails_is_asked_again_then_the_sample_is_missing(
    ask, scripted, failure, kind
):
    judged, server = ask(failure, failure, scripted.says(0.9))
    assert (judged.passed, judged.samples[0].tries, len(server.seen)) == (True, 3, 3)
    judged, server = ask(failure)
    [sample] = judged.samples
    assert (sample.problem, sample.replied, sample.reply) == (kind, False, None)
    assert len(server.seen) == 3
    assert (judged.passed, judged.score, judged.error_class) == (None, None, "judge_provider_down")


def test_a_provider_that_hangs_times_out(ask, scripted):
    judged, server = ask({"hang": True}, scripted.says(0.9), timeout_s=0.3)
    assert (judged.passed, judged.samples[0].tries) == (True, 2)
    judged, _ = ask({"hang": True}, timeout_s=0.2, retries=0)
    assert (judged.error_class, judged.samples[0].problem) == ("judge_provider_down", "timeout")


def test_a_provider_that_is_not_there_is_down(asking, question, serve, scripted):
    server = serve(scripted.says(1))
    made = asking(server)
    server.close()
    judged = judge_work(WORK, question(), made)
    assert judged.samples[0].problem == "unreachable"
    assert judged.error_class == "judge_provider_down"


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_request_that_cannot_succeed_is_sent_once(ask, status):
    judged, server = ask({"status": status})
    assert len(server.seen) == 1
    assert judged.samples[0].problem == f"http_{status}"
    assert judged.error_class == "judge_provider_down"


def test_a_redirect_would_take_the_key_elsewhere_and_is_not_followed(
    ask, scripted, serve, monkeypatch
):
    monkeypatch.setenv("JUDGE_KEY", "sk-test-12345")
    other = serve(scripted.says(1))
    judged, _ = ask(
        {"raw": b"", "status": 302, "headers": {"Location": f"{other.url}/chat/completions"}},
        key_env="JUDGE_KEY",
    )
    assert judged.samples[0].problem == "http_302"
    assert other.seen == []


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_refusal_is_a_reply_without_a_score_and_counts_zero(ask, api):
    judged, server = ask({"refuse": True}, api=api)
    assert judged.samples[0].problem == "refused"
    assert (judged.passed, judged.error_class) == (None, "judge_no_score")
    assert len(server.seen) == 1


def test_a_filter_of_the_provider_that_the_text_sets_off_is_a_refusal_and_not_missing(ask):
    judged, _ = ask({"status": 400, "error": "content_filter triggered"})
    assert (judged.samples[0].problem, judged.error_class) == ("refused", "judge_no_score")


@pytest.mark.parametrize("text", ["", "no idea", '{"score": 7}', '{"score": NaN}'])
def test_a_reply_that_yields_no_score_is_not_asked_for_again(ask, text):
    judged, server = ask({"text": text})
    assert len(server.seen) == 1
    assert (judged.passed, judged.error_class) == (None, "judge_no_score")


def test_retry_after_is_waited_for(ask, scripted):
    judged, _ = ask(
        {"status": 429, "headers": {"Retry-After": "0.05"}, "raw": b"{}"}, scripted.says(1)
    )
    assert judged.passed
    assert judged.samples[0].duration_s >= 0.05


def test_after_one_sample_failed_for_good_the_others_are_tried_once_each(ask):
    _, server = ask({"status": 500}, asks={"samples": 4})
    assert len(server.seen) == 3 + 3


def test_cancelling_ends_the_retries(ask):
    cancel = threading.Event()
    cancel.set()
    _, server = ask({"status": 500}, cancel=cancel, retries=9)
    assert len(server.seen) == 1


def test_a_key_is_in_no_message_and_no_reply(ask, monkeypatch):
    key = "sk-test-1234567890"
    monkeypatch.setenv("JUDGE_KEY", key)
    for step in ({"text": f"your key is {key}"}, {"status": 401, "error": f"bad key {key}"}):
        judged, _ = ask(step, key_env="JUDGE_KEY")
        assert key not in repr(judged)
        assert "[JUDGE_KEY]" in repr(judged)


def test_a_failure_survives_a_pickle():
    import pickle

    error = ProviderFailed("x", "url", kind="timeout", again=True, retry_after_s=2.0)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.kind, again.again, again.retry_after_s) == (
        str(error),
        "timeout",
        True,
        2.0,
    )
    assert again.error_class == "judge_provider_down"


class TestCache:
    """Verdicts are kept by the hash of their content."""

    def test_the_same_content_is_asked_for_once(self, ask, scripted, tmp_path):
        first, server = ask(scripted.says(0.9), cache=tmp_path, prices=(1, 1))
        assert not first.samples[0].cached
        made = {"cache": tmp_path}
        again = self.again(server, made)
        assert len(server.seen) == 1
        assert again.samples[0].cached
        assert (again.score, again.cost_usd, again.samples[0].input_tokens) == (0.9, 0.0, 0)
        assert again.samples[0].reply == first.samples[0].reply

    @staticmethod
    def again(server, made, work=WORK, **asks):
        from agenteval.judge import Asking, ReplyCache
        from agenteval.records import JudgeQuestion

        settings = JudgeSettings(
            providers={"local": JudgeProvider(base_url=server.url)}, first_wait_s=0.0
        )
        base = {"rubric": "The answer is right and short.", "model": "local/m"}
        question = JudgeQuestion(**base | asks)
        return judge_work(work, question, Asking(settings, ReplyCache(made["cache"])))

    @pytest.mark.parametrize(
        "change",
        [
            {"work": Work("Say it is done.", "other", tools=("Bash",))},
            {"rubric": "Another one."},
            {"scale": "0-10"},
            {"model": "local/other"},
            {"reference": "done!"},
        ],
    )
    def test_other_content_is_another_question(self, ask, scripted, tmp_path, change):
        _, server = ask(scripted.says(0.9), cache=tmp_path)
        self.again(server, {"cache": tmp_path}, **change)
        assert len(server.seen) == 2

    def test_each_sample_is_a_reply_of_its_own(self, ask, scripted, tmp_path):
        _, server = ask(scripted.says(0.9), cache=tmp_path, asks={"samples": 3})
        assert len(server.seen) == 3
        self.again(server, {"cache": tmp_path}, samples=5)
        assert len(server.seen) == 5

    def test_a_threshold_asks_nothing_anew(self, ask, scripted, tmp_path):
        _, server = ask(scripted.says(0.9), cache=tmp_path)
        assert self.again(server, {"cache": tmp_path}, threshold=0.95).passed is False
        assert len(server.seen) == 1

    def test_a_reply_without_a_score_is_kept_too_so_that_it_is_not_rolled_again(
        self, ask, tmp_path
    ):
        _, server = ask({"text": "hm"}, cache=tmp_path)
        assert self.again(server, {"cache": tmp_path}).error_class == "judge_no_score"
        assert len(server.seen) == 1

    def test_a_provider_that_failed_is_asked_again(self, ask, scripted, tmp_path):
        _, server = ask({"status": 401}, scripted.says(1), cache=tmp_path)
        assert self.again(server, {"cache": tmp_path}).passed
        assert len(server.seen) == 2

    def test_a_damaged_entry_is_none(self, ask, scripted, tmp_path):
        _, server = ask(scripted.says(0.9), cache=tmp_path)
        [file] = tmp_path.rglob("*.json")
        assert json.loads(file.read_text())["text"]
        file.write_text("{")
        assert self.again(server, {"cache": tmp_path}).passed
        assert len(server.seen) == 2


class TestBeforeAnythingIsSpent:
    """Judges that cannot be asked are refused."""

    def test_a_check_without_a_model(self):
        with pytest.raises(InvalidInput, match="names no model"):
            check_judges([None], JudgeSettings())

    def test_a_key_that_is_not_set(self, monkeypatch):
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with pytest.raises(InvalidInput, match="OPENAI_API_KEY is not set"):
            check_judges(["openai/gpt"], JudgeSettings())
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        check_judges(["openai/gpt"], JudgeSettings())

    def test_a_provider_that_needs_the_extra(self, monkeypatch):
        monkeypatch.setattr("agenteval.judge.provider.importlib.util.find_spec", lambda name: None)
        with pytest.raises(MissingProgram, match="litellm"):
            check_judges(["mistral/large"], JudgeSettings())

    @pytest.mark.parametrize(
        "provider",
        [
            {"base_url": "ftp://host/v1"},
            {"base_url": "http://host/v1?key=1"},
            {"base_url": "http://host", "api": "grpc"},
            {"base_url": "http://host", "key_env": "sk-live-123"},
        ],
    )
    def test_an_endpoint_that_is_none(self, provider):
        with pytest.raises(ValueError, match="validation error"):
            JudgeSettings(providers={"local": provider})

    def test_a_command_line_comes_before_the_suite(self):
        base = JudgeSettings(model="a/one", providers={"a": {"base_url": "http://old/v1"}})
        changed = base.overridden(base_url="http://new/v1", key_env="K")
        assert changed.providers["a"].base_url == "http://new/v1"
        assert base.overridden(model="openai/x", key_env="K").providers["openai"].key_env == "K"
        assert base.overridden() == base
        with pytest.raises(InvalidInput, match="cannot be reached"):
            base.overridden(model="b/two", key_env="K")
