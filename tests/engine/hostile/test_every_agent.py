"""No agent lies in the folder without a test that lets it loose."""

from pathlib import Path

HERE = Path(__file__).parent


def test_every_agent_is_let_loose():
    agents = {path.name for path in (HERE / "agents").iterdir()}
    tests = "".join(path.read_text() for path in HERE.glob("test_*.py"))
    assert {name for name in agents if f'"{name}"' not in tests} == set()
    assert len(agents) >= 50
