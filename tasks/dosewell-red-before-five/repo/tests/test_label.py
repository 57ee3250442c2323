from dosewell import label_for


def test_tablets(formulary):
    assert label_for(formulary, "carprodyl", "tab50", "dog", "12.4", 5) == (
        "carprodyl 50 mg tablets\n"
        "Give 1 tablet once a day for 5 days.\n"
        "Each dose: 50 mg (4.03 mg/kg). Dispense: 5 tablets."
    )


def test_parts(formulary):
    text = label_for(formulary, "carprodyl", "tab50", "dog", "15.7", 1)
    assert "Give 1 1/4 tablets once a day for 1 day." in text


def test_loading(formulary):
    text = label_for(formulary, "meloxan", "oral05", "cat", "4", 3)
    assert "First dose only: 0.8 ml (0.4 mg)." in text
    assert "Dispense: 2 ml." in text
