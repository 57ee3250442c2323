"""furrowbox against a box written down from docs/format.md."""

import os
import random
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    target = tmp_path_factory.mktemp("target") / "furrowbox"
    built = subprocess.run(
        ["rustc", "--edition", "2021", "-C", "debuginfo=0", "-o", target, "src/main.rs"],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert built.returncode == 0, built.stderr
    return target


@pytest.fixture
def furrowbox(program, tmp_path):
    def call(command, box, *arguments):
        path = tmp_path / "ring.fbx"
        if box is not None:
            path.write_bytes(box if isinstance(box, bytes) else box.file())
        done = subprocess.run(
            [program, command, path, *arguments],
            capture_output=True,
            text=True,
            timeout=20,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, path.read_bytes()

    return call


def record(number, text):
    head = struct.pack("<HH", number, len(text))
    body = text.encode()
    return head + struct.pack("<I", zlib.crc32(head + body)) + body + bytes(-len(body) % 4)


class Box:
    """What the firmware does."""

    def __init__(self, size, first=0):
        self.ring, self.at, self.number = bytearray(size), 0, first
        self.kept = []  # (at, end, number, text), oldest first

    def put(self, data):
        if self.at + len(data) > len(self.ring):
            self._destroy(self.at, len(self.ring))
            self.ring[self.at :] = b"\xff" * (len(self.ring) - self.at)
            self.at = 0
        self._destroy(self.at, self.at + len(data))
        return self.at, self.at + len(data)

    def write(self, *texts):
        for text in texts:
            data = record(self.number, text)
            at, end = self.put(data)
            self.ring[at:end] = data
            self.kept.append((at, end, self.number, text))
            self.at, self.number = end, (self.number + 1) % 65536
        return self

    def tear(self, text, after):
        """The battery is pulled after some bytes."""
        data = record(self.number, text)[:after]
        at, end = self.put(data)
        self.ring[at:end] = data
        return self

    def rot(self, index, offset, value):
        at, _, _, _ = self.kept.pop(index)
        changed = bytes(value)
        assert self.ring[at + offset : at + offset + len(changed)] != changed
        self.ring[at + offset : at + offset + len(changed)] = changed
        return self

    def _destroy(self, start, end):
        self.kept = [entry for entry in self.kept if entry[1] <= start or entry[0] >= end]

    def file(self):
        head = b"FBX1" + struct.pack("<II", len(self.ring), 0)
        return head + struct.pack("<I", zlib.crc32(head)) + bytes(self.ring)

    @property
    def dump(self):
        return "".join(f"{number:>5} {text}\n" for _, _, number, text in self.kept)

    @property
    def check(self):
        if not self.kept:
            return "records=0\n"
        first, last, count = self.kept[0][2], self.kept[-1][2], len(self.kept)
        missing = (last - first) % 65536 + 1 - count
        return f"records={count} first={first} last={last} missing={missing}\n"


def texts(count, seed=1, longest=23):
    rng = random.Random(seed)
    words = ["key on", "engine", "plough", "oil 92 C", "hitch", "PTO", "fuel low", "..."]
    return ["".join(rng.choices(" ".join(words), k=rng.randint(0, longest))) for _ in range(count)]


def agree(furrowbox, box):
    before = box.file()
    assert furrowbox("dump", box) == (box.dump, before)
    assert furrowbox("check", box) == (box.check, before)


def append_agrees(furrowbox, box, text="hydraulics replaced"):
    before, number = box.file(), box.number
    box.write(text)
    assert furrowbox("append", before, text) == (f"{number}\n", box.file())


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_ring_that_is_not_full(furrowbox, count):
    box = Box(512).write(*texts(count))
    agree(furrowbox, box)
    append_agrees(furrowbox, box)


def test_a_new_ring(furrowbox):
    assert furrowbox("new", None, "256")[1] == Box(256).file()


@pytest.mark.parametrize("count", [40, 41, 42, 43, 44, 45, 90])
def test_around_the_end(furrowbox, count):
    box = Box(512).write(*texts(count, seed=count))
    assert len(box.kept) < count
    agree(furrowbox, box)
    append_agrees(furrowbox, box)


@pytest.mark.parametrize("first", [65535, 65534, 65530, 65500])
def test_the_numbers_start_again(furrowbox, first):
    box = Box(1024, first).write(*texts(20, seed=first, longest=12))
    assert len(box.kept) == 20
    agree(furrowbox, box)
    append_agrees(furrowbox, box)


@pytest.mark.parametrize("first", [65535, 65520, 65500, 65480, 65450])
def test_the_numbers_start_again_in_a_ring_that_went_around(furrowbox, first):
    box = Box(512, first).write(*texts(60, seed=first))
    agree(furrowbox, box)
    append_agrees(furrowbox, box)


def test_the_last_number_is_appended(furrowbox):
    box = Box(256, 65534).write("a")
    append_agrees(furrowbox, box, "b")
    append_agrees(furrowbox, box, "c")
    agree(furrowbox, box)
    assert [entry[2] for entry in box.kept] == [65534, 65535, 0]


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (0, b"\x77"),
        (0, b"\xff\xff"),
        (2, b"\x00\x00"),
        (2, b"\x01"),
        (2, b"\xff\x00"),
        (2, b"\x00\x04"),
        (2, b"\xff\xff"),
        (4, b"\xff\xff\xff\xff"),
        (8, b"\x00"),
        (8, b"\xff\xff\xff\xff"),
    ],
    ids=lambda value: value.hex() if isinstance(value, bytes) else None,
)
def test_one_is_rotten(furrowbox, offset, value):
    box = Box(512, 300).write(*[f"hour {n}, all well" for n in range(12)]).rot(4, offset, value)
    agree(furrowbox, box)
    append_agrees(furrowbox, box)


def test_some_are_rotten_in_a_ring_that_went_around(furrowbox):
    for seed in range(4):
        box = Box(512, 65500).write(*[f"hour {n}, all well" for n in range(30 + seed)])
        for index in (seed, 6, 9):
            box.rot(index, 9, b"\xee")
        assert "missing=3" in box.check or seed == 0
        agree(furrowbox, box)
        append_agrees(furrowbox, box)


@pytest.mark.parametrize("after", [1, 4, 8, 12, 19])
def test_a_torn_record(furrowbox, after):
    box = Box(512, 40).write(*[f"hour {n}" + "." * (n % 9) for n in range(60)])
    box.tear("plough down, and then", after)
    agree(furrowbox, box)
    append_agrees(furrowbox, box)
    agree(furrowbox, box)


def test_a_torn_record_in_a_new_ring(furrowbox):
    box = Box(256).write("key on").tear("engine on", 10)
    agree(furrowbox, box)
    append_agrees(furrowbox, box, "x")
    agree(furrowbox, box)


@pytest.mark.parametrize("left", [0, 4, 8, 12, 20, 24])
def test_close_to_the_end(furrowbox, left):
    """The newest record ends `left` bytes before the end; 20 are needed."""
    box = Box(128, 7).write("x" * 40, "x" * (128 - 48 - 8 - left))
    assert box.at == 128 - left
    append_agrees(furrowbox, box, "twelve bytes")
    agree(furrowbox, box)
    append_agrees(furrowbox, box, "once more")
    agree(furrowbox, box)


def test_the_rest_is_erased(furrowbox):
    box = Box(512).write(*["x" * 92] * 9)
    box.write("y" * 92, "z" * 200)
    append_agrees(furrowbox, box, "w" * 300)
    agree(furrowbox, box)


def test_a_long_life(furrowbox):
    box = Box(256, 65530).write("key on")
    for text in texts(30, seed=5, longest=40):
        append_agrees(furrowbox, box, text)
    agree(furrowbox, box)


def test_the_samples(furrowbox):
    def sample(name):
        return (REPO / "samples" / name).read_bytes()

    assert furrowbox("check", sample("unit07.fbx"))[0] == "records=5 first=0 last=4 missing=0\n"
    assert furrowbox("check", sample("unit12.fbx"))[0] == "records=13 first=101 last=114 missing=1\n"
    dumped = furrowbox("dump", sample("unit03.fbx"))[0].splitlines()
    assert dumped[-1].split() == ["9", "hour", "30.."]
    assert [int(line.split()[0]) for line in dumped] == [n % 65536 for n in range(65546 - len(dumped), 65546)]
    assert len(dumped) > 20
