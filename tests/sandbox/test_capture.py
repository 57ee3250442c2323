"""Head and tail of a stream, whatever its pieces."""

from hypothesis import given
from hypothesis import strategies as st

from agenteval.sandbox.capture import Capture

PIECES = st.lists(st.binary(max_size=40), max_size=30)


def captured(pieces: list[bytes], keep: int) -> Capture:
    capture = Capture(keep)
    for piece in pieces:
        capture.add(piece)
    return capture


@given(PIECES, st.integers(2, 300))
def test_short_streams_are_kept_whole(pieces, keep):
    whole = b"".join(pieces)
    if len(whole) <= keep // 2 * 2:
        assert captured(pieces, keep).value() == whole


@given(PIECES, st.integers(2, 60))
def test_long_streams_keep_head_and_tail_and_say_how_much_is_missing(pieces, keep):
    whole, half = b"".join(pieces), keep // 2
    if len(whole) > 2 * half:
        missing = len(whole) - 2 * half
        marker = f"\n[... {missing} bytes left out ...]\n".encode()
        assert captured(pieces, keep).value() == whole[:half] + marker + whole[-half:]


@given(PIECES, st.integers(2, 60))
def test_how_the_stream_was_cut_does_not_matter(pieces, keep):
    whole = b"".join(pieces)
    assert captured(pieces, keep).value() == captured([whole], keep).value()
    assert captured(pieces, keep).total == len(whole)


@given(st.integers(2, 64))
def test_memory_is_bounded_by_the_tail_and_one_piece(keep):
    capture = captured([b"x" * 50] * 100, keep)
    assert sum(map(len, capture._tail)) <= keep // 2 + 50
