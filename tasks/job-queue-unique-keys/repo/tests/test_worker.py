from errand.worker import work


def test_runs_everything_that_is_due(queue):
    seen = []
    queue.enqueue("mail", {"order": 1})
    queue.enqueue("mail", {"order": 2})
    queue.enqueue("mail", {"order": 3}, delay=60)
    assert work(queue, {"mail": seen.append}) == 2
    assert seen == [{"order": 1}, {"order": 2}]
    assert len(queue.jobs("done")) == 2


def test_a_handler_that_raises(queue):
    def broken(payload):
        raise RuntimeError("out of paper")

    job_id = queue.enqueue("label")
    assert work(queue, {"label": broken}) == 1
    assert "out of paper" in queue.get(job_id).last_error


def test_no_handler(queue):
    job_id = queue.enqueue("fax")
    work(queue, {})
    assert queue.get(job_id).last_error == "no handler for 'fax'"
