"""Through the command line only: what `deckle config` prints and what `check` exits with."""

import os

import pytest

from deckle.cli import main


@pytest.fixture(autouse=True)
def book(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith("DECKLE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(book):
    def write(ini=None, toml=None):
        if ini is not None:
            (book / "deckle.ini").write_text("[deckle]\n" + ini + "\n", encoding="utf-8")
        if toml is not None:
            text = "[project]\nname = 'book'\n\n[tool.deckle]\n" + toml + "\n"
            (book / "pyproject.toml").write_text(text, encoding="utf-8")

    return write


@pytest.fixture
def config(capsys):
    def config(*flags):
        assert main(["config", *flags]) == 0
        lines = capsys.readouterr().out.splitlines()
        return {name.strip(): value.strip() for name, _, value in (ln.partition("=") for ln in lines)}

    return config


@pytest.fixture
def refused(capsys):
    """Exit code 2 and the message, however it was refused."""

    def refused(*args):
        try:
            code = main(list(args))
        except SystemExit as stop:
            code = stop.code
        assert code == 2
        return capsys.readouterr().err

    return refused


BUILT_IN = {"max_words": "120", "strict": "no", "ignore": "", "locale": "en"}


def test_built_in(config):
    assert config() == BUILT_IN


def test_pyproject(config, write):
    write(toml='max-words = 60\nstrict = true\nignore = ["very", "utilize"]\nlocale = "fr"')
    assert config() == {"max_words": "60", "strict": "yes", "ignore": "very,utilize", "locale": "fr"}


def test_a_pyproject_that_says_nothing_of_us(config, book, write):
    (book / "pyproject.toml").write_text("[tool.other]\nx = 1\n", encoding="utf-8")
    assert config() == BUILT_IN
    write(ini="max_words = 60")
    assert config()["max_words"] == "60"


@pytest.mark.parametrize("key", ["max_words", "max-words"])
def test_both_spellings_in_both_files(config, write, book, key):
    write(ini=f"{key} = 61")
    assert config()["max_words"] == "61"
    (book / "deckle.ini").unlink()
    write(toml=f"{key} = 62")
    assert config()["max_words"] == "62"


SOURCES = {
    "MAX_WORDS": ("max_words", ["11", "12", "13", "14"], lambda value: value),
    "LOCALE": ("locale", ["de", "fr", "en", "de"], lambda value: f'"{value}"'),
    "IGNORE": ("ignore", ["ini", "toml", "env", "flag"], lambda value: f'["{value}"]'),
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_order(config, write, monkeypatch, name):
    key, (ini, toml, env, flag), as_toml = SOURCES[name]
    write(ini=f"{key} = {ini}")
    assert config()[key] == ini
    write(toml=f"{key.replace('_', '-')} = {as_toml(toml)}")
    assert config()[key] == toml
    monkeypatch.setenv(f"DECKLE_{name}", env)
    assert config()[key] == env
    assert config(f"--{key.replace('_', '-')}", flag)[key] == flag


@pytest.mark.parametrize("first", [True, False])
def test_the_order_for_strict(config, write, monkeypatch, first):
    word = {True: "yes", False: "no"}
    write(ini=f"strict = {word[first]}")
    assert config()["strict"] == word[first]
    write(toml=f"strict = {str(not first).lower()}")
    assert config()["strict"] == word[not first]
    monkeypatch.setenv("DECKLE_STRICT", "1" if first else "0")
    assert config()["strict"] == word[first]
    assert config("--no-strict" if first else "--strict")["strict"] == word[not first]


def test_each_setting_on_its_own(config, write, monkeypatch):
    write(ini="max_words = 60\nstrict = yes\nignore = very\nlocale = de", toml='locale = "fr"')
    monkeypatch.setenv("DECKLE_STRICT", "off")
    assert config("--ignore", "utilize") == {
        "max_words": "60",
        "strict": "no",
        "ignore": "utilize",
        "locale": "fr",
    }


@pytest.mark.parametrize("word", ["yes", "true", "on", "1", "YES", "True", "On"])
def test_yes(config, write, monkeypatch, word):
    write(ini=f"strict = {word}")
    assert config()["strict"] == "yes"
    write(ini="strict = no")
    monkeypatch.setenv("DECKLE_STRICT", word)
    assert config()["strict"] == "yes"


@pytest.mark.parametrize("word", ["no", "false", "off", "0", "NO", "False", "Off"])
def test_no(config, write, monkeypatch, word):
    write(ini=f"strict = {word}")
    assert config()["strict"] == "no"
    write(ini="strict = yes")
    monkeypatch.setenv("DECKLE_STRICT", word)
    assert config()["strict"] == "no"


@pytest.mark.parametrize("word", ["maybe", "2", "yess"])
def test_neither(refused, write, monkeypatch, book, word):
    write(ini=f"strict = {word}")
    assert "strict" in refused("config")
    (book / "deckle.ini").unlink()
    monkeypatch.setenv("DECKLE_STRICT", word)
    assert "strict" in refused("config").lower()


def test_lists_with_commas(config, write, monkeypatch):
    write(ini="ignore = very , suddenly")
    assert config()["ignore"] == "very,suddenly"
    monkeypatch.setenv("DECKLE_IGNORE", " utilize,very ")
    assert config()["ignore"] == "utilize,very"
    assert config("--ignore", "suddenly, very")["ignore"] == "suddenly,very"


def test_an_empty_list_is_one(config, write):
    write(ini="ignore =")
    assert config()["ignore"] == ""
    write(ini="ignore = very", toml="ignore = []")
    assert config()["ignore"] == ""


def test_an_empty_list_in_the_ini_ignores_nothing(book, write, capsys):
    write(ini="ignore =\nstrict = yes")
    (book / "a.txt").write_text("A very long day\n", encoding="utf-8")
    assert main(["check", "a.txt"]) == 1
    assert "very" in capsys.readouterr().out


def test_check_goes_by_the_same_settings(book, write, monkeypatch, capsys):
    (book / "a.txt").write_text("A very long day, suddenly\n", encoding="utf-8")
    write(ini="ignore = very, suddenly\nstrict = yes")
    assert main(["check", "a.txt"]) == 0
    assert main(["check", "a.txt", "--ignore", "very"]) == 1
    assert main(["check", "--ignore", "very", "--no-strict", "a.txt"]) == 0
    assert main(["check", "--max-words", "2", "a.txt"]) == 1
    monkeypatch.setenv("DECKLE_IGNORE", "utilize")
    assert main(["check", "a.txt"]) == 1
    capsys.readouterr()


@pytest.mark.parametrize("key", ["max_word", "strickt"])
def test_typos_in_the_files(refused, write, book, key):
    write(ini=f"{key} = 1")
    said = refused("config")
    assert key in said and "deckle.ini" in said
    (book / "deckle.ini").unlink()
    write(toml=f"{key} = 1")
    said = refused("config")
    assert key in said and "pyproject.toml" in said


def test_a_typo_stops_a_check_too(refused, write, book):
    (book / "a.txt").write_text("fine\n", encoding="utf-8")
    write(toml="max_wrods = 1")
    assert "max_wrods" in refused("check", "a.txt")


def test_variables_of_others(config, monkeypatch):
    monkeypatch.setenv("DECKLE_FONTS", "/fonts")
    monkeypatch.setenv("DECKLE_STRIKT", "maybe")
    assert config() == BUILT_IN


@pytest.mark.parametrize(
    ("key", "value"), [("max_words", "sixty"), ("locale", "es"), ("max_words", "6O")]
)
def test_values_that_are_no_good(refused, write, monkeypatch, book, key, value):
    def names_it(said):
        return key in said.lower().replace("-", "_")

    write(ini=f"{key} = {value}")
    assert names_it(refused("config"))
    (book / "deckle.ini").unlink()
    write(toml=f'{key} = "{value}"')
    assert names_it(refused("config"))
    (book / "pyproject.toml").unlink()
    assert names_it(refused("config", f"--{key.replace('_', '-')}", value))
    monkeypatch.setenv(f"DECKLE_{key.upper()}", value)
    assert names_it(refused("config"))


@pytest.mark.parametrize(("key", "value"), [("max_words", "true"), ("strict", "5"), ("strict", "[]")])
def test_values_of_the_wrong_type(refused, write, key, value):
    write(toml=f"{key} = {value}")
    assert key in refused("config").lower().replace("-", "_")
