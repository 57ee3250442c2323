def reading(name, at, kwh):
    return {"id": name, "site": "reykjavik", "at": f"2024-05-{at}Z", "kwh": kwh}


def usual_day(service):
    service.ingest([reading(f"u{hour}", f"02T0{hour}:00:00", 2) for hour in range(4)])


def test_a_spike_against_the_day_before(service):
    usual_day(service)
    (alarm,) = service.ingest([reading("s", "03T10:00:00", 8.5)]).alarms
    assert (alarm.reading.id, alarm.usual_kwh) == ("s", 2)


def test_a_batch_is_not_compared_with_itself(service):
    usual_day(service)
    batch = [reading("s1", "02T23:45:00", 9), reading("s2", "03T00:00:00", 9)]
    (alarm,) = service.ingest(batch).alarms
    assert (alarm.reading.id, alarm.usual_kwh) == ("s2", 2)


def test_a_site_without_a_factor_has_no_alarms(service, rows):
    service.ingest(rows)
    spike = {**rows[0], "id": "spike", "at": "2024-03-10T11:00:00Z", "kwh": 900}
    assert service.ingest([spike]).alarms == []
