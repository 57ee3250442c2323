import json

from imprint import quotes


def test_on_file(job, tmp_path):
    quotes.save(tmp_path / "q.jsonl", job(4712))
    (line,) = (tmp_path / "q.jsonl").read_text().splitlines()
    assert json.loads(line)["rule"] == "imprint.price:card"
    assert quotes.requote(line) == (9975, 9975)
