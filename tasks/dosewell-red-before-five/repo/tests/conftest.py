import pytest

from dosewell import load_formulary


@pytest.fixture(scope="session")
def formulary():
    return load_formulary()
