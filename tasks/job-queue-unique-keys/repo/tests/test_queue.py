import pytest

from errand import QueueError


def test_first_in_first_out(queue):
    first = queue.enqueue("mail", {"order": 1})
    second = queue.enqueue("mail", {"order": 2})
    assert [queue.claim().id, queue.claim().id] == [first, second]
    assert queue.claim() is None


def test_delay(queue, clock):
    queue.enqueue("mail", delay=60)
    assert queue.claim() is None
    clock.now += 60
    assert queue.claim().kind == "mail"


def test_failed_jobs_wait_and_come_back(queue, clock):
    job_id = queue.enqueue("mail")
    queue.claim()
    queue.fail(job_id, "smtp said no")
    assert queue.get(job_id).status == "queued"
    assert queue.get(job_id).last_error == "smtp said no"
    assert queue.claim() is None
    clock.now += 30
    assert queue.claim().attempts == 2


def test_dead_after_the_last_attempt_and_requeued(queue):
    job_id = queue.enqueue("mail", max_attempts=1)
    queue.claim()
    queue.fail(job_id, "no")
    assert queue.get(job_id).status == "dead"
    queue.requeue(job_id)
    assert queue.claim().attempts == 1


def test_only_dead_jobs_are_requeued(queue):
    job_id = queue.enqueue("mail")
    with pytest.raises(QueueError, match="is queued, not dead"):
        queue.requeue(job_id)


def test_same_job_twice_is_two_jobs(queue):
    assert queue.enqueue("sync") != queue.enqueue("sync")
    assert len(queue.jobs("queued")) == 2


def test_stuck_jobs_are_released(queue, clock):
    queue.enqueue("mail")
    queue.claim()
    clock.now += 100
    assert queue.release_stuck(200) == 0
    assert queue.release_stuck(50) == 1
    assert queue.claim().attempts == 2


def test_purge_keeps_what_is_not_done(queue, clock):
    done = queue.enqueue("mail")
    queue.enqueue("mail")
    queue.claim()
    queue.finish(done)
    clock.now += 100
    assert queue.purge(50) == 1
    assert len(queue.jobs()) == 1
