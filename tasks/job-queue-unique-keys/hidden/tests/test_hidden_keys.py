import itertools
import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest

import errand as errand_package
from errand import Queue, QueueError
from errand.cli import main

# What errand 1.2 and 1.4 leave on disk.
SCHEMA_1 = """
CREATE TABLE jobs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    payload     TEXT NOT NULL DEFAULT 'null',
    status      TEXT NOT NULL DEFAULT 'queued',
    run_at      REAL NOT NULL,
    created_at  REAL NOT NULL,
    changed_at  REAL NOT NULL
);
CREATE INDEX jobs_by_status ON jobs (status, run_at);
PRAGMA user_version = 1;
"""
SCHEMA_2 = (
    SCHEMA_1
    + """
ALTER TABLE jobs ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN max_attempts INTEGER NOT NULL DEFAULT 3;
ALTER TABLE jobs ADD COLUMN last_error TEXT;
PRAGMA user_version = 2;
"""
)


class Clock:
    now = 5_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(tmp_path, clock):
    with Queue(tmp_path / "jobs.db", clock=clock) as queue:
        yield queue


@pytest.fixture
def errand(tmp_path, capsys):
    def call(*argv):
        code = main(["--db", str(tmp_path / "cli.db"), *argv])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_a_queued_job_blocks_its_key(queue):
    first = queue.enqueue("thumbnail", {"image": 42}, key="image-42")
    assert queue.enqueue("thumbnail", {"image": 42}, key="image-42") == first
    assert len(queue.jobs()) == 1


def test_the_existing_job_is_left_alone(queue, clock):
    first = queue.enqueue("thumbnail", {"v": 1}, key="a", delay=60, max_attempts=2)
    before = queue.get(first)
    clock.now += 10
    assert queue.enqueue("thumbnail", {"v": 2}, key="a", max_attempts=9) == first
    assert queue.get(first) == before


def test_a_running_job_blocks_its_key(queue):
    first = queue.enqueue("sync", key="ftp")
    assert queue.claim().id == first
    assert queue.enqueue("sync", key="ftp") == first
    assert queue.claim() is None


def test_a_job_waiting_for_its_next_attempt_blocks_its_key(queue):
    first = queue.enqueue("sync", key="ftp")
    queue.claim()
    queue.fail(first, "timeout")
    assert queue.enqueue("sync", key="ftp") == first
    assert len(queue.jobs()) == 1


def test_done_jobs_do_not_block(queue):
    ids = []
    for _ in range(3):
        ids.append(queue.enqueue("sync", key="ftp"))
        queue.claim()
        queue.finish(ids[-1])
    assert len(set(ids)) == 3
    assert len(queue.jobs("done")) == 3


def test_dead_jobs_do_not_block(queue):
    ids = []
    for _ in range(3):
        ids.append(queue.enqueue("sync", key="ftp", max_attempts=1))
        queue.claim()
        queue.fail(ids[-1], "no")
    assert len(set(ids)) == 3
    assert len(queue.jobs("dead")) == 3


def test_keys_are_per_kind(queue):
    assert queue.enqueue("mail", key="42") != queue.enqueue("thumbnail", key="42")


def test_without_a_key_nothing_is_deduplicated(queue):
    queue.enqueue("sync", key="ftp")
    ids = {queue.enqueue("sync") for _ in range(3)}
    assert len(ids) == 3
    assert len(queue.jobs()) == 4


def test_job_knows_its_key(queue):
    queue.enqueue("sync", key="ftp")
    queue.enqueue("sync")
    assert [job.key for job in queue.jobs()] == ["ftp", None]
    assert queue.claim().key == "ftp"


def dead_job(queue, kind, key):
    job_id = queue.enqueue(kind, key=key, max_attempts=1)
    queue.claim()
    queue.fail(job_id, "no")
    return job_id


@pytest.mark.parametrize("running", [False, True])
def test_requeue_is_refused_while_another_is_live(queue, running):
    dead = dead_job(queue, "sync", "ftp")
    queue.enqueue("sync", key="ftp")
    if running:
        queue.claim()
    with pytest.raises(QueueError):
        queue.requeue(dead)
    assert queue.get(dead).status == "dead"
    assert len(queue.jobs()) == 2


def test_requeue_works_again_once_the_other_is_done(queue):
    dead = dead_job(queue, "sync", "ftp")
    other = queue.enqueue("sync", key="ftp")
    queue.claim()
    queue.finish(other)
    queue.requeue(dead)
    assert queue.get(dead).status == "queued"
    assert queue.enqueue("sync", key="ftp") == dead


def test_requeue_is_not_bothered_by_other_kinds_and_keys(queue):
    dead = dead_job(queue, "sync", "ftp")
    keyless = dead_job(queue, "sync", None)
    queue.enqueue("mail", key="ftp")
    queue.enqueue("sync", key="sftp")
    queue.enqueue("sync")
    queue.requeue(dead)
    queue.requeue(keyless)
    assert len(queue.jobs("queued")) == 5


OTHER_PROCESS = """
import sys
from errand import Queue

with Queue(sys.argv[1]) as queue:
    print("ready", flush=True)
    for line in sys.stdin:
        print(queue.enqueue("thumbnail", key=line.strip()), flush=True)
"""


class Meanwhile:
    """Another process, adding a key just before a certain statement of ours.

    If we hold a lock at that moment, the other process would have to wait for us,
    so it gets its turn when we are through. Nothing here depends on who is faster.
    """

    def __init__(self, path, process):
        self._process = process
        self._pool = ThreadPoolExecutor(1)
        self._bystander = sqlite3.connect(path, timeout=0, isolation_level=None)
        self._key = self._theirs = None
        self._patience_s = 30
        self.countdown = 0

    def close(self):
        self._process.kill()
        self._pool.shutdown()
        self._bystander.close()

    def prepare(self, statement_number, key):
        self.countdown = statement_number
        self._key, self._theirs = key, None

    def before_statement(self, _sql):
        self._let_go()
        self.countdown -= 1
        if self.countdown != 0:
            return
        if self._lock("EXCLUSIVE"):
            self._let_go()
            self._add()
            # it is through in no time, unless we have a lock SQLite knows nothing of
            if wait([self._theirs], timeout=self._patience_s).not_done:
                self._patience_s = 1
        else:
            # no effect if we are writing; if we have only read so far, then
            # somebody can still start to write before we do
            self._lock("IMMEDIATE")

    def id_there(self):
        """Once we are through: the id the other process was given."""
        self._let_go()
        self.countdown = 0
        if self._theirs is None:
            self._add()
        return self._theirs.result(timeout=60)

    def _add(self):
        self._theirs = self._pool.submit(self._ask, self._key)

    def _ask(self, key):
        self._process.stdin.write(f"{key}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def _lock(self, how):
        try:
            self._bystander.execute(f"BEGIN {how}")
        except sqlite3.OperationalError:
            return False
        return True

    def _let_go(self):
        if self._bystander.in_transaction:
            self._bystander.execute("ROLLBACK")


@pytest.fixture
def meanwhile(tmp_path, monkeypatch):
    path = tmp_path / "busy.db"
    Queue(path).close()
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_PROCESS, str(path)],
        cwd=Path(errand_package.__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        meanwhile = Meanwhile(path, process)
        try:
            assert process.stdout.readline() == "ready\n"
            watch_connections(monkeypatch, meanwhile.before_statement)
            yield meanwhile
        finally:
            meanwhile.close()


def watch_connections(monkeypatch, before_statement):
    connect = sqlite3.connect

    def watched(*args, **options):
        db = connect(*args, **options)
        db.set_trace_callback(before_statement)
        return db

    places = [sqlite3]
    places += [sys.modules[name] for name in sys.modules if name.startswith("errand.")]
    for place in places:
        if getattr(place, "connect", None) is connect:
            monkeypatch.setattr(place, "connect", watched)


def test_another_process_adds_the_key_at_the_same_moment(tmp_path, meanwhile):
    # before our first statement, then before our second, and so on until we have
    # no more and the other process comes last
    with Queue(tmp_path / "busy.db") as queue:
        for number in itertools.count(1):
            key = f"image-{number}"
            meanwhile.prepare(number, key)
            ours = queue.enqueue("thumbnail", key=key)
            came_last = meanwhile.countdown > 0
            assert meanwhile.id_there() == ours
            assert [job.id for job in queue.jobs() if job.key == key] == [ours]
            if came_last:
                break
    assert number > 1, "no statement seen, nothing was tried"


@pytest.mark.parametrize("schema", [SCHEMA_1, SCHEMA_2], ids=["1.2", "1.4"])
def test_files_in_use_are_upgraded(tmp_path, schema):
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(schema)
        for status in ("queued", "queued", "running", "done"):
            db.execute(
                "INSERT INTO jobs (kind, payload, status, run_at, created_at,"
                " changed_at) VALUES ('sync', '[7]', ?, 1, 1, 1)",
                (status,),
            )
        db.commit()
    for _ in range(2):  # opening it again changes nothing
        with Queue(path) as queue:
            jobs = queue.jobs()
            assert [(job.id, job.kind, job.payload, job.key) for job in jobs] == [
                (number, "sync", [7], None) for number in (1, 2, 3, 4)
            ]
    with Queue(path) as queue:
        added = queue.enqueue("sync", key="ftp")
        assert added not in (1, 2, 3, 4)
        assert queue.enqueue("sync", key="ftp") == added
        assert queue.claim().id == 1


def test_cli_add(errand):
    assert errand("add", "thumbnail", "--key", "image-42") == (0, "1\n", "")
    code, out, _ = errand("add", "thumbnail", "--key", "image-42")
    assert (code, out) == (0, "1 (already there)\n")
    _, other_key, _ = errand("add", "thumbnail", "--key", "image-43")
    _, no_key, _ = errand("add", "thumbnail")
    assert len({1, int(other_key), int(no_key)}) == 3


def test_cli_list_json(errand):
    errand("add", "thumbnail", "--key", "image-42")
    errand("add", "thumbnail")
    _, out, _ = errand("list", "--json")
    assert [job["key"] for job in json.loads(out)] == ["image-42", None]


def test_cli_requeue_refused(errand, tmp_path):
    with Queue(tmp_path / "cli.db") as queue:
        dead = dead_job(queue, "sync", "ftp")
        queue.enqueue("sync", key="ftp")
    code, _, err = errand("requeue", str(dead))
    assert code == 1
    assert err.strip()
