"""`agenteval prices`."""


def test_one_model(cli, monkeypatch):
    monkeypatch.delenv("AGENTEVAL_PRICES", raising=False)
    done = cli("prices", "anthropic/claude-sonnet-4-5-20250929", "--json")
    assert done.code == 0
    assert done.json["price_table"].startswith("bundled-")
    (row,) = done.json["models"]
    assert (row["model"], row["input"], row["output"]) == ("claude-sonnet-4-5", 3.0, 15.0)
    assert (row["cache_read"], row["cache_write"]) == (0.3, 3.75)


def test_all_of_them_and_part_of_a_name(cli):
    everything = cli("prices", "--json").json["models"]
    some = cli("prices", "sonnet", "--json").json["models"]
    assert 0 < len(some) < len(everything)
    assert all("sonnet" in row["model"] for row in some)
    told = cli("prices", "gemini-2.5-pro")
    assert "more than 200,000 tokens" in told.out
    assert "https://" in told.out


def test_a_file_of_ones_own(cli, tmp_path, monkeypatch):
    own = tmp_path / "own.toml"
    own.write_text('[models."mine"]\ninput = 1.5\noutput = 2\n')
    done = cli("prices", "mine", "--prices", own, "--json")
    assert done.json["price_table"].startswith("own.toml-")
    assert done.json["models"] == [{"model": "mine", "input": 1.5, "output": 2.0, "provider": ""}]
    monkeypatch.setenv("AGENTEVAL_PRICES", str(own))
    assert cli("prices", "mine", "--json").json == done.json


def test_no_price_is_no_zero(cli):
    done = cli("prices", "nonesuch")
    assert done.code == 2
    assert "There is no price for 'nonesuch'" in done.err
    assert "--prices FILE" in done.err


def test_a_run_is_not_planned_by_prices_that_cannot_be_read(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = cli("run", "bundled", "--agent", "scripted:noop", "--prices", "none.toml")
    assert done.code == 2
    assert "price table cannot be read" in done.err
    assert not (tmp_path / ".agenteval").exists()
