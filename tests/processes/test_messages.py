"""Messages: what is sent arrives, and a closed or cut pipe is an end, not a failure."""

import io

import numpy as np
import pytest

from bdlviz.processes.messages import NotAMessage, receive, send


def sent(*messages):
    stream = io.BytesIO()
    for header, arrays in messages:
        send(stream, header, arrays)
    stream.seek(0)
    return stream


def test_messages_arrive_in_order_and_unchanged():
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    stream = sent(({"do": "open", "λ": [1e-6, None]}, {"w": weights.T, "empty": np.empty((0, 2))}), ({}, None))
    first, second = receive(stream), receive(stream)
    assert first is not None and first.header == {"do": "open", "λ": [1e-6, None]}
    np.testing.assert_array_equal(first.arrays["w"], weights.T)
    assert first.arrays["empty"].shape == (0, 2)
    assert second == ({}, {})
    assert receive(stream) is None


@pytest.mark.parametrize("kept", [0, 3, 8, 12, -1])
def test_a_cut_message_is_the_end(kept):
    whole = sent(({"do": "advance"}, {"x": np.ones(5)})).getvalue()
    assert receive(io.BytesIO(whole[:kept])) is None


def test_arrays_of_objects_are_refused():
    with pytest.raises(Exception, match="object"):
        send(io.BytesIO(), {}, {"x": np.array([object()])})


@pytest.mark.parametrize(
    "content",
    [
        b"Segmentation fault (core dumped)\n",
        (4).to_bytes(8, "little") + b"{]{]" + bytes(8),
        (2).to_bytes(8, "little") + b"[1" + (2).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"{}" + (3).to_bytes(8, "little") + b"abc",
        (100_000).to_bytes(8, "little") + b"[" * 100_000 + bytes(8),
    ],
)
def test_other_bytes_are_refused(content: bytes):
    with pytest.raises(NotAMessage):
        receive(io.BytesIO(content))
