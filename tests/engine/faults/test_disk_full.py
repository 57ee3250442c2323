"""Small file systems that really fill up, below the store and below the workspaces."""

import pytest

from agenteval.records import read_journal

LOUD = "command:echo fixed > app.txt; head -c 600000 /dev/urandom | base64 -w0 | head -c 600000"
# sets $place to the workspace in which a file `ready` is, once it is there; fails when the run has ended
AWAIT = """
await() {
    while kill -0 $!; do
        set -- "$TMPDIR"/agenteval-*/trials/*/$WHERE/ready
        if test -e "$1"; then place=${1%/ready}; return; fi
        sleep 0.02
    done
    exit 3
}
"""
RUN = 'run() { "$PYTHON" -m agenteval run "$SUITE" --store "$STORE" --run-id r1 "$@" 2>&1; }\n'


@pytest.fixture
def script(victim, mounted):
    """Run a script whose store and TMPDIR are folders to mount on; afterwards the store is copied out."""

    def go(text: str, **variables: str) -> str:
        (victim.bench.folder / "small").mkdir()
        code, told = mounted(
            RUN + AWAIT + text + 'cp -r "$STORE" "$COPY"\n',
            STORE=victim.bench.folder / "small/store",
            COPY=victim.store,
            SMALL=victim.bench.folder / "small",
            SUITE=victim.bench.suite,
            PYTHON=victim.command(repeats=1)[0],
            **variables,
        )
        assert code == 0, told
        assert "Traceback" not in told, told
        return told

    return go


def test_a_full_store_stops_the_run_which_goes_on_when_there_is_space(victim, script):
    victim.bench.task()
    told = script(
        """
        mount -t tmpfs -o size=24m none "$SMALL"
        head -c 21000000 /dev/zero > "$SMALL/ballast"
        run --agent "$LOUD" --repeat 8 --concurrency 2 && exit 1
        cp -r "$STORE" "$COPY.full"
        rm "$SMALL/ballast"
        echo "--- again"
        run --agent "$LOUD" --repeat 8 --concurrency 2
        """,
        LOUD=LOUD,
    )
    first, again = told.split("--- again")
    assert "error: " in first
    assert "No space left on device" in first or "nearly full" in first
    assert "Fix: make space, then resume with the same command and --run-id" in first
    stopped = victim.bench.folder / "store.full/runs/r1"
    before = read_journal(stopped / "journal.jsonl")
    finished = [b for b in before.blocks if b.attempt.status == "pass"]
    assert 1 <= len(finished) < 8
    assert (before.torn_bytes, before.bad_lines) == (0, [])
    assert f"{len(finished)} already held" in again
    victim.check_whole(planned=8)
    assert {row.status for row in victim.held} == {"pass"}


def test_a_store_that_is_too_small_is_refused_at_the_start_unless_told_otherwise(victim, script):
    victim.bench.task()
    told = script(
        """
        mount -t tmpfs -o size=2m none "$SMALL"
        run --agent scripted:noop --repeat 200 && exit 1
        test ! -e "$STORE"
        echo "--- ignored"
        run --agent scripted:noop --repeat 2 --ignore-disk
        """
    )
    refused, ignored = told.split("--- ignored")
    assert "There is too little disk space for this run" in refused
    assert "--ignore-disk" in refused
    assert "2 trials planned" in ignored
    victim.check_whole(planned=2)


WAITS = "command:touch ready; until test -e go; do sleep 0.02; done; echo fixed > app.txt"
FILL = """
    mount -t tmpfs -o size=40m none "$TMPDIR"
    run --agent "$AGENT" --concurrency 1 &
    await
    touch "$place/go.new"
    head -c 50000000 /dev/zero > "$TMPDIR/filler" || true
    mv "$place/go.new" "$place/go"
    wait $! && exit 1
    cp -r "$STORE" "$COPY.full"
    rm "$TMPDIR/filler"
    echo "--- again"
    run --agent "$AGENT" --concurrency 1 &
    await
    touch "$place/go"
    wait $!
"""


def test_work_on_a_disk_that_others_filled_is_no_zero_and_stops_the_run(victim, script):
    victim.bench.task()
    told = script(FILL, AGENT=WAITS, WHERE="workspace")
    first, again = told.split("--- again")
    assert "the disk is full" in first
    assert "resume" in first
    stopped = victim.bench.folder / "store.full/runs/r1"
    (block,) = read_journal(stopped / "journal.jsonl").blocks
    assert (block.attempt.status, block.attempt.passed) == ("error", None)
    assert block.attempt.error_class == "host_disk_full"
    assert "1 already held" not in again
    rows = [block.attempt for block in victim.journal.blocks]
    assert [(row.attempt, str(row.status)) for row in rows] == [(1, "error"), (2, "pass")]


def test_an_agent_that_takes_what_all_share_meets_a_limit_and_the_run_goes_on(victim, script):
    """Though the task names none."""
    victim.bench.task()
    script(
        """
        mount -t tmpfs -o size=200m none "$TMPDIR"
        run --agent "command:head -c 120000000 /dev/zero > filler; sleep 60" \\
            --agent "command:echo fixed > app.txt" --concurrency 1
        """
    )
    ends = {row.ended_by: row.passed for row in victim.held}
    assert ends == {"disk_limit": False, "agent": True}


@pytest.mark.parametrize(
    "filling",
    [
        "fallocate -l 170M filler; fallocate -l 29M ~/more; head -c 20M /dev/zero > rest",
        "for i in $(seq 99); do mkdir /tmp/$i; (cd /tmp/$i; touch $(seq 99)); done",
        "for i in $(seq 99); do mkdir $i; (cd $i; touch $(seq 99)); done",
    ],
)
def test_an_agent_that_fills_the_disk_before_anybody_looks_is_graded(victim, script, filling):
    """It must not leave the rate, or stop the run, by leaving no room to grade it."""
    victim.bench.task()
    script(
        """
        mount -t tmpfs -o size=200m,nr_inodes=4000 none "$TMPDIR"
        run --agent "command:$FILLING; true" --agent "command:echo fixed > app.txt" \\
            --concurrency 1 --retries 0
        """,
        FILLING=filling,
    )
    ends = {row.ended_by: row.passed for row in victim.held}
    assert ends == {"disk_limit": False, "agent": True}


def test_grading_on_a_disk_that_others_filled_keeps_the_work_and_is_no_zero(victim, script):
    check = '[[checks]]\nkind = "command"\nrun = "touch ready; while head -c 65536 /dev/zero >> probe; do sleep 0.02; done; false"\n'
    victim.bench.task(checks=check)
    told = script(
        FILL.partition('    echo "--- again"')[0],
        AGENT="command:echo fixed > app.txt",
        WHERE="grading/*/workspace",
    )
    assert "the disk is full" in told
    (block,) = victim.journal.blocks
    row = block.attempt
    assert (row.status, row.passed, row.error_class) == ("error", None, "grading_failed")
    folder = victim.folder.attempt(row.trial_id, 1)
    assert b"+fixed" in (folder / "patch.diff").read_bytes()
