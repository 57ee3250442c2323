def test_one_file(foyer):
    foyer.put("K01-20260214.csv", "seq,boot,film,stars,comment", "1,1,F1,5,", "2,1,F2,3,nice")
    outcome = foyer.sync()
    assert (outcome.counted, outcome.duplicates, outcome.rejected) == (2, 0, 0)
    assert not list(foyer.spool.glob("*.csv"))
    assert (foyer.spool / "done" / "K01-20260214.csv").exists()


def test_a_part_is_read_with_the_header_of_its_file(foyer):
    foyer.put("K01-20260214.csv", "boot,seq,film,stars,comment", "1,1,F1,5,")
    foyer.put("K01-20260214.part2.csv", "1,2,F1,4,", "2,1,F2,4,")
    assert foyer.sync().counted == 3


def test_sent_again(foyer):
    lines = ("seq,film,stars,comment", "1,F1,5,", "2,F1,4,")
    foyer.put("K01-20260214.csv", *lines)
    assert foyer.sync().counted == 2
    foyer.put("K01-20260214.csv", *lines)
    outcome = foyer.sync()
    assert (outcome.counted, outcome.duplicates) == (0, 2)


def test_restart(foyer):
    foyer.put("K01-20260214.csv", "seq,boot,film,stars,comment", "1,1,F1,5,", "1,2,F1,1,")
    assert foyer.sync().counted == 2


def test_same_numbers_at_another_kiosk_and_day(foyer):
    for name in ("K01-20260214.csv", "K02-20260214.csv", "K01-20260215.csv"):
        foyer.put(name, "seq,film,stars,comment", "1,F1,5,")
    assert foyer.sync().counted == 3
    assert foyer.kiosks() == {"K01": 2, "K02": 1}


def test_rejected(foyer, caplog):
    foyer.put("K01-20260214.csv", "seq,film,stars,comment", "1,F9,5,", "2,F1,7,", "x,F1,5,")
    assert foyer.sync().rejected == 3
    assert "K01-20260214.csv:2 rejected, no film 'F9': 1,F9,5," in caplog.text


def test_other_files_stay(foyer):
    foyer.put("notes.csv", "hello")
    assert foyer.sync().files == []
    assert (foyer.spool / "notes.csv").exists()
